import { type Edge, type Ends, pairsAmong } from '../../domain/graph/edge.ts'
import type { ClockReading } from '../../ports/store/transaction.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { coRetrievalWeights, joinStaged, type PromotedPairs } from '../graph/promote-staged.ts'
import type { Candidate } from './rank.ts'

interface Recalled {
  readonly guaranteed: ReadonlySet<string>
  readonly reading: ClockReading
  /** The frame, which the log keeps: what is used together through different frames is worth a suggestion. */
  readonly frame: string
}

/** How many edges a recall made, and the edges evicted for them. */
export interface Joined {
  readonly promoted: number
  /** Edges evicted for them. */
  readonly displaced: readonly Edge[]
}

/**
 * Records a recall: the blocks shown stay fresh, edges among them are used, and pairs that keep coming
 * together are counted once a session until they are joined. Moves no block's rank in a query frame.
 *
 * At most four statements, as a rule.
 */
export async function noteRecalled(
  engine: Engine,
  context: CallContext,
  shown: readonly Candidate[],
  { guaranteed, reading, frame }: Recalled,
): Promise<Joined> {
  const ids = shown.map(({ facts }) => facts.id)
  const joined = await mutate(
    engine,
    context,
    async (mutation) => {
      const { tx, moment, log, used } = mutation
      await tx.reinforceBlocks(ids, moment.hours)
      if (ids.length > 1) await tx.reinforceEdgesAmong(ids, moment.hours)
      const { promoted, displacements } = await stage(
        engine,
        mutation,
        pairsToStage(engine, shown, guaranteed),
      )
      await log({
        operation: 'recall',
        blockIds: ids,
        summary: `${frame}: ${ids.length} shown`,
        reason: frame,
        ...(displacements.length > 0 ? { before: { displacements } } : {}),
        ...used,
      })
      return { promoted: promoted.length, displaced: displacements.map(({ edge }) => edge) }
    },
    // That something was recalled may be lost with the power; nothing anybody was told is.
    { reading, durable: false, undoable: false },
  )
  engine.session.noteRecalled(ids)
  return joined
}

/** Counts pairs, and joins those that are due; one statement, at most three more when any is. */
async function stage(engine: Engine, mutation: Mutation, pairs: readonly Ends[]): Promise<PromotedPairs> {
  const { memory, graph } = engine.settings
  if (pairs.length === 0) return { promoted: [], displacements: [] }
  const ready = await mutation.tx.stagePairs(pairs, {
    session: mutation.session,
    threshold: memory.coRetrievalThreshold,
    limit: memory.coRetrievalStagingMax,
    disconnectedSince: mutation.moment.hours - graph.disconnectHours,
  })
  return joinStaged(engine, mutation, ready, { heedDisconnections: false })
}

/**
 * Pairs of the best blocks that matched by themselves. What the frame guarantees comes together always, and what an
 * edge brought came because of its seed: neither says anything new.
 */
function pairsToStage(engine: Engine, shown: readonly Candidate[], guaranteed: ReadonlySet<string>): Ends[] {
  const { coRetrievalBlocks, coRetrievalWhen } = engine.settings.memory
  if (coRetrievalWhen === 'never' || (coRetrievalWhen === 'unreported' && engine.index.reported > 0))
    return []
  const ids = shown
    .filter(({ facts, path }) => path === undefined && !guaranteed.has(facts.id))
    .slice(0, coRetrievalBlocks)
    .map(({ facts }) => facts.id)
  const weightOf = coRetrievalWeights(engine)
  return pairsAmong(ids).filter((ends) => weightOf(ends) > 0)
}
