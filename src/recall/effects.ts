import { isIdentity } from '../block/source-class.ts'
import type { CallContext, Engine, Moment } from '../engine/engine.ts'
import { mutate } from '../engine/mutate.ts'
import { ElfmemError, type ErrorCode } from '../errors.ts'
import { type Edge, type Ends, GRAPH, markOfQuestion, pairsAmong } from '../graph/edge.ts'
import { joinStaged } from '../graph/joins.ts'
import { LEARNING } from '../outcome/evidence.ts'
import { reinforceBlocks } from '../store/blocks.ts'
import type { ClockReading } from '../store/database.ts'
import { readStagedPairs, reinforceEdgesAmong, stagePairs } from '../store/graph.ts'
import { type AskedQuestion, noteAsked } from '../store/log.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'
import { type Entry, type MatchQuality, UNUSED } from './match.ts'

interface Recalled {
  readonly quality: MatchQuality
  readonly reading: ClockReading
  /** The question in the form that may be kept; absent if there was none. */
  readonly asked: AskedQuestion | undefined
  /** The frame, which the log keeps: what is used together through different frames is worth a suggestion. */
  readonly frame: string
  /** The answer tells of what use has counted, this one too. */
  readonly suggest: boolean
  /** Absent where nothing was asked; pairs are counted for questions alone, since a frame shows the same each time. */
  readonly question: string | undefined
}

/** Changes that a recall made. */
export interface Noted {
  /** Of its entry in the log; absent when nothing was shown or written. */
  readonly recallId: number | undefined
  /** Number of edges it made. */
  readonly edgesPromoted: number
  /** Edges evicted for them. */
  readonly displaced: readonly Edge[]
  /** Present where nothing could be written: the disk is full, or the memory lies in a read-only place. */
  readonly untraced?: 'full' | 'read_only'
}

/** An answer to a question; anything else is shown, but not used. */
const ANSWERS: ReadonlySet<MatchQuality> = new Set(['match', 'perhaps'])

/** The use of a recall: the blocks that stay fresh, and those that answer. */
interface Use extends Pick<Recalled, 'question'> {
  readonly moment: Moment
  readonly fresh: readonly string[]
  readonly answers: readonly string[]
  readonly pairs: readonly Ends[]
}

/**
 * Records a recall: the blocks that answer stay fresh, edges among them are used, and pairs that keep coming together
 * are counted once a question until they are joined. Where nothing is answered only what the frame guarantees and who
 * the agent is stay fresh. Moves no block's rank in a query frame.
 *
 * The entry of the log comes before the answer, since the answer names it. The use is written behind the answer, unless the
 * answer tells what comes of it: that blocks were joined, or may be.
 *
 * Where nothing can be written the answer is given all the same, and says so. At most a dozen statements, as a rule.
 */
export async function noteRecalled(...given: Parameters<typeof write>): Promise<Noted> {
  try {
    return await write(...given)
  } catch (error) {
    const why = ElfmemError.is(error) ? UNTRACED[error.code] : undefined
    if (why === undefined) throw error
    return { recallId: undefined, edgesPromoted: 0, displaced: [], untraced: why }
  }
}

/** Why a recall answers without a trace, by the refusal of its write. */
const UNTRACED: { readonly [code in ErrorCode]?: 'full' | 'read_only' } = {
  STORE_FULL: 'full',
  STORE_READ_ONLY: 'read_only',
}

async function write(
  engine: Engine,
  context: CallContext,
  shown: readonly Entry[],
  { quality, reading, frame, suggest, question, asked }: Recalled,
): Promise<Noted> {
  const ids = shown.map(({ block }) => block.id)
  const answers = ANSWERS.has(quality) ? shown : []
  const fresh = shown.filter(
    (entry) => answers.includes(entry) || entry.guaranteed || isIdentity(entry.block),
  )
  const pairs = question === undefined ? [] : pairsToStage(answers)
  const { isFirst, used, ...noted } = await mutate(
    engine,
    context,
    async ({ tx, moment, log, used: usage }) => {
      const used: Use = {
        moment,
        question,
        pairs,
        fresh: fresh.map(({ block }) => block.id),
        answers: answers.map(({ block }) => block.id),
      }
      const isFirst = suggest || (await isAnyDue(engine, tx, pairs))
      const ready = isFirst ? await noteUse(engine, tx, used) : []
      const { added: promoted, displaced } = await joinStaged(engine, { tx, moment }, ready, HEEDLESS)
      const recallId = await log({
        operation: 'recall',
        blockIds: ids,
        summary: `${frame}: ${ids.length} shown`,
        reason: answers.length > 0 ? frame : `${frame}${UNUSED}`,
        ...(displaced.length > 0 ? { before: { displaced } } : {}),
        ...usage,
      })
      await noteAsked(tx, recallId, asked ?? {}, LEARNING.recallsKept)
      return { recallId, edgesPromoted: promoted.length, displaced, isFirst, used }
    },
    { reading, ...LOSABLE },
  )
  engine.session.noteRecalled(ids)
  if (!isFirst && fresh.length > 0)
    engine.behind.add(() => engine.store.write((tx) => noteUse(engine, tx, used), LOSABLE))
  return noted
}

/** That something was recalled may be lost with the power; nothing that was acknowledged is. */
const LOSABLE = { durable: false, undoable: false }

/** Pairs just counted were not disconnected lately. */
const HEEDLESS = { heedDisconnections: false }

/**
 * Writes what a use changes; returns pairs that are due to be joined. Behind an answer they wait for the next recall that
 * shows them: another process counted them meanwhile.
 */
async function noteUse(engine: Engine, tx: Transaction, used: Use): Promise<readonly Ends[]> {
  const { moment, fresh, answers, question, pairs } = used
  const { memory } = engine.settings
  await reinforceBlocks(tx, fresh, moment.hours)
  if (answers.length > 1) await reinforceEdgesAmong(tx, answers, moment.hours)
  if (question === undefined || pairs.length === 0) return []
  return stagePairs(tx, pairs, {
    ...markOfQuestion(question, moment.hours, engine.ids.sha256),
    threshold: memory.coRetrievalThreshold,
    limit: GRAPH.togetherPairs,
    disconnectedSince: moment.hours - GRAPH.disconnectHours,
  })
}

/** True if counting these pairs once more may join one. One statement at most. */
async function isAnyDue(engine: Engine, tx: ReadTransaction, pairs: readonly Ends[]): Promise<boolean> {
  if (pairs.length === 0) return false
  const atLeast = engine.settings.memory.coRetrievalThreshold - 1
  const among = [...new Set(pairs.flat())]
  return atLeast < 1 || (await readStagedPairs(tx, { atLeast, among, limit: 1 })).length > 0
}

/**
 * Pairs of the best active blocks that matched by themselves. What the frame guarantees comes together always, and what an
 * edge brought came because of its seed: neither says anything new.
 */
function pairsToStage(shown: readonly Entry[]): Ends[] {
  const ids = shown
    .filter(({ block, path, guaranteed }) => path === undefined && block.status === 'active' && !guaranteed)
    .slice(0, GRAPH.togetherBlocks)
    .map(({ block }) => block.id)
  return pairsAmong(ids)
}
