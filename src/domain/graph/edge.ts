import { defined } from '../text/text.ts'

/** Who made an edge: the rules at dream, use together, a reported outcome, an agent, or a model. */
export type EdgeOrigin = 'similarity' | 'co_retrieval' | 'outcome' | 'agent' | 'llm_inferred'

/** One undirected edge a pair of blocks; `from` < `to` by string order. */
export interface Edge {
  readonly from: string
  readonly to: string
  /** `similar`, `co_occurs`, `elaborates`, `supports`, `contradicts`, `outcome` or a custom lower-case word. */
  readonly relation: string
  readonly origin: EdgeOrigin
  /** 0..1 as stored; decay is applied when it is read, never written back. */
  readonly weight: number
  readonly reinforcementCount: number
  /** Hours of the last use; the anchor of its decay. Without one it never fades. */
  readonly lastActiveAt?: number
  /** ISO-8601 UTC. */
  readonly createdAt: string
  readonly note?: string
  /** The end that declared a directed link, when one did. */
  readonly declaredBy?: string
  /** Who made it before an agent made it its own. */
  readonly previousOrigin?: EdgeOrigin
  /** When what it says begins to hold, ISO-8601 UTC; absent: not said. */
  readonly validFrom?: string
  /** The first time at which it holds no more, ISO-8601 UTC; absent: not said. */
  readonly validUntil?: string
}

/** The two ends of an edge or pair. */
export type Ends = readonly [from: string, to: string]

/** Two blocks that appeared together in answers and are not joined; `from` < `to`. */
export interface StagedPair {
  readonly from: string
  readonly to: string
  /** Number of questions, or of sessions whose outcome was reported as a whole, in which they did. */
  readonly count: number
}

/** A connection an agent asked for that waits, because a full block could evict no edge for it. */
export interface PendingConnection {
  readonly source: string
  readonly target: string
  readonly relation: string
  readonly weight: number
  readonly note?: string
  /** Active hours. */
  readonly requestedAt: number
  /** Number of curations that could not make it. */
  readonly attempts: number
  /** Those of the edge. */
  readonly validFrom?: string
  readonly validUntil?: string
}

/** Returns the connection that waits in the place of an edge for which a full block has no room. */
export function deferred(edge: Edge, requestedAt: number): PendingConnection {
  const { relation, weight, note, validFrom, validUntil } = edge
  const [source, target] = saidEnds(edge)
  const claim = { relation, weight, ...defined({ note, validFrom, validUntil }) }
  return { source, target, ...claim, requestedAt, attempts: 0 }
}

/** An agent's word that two blocks do not belong together; `from` < `to`. */
export interface Disconnection {
  readonly from: string
  readonly to: string
  /** Active hours. */
  readonly at: number
  readonly reason?: string
}

/** Kind of an open pair. */
type PairKind = 'near_duplicate' | 'perhaps_newer' | 'supersession' | 'contradiction'

/** The kinds of pairs that say something about the order of two blocks; the others say that they are alike. */
export const TOLD_KINDS: readonly PairKind[] = ['supersession', 'contradiction']

/** Two blocks about the same thing: nearly equal texts, one that takes the other's place, or texts that contradict each other. */
export interface BlockPair {
  readonly a: string
  readonly b: string
  /** A pair of the kind `perhaps_newer` is a guess: it moves and hides nothing. */
  readonly kind: PairKind
  /** Cosine of the contents for near duplicates, confidence or probability for the others; 0..1. */
  readonly score: number
  /** Who found it: `similarity`, `score`, `model`, `host`, `agent`, `owner`, `hint`, or a rule such as `rule:number`. */
  readonly foundBy?: string
  readonly resolved: boolean
  /** ISO-8601 UTC. */
  readonly createdAt: string
}

/** The canonical order of a pair's ends. */
export function orderedPair(one: string, other: string): Ends {
  return one < other ? [one, other] : [other, one]
}

/** The first pairs among the ids, at most `limit`, in canonical order; earlier ids are joined first. */
export function pairsAmong(ids: readonly string[], limit = Number.POSITIVE_INFINITY): Ends[] {
  const pairs: Ends[] = []
  for (const [at, id] of ids.entries())
    for (const earlier of ids.slice(0, at)) {
      if (pairs.length >= limit) return pairs
      pairs.push(orderedPair(earlier, id))
    }
  return pairs
}

/** Returns the open pair for an edge that contradicts; `resolve` settles it. */
export function contradictionOf({ from, to, weight, createdAt }: Edge, foundBy: string): BlockPair {
  return { a: from, b: to, kind: 'contradiction', score: weight, foundBy, resolved: false, createdAt }
}

/** Returns the open pair of a block and the one whose place it takes, as was said of it. */
export function replacingPair(newer: Identified, older: Identified, createdAt: string): BlockPair {
  const [a, b] = orderedPair(newer.id, older.id)
  return { a, b, kind: 'supersession', score: 1, foundBy: 'hint', resolved: false, createdAt }
}

interface Identified {
  readonly id: string
}

/** Returns the edge that use makes between two blocks that were recalled together repeatedly. */
export function coOccurrenceEdge(
  [from, to]: Ends,
  made: { readonly weight: number; readonly hours: number; readonly at: string },
): Edge {
  return {
    from,
    to,
    relation: 'co_occurs',
    origin: 'co_retrieval',
    weight: made.weight,
    reinforcementCount: 0,
    lastActiveAt: made.hours,
    createdAt: made.at,
  }
}

/** Returns the ends of an edge in the order in which its relation was said; as they are stored if nobody said it. */
export function saidEnds({ from, to, declaredBy }: Pick<Edge, 'from' | 'to' | 'declaredBy'>): Ends {
  return declaredBy === to ? [to, from] : [from, to]
}

/** Relations that say the same from both ends. */
const MUTUAL: ReadonlySet<string> = new Set(['similar', 'co_occurs', 'outcome', 'contradicts'])

/** Returns the relation of an edge as it reads from one of its ends: an arrow stands before what was said of the other end. */
export function relationFrom(
  end: string,
  { relation, declaredBy }: Pick<Edge, 'relation' | 'declaredBy'>,
): string {
  const isOfOther = declaredBy !== undefined && declaredBy !== end && !MUTUAL.has(relation)
  return isOfOther ? `← ${relation}` : relation
}
