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
 * Which version a question about the past wants: the one before the newest, the first, or the newest of those that had begun at a time,
 * of which the function tells by their ids.
 */
export type PastWanted = 'before' | 'first' | ((id: string) => boolean)

/** Limits of each use of the score, chosen on the sets of `npm run fit:versions`; `recall.newerFirst` is the one for the order. */
export const LIMITS = {
  /** Least score at which the answer says that a note is perhaps newer. */
  said: 0,
  /** Least score at which the newer of two that match alike comes first. */
  tie: -1,
  /** Largest difference of rank of two that match alike, as a share of the best. */
  tieRank: 0.02,
  /** Least cosine of two that match alike. */
  tieCosine: 0.6,
  /** Least cosine at which a note that was said again since comes before another, whatever the score. */
  againCosine: 0.8,
  /** Least score at which a newer note comes in at the end of the answer. */
  bring: -3.5,
  /** Least rank of the older note for that, as a share of the best. */
  bringRank: 0.85,
  /** Largest number of notes that come in. */
  bringMost: 2,
  /** Least score that joins versions of a fact of which one has ended, or of which a question about the past wants one. */
  past: -2.5,
} as const

/** A guess that the answer states: the newer is perhaps newer than the older. */
interface Mark {
  readonly newer: string
  readonly older: string
}

/** An order of entries, and what the guesses did to it. */
export interface Arranged {
  /** Ids of the entries; more than `size` where some came in. */
  readonly order: readonly string[]
  /** Guesses that the answer states. */
  readonly marks: readonly Mark[]
  /** Entries that were moved or came in for a guess, each with the older one of it. */
  readonly moved: ReadonlyMap<string, string>
  /** Entries that came in at the end for an unlikely guess. */
  readonly brought: ReadonlySet<string>
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
    ...{ guesses, least: newerFirst, most: size + (isLimit ? 0 : LIMITS.bringMost) },
  }
  const swapped = swap(answer)
  const arranged = past === undefined ? bring(answer, swapped) : turnToPast(answer, swapped, past)
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
    const mayCome = from < 0 && (guess?.z ?? 0) >= least && order.length < shown.length + LIMITS.bringMost
    if (guess === undefined || (from < at && !mayCome)) {
      at++
      continue
    }
    if (from >= 0) order.splice(from, 1)
    order.splice(at, 0, guess.newer)
    moved.set(guess.newer, older)
    if (guess.z >= least) marks.push({ newer: guess.newer, older })
  }
  return { order, marks, moved, brought: new Set() }
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

/**
 * Puts the likeliest newer note of an entry directly behind it, with a mark, if the score says so; a less likely one that the answer
 * lacks comes in at its end.
 */
function bring({ notes, guesses, most }: Answer, { order, marks, moved }: Arranged): Arranged {
  const all = [...order]
  const stated = [...marks]
  const why = new Map(moved)
  const brought = new Set<string>()
  const isGood = (id: string) => (notes.get(id)?.rank ?? 0) >= LIMITS.bringRank
  for (const older of order) {
    const [likeliest] = guesses.filter((guess) => guess.older === older).sort((a, b) => b.z - a.z)
    if (likeliest === undefined || stated.some((mark) => mark.older === older)) continue
    const { newer, z } = likeliest
    const isNew = !all.includes(newer)
    if (isNew && all.length >= most) continue
    if (z >= LIMITS.said) {
      if (putBeside(all, newer, older)) why.set(newer, older)
      stated.push({ newer, older })
    } else if (z >= LIMITS.bring && isGood(older) && isNew) {
      all.push(newer)
      brought.add(newer)
      why.set(newer, older)
    }
  }
  return { order: all, marks: stated, moved: why, brought }
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
  const { order, moved, brought } = swapped
  const isThen = typeof past === 'function' ? past : () => true
  const [first] = order
  if (first === undefined) return swapped
  const ageOf = (id: string) => notes.get(id)?.at ?? 0
  const byAge = versionsOf(first, guesses).sort((a, b) => ageOf(b) - ageOf(a))
  const found = past === 'first' ? byAge.at(-1) : byAge.filter(isThen)[past === 'before' ? 1 : 0]
  if (found === undefined || found === first) return { ...swapped, marks: [] }
  const turned = [found, ...order.filter((id) => id !== found)]
  return { order: turned, marks: [], moved: new Map([...moved, [found, first]]), brought }
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
