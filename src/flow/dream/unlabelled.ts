import type { Edge } from '../../domain/edge.ts'
import type { UnlabelledPair } from '../../ports/store-judging.ts'
import type { Activation } from './activate.ts'

/** The pairs of a new block whose relation is worth a label: those it was joined to, and its near twins. */
export function unlabelledPairs(
  { block: { id }, candidates, near }: Activation,
  edges: readonly Edge[],
): UnlabelledPair[] {
  const likeness = new Map(candidates.map((each) => [each.id, each.cosine]))
  const others = [
    ...edges.map(({ from, to }) => (from === id ? to : from)),
    ...near.map(({ block }) => block.id),
  ]
  return [...new Set(others)].map((other) => {
    const cosine = Math.min(1, Math.max(0, likeness.get(other) ?? 0))
    return { from: id, to: other, cosine }
  })
}
