import { codePointLength, defined } from '../block/text.ts'
import { completed, type Validity, validityIn } from '../block/validity.ts'
import { reinforcedWeight } from '../outcome/formulas.ts'
import { type Edge, type Ends, newEdge, orderedPair, relationDefaultWeight } from './edge.ts'

/** Longest note of an edge, in code points. */
export const NOTE_LENGTH_MAX = 500

/** A claim of an agent about two blocks; an absent field is not claimed. */
export interface Claim extends Validity {
  /** In its one spelling; `similar` for a new edge unless claimed. */
  readonly relation?: string
  /** 0..1. */
  readonly weight?: number
  readonly note?: string
}

/** When a claim was made, and by which end. */
interface ClaimContext {
  /** Active hours. */
  readonly hours: number
  /** ISO-8601 UTC. */
  readonly at: string
  /** The block the claim starts from. */
  readonly source: string
}

/** Returns a new edge an agent asserts: it never fades and is never evicted. */
export function assertedEdge(ends: Ends, claim: Claim, context: ClaimContext): Edge {
  const { relation = 'similar', note } = claim
  const weight = claim.weight ?? relationDefaultWeight(relation)
  return {
    ...newEdge(orderedPair(...ends), { relation, origin: 'agent', weight }, context),
    ...{ declaredBy: context.source, ...defined({ note }), ...validityOf(claim) },
  }
}

/**
 * Returns an edge that an agent asserts once more: used once more, a step stronger or at the weight claimed if that is more,
 * with both notes, and the agent's own from now on.
 */
export function reinforcedEdge(
  edge: Edge,
  claim: Claim,
  { hours, step }: { readonly hours: number; readonly step: number },
): Edge {
  return {
    ...claimedBy(edge),
    weight: Math.max(reinforcedWeight(edge.weight, step), claim.weight ?? 0),
    reinforcementCount: edge.reinforcementCount + 1,
    lastActiveAt: hours,
    ...defined({ note: mergedNote(edge.note, claim.note) }),
    ...validityOf(claim),
  }
}

/** Returns an edge with exactly what is claimed changed, the agent's own from now on. */
export function updatedEdge(edge: Edge, claim: Claim, { hours, source }: ClaimContext): Edge {
  const { relation, weight, note } = claim
  return {
    ...claimedBy(edge),
    ...defined({ relation, weight, note, declaredBy: relation === undefined ? undefined : source }),
    ...validityOf(claim),
    lastActiveAt: hours,
  }
}

/** Returns when a claim holds, as far as it says: given, else read from its note. */
function validityOf(claim: Claim): Validity {
  return completed(claim, claim.note === undefined ? {} : validityIn(claim.note))
}

/** Returns two notes as one: a repetition is left out; when both do not fit, the newer stays. */
export function mergedNote(before: string | undefined, added: string | undefined): string | undefined {
  if (before === undefined || added === undefined) return added ?? before
  if (before.includes(added)) return before
  const both = `${before}; ${added}`
  return codePointLength(both) <= NOTE_LENGTH_MAX ? both : added
}

function claimedBy(edge: Edge): Edge {
  return edge.origin === 'agent' ? edge : { ...edge, origin: 'agent', previousOrigin: edge.origin }
}

/** The relations that rules make by themselves, in the order of eviction at the degree cap (seed 000, Scenario 7). */
const EVICTION_ORDER = ['similar', 'co_occurs']

type Displaceable = Pick<Edge, 'from' | 'to' | 'relation' | 'origin' | 'weight'>
type WeightOf<E> = (edge: E) => number

/** True if the edge is never evicted: of an agent, or neither `similar` nor `co_occurs` (Python elfmem). */
export function isProtectedEdge({ relation, origin }: Pick<Edge, 'relation' | 'origin'>): boolean {
  return origin === 'agent' || !EVICTION_ORDER.includes(relation)
}

/** Negative if the first edge is evicted before the second: by relation, then the lower weight. */
function evictionOrder<E extends Displaceable>(one: E, other: E, weightOf: WeightOf<E>): number {
  const classes = EVICTION_ORDER.indexOf(one.relation) - EVICTION_ORDER.indexOf(other.relation)
  return classes || weightOf(one) - weightOf(other)
}

/**
 * Returns the edge of a block to evict at the degree cap, undefined if all are protected (Python elfmem):
 * `similar` before `co_occurs`, then the lowest weight, then the lowest ids. Edges of other blocks are ignored.
 * Pass `weightOf` to compare decayed weights instead of stored ones.
 */
export function displaceableEdge<E extends Displaceable>(
  blockId: string,
  edges: readonly E[],
  weightOf: WeightOf<E> = (edge) => edge.weight,
): E | undefined {
  const [first] = edges
    .filter((edge) => (edge.from === blockId || edge.to === blockId) && !isProtectedEdge(edge))
    .sort((a, b) => evictionOrder(a, b, weightOf) || compare(a.from, b.from) || compare(a.to, b.to))
  return first
}

/** True if an edge may evict another: a protected one always may, others what is of an earlier class or lighter in their own. */
export function outranks<E extends Displaceable>(
  newcomer: E,
  resident: E,
  weightOf: WeightOf<E> = (edge) => edge.weight,
): boolean {
  if (isProtectedEdge(resident)) return false
  return isProtectedEdge(newcomer) || evictionOrder(newcomer, resident, weightOf) > 0
}

/**
 * Returns the edges to evict so that a new one fits at both of its ends, within `cap` edges each; undefined if an edge in the
 * way is protected or outranks the new one: a worse link never evicts a better one.
 *
 * @param residents all edges at both ends
 */
export function evictForCap<E extends Displaceable>(
  newcomer: E,
  residents: readonly E[],
  { cap, weightOf }: { readonly cap: number; readonly weightOf: WeightOf<E> },
): readonly E[] | undefined {
  const gone = new Set<E>()
  for (const id of [newcomer.from, newcomer.to]) {
    for (;;) {
      const left = residents.filter((edge) => !gone.has(edge) && (edge.from === id || edge.to === id))
      if (left.length < cap) break
      const victim = displaceableEdge(id, left, weightOf)
      if (victim === undefined || !outranks(newcomer, victim, weightOf)) return undefined
      gone.add(victim)
    }
  }
  return [...gone]
}

function compare(one: string, other: string): number {
  if (one === other) return 0
  return one < other ? -1 : 1
}
