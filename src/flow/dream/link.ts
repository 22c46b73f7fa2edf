import type { Settings } from '../../config/settings.ts'
import type { Block } from '../../domain/block.ts'
import { type BlockPair, type Edge, orderedPair } from '../../domain/edge.ts'
import { compositeEdgeScore, EDGE_SCORE } from '../../domain/edge-score.ts'
import type { StoreWriter } from '../../ports/store.ts'
import type { Moment } from '../session.ts'
import type { Neighbour } from './likeness.ts'

/**
 * The similarity edges of a new block: to the neighbours it belongs to most, as long as both ends stay within the
 * degree cap. One statement, two near a full hub.
 */
export async function similarityEdges(
  tx: StoreWriter,
  block: Block,
  neighbours: readonly Neighbour[],
  { settings, moment }: { settings: Settings; moment: Moment },
): Promise<Edge[]> {
  const { memory } = settings
  const end = { tags: block.tags, category: block.category, hours: moment.hours }
  const scored = neighbours
    .map(({ block: other, cosine }) => ({
      other,
      weight: compositeEdgeScore(
        cosine,
        end,
        { tags: other.tags, category: other.category, hours: other.lastReinforcedAt },
        { ...EDGE_SCORE, cosineFloor: memory.edgeCosineFloor },
      ),
    }))
    .filter(({ weight }) => weight >= memory.edgeScoreThreshold)
    .sort((a, b) => b.weight - a.weight)
  const most = Math.min(memory.similarityEdgesPerBlock, memory.edgeDegreeCap)
  const chosen = await withRoom(tx, scored.slice(0, most), memory.edgeDegreeCap)
  // Hubs are rare: who comes after the best is asked about only when one of them is full.
  if (chosen.length < most) chosen.push(...(await withRoom(tx, scored.slice(most), memory.edgeDegreeCap)))
  return chosen.slice(0, most).map(({ other, weight }): Edge => {
    const [from, to] = orderedPair(block.id, other.id)
    return {
      from,
      to,
      relation: 'similar',
      origin: 'similarity',
      weight,
      reinforcementCount: 0,
      lastActiveAt: moment.hours,
      createdAt: moment.at,
    }
  })
}

interface Scored {
  readonly other: Block
  readonly weight: number
}

async function withRoom(tx: StoreWriter, scored: readonly Scored[], cap: number): Promise<Scored[]> {
  if (scored.length === 0) return []
  const degrees = await tx.degrees(scored.map(({ other }) => other.id))
  return scored.filter(({ other }) => (degrees.get(other.id) ?? 0) < cap)
}

/** The flagged pairs of a new block, for recall to prefer the newer and for `resolve` to settle. */
export function nearPairs(block: Block, near: readonly Neighbour[], at: string): BlockPair[] {
  return near.map(({ block: other, cosine }) => {
    const [a, b] = orderedPair(block.id, other.id)
    return { a, b, kind: 'near_duplicate', score: Math.min(1, cosine), resolved: false, createdAt: at }
  })
}
