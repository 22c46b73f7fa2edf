import type { Role, Said, SaidWord } from './said.ts'

/** The subject of a statement, from a place to before another; empty if it begins with "we" or "after". */
interface Head {
  readonly from: number
  readonly end: number
  /** It begins the statement as a name does. */
  readonly isName: boolean
}

/** A word that says something, in its order. */
interface Placed {
  readonly said: SaidWord
  /** Stands behind the verb, or behind the words of change of what it speaks of. */
  readonly isBehind: boolean
  /** Stands behind words of change, as the new value does: "the rent went up to 980". */
  readonly isChanged: boolean
}

/** Most words of a subject before its verb. */
const SUBJECT_MOST = 8

const CHANGES: ReadonlySet<Role | undefined> = new Set([
  'ended',
  'over',
  'moved',
  'unwed',
  'resigned',
  'change',
])
/** True of a word of change. */
export const isChange = ({ role }: SaidWord): boolean => CHANGES.has(role)
/** True of a word that says something, and not that it changed. */
export const isContent = (each: SaidWord): boolean =>
  each.term !== undefined && !isChange(each) && each.role !== 'verb'
/** True of a whole number in digits. */
export const isAmount = ({ word }: SaidWord): boolean => /^\p{N}+$/u.test(word)

/** True of two words that are the same, whatever their form. */
export function areSame(one: SaidWord | undefined, other: SaidWord | undefined): boolean {
  if (one === undefined || other === undefined) return false
  return one.term === undefined ? one.word === other.word : one.term === other.term
}

/** The values derived from the words of statements in memory: each is compared with many others. */
const DERIVED = new WeakMap<readonly SaidWord[], Derived>()

interface Derived {
  /** All comparable words, those of change too. */
  readonly terms: readonly string[]
  readonly roles: ReadonlySet<Role | undefined>
  /** Terms of words that say something, without those of change. */
  readonly content: readonly string[]
  /** The place of the first copula or auxiliary with a subject before it; -1 without one. */
  readonly verb: number
  readonly head: Head
  /** The words about its subject. */
  readonly rest: readonly string[]
  readonly placed: readonly Placed[]
  /** Names and numbers; the first word has a capital for its place alone, and a single sign says nothing. */
  readonly values: readonly SaidWord[]
  readonly spelled: ReadonlySet<string>
  readonly contentSet: ReadonlySet<string>
}

/** Returns what the rules need of a statement's words; computed once for each. */
export function derived(words: readonly SaidWord[]): Derived {
  const known = DERIVED.get(words)
  if (known !== undefined) return known
  const [verb, head] = [verbAmong(words), headAmong(words)]
  const changed = changedAt(words)
  const content = contentOf(words)
  const made: Derived = {
    terms: words.flatMap(({ term }) => term ?? []),
    roles: new Set(words.map(({ role }) => role)),
    content,
    contentSet: new Set(content),
    spelled: new Set(words.map(({ word }) => word)),
    values: words.filter((each, at) => isValue(each, at) && isContent(each)),
    verb,
    head,
    rest: contentOf(words.slice(Math.max(head.end, verb + 1))),
    placed: words.flatMap((said, at) => (isContent(said) ? [placedAt(said, at, { verb, changed })] : [])),
  }
  DERIVED.set(words, made)
  return made
}

const isValue = ({ word, isName, role }: SaidWord, at: number): boolean =>
  word.length > 1 && (/\p{Nd}/u.test(word) || (isName && at > 0 && role !== 'article'))

/** The place of the first copula or auxiliary with a subject before it; -1 without one. */
export const verbOf = (words: readonly SaidWord[]): number => derived(words).verb
/** The subject of a statement. */
export const headOf = (words: readonly SaidWord[]): Head => derived(words).head
/** Terms of all its words that say something, without those of change. */
export const allContentOf = ({ words }: Said): readonly string[] => derived(words).content
/** Terms of what it says of its subject. */
export const restOf = ({ words }: Said): readonly string[] => derived(words).rest
/** True if any word of it does such a thing. */
export const hasRole = ({ words }: Said, role: Role): boolean => derived(words).roles.has(role)

/** Terms of words that say something, without those of change. */
export function contentOf(words: readonly SaidWord[]): string[] {
  return words.filter(isContent).flatMap(({ term }) => term ?? [])
}

function placedAt(
  said: SaidWord,
  at: number,
  { verb, changed }: { readonly verb: number; readonly changed: number },
): Placed {
  const isChanged = changed >= 0 && at > changed
  return { said, isChanged, isBehind: isChanged || (verb >= 0 && at > verb) }
}

/** The place of the last of the first words of change behind a subject; -1 without any. */
function changedAt(words: readonly SaidWord[]): number {
  const first = words.findIndex((each, at) => isChange(each) && words.slice(0, at).some(isContent))
  if (first < 0) return -1
  const end = words.findIndex((each, at) => at > first && !isChange(each))
  return end < 0 ? -1 : end - 1
}

function verbAmong(words: readonly SaidWord[]): number {
  const at = words.findIndex(({ role }) => role === 'verb')
  const isOfClause = ({ role }: SaidWord, i: number) =>
    i > 0 && i < at && (role === 'opening' || role === 'turn')
  if (words.some(isOfClause)) return -1
  const before = words.slice(0, Math.max(0, at)).filter(isContent).length
  return before > 0 && before <= SUBJECT_MOST ? at : -1
}

const NO_SUBJECT: ReadonlySet<Role | undefined> = new Set(['verb', 'opening', 'turn', 'place'])

function headAmong(words: readonly SaidWord[]): Head {
  let from = 0
  const isPassedOver = (each: SaidWord) => each.role === 'article' || isChange(each) || isAmount(each)
  while (words[from] && isPassedOver(words[from] as SaidWord)) from++
  const first = words[from]
  const none = { from, end: from, isName: false }
  if (first?.term === undefined || NO_SUBJECT.has(first.role)) return none
  const isName = from === 0 && first.isName
  let end = from + 1
  const goesOn = (at: number) => {
    const [last, next] = [words[at - 1] as SaidWord, words[at]]
    if (next === undefined || last.endsClause || isChange(next)) return false
    return last.owns || (next.isName && next.role !== 'verb' && (isName || /\p{N}/u.test(next.word)))
  }
  while (goesOn(end)) end++
  return { from, end, isName }
}

/** Words of one statement that stand in the place of words of another, between words that both have. */
interface Gap {
  readonly newer: readonly SaidWord[]
  readonly older: readonly SaidWord[]
  /** Shared words before it. */
  readonly before: number
  /** Stands behind the verb of both. */
  readonly isValue: boolean
}

const wasChanged = (words: readonly Placed[]): boolean => words.every(({ isChanged }) => isChanged)

/** Places where both have words of their own, by the first words that fit, in order. */
export function gapsOf(newer: Said, older: Said): { readonly gaps: readonly Gap[]; readonly shared: number } {
  const ours = derived(newer.words).placed
  const theirs = derived(older.words).placed
  const gaps: Gap[] = []
  let [from, shared] = [0, 0]
  let own: Placed[] = []
  const close = (until: number) => {
    const between = ours.slice(from, until)
    if (between.length > 0 && own.length > 0)
      gaps.push({
        newer: between.map(({ said }) => said),
        older: own.map(({ said }) => said),
        before: shared,
        isValue:
          between.every(({ isBehind }) => isBehind) &&
          (wasChanged(between) || own.every(({ isBehind }) => isBehind)),
      })
    own = []
  }
  for (const each of theirs) {
    const at = ours.findIndex(({ said }, i) => i >= from && said.term === each.said.term)
    if (at < 0) own.push(each)
    else {
      close(at)
      shared++
      from = at + 1
    }
  }
  close(ours.length)
  return { gaps, shared }
}
