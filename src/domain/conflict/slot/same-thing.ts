import {
  allContentOf,
  contentOf,
  gapsOf,
  hasRole,
  headOf,
  isAmount,
  isChange,
  isContent,
  restOf,
  verbOf,
} from '../parts.ts'
import type { Said, SaidWord } from '../said.ts'
import { tellsAmountAlone, tellsOtherDay } from './asked-value.ts'

/**
 * True if two statements may speak of one thing, as far as words tell and whatever is asked. In doubt they do not: a fact of
 * another thing must never be hidden.
 *
 * @param newer the later word, which may say that something changed
 */
export function speaksOfSame(newer: Said, older: Said): boolean {
  if (newer.adds || (older.adds && !hasRole(newer, 'ended'))) return false
  if (newer.topic !== undefined || older.topic !== undefined) return hasSameTopic(newer, older)
  return isOneSubject(newer, older) && hasEndedIn(newer, older) && hasEndedIn(older, newer)
}

/**
 * True if the newer statement says of the same thing that the same about it is otherwise: they share a word behind the
 * subject, or it is a place or the value of a copula for both, or the thing itself is over.
 */
export function tellsSameProperty(newer: Said, older: Said): boolean {
  if (newer.topic !== undefined || older.topic !== undefined) return true
  if (hasRole(newer, 'ended') || hasOtherAmount(newer, older)) return true
  const [ours, theirs] = [restOf(newer), restOf(older)]
  if (sharedOf(ours, theirs).length > 0 || hasSameCopula(newer, older)) return true
  if (tellsOtherDay(newer, older) || tellsAmountAlone(newer, older)) return true
  if (hasRole(newer, 'moved')) return hasRole(older, 'moved') || tellsPlace(older)
  if (hasRole(newer, 'unwed') && hasRole(older, 'wed')) return true
  if (hasRole(newer, 'resigned') && hasRole(older, 'employed')) return true
  return hasRole(newer, 'over') && newer.words[0]?.role === 'article'
}

/**
 * True for "The depot is in Kiel" and "The depot is in Turku": both say with a copula and the same little words one value of
 * the one thing that an article names.
 */
export function hasOtherCopulaValue(newer: Said, older: Said): boolean {
  const [ours, theirs] = [newer, older].map(({ words }) => contentOf(words.slice(0, verbOf(words))).join(' '))
  const areDefinite = [newer, older].every(({ words: [first] }) => first?.role === 'article')
  return areDefinite && ours === theirs && hasSameCopula(newer, older)
}

/** True for "12 tenants are there" and "40 tenants are there". */
function hasOtherAmount({ words: ours }: Said, { words: theirs }: Said): boolean {
  const told = ours.flatMap(({ term }) => term ?? [])
  const [first, ...others] = theirs.filter(({ term }) => term !== undefined)
  return !!first && isAmount(first) && others.every(({ term }) => term !== undefined && told.includes(term))
}

/** True if a statement has words of change. */
export function tellsChange({ words }: Said): boolean {
  return words.some(isChange)
}

/**
 * True if both say of what they speak of only one thing at a time, and not "likes" or "takes", which have many; or if the
 * newer repeats all of the older but its numbers: "takes 12 minutes".
 */
export function hasOneValue(newer: Said, older: Said): boolean {
  if (!hasRole(newer, 'many') || !hasRole(older, 'many') || hasRole(newer, 'ended')) return true
  return allContentOf(older).every((term) => isNumber(term) || newer.words.some((each) => each.term === term))
}

const isNumber = (term: string): boolean => /^\p{N}+$/u.test(term)

/** True if the words of the older about its subject include this one, as written in lower case. */
export function isOfSubject({ words }: Said, word: string): boolean {
  const at = words.findIndex((each) => each.word === word)
  if (at < 0) return false
  const verb = verbOf(words)
  return at < verb || at < headOf(words).end
}

/** True unless the one begins with a name, or a thing of somebody, that the other does not have. */
function hasHeadOf(one: Said, other: Said): boolean {
  const { from, end, isName } = headOf(one.words)
  if (end === from) return true
  const head = one.words.slice(from, end)
  const isIn = ({ word, term, isName: named }: SaidWord) =>
    other.words.some(
      (each) => (term !== undefined && each.term === term) || (named && each.isName && each.word === word),
    )
  if (isName || head.length > 1) return isIn(head.at(-1) as SaidWord) && isIn(head[0] as SaidWord)
  // A few words may stand before what is meant: "the new office".
  const next = one.words.slice(end, end + 1).filter(isContent)
  return [...head, ...next].some(isIn)
}

function isOneSubject(newer: Said, older: Said): boolean {
  const [ours, theirs] = [allContentOf(newer), allContentOf(older)]
  const [mine = '', yours = ''] = [firstOf(newer), firstOf(older)]
  if (mine !== '' && yours !== '' && !theirs.includes(mine) && !ours.includes(yours)) return false
  const areUnnamed = [newer, older].every(({ words }) => headOf(words).end === headOf(words).from)
  // "We use Postgres for orders" and "We now use Redis for sessions".
  if (areUnnamed && sharedOf(ours, theirs).length * 2 < theirs.length) return false
  if (hasOtherLetter(newer, older) || hasOtherPart(newer, older) || hasOtherPart(older, newer)) return false
  if (!hasHeadOf(newer, older) && (hasOwner(newer) || !tellsAllOf(newer, older))) return false
  if (!hasSameBeforeVerb(newer, older)) return false
  return hasHeadOf(older, newer) ? !isOtherInPlace(newer, older) : isTurnedRound(newer, older)
}

const LETTER = /^\p{L}$/u
/** Letters that are words of their own in some language: articles, "and", "or". */
const LETTER_WORDS: ReadonlySet<string> = new Set([...'aeiouyáéíóúàèìòù'])

/** Letters behind words, by the word: "shaft C", "job a". */
function lettersOf({ words }: Said): ReadonlyMap<string, SaidWord> {
  const found = new Map<string, SaidWord>()
  for (const [at, each] of words.entries()) {
    const before = words[at - 1]
    if (before?.term !== undefined && !before.endsClause && LETTER.test(each.word))
      found.set(before.term, each)
  }
  return found
}

/** True for "shaft C" and "shaft D". */
function hasOtherLetter(newer: Said, older: Said): boolean {
  const ours = lettersOf(newer)
  return [...lettersOf(older)].some(([word, letter]) => {
    const other = ours.get(word)
    if (other === undefined || other.word === letter.word) return false
    return [letter, other].some(({ isName, word: sign }) => isName || !LETTER_WORDS.has(sign))
  })
}

/** True for "Ward 3 annexe is …" beside "Ward 3 is …", and "the hotel restaurant is …" beside "the hotel is …". */
function hasOtherPart({ words }: Said, other: Said): boolean {
  const { end, isName } = headOf(words)
  const isWhole = isName || headOf(other.words).end === verbOf(other.words)
  const next = words[end]
  if (!isWhole || next === undefined || !isContent(next) || end >= verbOf(words)) return false
  return !other.words.some(({ term }) => term === next.term)
}

/** True of a statement that begins with what belongs to somebody: "Ben's wife". */
function hasOwner({ words }: Said): boolean {
  const { from, end } = headOf(words)
  return words.slice(from, end).some(({ owns }) => owns)
}

/** Least share of the older statement's words in one that begins with what is new: "Node 24 replaced Node 20 on all agents". */
const TOLD_LEAST = 0.75

function tellsAllOf(newer: Said, older: Said): boolean {
  const theirs = allContentOf(older)
  return tellsChange(newer) && sharedOf(allContentOf(newer), theirs).length >= TOLD_LEAST * theirs.length
}

/** True for "Flour comes from Oat since Hansen closed" after "The bakery gets its flour from Hansen". */
function isTurnedRound(newer: Said, older: Said): boolean {
  const shared = sharedOf(allContentOf(newer), allContentOf(older))
  return tellsChange(newer) && !headOf(older.words).isName && shared.length > 1
}

/** The first comparable word, behind an amount: "12 tenants". */
function firstOf({ words }: Said): string | undefined {
  const content = words.filter(isContent)
  return (content.find((each) => !isAmount(each)) ?? content[0])?.term
}

/** False if before the verb each has a word that the other lacks; without a verb its first words stand for it. */
function hasSameBeforeVerb(newer: Said, older: Said): boolean {
  const [at, other] = [verbOf(newer.words), verbOf(older.words)]
  if (at < 0 && other < 0) return true
  const before = at < 0 ? -1 : contentOf(newer.words.slice(0, at)).length
  const earlier = other < 0 ? -1 : contentOf(older.words.slice(0, other)).length
  const ours = allContentOf(newer).slice(0, before < 0 ? earlier : before)
  const theirs = allContentOf(older).slice(0, earlier < 0 ? before : earlier)
  const [allOurs, allTheirs] = [allContentOf(newer), allContentOf(older)]
  const isNew = ours.some((term, i) => !allTheirs.includes(term) && !(i === 0 && isNumber(term)))
  return !(isNew && theirs.some((term, i) => !allOurs.includes(term) && !(i === 0 && isNumber(term))))
}

/**
 * True if the first place where each has its own words is before what is said of it: as many shared words stand behind as
 * before, or names begin it, or there is another such place.
 */
function isOtherInPlace(newer: Said, older: Said): boolean {
  const { gaps, shared } = gapsOf(newer, older)
  const [first, ...others] = gaps
  if (first === undefined || first.isValue) return false
  const behind = shared - first.before
  const isOfAmounts = first.before === 0 && [...first.newer, ...first.older].some(isAmount)
  if (behind === 0 || isOfAmounts) return false
  const areNames = [first.newer, first.older].every(([word]) => word !== undefined && isPlainName(word))
  return behind >= first.before || areNames || others.some(({ before }) => before > first.before)
}

const isPlainName = ({ isName, word, role }: SaidWord): boolean =>
  isName && role !== 'day' && !/\p{N}/u.test(word)

/** False if one says that something is no more of which the other says nothing. */
function hasEndedIn({ words }: Said, other: Said): boolean {
  const at = words.findIndex(({ role }) => role === 'ended')
  if (at < 0) return true
  const start = words.findLastIndex(({ endsClause }, i) => i < at && endsClause) + 1
  const stop = words.findIndex(
    ({ endsClause }, i) => i >= at && (endsClause || words[i + 1]?.role === 'turn'),
  )
  const clause = (from: number) => contentOf(words.slice(from, stop < 0 ? words.length : stop + 1))
  const behind = clause(at)
  const ended = behind.length > 0 ? behind : clause(start)
  const known = other.words.flatMap(({ term }) => term ?? [])
  return ended.length > 0 && ended.every((term) => known.includes(term))
}

/** True if both say with a copula, and the same little word behind it, one value of a kind: a name, a number. */
function hasSameCopula(newer: Said, older: Said): boolean {
  const [mine, yours] = [toldValue(newer), toldValue(older)]
  if (mine === undefined || yours === undefined || mine.link !== yours.link) return false
  return mine.isName && yours.isName
}

function toldValue({ words }: Said): { readonly link: string; readonly isName: boolean } | undefined {
  const verb = verbOf(words)
  if (verb < 0) return undefined
  const behind = words.slice(verb + 1).filter((each) => !isChange(each))
  const first = behind.findIndex(isContent)
  if (first < 0) return undefined
  const link = behind.slice(0, first).filter(({ role }) => role !== 'article' && role !== 'verb')
  return {
    link: link.map(({ word }) => word).join(' '),
    isName: behind.slice(first).some(({ isName, role }) => isName || role === 'day'),
  }
}

/** True for "lives in Ghent" and "is in Ghent". */
function tellsPlace({ words }: Said): boolean {
  if (words.some(({ role }) => role === 'lives')) return true
  const verb = verbOf(words)
  const next = words.slice(verb + 1).find((each) => !isChange(each))
  return verb >= 0 && next?.role === 'place'
}

/** Of a script without spaces: the same stands before the particle, or no other words between shared ones. */
function hasSameTopic(newer: Said, older: Said): boolean {
  if (newer.topic !== undefined && newer.topic !== '' && older.topic !== undefined && older.topic !== '')
    return newer.topic === older.topic
  const { gaps, shared } = gapsOf(newer, older)
  const [first] = gaps
  return newer.words[0]?.word === older.words[0]?.word && !(first && shared - first.before > first.before)
}

function sharedOf(ours: readonly string[], theirs: readonly string[]): string[] {
  return theirs.filter((term) => ours.includes(term))
}

/**
 * True of a later word that says how it was, what may be or will be, what is so at some times only, or that something else is not
 * so: none of them is a new value. "Does not listen on 9090" says nothing against 8080.
 */
export function isAside(newer: Said, older: Said): boolean {
  if ((newer.isOpen && !older.isOpen) || (newer.tellsPast && !older.tellsPast)) return true
  // "At 9 on Sundays" leaves what holds on other days; a word of change says that it does not.
  if (newer.hasTimes && !older.hasTimes && !tellsChange(newer)) return true
  if (!newer.negates || older.negates || hasRole(newer, 'ended')) return false
  return !allContentOf(older).every((term) => newer.words.some((each) => each.term === term))
}

/** True for "500 mg for adults" and "250 mg for children": each value holds for others. */
export function hasOtherQualifier(newer: Said, older: Said): boolean {
  const theirs = qualifiersOf(older)
  return [...qualifiersOf(newer)].some(([word, ours]) => {
    const known = theirs.get(word)
    if (known === undefined || !areUnlike(ours.own, known.own)) return false
    return areUnlike(ours.before, known.before)
  })
}

/** The words behind each little word that says where or for whom, and those of the statement before it. */
function qualifiersOf({ words }: Said) {
  const found = new Map<string, { readonly own: readonly string[]; readonly before: readonly string[] }>()
  for (const [at, { word, role }] of words.entries()) {
    if (role !== 'place' && role !== 'whom') continue
    const rest = words.slice(at + 1)
    const end = rest.findIndex((each) => each.role !== undefined && each.role !== 'article')
    const own = end < 0 ? rest : rest.slice(0, end)
    if (own.some(({ isName }) => isName)) continue
    found.set(word, { own: contentOf(own), before: contentOf(words.slice(0, at)) })
  }
  return found
}

/** True if each has a word that the other lacks. */
function areUnlike(ours: readonly string[], theirs: readonly string[]): boolean {
  return ours.some((term) => !theirs.includes(term)) && theirs.some((term) => !ours.includes(term))
}
