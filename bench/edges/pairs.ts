import { dot } from '../../src/index/columns.ts'
import { compositeEdgeScore, EDGE_SCORE } from '../../src/outcome/formulas.ts'

/** A text's vector and what it is about. */
export interface Placed {
  readonly vector: Float32Array
  readonly group: string
}

/** Two texts that may be joined. */
export interface Pair {
  readonly cosine: number
  /** Both are about the same. */
  readonly related: boolean
}

/** A pair by the places of its texts, the lesser first. */
export interface Edge extends Pair {
  readonly from: number
  readonly to: number
}

/** Every pair of the texts once. */
export function allPairs(texts: readonly Placed[]): Pair[] {
  return texts.flatMap((one, i) => texts.slice(i + 1).map((other) => pairOf(one, other)))
}

/** For each text the one most like it, at the same place. */
export function bestNeighbours(texts: readonly Placed[]): Edge[] {
  return texts.map((one, i) => {
    let best: Edge = { from: i, to: i, cosine: Number.NEGATIVE_INFINITY, related: false }
    texts.forEach((other, j) => {
      if (i === j) return
      const pair = pairOf(one, other)
      if (pair.cosine > best.cosine) best = { ...pair, from: Math.min(i, j), to: Math.max(i, j) }
    })
    return best
  })
}

function pairOf(one: Placed, other: Placed): Pair {
  return { cosine: dot(one.vector, other.vector), related: one.group === other.group }
}

/** What a pair without tags has besides its cosine. */
export interface Circumstance {
  readonly name: string
  readonly sameCategory: boolean
  /** Active hours between the two. */
  readonly hoursApart: number
}

export const CIRCUMSTANCES: readonly Circumstance[] = [
  { name: 'learnt at once', sameCategory: true, hoursApart: 0 },
  { name: 'days apart', sameCategory: true, hoursApart: 40 },
  { name: 'days apart, other category', sameCategory: false, hoursApart: 40 },
]

/** The composite score of a pair without tags, with no cosine floor. */
function scoreOf(cosine: number, { sameCategory, hoursApart }: Circumstance): number {
  return compositeEdgeScore(
    cosine,
    { tags: [], category: 'one', hours: 0 },
    { tags: [], category: sameCategory ? 'one' : 'other', hours: hoursApart },
    { ...EDGE_SCORE, cosineFloor: 0 },
  )
}

/** The least cosine whose score reaches the threshold, 0..1; above 1 none does. The score is linear in the cosine. */
export function cosineNeeded(threshold: number, circumstance: Circumstance): number {
  return Math.max(0, (threshold - scoreOf(0, circumstance)) / EDGE_SCORE.cosineWeight)
}

/** What joining each text to its best neighbour gives, when only similarities from a line on count. */
export interface Joined {
  /** Share of the texts in groups that get an edge. */
  readonly joined: number
  /** Share of those edges that stay inside the group. */
  readonly right: number
  /** Share of the notes that get an edge, which is taken to be wrong. */
  readonly notesJoined: number
  /** Different edges of them all, and the share inside a group. */
  readonly edges: number
  readonly precision: number
}

/** Judges the best neighbours of texts of which those from `firstInGroups` on are in groups. */
export function joinFrom(line: number, best: readonly Edge[], firstInGroups: number): Joined {
  const isAbove = ({ cosine }: Edge) => cosine >= line
  const notes = best.slice(0, firstInGroups)
  const grouped = best.slice(firstInGroups)
  const above = grouped.filter(isAbove)
  const edges = new Map(best.filter(isAbove).map((edge) => [`${edge.from} ${edge.to}`, edge]))
  return {
    joined: share(above.length, grouped.length),
    right: shareOf(above, ({ related }) => related),
    notesJoined: shareOf(notes, isAbove),
    edges: edges.size,
    precision: shareOf([...edges.values()], ({ related }) => related),
  }
}

/** The share of the items that pass; 0 of none. */
export function shareOf<T>(items: readonly T[], passes: (item: T) => boolean): number {
  return share(items.filter(passes).length, items.length)
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole
}
