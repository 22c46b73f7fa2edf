import { orderedPair } from '../../domain/edge.ts'
import type { ClockReading } from '../../ports/store.ts'
import type { CallContext, Engine } from '../engine.ts'
import { mutate } from '../mutate.ts'
import type { Candidate } from './candidate.ts'

/**
 * What being recalled does: the blocks shown stay fresh, edges among them are used, and pairs that keep coming
 * together are counted once a session until they are joined. Nothing here moves a block's rank in a query frame.
 *
 * @returns how many pairs became edges
 */
export async function noteRecalled(
  engine: Engine,
  context: CallContext,
  shown: readonly Candidate[],
  {
    guaranteed,
    reading,
    summary,
  }: { guaranteed: ReadonlySet<string>; reading: ClockReading; summary: string },
): Promise<number> {
  const { memory } = engine.settings
  const ids = shown.map(({ facts }) => facts.id)
  const promoted = await mutate(
    engine,
    context,
    async ({ tx, moment, session, log }) => {
      await tx.reinforceBlocks(ids, moment.hours)
      if (ids.length > 1) await tx.reinforceEdgesAmong(ids, moment.hours)
      const pairs = pairsToStage(shown, guaranteed, memory.coRetrievalBlocks)
      const ready =
        pairs.length === 0
          ? []
          : await tx.stagePairs(pairs, {
              session,
              threshold: memory.coRetrievalThreshold,
              limit: memory.coRetrievalStagingMax,
            })
      const edges =
        ready.length === 0
          ? []
          : await tx.promotePairs(ready, {
              weight: memory.coRetrievalWeight,
              cap: memory.edgeDegreeCap,
              hours: moment.hours,
              at: moment.at,
            })
      await log({ operation: 'recall', blockIds: ids, summary })
      return edges.length
    },
    // That something was recalled may be lost with the power; nothing anybody was told is.
    { reading, durable: false },
  )
  engine.session.noteRecalled(ids)
  return promoted
}

/**
 * Pairs of the best blocks that matched by themselves. What the frame guarantees comes together always, and what an
 * edge brought came because of its seed: neither says anything new.
 */
function pairsToStage(
  shown: readonly Candidate[],
  guaranteed: ReadonlySet<string>,
  most: number,
): (readonly [string, string])[] {
  const ids = shown
    .filter(({ facts, via }) => via === undefined && !guaranteed.has(facts.id))
    .slice(0, most)
    .map(({ facts }) => facts.id)
  return ids.flatMap((one, i) => ids.slice(i + 1).map((other) => orderedPair(one, other)))
}
