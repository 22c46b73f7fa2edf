import type { Block } from '../../../domain/block/block.ts'
import { isNewer, mayHide } from '../../../domain/block/standing.ts'
import { holdsWithin, startOf } from '../../../domain/block/validity/validity.ts'
import type { RecalledVersion, Ties, Version } from '../../../domain/versions/versions.ts'
import { type BeforeNamed, isBeforeNamed, type PastAsked } from '../../../search/language/changes.ts'
import { wordsOf } from '../../../search/language/words.ts'

/** Versions of one fact; what only reads like it, or is believed less, is none. */
const OF_ONE_FACT: ReadonlySet<Version['why']> = new Set(['superseded', 'earlier'])

/** Ties of blocks of which nobody decided which holds. */
const UNDECIDED: ReadonlySet<Version['why']> = new Set(['near_duplicate', 'contradicted'])

/** A fact as a question about the past wants it: the version of then, and the others under it. */
export interface TurnedRound {
  readonly head: Block
  readonly versions: readonly RecalledVersion[]
}

/** The means to tell whether one of two blocks may have held before the other, where nobody decided it. */
interface Telling extends Pick<Ties, 'namedIn'> {
  /** True if both say the same of one thing, but for its value. */
  readonly saysOfSame: (newer: Block, older: Block) => boolean
}

/**
 * The versions of a fact as a question about the past wants them: under the one it asks for stand the later ones, newest
 * first, and then the earlier. Undefined where none is of then, or may be shown in the place of the newest.
 */
export function turnedRound(
  past: PastAsked,
  newest: Block,
  versions: readonly RecalledVersion[],
  { namedIn, saysOfSame }: Telling,
): TurnedRound | undefined {
  const ofFact = versions.filter(({ why }) => OF_ONE_FACT.has(why)).map(({ block }) => block)
  const undecided = typeof past === 'string' ? undecidedSince(newest, versions, { namedIn, saysOfSame }) : []
  const earlier = [...ofFact, ...undecided].toSorted(latestFirst)
  const wanted = versionOf(past, newest, earlier) ?? saidByThen(past, newest, { versions, namedIn })
  if (wanted === undefined) return undefined
  // Trust matters only where nobody said that the newer takes its place.
  const isDecided = versions.some(({ block, why }) => block.id === wanted.id && why === 'superseded')
  if (!mayHide(isDecided ? { ...wanted, sourceClass: newest.sourceClass } : wanted, newest)) return undefined
  return { head: wanted, versions: underOne(wanted, [{ block: newest, why: 'superseded' }, ...versions]) }
}

/**
 * Returns the older of what the newest contradicts, or says but for its value, if the question names no more of the newest: so it may
 * have been before.
 */
function undecidedSince(
  newest: Block,
  versions: readonly RecalledVersion[],
  { namedIn, saysOfSame }: Telling,
): readonly Block[] {
  const names = namedIn(newest.id)
  const isBefore = ({ block, why }: RecalledVersion) =>
    (why === 'contradicted' || (why === 'near_duplicate' && saysOfSame(newest, block))) &&
    latestFirst(newest, block) < 0 &&
    names.every((word) => namedIn(block.id).includes(word))
  return versions.filter(isBefore).map(({ block }) => block)
}

/** The other versions of a fact under one of them: the later ones, newest first, and then the earlier as they stood. */
export function underOne(head: Block, versions: readonly RecalledVersion[]): readonly RecalledVersion[] {
  const others = versions.filter(({ block }) => block.id !== head.id)
  const isLater = ({ block, why }: RecalledVersion) => OF_ONE_FACT.has(why) && latestFirst(block, head) < 0
  const later = others.filter(isLater).toSorted((one, other) => latestFirst(one.block, other.block))
  return [
    ...later.map(({ block }): RecalledVersion => ({ block, why: 'later' })),
    ...others.filter((each) => !isLater(each)),
  ]
}

/** The version that is asked for; undefined if that is the newest itself, or none. */
function versionOf(past: PastAsked, newest: Block, earlier: readonly Block[]): Block | undefined {
  if (past === 'before') return earlier[0]
  if (past === 'first') return earlier.at(-1)
  if (isBeforeNamed(past)) return beforeNamed(past, [newest, ...earlier])
  const span = { from: new Date(past.from).toISOString(), to: new Date(past.to).toISOString() }
  const all = [newest, ...earlier].toSorted(latestFirst)
  // Of a time at which none held the one that had held last says most; before all that have a date it was as is said without one.
  const found =
    all.find((block) => holdsWithin(block, span)) ??
    all.find((block) => hasBegun(block, span.to)) ??
    (newest.validFrom === undefined ? undefined : all.find(({ validFrom }) => validFrom === undefined))
  return found === newest ? undefined : found
}

/**
 * Of blocks that nobody decided about the one that was said by the time asked about, if the entry was said only later and the
 * question names no more of that: it may tell of the time itself.
 */
function saidByThen(
  past: PastAsked,
  newest: Block,
  { versions, namedIn }: { readonly versions: readonly RecalledVersion[] } & Pick<Ties, 'namedIn'>,
): Block | undefined {
  if (typeof past === 'string' || isBeforeNamed(past)) return undefined
  const until = new Date(past.to).toISOString()
  if (hasBegun(newest, until)) return undefined
  const names = namedIn(newest.id)
  return versions
    .flatMap(({ block, why }) => (UNDECIDED.has(why) && hasBegun(block, until) ? [block] : []))
    .filter(({ id }) => names.every((word) => namedIn(id).includes(word)))
    .toSorted(latestFirst)[0]
}

/** The version before the first that has a name; undefined if none has it. */
function beforeNamed(past: BeforeNamed, versions: readonly Block[]): Block | undefined {
  const latest = versions.toSorted(latestFirst)
  const named = latest.findLastIndex((block) => isOfName(past, block))
  return named < 0 ? undefined : latest[named + 1]
}

/** True of a block that has all words of the name. */
export function isOfName({ beforeName }: BeforeNamed, { content }: Pick<Block, 'content'>): boolean {
  const words = wordsOf(content)
  return beforeName.every((word) => words.includes(word))
}

function hasBegun(block: Block, at: string): boolean {
  const start = startOf(block)
  return start === undefined || start < at
}

/** By when they began to hold, as they say, else as they were said; what had ended before it was said began before all. */
function latestFirst(one: Block, other: Block): number {
  const [first = '', second = ''] = [startOf(one), startOf(other)]
  if (first !== second) return first > second ? -1 : 1
  return isNewer(one, other) ? -1 : 1
}
