import type { Block, BlockFacts } from '../block/block.ts'
import { isIdentity, mayCover, type SourceClass } from '../block/source-class.ts'
import { hasBegun, hasEnded, holdsAt, isNewer, lastSaidAt } from '../block/validity.ts'
import type { BlockPair } from '../graph/edge.ts'

/**
 * Versions that somebody told: a block that was remembered with `supersedes`, or a pair of which the owner, the host agent or a
 * model said that the newer takes the older's place. Nothing else puts a block under another.
 */
export interface Tie {
  /** The block that takes the place of the other. */
  readonly newer: string
  readonly older: string
  /** `stated` by the one who remembered the newer, or `judged` by somebody who read both. */
  readonly how: 'stated' | 'judged'
  /** The class of the judge. */
  readonly by?: SourceClass
}

/** Finders of pairs who read both blocks. */
const JUDGES: ReadonlySet<string | undefined> = new Set(['model', 'host', 'owner'])

/** Returns what a pair tells about versions; undefined where nobody told anything. */
export function tieOf(
  { a, b, kind, foundBy }: BlockPair,
  blocks: ReadonlyMap<string, Block>,
): Tie | undefined {
  if (blocks.get(a)?.supersedes === b) return { newer: a, older: b, how: 'stated' }
  if (blocks.get(b)?.supersedes === a) return { newer: b, older: a, how: 'stated' }
  const [one, other] = [blocks.get(a), blocks.get(b)]
  if (kind !== 'supersession' || !JUDGES.has(foundBy) || !one || !other) return undefined
  const by = foundBy === 'owner' ? 'user' : 'agent'
  const ends = isNewer(one, other) ? { newer: a, older: b } : { newer: b, older: a }
  return { ...ends, how: 'judged', by }
}

/** Returns true if a tie says something at a time: nothing that has not begun or has ended takes another's place. */
export function countsAt(
  at: string,
  { newer, older, how }: Tie,
  blocks: ReadonlyMap<string, Block>,
): boolean {
  const [first, second] = [blocks.get(newer), blocks.get(older)]
  if (first === undefined || second === undefined) return true
  if (first.scope !== second.scope) return false
  if (!hasBegun(first, at) && hasBegun(second, at)) return false
  return !holdsAt(second, at) || holdsAt(first, at) || (how === 'stated' && hasEnded(first, at))
}

/** A block that stands under an entry of the answer. */
export interface Version {
  readonly id: string
  /**
   * `superseded` as its successor said; `proposed`: it was to take the place of what is trusted more, and nobody accepted that;
   * `earlier` and `later`: a judge took both for words about the same fact.
   */
  readonly why: 'superseded' | 'proposed' | 'earlier' | 'later'
  /** The block that took its place. */
  readonly by: string
}

/** A block that stands under an entry of the answer, as it was read. */
export type RecalledVersion = Pick<Version, 'why'> & { readonly block: Block }

/** The groups that blocks form, by their ids. */
export interface Grouped {
  /** The block that another one stands under; itself when it stands under none. */
  readonly headOf: (id: string) => string
  /** The versions under a block, newest first. */
  readonly under: ReadonlyMap<string, readonly Version[]>
}

/**
 * Groups blocks by what was told: each stands under the newest of its fact, and nothing under what is trusted less: then both are entries.
 *
 * @param fixed blocks that stand under none
 */
export function groupVersions(
  blocks: readonly BlockFacts[],
  ties: readonly Tie[],
  fixed: ReadonlySet<string> = new Set(),
): Grouped {
  const facts = new Map(blocks.map((each) => [each.id, each]))
  const versions = new Map<string, Version>()
  const headOf = (id: string): string => {
    const version = versions.get(id)
    return version === undefined ? id : headOf(version.by)
  }
  const headsOf = (id: string) => facts.get(headOf(id)) as BlockFacts
  const byHow = Map.groupBy(ties, ({ how }) => how)
  for (const tie of [...(byHow.get('stated') ?? []), ...(byHow.get('judged') ?? [])]) {
    const [newer, older] = [facts.get(tie.newer), facts.get(tie.older)]
    if (newer === undefined || older === undefined) continue
    const heads = [headsOf(newer.id), headsOf(older.id)] as const
    const version =
      tie.how === 'stated' ? statedVersion(newer, older, heads) : judgedVersion(newer, older, heads, tie.by)
    if (version !== undefined && !fixed.has(version.id)) versions.set(version.id, version)
  }
  const below = [...versions.keys()].flatMap((id) => facts.get(id) ?? [])
  const newestFirst = below.sort((one, other) => (isNewer(one, other) ? -1 : 1))
  const under = newestFirst.flatMap(({ id }) => versions.get(id) ?? [])
  return { headOf, under: Map.groupBy(under, ({ id }) => headOf(id)) }
}

/** The heads of the groups of two blocks, the newer one's first. */
type Heads = readonly [BlockFacts, BlockFacts]

/** Returns which of two heads goes under the other where one block was remembered in the place of another; undefined if none may. */
function statedVersion(newer: BlockFacts, older: BlockFacts, [first, second]: Heads): Version | undefined {
  if (first === second) return undefined
  // What was said before is no later word, whatever it says of itself.
  const [head, loser] = lastSaidAt(first) < lastSaidAt(second) ? [second, first] : [first, second]
  if (![newer, older, head].every((each) => mayCover(each, loser))) return undefined
  const isProposal = loser === newer && !mayCover(newer, older)
  return { id: loser.id, why: isProposal ? 'proposed' : 'superseded', by: head.id }
}

/** Returns the older of two judged blocks as a version of the newer, if it stands under none and the judge may say so. */
function judgedVersion(
  newer: BlockFacts,
  older: BlockFacts,
  [head, own]: Heads,
  by: SourceClass = 'user',
): Version | undefined {
  // A block about who the agent is has only such blocks as versions.
  if (isIdentity(newer) && !isIdentity(older)) return undefined
  const isFree = own === older && head !== older
  const mayGo = mayCover(by, older) && mayCover(newer, older)
  return isFree && mayGo ? { id: older.id, why: 'earlier', by: newer.id } : undefined
}

/**
 * Returns the ids of those blocks of an open pair that recall shows as entries until somebody decides: only a told version stands
 * under the other.
 *
 * @param at ISO-8601 UTC
 */
export function shownMeanwhile(pair: BlockPair, blocks: readonly Block[], at: string): ReadonlySet<string> {
  const living = blocks.filter(({ status }) => status !== 'archived')
  const byId = new Map(living.map((block) => [block.id, block]))
  const tie = tieOf(pair, byId)
  const { headOf } = groupVersions(living, tie !== undefined && countsAt(at, tie, byId) ? [tie] : [])
  return new Set(living.flatMap(({ id }) => (headOf(id) === id ? [id] : [])))
}

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
export type PastWanted = 'before' | 'first' | ((id: string) => boolean)

/** Limits of each use of the score, chosen on the sets of `npm run fit:versions`; `recall.newerFirst` is the one for the order. */
export const LIMITS = {
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

/** A guess that the answer states: the newer is perhaps newer than the older. */
interface Mark {
  readonly newer: string
  readonly older: string
}

/** An order of entries, and what the guesses did to it. */
interface Arranged {
  /** Ids of the entries; more than `size` where some came in. */
  readonly order: readonly string[]
  /** Guesses that the answer states. */
  readonly marks: readonly Mark[]
  /** Entries that were moved or came in for a guess, each with the older one of it. */
  readonly moved: ReadonlyMap<string, string>
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

/** The notes of an answer by their ids, and the guesses about them. */
interface Answer {
  readonly notes: ReadonlyMap<string, RankedNote>
  readonly guesses: readonly Guess[]
  /** Ids of the entries before any moves. */
  readonly shown: readonly string[]
  /** The score from which on the newer comes first. */
  readonly least: number
  /** Most entries, with those that come in. */
  readonly most: number
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
  { size, isLimit, newerFirst, past }: ArrangeOptions,
): Arranged {
  const answer: Answer = {
    notes: new Map(ranked.map((note) => [note.id, note])),
    shown: ranked.slice(0, size).map(({ id }) => id),
    ...{ guesses, least: newerFirst, most: size + (isLimit ? 0 : LIMITS.addedMost) },
  }
  const swapped = swap(answer)
  const arranged = past === undefined ? addNewer(answer, swapped) : turnToPast(answer, swapped, past)
  return isLimit ? { ...arranged, order: arranged.order.slice(0, size) } : arranged
}

/** Moves are bounded, since three guesses may go in a circle. */
const STEPS_MOST = 40

/** Puts the newest note that passes before each entry. */
function swap({ notes, guesses, shown, least }: Answer): Arranged {
  const order = [...shown]
  const moved = new Map<string, string>()
  const marks: Mark[] = []
  const ageOf = (id: string) => notes.get(id)?.at ?? 0
  const strong = guesses.filter((guess) => guess.z >= least || isTie(guess, notes))
  // The newest of all that pass, so that the middle of three versions leads nowhere.
  const newestOver = (older: string) =>
    strong.filter((guess) => guess.older === older).sort((a, b) => ageOf(b.newer) - ageOf(a.newer))[0]
  for (let at = 0, steps = 0; at < order.length && steps < STEPS_MOST; steps++) {
    const older = order[at] as string
    const guess = newestOver(older)
    const from = guess === undefined ? -1 : order.indexOf(guess.newer)
    const mayCome = from < 0 && (guess?.z ?? 0) >= least && order.length < shown.length + LIMITS.addedMost
    if (guess === undefined || (from < at && !mayCome)) {
      at++
      continue
    }
    if (from >= 0) order.splice(from, 1)
    order.splice(at, 0, guess.newer)
    moved.set(guess.newer, older)
    if (guess.z >= least) marks.push({ newer: guess.newer, older })
  }
  return { order, marks, moved }
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
function addNewer({ guesses, most }: Answer, { order, marks, moved }: Arranged): Arranged {
  const all = [...order]
  const stated = [...marks]
  const why = new Map(moved)
  for (const older of order) {
    const [likeliest] = guesses.filter((guess) => guess.older === older).sort((a, b) => b.z - a.z)
    if (likeliest === undefined || stated.some((mark) => mark.older === older)) continue
    const { newer, z } = likeliest
    if (z < LIMITS.said || (all.length >= most && !all.includes(newer))) continue
    if (putBeside(all, newer, older)) why.set(newer, older)
    stated.push({ newer, older })
  }
  return { order: all, marks: stated, moved: why }
}

/** Puts an id directly behind another; returns false if it stands there or before it already. */
function putBeside(order: string[], id: string, other: string): boolean {
  const [from, at] = [order.indexOf(id), order.indexOf(other)]
  if (from >= 0 && from <= at + 1) return false
  if (from >= 0) order.splice(from, 1)
  order.splice(at + 1, 0, id)
  return true
}

/** Puts the version of the first entry's fact that a question about the past wants first; none is brought in. */
function turnToPast({ notes, guesses }: Answer, swapped: Arranged, past: PastWanted): Arranged {
  const { order, moved } = swapped
  const isThen = typeof past === 'function' ? past : () => true
  const [first] = order
  if (first === undefined) return swapped
  const ageOf = (id: string) => notes.get(id)?.at ?? 0
  const byAge = versionsOf(first, guesses).sort((a, b) => ageOf(b) - ageOf(a))
  const found = past === 'first' ? byAge.at(-1) : byAge.filter(isThen)[past === 'before' ? 1 : 0]
  if (found === undefined || found === first) return { ...swapped, marks: [] }
  const turned = [found, ...order.filter((id) => id !== found)]
  return { order: turned, marks: [], moved: new Map([...moved, [found, first]]) }
}

/** Returns the ids of notes that likely guesses join to one, directly or through others, and its own. */
function versionsOf(id: string, guesses: readonly Guess[]): string[] {
  const likely = guesses.filter(({ z }) => z >= LIMITS.past)
  const found = new Set([id])
  // A set grows while it is walked.
  for (const each of found)
    for (const { older, newer } of likely) {
      if (older === each) found.add(newer)
      if (newer === each) found.add(older)
    }
  return [...found]
}
