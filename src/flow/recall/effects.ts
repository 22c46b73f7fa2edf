import { isIdentity } from '../../domain/block/identity.ts'
import { type Edge, type Ends, pairsAmong } from '../../domain/graph/edge.ts'
import type { ClockReading } from '../../ports/store/transaction.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { coRetrievalWeights, joinStaged, type PromotedPairs } from '../graph/promote-staged.ts'
import { UNUSED } from '../graph/recall-reason.ts'
import type { MatchQuality } from './answer-size.ts'
import type { Entry } from './gather.ts'

interface Recalled {
  readonly quality: MatchQuality
  /** Blocks that are too weak to answer and are shown for being the nearest. */
  readonly onlyNear: ReadonlySet<string>
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

/** An answer to a question; anything else is shown, but not used. */
const ANSWERS: ReadonlySet<MatchQuality> = new Set(['match', 'weak'])

/**
 * Records a recall: the blocks that answer stay fresh, edges among them are used, and pairs that keep coming together
 * are counted once a session until they are joined. Where nothing is answered only what the frame guarantees and who
 * the agent is stay fresh. Moves no block's rank in a query frame.
 *
 * At most four statements, as a rule.
 */
export async function noteRecalled(
  engine: Engine,
  context: CallContext,
  shown: readonly Entry[],
  { quality, onlyNear, reading, frame }: Recalled,
): Promise<Joined> {
  const ids = shown.map(({ block }) => block.id)
  const isAnswer = ({ block, candidate }: Entry) => candidate.path !== undefined || !onlyNear.has(block.id)
  const answers = ANSWERS.has(quality) ? shown.filter(isAnswer) : []
  const isUsed = answers.length > 0
  const fresh = shown.filter(
    (entry) => answers.includes(entry) || entry.guaranteed || isIdentity(entry.block),
  )
  const joined = await mutate(
    engine,
    context,
    async (mutation) => {
      const { tx, moment, log, used: usage } = mutation
      await tx.reinforceBlocks(
        fresh.map(({ block }) => block.id),
        moment.hours,
      )
      const used = answers.map(({ block }) => block.id)
      if (used.length > 1) await tx.reinforceEdgesAmong(used, moment.hours)
      const { promoted, displacements } = await stage(engine, mutation, pairsToStage(engine, answers))
      await log({
        operation: 'recall',
        blockIds: ids,
        summary: `${frame}: ${ids.length} shown`,
        reason: isUsed ? frame : `${frame}${UNUSED}`,
        ...(displacements.length > 0 ? { before: { displacements } } : {}),
        ...usage,
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
 * Pairs of the best active blocks that matched by themselves. What the frame guarantees comes together always, and what an
 * edge brought came because of its seed: neither says anything new.
 */
function pairsToStage(engine: Engine, shown: readonly Entry[]): Ends[] {
  const { coRetrievalBlocks, coRetrievalWhen } = engine.settings.memory
  if (coRetrievalWhen === 'never' || (coRetrievalWhen === 'unreported' && engine.index.reported > 0))
    return []
  const ids = shown
    .filter(
      ({ block, candidate, guaranteed }) =>
        candidate.path === undefined && block.status === 'active' && !guaranteed,
    )
    .slice(0, coRetrievalBlocks)
    .map(({ block }) => block.id)
  const weightOf = coRetrievalWeights(engine)
  return pairsAmong(ids).filter((ends) => weightOf(ends) > 0)
}
