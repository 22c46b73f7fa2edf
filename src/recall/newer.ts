import type { Block } from '../block/block.ts'
import { mayCover } from '../block/source-class.ts'
import { hasBegun, holdsAt, isNewer, lastSaidAt, saidAt, startOf } from '../block/validity.ts'
import type { Engine } from '../engine/engine.ts'
import { orderedPair } from '../graph/edge.ts'
import type { PastAsked } from '../language/pack.ts'
import { readSettledPairs } from '../store/graph.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { type Asking, type Candidate, type Entry, passageOf, RECALL, type RecalledVersion } from './match.ts'
import { PAIR_TEXT_MOST, pairScorer, pairText, textOf } from './pair-score.ts'
import { COMPARED_MOST, type Grouped, keyOf } from './versions.ts'

/** Two notes of which the newer may be a later word about what the older says. */
export interface Guess {
  readonly older: string
  readonly newer: string
  /** The pair score; 0 is an even chance. */
  readonly z: number
  /** Cosine of the two, -1..1. */
  readonly cosine: number
  /** The newer was said before the last word of the older, and again since. */
  readonly isAgain: boolean
  /** The older holds no more by its own dates, and the newer holds. */
  readonly hasEnded: boolean
}

/** A note as it was ranked. */
export interface RankedNote {
  readonly id: string
  /** Rank of its match as a share of the best, 0..1. */
  readonly rank: number
  /** Place in time among those compared; larger is later. */
  readonly at: number
}

/**
 * Version that a question about the past wants: the one before the newest, the first, or the newest of those that had begun at a time;
 * the function is true of their ids.
 */
type PastWanted = 'before' | 'first' | ((id: string) => boolean)

/** Limits of each use of the score, chosen on the sets of `npm run fit:versions`; `recall.newerFirst` is the one for the order. */
const LIMITS = {
  /** Least score at which the answer says that a note is perhaps newer, and a newer one that it lacks comes in. */
  said: 0,
  /** Least score at which the newer of two that match alike comes first. */
  tie: -1,
  /** Largest difference of rank of two that match alike, as a share of the best. */
  tieRank: 0.02,
  /** Least cosine of two that match alike. */
  tieCosine: 0.6,
  /** Least cosine at which a note that was said again since comes before another, whatever the score. */
  againCosine: 0.8,
  /** Largest number of notes that are added to an answer. */
  addedMost: 2,
  /** Least score that joins versions of a fact of which one has ended, or of which a question about the past wants one. */
  past: -2.5,
} as const

/** An order of entries, and what the guesses did to it. */
interface Arranged {
  /** Ids of the entries; more than were asked for where some came in. */
  readonly order: string[]
  /** Guesses that the answer states: the newer is perhaps newer than the older. */
  readonly marks: { readonly newer: string; readonly older: string }[]
  /** Entries that were moved or came in for a guess, each with the older one of it. */
  readonly moved: Map<string, string>
}

interface ArrangeOptions {
  /** Number of entries of the answer. */
  readonly size: number
  /** True if the caller set that number, so that none comes in without another going out. */
  readonly isLimit: boolean
  /** The setting `recall.newerFirst`. */
  readonly newerFirst: number
  readonly past?: PastWanted | undefined
}

/**
 * Puts the newer of two notes before the older where the score is at least `newerFirst`, or where both match alike; brings likely newer
 * notes in. A question about the past gets the version that it wants first instead.
 *
 * @param ranked in the order of the ranking, those beyond the answer too
 * @param guesses about pairs of them
 */
export function arrange(
  ranked: readonly RankedNote[],
  guesses: readonly Guess[],
  { size, isLimit, newerFirst: least, past }: ArrangeOptions,
): Arranged {
  const notes = new Map(ranked.map((note) => [note.id, note]))
  const order = ranked.slice(0, size).map(({ id }) => id)
  const arranged: Arranged = { order, marks: [], moved: new Map() }
  const strong = guesses.filter((guess) => guess.z >= least || isTie(guess, notes))
  const lateFirst = (one: string, other: string) => (notes.get(other)?.at ?? 0) - (notes.get(one)?.at ?? 0)
  swap(
    arranged,
    strong.toSorted((one, other) => lateFirst(one.newer, other.newer)),
    least,
  )
  if (past === undefined) addNewer(arranged, guesses, size + (isLimit ? 0 : LIMITS.addedMost))
  else putPastFirst(arranged, versionsOf(order[0], guesses).sort(lateFirst), past)
  return isLimit ? { ...arranged, order: order.slice(0, size) } : arranged
}

/** Moves are bounded, since three guesses may go in a circle. */
const STEPS_MOST = 40

/**
 * Puts the newest note that passes before each entry.
 *
 * @param strong guesses of the newest first, so that the middle of three versions leads nowhere
 */
function swap({ order, marks, moved }: Arranged, strong: readonly Guess[], least: number): void {
  const most = order.length + LIMITS.addedMost
  for (let at = 0, steps = 0; at < order.length && steps < STEPS_MOST; steps++) {
    const older = order[at] as string
    const guess = strong.find((each) => each.older === older)
    const from = guess === undefined ? -1 : order.indexOf(guess.newer)
    const mayCome = from < 0 && (guess?.z ?? 0) >= least && order.length < most
    if (guess === undefined || (from < at && !mayCome)) {
      at++
      continue
    }
    if (from >= 0) order.splice(from, 1)
    order.splice(at, 0, guess.newer)
    moved.set(guess.newer, older)
    if (guess.z >= least) marks.push({ newer: guess.newer, older })
  }
}

function isTie(
  { older, newer, z, cosine, isAgain, hasEnded }: Guess,
  notes: ReadonlyMap<string, RankedNote>,
): boolean {
  const [first, second] = [notes.get(older), notes.get(newer)]
  if (first === undefined || second === undefined) return false
  if ((isAgain && cosine >= LIMITS.againCosine) || (hasEnded && z >= LIMITS.past)) return true
  const isAlike = Math.abs(first.rank - second.rank) <= LIMITS.tieRank && cosine >= LIMITS.tieCosine
  return isAlike && (isAgain || z >= LIMITS.tie)
}

/** Puts the likeliest newer note of an entry directly behind it, with a mark, if the score says so; adds one that the answer lacks. */
function addNewer({ order, marks, moved }: Arranged, guesses: readonly Guess[], most: number): void {
  for (const older of [...order]) {
    const [likeliest] = guesses.filter((guess) => guess.older === older).sort((a, b) => b.z - a.z)
    if (likeliest === undefined || marks.some((mark) => mark.older === older)) continue
    const { newer, z } = likeliest
    const from = order.indexOf(newer)
    if (z < LIMITS.said || (order.length >= most && from < 0)) continue
    marks.push({ newer, older })
    if (from >= 0 && from <= order.indexOf(older) + 1) continue
    if (from >= 0) order.splice(from, 1)
    order.splice(order.indexOf(older) + 1, 0, newer)
    moved.set(newer, older)
  }
}

/** Puts the version of the first entry's fact that a question about the past wants first; none is brought in beyond it. */
function putPastFirst(
  { order, marks, moved }: Arranged,
  newestFirst: readonly string[],
  past: PastWanted,
): void {
  marks.length = 0
  const [first] = order
  const begun = typeof past === 'function' ? newestFirst.filter(past) : newestFirst
  const found = past === 'first' ? begun.at(-1) : begun[past === 'before' ? 1 : 0]
  if (first === undefined || found === undefined || found === first) return
  const from = order.indexOf(found)
  if (from >= 0) order.splice(from, 1)
  order.unshift(found)
  moved.set(found, first)
}

/** Returns the ids of notes that likely guesses join to one, directly or through others, and its own. */
function versionsOf(id: string | undefined, guesses: readonly Guess[]): string[] {
  const found = new Set(id === undefined ? [] : [id])
  // A set grows while it is walked.
  for (const each of found)
    for (const { older, newer, z } of guesses) {
      if (z >= LIMITS.past && older === each) found.add(newer)
      if (z >= LIMITS.past && newer === each) found.add(older)
    }
  return [...found]
}

/** The record of a recall once it is known how many entries the answer has: so many of the first ones. */
export interface Sized extends Grouped {
  readonly size: number
  /** The caller or the owner set the size. */
  readonly isLimit: boolean
}

/** Least `recall.newerFirst` that keeps entries from being compared. */
const NEVER = 100

/**
 * Orders entries by the pair score: the newer of two that are likely versions of one fact comes first, or the version that a question
 * about the past wants. A statement where any two are likely.
 */
export async function newerFirst(engine: Engine, tx: ReadTransaction, found: Sized): Promise<Sized> {
  const { entries, size, isLimit, asked, disputes, verbatim } = found
  const { newerFirst: least } = engine.settings.recall
  if (asked === undefined || least >= NEVER) return found
  const compared = comparable(found)
  const later = placesInTime(compared, found.heldAt)
  const best = Math.max(1e-6, ...entries.map(({ match }) => match?.rank ?? 0))
  const notes = entries.map(({ facts: { id }, match }) => ({
    id,
    rank: (match?.rank ?? 0) / best,
    at: later.get(id) ?? 0,
  }))
  const guesses = guessAmong(engine, compared, notes, found)
  const ends = guesses.map(({ older, newer }) => orderedPair(older, newer))
  const settled = ends.length === 0 ? [] : await readSettledPairs(tx, ends)
  const isDecided = new Set([
    ...settled.map(({ a, b }) => keyOf(a, b)),
    ...disputes.map(({ one, other }) => keyOf(one, other)),
  ])
  const open = guesses.filter(({ older, newer }) => older !== verbatim && !isDecided.has(keyOf(older, newer)))
  const past = asked.past && pastWanted(asked.past, compared[0]?.block.id, found)
  const { order, marks, moved } = arrange(notes, open, { size, isLimit, newerFirst: least, past })
  const byId = new Map(entries.map((entry) => [entry.facts.id, entry]))
  const why = asked.past === undefined ? 'newer' : 'past'
  const chosen = order.map((id): Candidate => {
    const before = moved.get(id)
    return {
      ...(byId.get(id) as Candidate),
      ...(before !== undefined && { moved: { why, before } }),
      marks: marks.flatMap(({ newer, older }) => (newer === id ? [{ kind: 'newer', of: older }] : [])),
    }
  })
  const beyond = entries.filter(({ facts }) => !order.includes(facts.id))
  return { ...found, entries: [...chosen, ...beyond], size: chosen.length }
}

/** Returns the best entries that the score was made for: short notes of no known speaker that match by themselves. */
function comparable({ entries, blocks }: Sized): Entry[] {
  return entries.slice(0, COMPARED_MOST).flatMap((entry) => {
    const block = blocks.get(entry.facts.id)
    const isNote = block?.source === undefined && (block?.content.length ?? 0) <= PAIR_TEXT_MOST
    return block !== undefined && isNote && entry.match !== undefined ? [{ ...entry, block }] : []
  })
}

/** Returns the places of blocks in time: those that hold no more, then those that hold, each by when they began, or else were said. */
function placesInTime(compared: readonly Entry[], at: string): ReadonlyMap<string, number> {
  const isLater = (one: Block, other: Block) => {
    const [isHeld, isOtherHeld] = [holdsAt(one, at), holdsAt(other, at)]
    if (isHeld !== isOtherHeld) return isHeld
    const [begun, otherBegun] = [beginOf(one), beginOf(other)]
    return begun === otherBegun ? isNewer(one, other) : begun > otherBegun
  }
  const byAge = compared.map(({ block }) => block).sort((one, other) => (isLater(one, other) ? 1 : -1))
  return new Map(byAge.map(({ id }, place) => [id, place]))
}

const beginOf = (block: Block) => block.validFrom ?? lastSaidAt(block)

/** Scores the pairs of entries of which the newer may come before the older, or in beside it. */
function guessAmong(
  { index, analysis }: Engine,
  compared: readonly Entry[],
  notes: readonly RankedNote[],
  { asked, size, heldAt: at }: Sized,
): Guess[] {
  if (asked === undefined) return []
  const noteOf = new Map(notes.map((note) => [note.id, note]))
  const own = compared.map(({ block: { id } }) => noteOf.get(id) as RankedNote)
  const cosines = own.map(({ id }, place) =>
    own.slice(0, place).map((other) => index.similarity(id, other.id)),
  )
  const cosine = (one: number, other: number) => (one > other ? cosines[one]?.[other] : cosines[other]?.[one])
  const score = pairScorer({
    notes: compared.map(({ block, match }, place) => ({
      ...(own[place] as RankedNote),
      text: textOf(analysis, block.content),
      asked: match?.cosine ?? Number.NaN,
    })),
    question: pairText(asked.text, analysis.language.terms),
    cosine,
    size: index.size,
    idf: (term) => index.idf(term),
  })
  const reach = asked.past === undefined ? size : compared.length
  return compared.slice(0, reach).flatMap(({ block: older }, one) =>
    compared.flatMap(({ block: newer, terms }, other): Guess[] => {
      const isLater = (own[other]?.at ?? 0) > (own[one]?.at ?? 0)
      if (!isLater || hasBadReports(terms) || !mayFollow(newer, older, at)) return []
      const z = score(one, other)
      const isAgain = saidAt(newer) < lastSaidAt(older)
      const hasEnded = !holdsAt(older, at) && holdsAt(newer, at)
      if (z < LIMITS.past && !isAgain) return []
      return [{ older: older.id, newer: newer.id, z, cosine: cosine(one, other) ?? -1, isAgain, hasEnded }]
    }),
  )
}

/** Returns true if reports lowered a score; they count more than the date of a block. */
function hasBadReports(terms: Candidate['terms']): boolean {
  const reported = terms.filter(({ name }) => name === 'belief' || name === 'asked')
  return reported.reduce((sum, { amount }) => sum + amount, 0) < 0
}

/** Returns true if a block may come before another one: a clock that was set back says nothing of a block without a given beginning. */
function mayFollow(newer: Block, older: Block, at: string): boolean {
  const hasStarted = newer.validFrom === undefined || hasBegun(newer, at)
  return newer.scope === older.scope && mayCover(newer, older) && hasStarted
}

/**
 * Returns which version a question wants among entries; undefined where told versions decide.
 *
 * @param first id of the first entry that is compared
 */
function pastWanted(
  past: PastAsked,
  first: string | undefined,
  { entries, blocks }: Sized,
): PastWanted | undefined {
  const told = new Set(entries.flatMap(({ facts, under }) => (under.length > 0 ? [facts.id] : [])))
  const isTold = (id: string) => told.has(id) || blocks.get(id)?.supersedes !== undefined
  if (typeof past === 'string') return first === undefined || isTold(first) ? undefined : past
  const until = endOfPast(past)
  return (id) => {
    const block = blocks.get(id)
    return block === undefined || isTold(id) || hasBegun(block, until)
  }
}

const endOfPast = ({ to }: Exclude<PastAsked, string>) => new Date(to - 1).toISOString()

/**
 * Puts the version that a question about the past asks for in the place of each entry: under it stand the later ones, newest first,
 * and then the earlier. An entry stays where none of its versions is of then, or may be shown in its place.
 */
export function turnToPast<T extends Asking & { readonly entries: readonly Entry[] }>(found: T): T {
  const past = found.asked?.past
  if (past === undefined) return found
  const { versionsMost } = RECALL
  const entries = found.entries.map((entry): Entry => {
    const turned = (entry.guaranteed ? undefined : turnedRound(past, entry, found)) ?? entry
    const { versions, moreVersions } = turned
    const more = moreVersions + Math.max(0, versions.length - versionsMost)
    return { ...turned, versions: versions.slice(0, versionsMost), moreVersions: more }
  })
  return { ...found, entries }
}

/** Returns the entry of a version of then; what it rested on may have ended since, which says nothing of then. */
function turnedRound(past: PastAsked, entry: Entry, asking: Asking): Entry | undefined {
  const { block: newest, versions, under } = entry
  const earlier = versions
    .filter(({ why }) => why !== 'proposed')
    .toSorted((a, b) => latestFirst(a.block, b.block))
  const wanted = versionOf(past, newest, earlier)
  if (wanted === undefined) return undefined
  const head = wanted.block
  // Trust matters only where nobody said that the newer takes its place.
  if (wanted.why !== 'superseded' && !mayCover(head, newest)) return undefined
  const others = [{ block: newest, why: 'later' as const }, ...earlier.filter((each) => each !== wanted)]
  const isLater = ({ block }: RecalledVersion) => latestFirst(block, head) < 0
  const found = under.find(({ id }) => id === head.id)?.candidate ?? { ...entry, facts: head }
  const { through: _through, passage: _passage, ...candidate } = found
  return {
    ...candidate,
    ...passageOf(candidate, head, asking),
    block: head,
    under,
    marks: [],
    outdated: [],
    moreVersions: 0,
    moved: { why: 'past', before: newest.id },
    versions: [
      ...others.filter(isLater).map(({ block }): RecalledVersion => ({ block, why: 'later' })),
      ...others.filter((each) => !isLater(each)),
      ...versions.filter(({ why }) => why === 'proposed'),
    ],
  }
}

/** Returns the version that is asked for; undefined if that is the newest itself, or none. */
function versionOf(
  past: PastAsked,
  newest: Block,
  earlier: readonly RecalledVersion[],
): RecalledVersion | undefined {
  if (past === 'before') return earlier[0]
  if (past === 'first') return earlier.at(-1)
  const until = endOfPast(past)
  if (hasBegun(newest, until)) return undefined
  return earlier.find(({ block }) => hasBegun(block, until))
}

/** Orders by when blocks began to hold, as they say, else as they were said; what had ended before it was said began before all. */
function latestFirst(one: Block, other: Block): number {
  const [first = '', second = ''] = [startOf(one), startOf(other)]
  if (first !== second) return first > second ? -1 : 1
  return isNewer(one, other) ? -1 : 1
}
