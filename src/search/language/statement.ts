import { isChange } from '../../domain/conflict/parts.ts'
import type { Role, Said, SaidWord } from '../../domain/conflict/said.ts'
import { NON_ASCII, normalised } from '../../domain/text/text.ts'
import type { ChangeWords } from './changes.ts'
import { PhraseLists } from './phrases.ts'
import statements from './statements.json' with { type: 'json' }
import { foldAccents, isUnspaced, wordsOf } from './words.ts'

const SINGLE = [
  'verb',
  'article',
  'place',
  'lives',
  'many',
  'turn',
  'opening',
  'wed',
  'employed',
  'day',
  'whom',
] as const
const PHRASED = ['ended', 'over', 'moved', 'unwed', 'resigned'] as const
type PhrasedRole = (typeof PHRASED)[number]
/** Lists of what a word says of the whole statement. */
const WHOLE = ['adds', 'was', 'not', 'open', 'self', 'times'] as const

/** Words of a language that tell what others do; of phrases, separated by bars, dots stand for a few words. */
export type StatementWords = Readonly<
  Record<(typeof SINGLE)[number] | (typeof PHRASED)[number] | (typeof WHOLE)[number], string>
>

const WORD = /[\p{L}\p{N}\p{M}_]+(?:[-./:\\][\p{L}\p{N}_]+)*/gu
const CAPITAL_OR_SIGN = /^\p{Lu}|[^\p{L}\p{M}'’-]/u
/** The signs between two words at the end of a clause. */
const CLAUSE_END = /[,;:.!?()]/
/** "Mr. Oduya" goes on. */
const TITLE = /^\p{Lu}\p{Ll}{0,2}$/u
const POSSESSIVE = /^['’]s(?![\p{L}\p{N}])/u
/** Somebody's words and who said them, which the note does not say itself: `"The toll is 9," said the miller`. */
const QUOTED = /^\s*["“„«].+(?:[,.!?]\s?["”“»]|["”“»],)\s+\p{L}/u
/** Longer statements are of more than one thing. */
const READ_WORDS = 80

/** Reads statements of a language for the rules that tell what they speak of. Cost: one look a word. */
export function statementReader(
  data: StatementWords,
  changes: Pick<ChangeWords, 'change' | 'past'>,
  term: (word: string) => string | undefined,
): (text: string) => Said {
  let made: ReturnType<typeof rulesOf> | undefined
  return (text) => {
    if (isUnspaced(text)) return readUnspaced(text)
    made ??= rulesOf(data, changes)
    const { roles, phrases, not, self, times } = made
    const tokens = tokensOf(text)
    const folded = tokens.map(({ word }) => (NON_ASCII.test(word) ? foldAccents(word) : word))
    const roleAt = (at: number) => roles.get(folded[at] ?? '')
    const covered = new Map<number, Role>()
    // A place word stays one, as in "back in"; what stands behind an article says which one is meant: "the left knee".
    const isCue = (at: number) => roleAt(at) !== 'place' && roleAt(at - 1) !== 'article'
    const cover = (role: Role, places: readonly number[]) => {
      // The verb of "is back" stays one.
      for (const at of places) if (!covered.has(at) && roleAt(at) !== 'verb') covered.set(at, role)
    }
    const found = phrases.placesIn(folded)
    for (const role of PHRASED) cover(role, found[role] ?? [])
    cover('change', (found.change ?? []).filter(isCue))
    const words = tokens.map((token, at): SaidWord => {
      // A verb has no capital inside a sentence: "the invoice of May".
      const isNamed = token.isName && at > 0 && roleAt(at) === 'verb'
      const role = covered.get(at) ?? (isNamed ? undefined : roleAt(at))
      const comparable = term(token.word)
      return { ...token, ...(role && { role }), ...(comparable === undefined ? {} : { term: comparable }) }
    })
    return {
      words,
      adds: (found.adds ?? []).some((at) => isAdding(words, at)),
      tellsPast: tellsPast(words, { folded, inPast: new Set(found.past), was: made.was }),
      negates: folded.some((word) => not.has(word)),
      isOpen: QUOTED.test(text) || found.open !== undefined || isOpenApart(folded, phrases),
      hasTimes:
        words.some(({ role, term: said }) => role === 'day' && said !== undefined) ||
        folded.some((word) => times.has(word)),
      speaksOfSelf: folded.some((word) => self.has(word)),
    }
  }
}

const NO_WORDS = Object.fromEntries(
  [...SINGLE, ...PHRASED, ...WHOLE].map((role) => [role, '']),
) as StatementWords

/** Reads a statement of no known language: each word counts. */
export const readNeutral = statementReader(NO_WORDS, { change: '', past: '' }, (word) => word)

/** A phrase of two words is often written as one: "peut-être". */
function isOpenApart(folded: readonly string[], phrases: ReturnType<typeof rulesOf>['phrases']): boolean {
  if (!folded.some((word) => word.includes('-'))) return false
  return phrases.placesIn(folded.flatMap((word) => word.split('-'))).open !== undefined
}

/** "Too much" adds nothing; "too" at the end does. */
function isAdding(words: readonly SaidWord[], at: number): boolean {
  const { word, endsClause } = words[at] as SaidWord
  return word !== 'too' || endsClause || at === words.length - 1
}

/** True if its first clause says how something was, and no word that it changed. */
function tellsPast(
  words: readonly SaidWord[],
  {
    folded,
    inPast,
    was,
  }: {
    readonly folded: readonly string[]
    readonly inPast: ReadonlySet<number>
    readonly was: ReadonlySet<string>
  },
): boolean {
  if (words.some((each, at) => isChange(each) && !inPast.has(at))) return false
  const next = words.findIndex(({ role }, at) => at > 0 && (role === 'turn' || role === 'opening'))
  const clause = folded.slice(0, next < 0 ? folded.length : next)
  return inPast.size > 0 || clause.some((word) => was.has(word))
}

function rulesOf(data: StatementWords, { change, past }: Pick<ChangeWords, 'change' | 'past'>) {
  const single = SINGLE.toReversed().flatMap((role) =>
    data[role].split(' ').map((word) => [foldAccents(word), role] as const),
  )
  return {
    roles: new Map<string, Role>(single),
    phrases: new PhraseLists({
      ...(Object.fromEntries(PHRASED.map((role) => [role, data[role]])) as Record<PhrasedRole, string>),
      ...{ change, past, adds: data.adds, open: data.open },
    }),
    was: wordSet(data.was),
    not: wordSet(data.not),
    self: wordSet(data.self),
    times: wordSet(data.times),
  }
}

const wordSet = (list: string): ReadonlySet<string> => new Set(list.split(' ').map(foldAccents))

function tokensOf(text: string): Omit<SaidWord, 'role' | 'term'>[] {
  const plain = normalised(text, 'NFC')
  const found = [...plain.matchAll(WORD)].slice(0, READ_WORDS)
  return found.flatMap(({ 0: raw, index }, i) => {
    const end = index + raw.length
    const between = plain.slice(end, found[i + 1]?.index)
    // The rest of "Lena's" is no word.
    if (raw === 's' && /['’]/.test(plain[index - 1] ?? '')) return []
    const endsClause = between !== ' ' && CLAUSE_END.test(between) && !(between === '. ' && TITLE.test(raw))
    const owns = between !== ' ' && POSSESSIVE.test(plain.slice(end, end + 3))
    return [{ word: raw.toLowerCase(), isName: CAPITAL_OR_SIGN.test(raw), endsClause, owns }]
  })
}

const TOPICS = new RegExp(`[${statements.unspaced.topics.replaceAll(' ', '')}]`, 'u')
const holdsOneOf = (text: string, list: string): boolean =>
  list.split(' ').some((word) => text.includes(word))

/** In a script without spaces: pairs of characters as words, and what stands before the first particle of a subject. */
function readUnspaced(text: string): Said {
  const end = text.search(TOPICS)
  const isMany = holdsOneOf(text, statements.unspaced.many)
  return {
    words: wordsOf(text)
      .slice(0, READ_WORDS)
      .map((word): SaidWord => {
        const role: Partial<SaidWord> = isMany ? { role: 'many' } : {}
        return { word, term: word, isName: false, endsClause: false, owns: false, ...role }
      }),
    adds: holdsOneOf(text, statements.unspaced.adds),
    topic: end > 0 ? text.slice(0, end) : '',
  }
}

/** Returns which part of the past a question asks for in a script without spaces; undefined if none. */
export function pastInUnspaced(question: string): 'before' | 'first' | undefined {
  const { past, first, notPast } = statements.unspaced
  if (!isUnspaced(question) || holdsOneOf(question, notPast)) return undefined
  if (holdsOneOf(question, first)) return 'first'
  return holdsOneOf(question, past) ? 'before' : undefined
}
