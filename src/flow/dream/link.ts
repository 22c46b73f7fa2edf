import { likenessOf } from '../../config/likeness.ts'
import type { Settings } from '../../config/settings.ts'
import type { Block } from '../../domain/block.ts'
import { type BlockPair, type Edge, orderedPair } from '../../domain/edge.ts'
import { compositeEdgeScore, EDGE_SCORE } from '../../domain/edge-score.ts'
import type { Engine } from '../engine.ts'
import { type Displacement, Linker } from '../graph/linker.ts'
import type { Mutation } from '../mutate.ts'
import type { Moment } from '../session.ts'
import type { Neighbour } from './likeness.ts'

/** The similarity edges of a new block, and what gave way to them. */
export interface SimilarityEdges {
  readonly edges: readonly Edge[]
  readonly displacements: readonly Displacement[]
}

/**
 * Joins a new block to the neighbours it belongs to most, within the degree cap of both ends. Two statements, three
 * more near a hub full of better edges.
 */
export async function linkBySimilarity(
  engine: Engine,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  block: Block,
  neighbours: readonly Neighbour[],
): Promise<SimilarityEdges> {
  const { settings, embedder } = engine
  const { memory } = settings
  const scored = scoredEdges(block, neighbours, { settings, moment, model: embedder.model })
  const most = Math.min(memory.similarityEdgesPerBlock, memory.edgeDegreeCap)
  const made: { edges: Edge[]; displacements: Displacement[] } = { edges: [], displacements: [] }
  // Hubs are rare: who comes after the best is asked about only when one of them is full.
  for (const candidates of [scored.slice(0, most), scored.slice(most)]) {
    if (candidates.length === 0 || made.edges.length >= most) break
    const linker = await Linker.open(
      engine,
      { tx, moment },
      candidates.flatMap(({ from, to }) => [from, to]),
      // A block that was never active was never disconnected from anything.
      { heedDisconnections: block.reinforcementCount > 1 },
    )
    let room = most - made.edges.length
    for (const edge of candidates) {
      if (room === 0) break
      if (!linker.between(edge.from, edge.to) && linker.add(edge).admitted) room--
    }
    const { added, displacements } = await linker.save(tx)
    made.edges.push(...added)
    made.displacements.push(...displacements)
  }
  return made
}

/** Edges worth making, best first. Of two blocks of one dream both times are now (W10). */
function scoredEdges(
  block: Block,
  neighbours: readonly Neighbour[],
  {
    settings,
    moment,
    model,
  }: { readonly settings: Settings; readonly moment: Moment; readonly model: string },
): Edge[] {
  const { edgeCosineFloor, edgeScoreThreshold } = likenessOf(settings, model)
  const { cosine, tags, category, time } = settings.graph.edgeScoreWeights
  const options = {
    ...EDGE_SCORE,
    cosineFloor: edgeCosineFloor,
    cosineWeight: cosine,
    tagWeight: tags,
    categoryWeight: category,
    timeWeight: time,
    sigmaHours: settings.graph.edgeTimeHours,
  }
  const end = { tags: block.tags, category: block.category, hours: moment.hours }
  return neighbours
    .map(({ block: other, cosine: likeness }): Edge => {
      const otherEnd = { tags: other.tags, category: other.category, hours: other.lastReinforcedAt }
      const [from, to] = orderedPair(block.id, other.id)
      return {
        from,
        to,
        relation: 'similar',
        origin: 'similarity',
        weight: compositeEdgeScore(likeness, end, otherEnd, options),
        reinforcementCount: 0,
        lastActiveAt: moment.hours,
        createdAt: moment.at,
      }
    })
    .filter(({ weight }) => weight > 0 && weight >= edgeScoreThreshold)
    .sort((a, b) => b.weight - a.weight)
}

/** The flagged pairs of a new block, for recall to prefer the newer and for `resolve` to settle. */
export function nearPairs(block: Block, near: readonly Neighbour[], at: string): BlockPair[] {
  return near.map(({ block: other, cosine }) => {
    const [a, b] = orderedPair(block.id, other.id)
    return { a, b, kind: 'near_duplicate', score: Math.min(1, cosine), resolved: false, createdAt: at }
  })
}
