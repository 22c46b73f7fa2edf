import type { Role, Said, SaidWord } from './said.ts'

/** The subject of a statement, from a place to before another; empty if it begins with "we" or "after". */
interface Head {
  readonly from: number
  readonly end: number
  /** It begins the statement as a name does. */
  readonly isName: boolean
}

/** A word that says something, in its order. */
export interface Placed {
  readonly said: SaidWord
  readonly isBehind: boolean
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
}

/** Returns what the rules need of a statement's words; computed once for each. */
export function derived(words: readonly SaidWord[]): Derived {
  const known = DERIVED.get(words)
  if (known !== undefined) return known
  const [verb, head] = [verbAmong(words), headAmong(words)]
  const made: Derived = {
    terms: words.flatMap(({ term }) => term ?? []),
    roles: new Set(words.map(({ role }) => role)),
    content: contentOf(words),
    verb,
    head,
    rest: contentOf(words.slice(Math.max(head.end, verb + 1))),
    placed: words.flatMap((said, at) =>
      isContent(said) ? [{ said, isBehind: verb >= 0 && at > verb }] : [],
    ),
  }
  DERIVED.set(words, made)
  return made
}

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

function verbAmong(words: readonly SaidWord[]): number {
  const at = words.findIndex(({ role }) => role === 'verb')
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
