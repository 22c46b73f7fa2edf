import { completed, type Validity, validityIn } from '../block/validity/validity.ts'
import { codePointLength } from '../text/text.ts'
import { type Edge, type Ends, orderedPair, reinforcedWeight } from './edge.ts'
import { relationDefaultWeight } from './relation.ts'

/** Longest note of an edge, in code points. */
export const NOTE_LENGTH_MAX = 500

/** The relation of an edge whose maker claims none. */
const UNCLAIMED = 'similar'

/** A claim of an agent about two blocks; an absent field is not claimed. */
export interface Claim extends Validity {
  /** In its one spelling. */
  readonly relation?: string
  /** 0..1. */
  readonly weight?: number
  readonly note?: string
}

/** When a claim was made, and by which end. */
export interface ClaimContext {
  /** Active hours. */
  readonly hours: number
  /** ISO-8601 UTC. */
  readonly at: string
  /** The block the claim starts from. */
  readonly source: string
}

/** Returns a new edge an agent asserts: it never fades and is never evicted. */
export function assertedEdge(ends: Ends, claim: Claim, { hours, at, source }: ClaimContext): Edge {
  const [from, to] = orderedPair(...ends)
  const relation = claim.relation ?? UNCLAIMED
  return {
    from,
    to,
    relation,
    origin: 'agent',
    weight: claim.weight ?? relationDefaultWeight(relation),
    reinforcementCount: 0,
    lastActiveAt: hours,
    createdAt: at,
    declaredBy: source,
    ...(claim.note === undefined ? {} : { note: claim.note }),
    ...validityOf(claim),
  }
}

/**
 * An edge an agent asserts once more (W18): used once more, a step stronger or at the weight claimed if that is more,
 * with both notes, and the agent's own from now on (W20).
 */
export function reinforcedEdge(
  edge: Edge,
  claim: Claim,
  { hours, step }: { readonly hours: number; readonly step: number },
): Edge {
  const note = mergedNote(edge.note, claim.note)
  return {
    ...claimedBy(edge),
    weight: Math.max(reinforcedWeight(edge.weight, step), claim.weight ?? 0),
    reinforcementCount: edge.reinforcementCount + 1,
    lastActiveAt: hours,
    ...(note === undefined ? {} : { note }),
    ...validityOf(claim),
  }
}

/** An edge with exactly what is claimed changed, the agent's own from now on (W19, W20). */
export function updatedEdge(edge: Edge, claim: Claim, { hours, source }: ClaimContext): Edge {
  return {
    ...claimedBy(edge),
    ...(claim.relation === undefined ? {} : { relation: claim.relation, declaredBy: source }),
    ...(claim.weight === undefined ? {} : { weight: claim.weight }),
    ...(claim.note === undefined ? {} : { note: claim.note }),
    ...validityOf(claim),
    lastActiveAt: hours,
  }
}

/** When a claim holds, as far as it says: given, else read from its note. */
function validityOf(claim: Claim): Validity {
  return completed(claim, claim.note === undefined ? {} : validityIn(claim.note))
}

/** Two notes as one: what is there already is not said twice; when both do not fit, the newer stays. */
export function mergedNote(before: string | undefined, added: string | undefined): string | undefined {
  if (before === undefined || added === undefined) return added ?? before
  if (before.includes(added)) return before
  const both = `${before}; ${added}`
  return codePointLength(both) <= NOTE_LENGTH_MAX ? both : added
}

/** How far a weight lies from what its relation usually has, 0..1. */
export function weightDistance(edge: Pick<Edge, 'relation' | 'weight'>): number {
  return Math.abs(edge.weight - relationDefaultWeight(edge.relation))
}

function claimedBy(edge: Edge): Edge {
  return edge.origin === 'agent' ? edge : { ...edge, origin: 'agent', previousOrigin: edge.origin }
}
