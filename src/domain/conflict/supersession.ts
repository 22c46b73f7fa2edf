import { WORDS } from './english.ts'
import { amountOf, type ConflictFacts, type Term } from './facts.ts'

/** Most words of a statement; a longer text tells of many things and shares words with every statement. */
const TERMS_MOST = 40

/** Least share of the older statement's content words in the newer one, by the kind of cue. */
const SHARED_SHARE = { ended: 0.75, oldValue: 0.75, change: 0.5 } as const

/** Most words of the older statement that may be the replaced value. */
const VALUE_WORDS = 2

/** Least content words of an older statement; with fewer it would be in nearly every newer one. */
const CONTENT_LEAST = 2

/** A cue in a statement: the words of its phrase are `terms[at] … terms[at + length - 1]`. */
interface Cue {
  readonly at: number
  readonly length: number
}

/** True if a statement says of anything that it changed; otherwise it supersedes nothing. */
export function tellsChange(facts: ConflictFacts): boolean {
  const { terms } = facts
  const told = [WORDS.ended, WORDS.change].some((phrases) => cuesIn(terms, phrases).length > 0)
  return told || givenUp(facts).length > 0
}

/** True if the newer statement says that what the older states has changed, and both are about the same. */
export function supersedes(newer: ConflictFacts, older: ConflictFacts): boolean {
  if (Math.max(newer.terms.length, older.terms.length) > TERMS_MOST) return false
  if (newer.terms.some(({ word }) => WORDS.additive.has(word))) return false
  const theirs = contentOf(older.terms)
  if (theirs.size < CONTENT_LEAST) return false
  const sides = { newer, ours: contentOf(newer.terms), theirs, older }
  return hasEnded(sides) || gaveUpValue(sides) || hasChanged(sides)
}

interface Sides {
  readonly newer: ConflictFacts
  readonly older: ConflictFacts
  readonly ours: ReadonlySet<string>
  readonly theirs: ReadonlySet<string>
}

/**
 * True for "We no longer use X": the newer statement says that what the older states has ended. A clause with
 * one word more is narrower: who no longer walks on Mondays still walks.
 */
function hasEnded({ newer, older, ours, theirs }: Sides): boolean {
  if (cuesIn(older.terms, WORDS.ended).length > 0 || shareOf(theirs, ours) < SHARED_SHARE.ended) return false
  if (older.terms.some(({ word }) => WORDS.isPast(word))) return false
  return cuesIn(newer.terms, WORDS.ended).some(({ at }) => {
    const clause = contentOf(clauseAround(newer.terms, at))
    return [...clause].every((key) => theirs.has(key))
  })
}

/** True for "Y instead of X", "Y, not X" and "from X to Y" if the older statement holds the X. */
function gaveUpValue({ newer, older, ours, theirs }: Sides): boolean {
  const [about = ''] = theirs
  const isNegative = older.terms.some(({ word }) => WORDS.negations.has(word))
  if (isNegative || !ours.has(about) || shareOf(theirs, ours) < SHARED_SHARE.oldValue) return false
  return givenUp(newer).some((value) => [...contentOf(value)].some((key) => theirs.has(key) && key !== about))
}

/** Returns what a statement says no longer holds: the words after each of its cues. */
function givenUp({ terms }: ConflictFacts): (readonly Term[])[] {
  const told = cuesIn(terms, WORDS.oldValue).map(({ at, length }) => clauseFrom(terms, at + length))
  const contrasted = terms.flatMap(({ word }, at) =>
    WORDS.negations.has(word) && terms[at - 1]?.endsClause ? [clauseFrom(terms, at + 1)] : [],
  )
  const left = terms.flatMap(({ word }, at) => {
    const moved = terms.slice(0, at).some((term) => WORDS.moving.has(term.word))
    if (!WORDS.origin.has(word) || !moved) return []
    const value = clauseFrom(terms, at + 1)
    return WORDS.towards.has(terms[at + 1 + value.length]?.word ?? '') ? [value] : []
  })
  return [...told, ...contrasted, ...left]
}

/**
 * True for "X is now Z": the subject is the same, and the older statement lacks no more than a value of the
 * new kind. Plain words behind a copula are no such value: what is now clean may still be small.
 */
function hasChanged(sides: Sides): boolean {
  const { newer, older, ours, theirs } = sides
  if (isAboutAnother(sides)) return false
  if (cuesIn(newer.terms, WORDS.change).length === 0 || !isAboutSame(ours, theirs)) return false
  const missing = older.terms.filter(({ word, key }) => !WORDS.light.has(word) && !ours.has(key))
  const added = newer.terms.filter(({ word, key }) => !WORDS.light.has(word) && !theirs.has(key))
  if (missing.length === 0 || missing.length > VALUE_WORDS) return false
  if (shareOf(theirs, ours) < SHARED_SHARE.change) return false
  const lost = new Set(missing.map((term) => valueKind(term)))
  if (lost.size > 1 && (lost.has('name') || lost.has('plain'))) return false
  const kinds = new Set(added.map((term) => valueKind(term)))
  return missing.every((term) => {
    const kind = valueKind(term)
    return kinds.has(kind) && (kind !== 'plain' || !isPredicate(older, term))
  })
}

/**
 * True for "Room 12 was moved" after "Room 13 is …" or "The red team was renamed" after "The blue team was renamed": where
 * the two first differ, before a word of change, each tells another thing by a number or name, or by any word if both
 * tell a change.
 */
function isAboutAnother({ newer, older, ours, theirs }: Sides): boolean {
  const at = newer.terms.findIndex(({ key }, i) => key !== older.terms[i]?.key)
  const [mine, yours] = [newer.terms[at], older.terms[at]]
  // A word of change at the end stands behind what changed: "meets on Fridays now".
  const isBeforeChange = ({ terms }: ConflictFacts) =>
    cuesIn(terms, WORDS.change).some((cue) => cue.at > at && cue.at + cue.length < terms.length)
  if (mine === undefined || yours === undefined || !isBeforeChange(newer)) return false
  if (WORDS.light.has(mine.word) || WORDS.light.has(yours.word)) return false
  if (theirs.has(mine.key) || ours.has(yours.key)) return isNumbered(mine) && isNumbered(yours)
  return (mine.isName && yours.isName) || isBeforeChange(older)
}

function isNumbered({ word }: Term): boolean {
  return /\d/.test(word)
}

type ValueKind = 'number' | 'day' | 'name' | 'plain'

function valueKind({ word, isName }: Term): ValueKind {
  if (amountOf(word) !== undefined || /^\d/.test(word)) return 'number'
  if (WORDS.weekdays.has(word.replace(/s$/, '')) || (isName && WORDS.months.has(word))) return 'day'
  return isName ? 'name' : 'plain'
}

function isPredicate({ terms }: ConflictFacts, term: Term): boolean {
  const hasOne = terms.some(({ word }) => WORDS.single.has(word))
  return !hasOne && WORDS.being.has(terms[terms.indexOf(term) - 1]?.word ?? '')
}

/** True if the first thing that each speaks of is in the other. */
function isAboutSame(ours: ReadonlySet<string>, theirs: ReadonlySet<string>): boolean {
  const [[mine], [yours]] = [[...ours], [...theirs]]
  return mine !== undefined && yours !== undefined && theirs.has(mine) && ours.has(yours)
}

/** Returns the words a cue governs: up to the end of its clause or the next "to". */
function clauseFrom(terms: readonly Term[], start: number): readonly Term[] {
  const rest = terms.slice(start)
  const end = rest.findIndex(({ endsClause }) => endsClause)
  const clause = end < 0 ? rest : rest.slice(0, end + 1)
  const to = clause.findIndex(({ word }) => WORDS.towards.has(word))
  return to < 0 ? clause : clause.slice(0, to)
}

function clauseAround(terms: readonly Term[], at: number): readonly Term[] {
  const start = terms.findLastIndex(({ endsClause }, i) => endsClause && i < at) + 1
  const end = terms.findIndex(
    ({ endsClause }, i) => i >= at && (endsClause || WORDS.turns.has(terms[i + 1]?.word ?? '')),
  )
  return terms.slice(start, end < 0 ? terms.length : end + 1)
}

function cuesIn(terms: readonly Term[], phrases: readonly (readonly string[])[]): Cue[] {
  return terms.flatMap((_, at) =>
    phrases
      .filter((phrase) => phrase.every((word, i) => terms[at + i]?.word === word))
      .map(({ length }) => ({ at, length })),
  )
}

/** Returns the content words of a statement, without `light` words, in their order. */
function contentOf(terms: readonly Term[]): ReadonlySet<string> {
  return new Set(terms.filter(({ word }) => !WORDS.light.has(word)).map(({ key }) => key))
}

function shareOf(part: ReadonlySet<string>, whole: ReadonlySet<string>): number {
  return part.size === 0 ? 0 : [...part].filter((key) => whole.has(key)).length / part.size
}
