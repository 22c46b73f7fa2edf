import type { FrameName, FrameSettings } from '../../config/frames.ts'
import { isIdentity } from '../../domain/block/source-class.ts'
import { markOfQuestion } from '../../domain/graph/asked.ts'
import { type Edge, type Ends, pairsAmong } from '../../domain/graph/edge.ts'
import type { AskedQuestion } from '../../ports/store/evidence.ts'
import type { ClockReading, OperationRecord, StoreReader } from '../../ports/store/transaction.ts'
import { type Filter, passesFilter } from '../../search/index/filter.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { coRetrievalWeights, joinStaged, type PromotedPairs } from '../graph/promote-staged.ts'
import { UNUSED } from '../graph/recall-reason.ts'
import type { Entry } from './entry.ts'
import type { Found, MatchQuality } from './find.ts'
import { filterOf } from './match.ts'
import type { Candidate } from './rank.ts'

interface Recalled {
  readonly quality: MatchQuality
  /** Blocks that are too weak to answer and are shown for being the nearest. */
  readonly onlyNear: ReadonlySet<string>
  readonly reading: ClockReading
  /** What was asked, as it may be kept; absent when nothing was. */
  readonly asked: AskedQuestion | undefined
  /** The frame, which the log keeps: what is used together through different frames is worth a suggestion. */
  readonly frame: string
  /** Absent where nothing was asked; pairs are counted for questions alone, since a frame shows the same each time. */
  readonly question: string | undefined
}

/** The entry of a recall, how many edges it made, and the edges evicted for them. */
interface Noted {
  readonly recallId: number
  readonly promoted: number
  /** Edges evicted for them. */
  readonly displaced: readonly Edge[]
}

/** An answer to a question; anything else is shown, but not used. */
const ANSWERS: ReadonlySet<MatchQuality> = new Set(['match', 'weak'])

/**
 * Records a recall: the blocks that answer stay fresh, edges among them are used, and pairs that keep coming together
 * are counted once a question until they are joined. Where nothing is answered only what the frame guarantees and who
 * the agent is stay fresh. Moves no block's rank in a query frame.
 *
 * At most a dozen statements, as a rule.
 */
export async function noteRecalled(
  engine: Engine,
  context: CallContext,
  shown: readonly Entry[],
  { quality, onlyNear, reading, frame, question, asked }: Recalled,
): Promise<Noted> {
  const ids = shown.map(({ block }) => block.id)
  const isAnswer = ({ block, candidate }: Entry) => candidate.path !== undefined || !onlyNear.has(block.id)
  const answers = ANSWERS.has(quality) ? shown.filter(isAnswer) : []
  const isUsed = answers.length > 0
  const fresh = shown.filter(
    (entry) => answers.includes(entry) || entry.guaranteed || isIdentity(entry.block),
  )
  const noted = await mutate(
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
      const pairs = pairsToStage(engine, answers)
      const { promoted, displacements } = await stage(engine, mutation, { question, pairs })
      const recallId = await log({
        operation: 'recall',
        blockIds: ids,
        summary: `${frame}: ${ids.length} shown`,
        reason: isUsed ? frame : `${frame}${UNUSED}`,
        ...(displacements.length > 0 ? { before: { displacements } } : {}),
        ...usage,
      })
      await tx.noteAsked(recallId, asked ?? {}, engine.settings.learning.recallsKept)
      return { recallId, promoted: promoted.length, displaced: displacements.map(({ edge }) => edge) }
    },
    // That something was recalled may be lost with the power; nothing anybody was told is.
    { reading, durable: false, undoable: false },
  )
  engine.session.noteRecalled(ids)
  return noted
}

/** Counts pairs, and joins those that are due; six more statements at most when any is. */
async function stage(
  engine: Engine,
  mutation: Mutation,
  { question, pairs }: { readonly question: string | undefined; readonly pairs: readonly Ends[] },
): Promise<PromotedPairs> {
  const { memory, graph } = engine.settings
  if (question === undefined || pairs.length === 0) return { promoted: [], displacements: [] }
  const asked = { hours: mutation.moment.hours, sameMinutes: memory.coRetrievalSameMinutes }
  const ready = await mutation.tx.stagePairs(pairs, {
    ...markOfQuestion(question, asked, engine.ids.sha256),
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
  if (coRetrievalWhen === 'never' || (coRetrievalWhen === 'unreported' && engine.index.counts.reported > 0))
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

/** The newest entries of the log in which a session's blocks are looked for. */
const LOOKED_BACK = 500

/** The frame that shows a session itself. */
const LOOKING_BACK: FrameName = 'short_term'

const TAKEN_IN: ReadonlySet<string> = new Set(['remember', 'remember_many', 'learn_document', 'setup'])
const USED: ReadonlySet<string> = new Set(['recall', 'outcome', 'record_use', 'connect'])

/** Which blocks a frame may show, narrowed by what a call asks for. One statement for a frame of the session. */
export async function frameFilter(
  engine: Engine,
  frame: FrameSettings,
  narrowed: Parameters<typeof filterOf>[1],
): Promise<Filter> {
  const filter = filterOf(frame, narrowed)
  if (!frame.sessionOnly) return filter
  const session = engine.session.current?.id
  const log =
    session === undefined ? [] : await engine.store.read((tx) => tx.operations({ limit: LOOKED_BACK }))
  return { ...filter, ids: sessionIds(log.filter((record) => record.session === session)) }
}

/**
 * Ids of blocks that a session took in or used, newest first. What was only shown, without a question or by a frame of
 * the session itself, was not used.
 *
 * @param log newest first
 */
function sessionIds(
  log: readonly Pick<OperationRecord, 'operation' | 'blockIds' | 'reason'>[],
): ReadonlySet<string> {
  return new Set(
    log.flatMap(({ operation, blockIds, reason = '' }) => {
      if (TAKEN_IN.has(operation)) return blockIds.toReversed()
      const isLook = reason.endsWith(UNUSED) || reason === LOOKING_BACK
      return USED.has(operation) && !isLook ? blockIds : []
    }),
  )
}

/** What passes the filter of a frame of the session, newest first: the answer without a question. One statement at most. */
export async function findInSession(engine: Engine, tx: StoreReader, filter: Filter): Promise<Found> {
  const facts = [...(filter.ids ?? [])]
    .flatMap((id) => engine.index.get(id) ?? [])
    .filter((each) => passesFilter(each, filter))
  const ranked = facts.map((each, place): Candidate => {
    const recency = 1 - place / facts.length
    return { facts: each, score: recency, terms: [{ name: 'recency', value: recency, amount: recency }] }
  })
  const ids = facts.map(({ id }) => id)
  const links = ids.length === 0 ? { edges: [], pairs: [] } : await tx.links(ids)
  return { ranked, guaranteed: [], quality: 'unasked', onlyNear: new Set(), dropped: [], ...links }
}
