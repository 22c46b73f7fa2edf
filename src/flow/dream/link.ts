import { similarityThresholdsOf } from '../../config/match-calibration.ts'
import type { Settings } from '../../config/settings.ts'
import type { Block } from '../../domain/block/block.ts'
import { type BlockPair, type Edge, orderedPair } from '../../domain/graph/edge.ts'
import { compositeEdgeScore, EDGE_SCORE } from '../../domain/graph/edge-score.ts'
import type { Engine } from '../engine/engine.ts'
import type { Mutation } from '../engine/mutate.ts'
import type { Moment } from '../engine/session.ts'
import { type Displacement, Linker } from '../graph/linker.ts'
import type { Neighbour } from './comparison.ts'

/** A block that becomes active, and who is near it. */
export interface Newcomer {
  readonly block: Block
  readonly neighbours: readonly Neighbour[]
}

/** The similarity edges of a new block, and the edges they evicted. */
export interface SimilarityEdges {
  readonly edges: readonly Edge[]
  readonly displacements: readonly Displacement[]
}

/**
 * Joins new blocks, one after the other, to the neighbours they belong to most, within the degree cap of both ends. At
 * most four statements for all, one or two more for each that stands near a hub full of better edges.
 */
export async function linkBySimilarity(
  engine: Engine,
  { tx, moment }: Pick<Mutation, 'tx' | 'moment'>,
  newcomers: readonly Newcomer[],
): Promise<SimilarityEdges[]> {
  const { settings, embedder } = engine
  const { memory } = settings
  const most = Math.min(memory.similarityEdgesPerBlock, memory.edgeDegreeCap)
  const scored = newcomers.map((newcomer) =>
    most === 0 ? [] : scoredEdges(newcomer, { settings, moment, model: embedder.model }),
  )
  const linker = await Linker.open(
    engine,
    { tx, moment },
    endsOf(scored.flatMap((each) => each.slice(0, most))),
    {
      // A block that was never active was never disconnected from anything.
      heedDisconnections: newcomers.some(({ block }) => block.reinforcementCount > 1),
    },
  )
  const links: SimilarityEdges[] = []
  for (const candidates of scored) {
    const best = join(linker, candidates.slice(0, most), most)
    const room = most - best.edges.length
    // Hubs are rare: who comes after the best is asked about only when one of them is full.
    const others = room > 0 ? candidates.slice(most) : []
    if (others.length > 0) await linker.widen(tx, endsOf(others))
    const more = join(linker, others, room)
    links.push({
      edges: [...best.edges, ...more.edges],
      displacements: [...best.displacements, ...more.displacements],
    })
  }
  await linker.save(tx)
  return links
}

/** Adds the first of the edges that the degree cap allows, at most so many. */
function join(linker: Linker, candidates: readonly Edge[], room: number): SimilarityEdges {
  const made: { edges: Edge[]; displacements: Displacement[] } = { edges: [], displacements: [] }
  for (const edge of candidates) {
    if (made.edges.length === room) break
    if (linker.between(edge.from, edge.to)) continue
    const admission = linker.add(edge)
    if (!admission.admitted) continue
    made.edges.push(edge)
    for (const displaced of admission.displaced)
      made.displacements.push({ edge: displaced, by: [edge.from, edge.to] })
  }
  return made
}

function endsOf(edges: readonly Edge[]): string[] {
  return edges.flatMap(({ from, to }) => [from, to])
}

/** Edges worth making, best first. Of two blocks of one dream both times are now (W10). */
function scoredEdges(
  { block, neighbours }: Newcomer,
  {
    settings,
    moment,
    model,
  }: { readonly settings: Settings; readonly moment: Moment; readonly model: string },
): Edge[] {
  const { edgeCosineFloor, edgeScoreThreshold } = similarityThresholdsOf(settings, model)
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
    .map(({ block: other, cosine: similarity }): Edge => {
      const otherEnd = { tags: other.tags, category: other.category, hours: other.lastReinforcedAt }
      const [from, to] = orderedPair(block.id, other.id)
      return {
        from,
        to,
        relation: 'similar',
        origin: 'similarity',
        weight: compositeEdgeScore(similarity, end, otherEnd, options),
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
    const score = Math.min(1, cosine)
    return { a, b, kind: 'near_duplicate', score, foundBy: 'similarity', resolved: false, createdAt: at }
  })
}
