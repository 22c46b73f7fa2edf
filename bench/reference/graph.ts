import { dot } from '../../src/index/columns.ts'
import { compositeEdgeScore } from '../../src/outcome/formulas.ts'

/** An edge of the reference's graph, by places in the list of blocks. */
export interface ReferenceEdge {
  readonly a: number
  readonly b: number
  readonly weight: number
}

const EDGE_THRESHOLD = 0.45
/** Edges a new block makes. */
const DEGREE_CAP = 5

/**
 * The similarity edges the reference's dreams leave (Python elfmem) when all blocks came in one batch and without tags:
 * each block with up to five of all others, one edge a pair. Quirk: the cap bounds what a block makes, not what it has,
 * so hubs grow (W13). Cost n² cosines.
 */
export function similarityEdges(vectors: readonly Float32Array[]): ReferenceEdge[] {
  const end = { tags: [], category: 'knowledge', hours: 0 }
  const edges = new Map<string, ReferenceEdge>()
  vectors.forEach((vector, from) => {
    const best = vectors
      .map((other, to) => ({
        to,
        weight: to === from ? 0 : compositeEdgeScore(dot(vector, other), end, end),
      }))
      .filter(({ weight }) => weight >= EDGE_THRESHOLD)
      .sort((x, y) => y.weight - x.weight)
      .slice(0, DEGREE_CAP)
    for (const { to, weight } of best) {
      const [a, b] = from < to ? [from, to] : [to, from]
      edges.set(`${a} ${b}`, { a, b, weight })
    }
  })
  return [...edges.values()]
}
