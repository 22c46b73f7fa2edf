import { type Block, isIdentity } from '../block/block.ts'
import { type CallContext, type Engine, type Moment, mutate } from '../engine/engine.ts'
import { ElfmemError, type ErrorCode } from '../errors.ts'
import { type Edge, type Ends, GRAPH, markOfQuestion, pairsAmong } from '../graph/edge.ts'
import { joinStaged, type Suggestion, suggestConnections } from '../graph/joins.ts'
import { LEARNING } from '../outcome/experience.ts'
import { readBlocks, reinforceBlocks } from '../store/blocks.ts'
import type { ClockReading } from '../store/database.ts'
import { readStagedPairs, reinforceEdgesAmong, stagePairs } from '../store/graph.ts'
import { noteAsked } from '../store/log.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'
import { type Entry, frameFilter, match, readIndex, UNUSED } from './match.ts'
import { choose, rank, sized } from './rank.ts'
import { type Framing, type Rendered, render } from './render.ts'
import { addReplaced, groupTold, newerFirst, turnToPast } from './versions.ts'

interface RecallRequest extends Omit<Framing, 'agentName'> {
  readonly query?: string | undefined
  readonly topK?: number | undefined
  readonly reinforce: boolean
  readonly tags?: readonly string[] | undefined
  readonly category?: string | undefined
  readonly session?: string | undefined
  /** Nothing that waits for a dream. */
  readonly active?: true | undefined
  readonly minStrength?: number | undefined
  readonly tokenBudget?: number | undefined
  /** True if long blocks are served whole; otherwise the passage that matches best. */
  readonly whole?: boolean
  /** The time it is for, ISO-8601 UTC; now when left out. */
  readonly at?: string | undefined
  /** Also name connections that suggest themselves. */
  readonly suggest: boolean
}

/** A suggested connection with both blocks. */
export interface SuggestedConnection extends Suggestion {
  readonly blocks: readonly [source: Block, target: Block]
}

/** The record of a recall at its end: the text, what was left out, and what was changed by it. */
export interface RecallAnswer extends Rendered, Noted {
  readonly budgetTotal: number
  /** Blocks that can be recalled. */
  readonly active: number
  /** Active blocks the frame leaves out by their tags. */
  readonly excludedByFilter: number
  /** Only when asked for. */
  readonly suggestions?: readonly SuggestedConnection[]
  /** Blocks that wait and only words find; absent when there are none, or without a question. */
  readonly waitingWithoutVector?: number
}

/**
 * Returns what to say now: matches are ranked, told versions grouped, the likely newer put first, the blocks read, and their text
 * written; then it is noted that they were used. At most 11 statements whatever the corpus, one more when an edge brought a block,
 * one when pairs lead to blocks that were not found, and at most three more when use joins a pair; with `reinforce` false nothing
 * is written.
 */
export async function recall(
  engine: Engine,
  request: RecallRequest,
  context: CallContext,
): Promise<RecallAnswer> {
  const { index, settings, store } = engine
  const frame = settings.frames[request.frame]
  const { topK, minStrength, whole = false, reinforce: isKept } = request
  const question = frame.queryless ? undefined : request.query?.trim() || undefined

  const reading = await (question === undefined ? store.read((tx) => index.refresh(tx)) : readIndex(engine))
  const filter = await frameFilter(engine, frame, request)
  const { hours, at: now } = engine.session.moment(reading)
  const { at = now } = request
  const asked =
    question === undefined ? undefined : await match(engine, question, { topK, filter, isKept, context })
  const all = await store.read(
    async (tx) => {
      const ranked = await rank(engine, tx, { frame, filter, hours, at, asked, topK, minStrength, whole })
      const ordered = await newerFirst(engine, tx, sized(engine, await groupTold(engine, tx, ranked)))
      return turnToPast(await addReplaced(tx, await choose(engine, tx, ordered)))
    },
    { again: true, brief: true },
  )
  const budgetTotal = request.tokenBudget ?? frame.tokenBudget
  const rendered = render(engine, all, { ...request, agentName: settings.project.agentName }, budgetTotal)
  const { shown, text, counterpoints } = rendered
  const noted =
    isKept && shown.length > 0 ? await noteRecalled(engine, context, rendered, { reading, request }) : UNNOTED
  const others = shown.flatMap(({ versions, outdated }) => [
    ...versions.map(({ block }) => block),
    ...outdated.map(({ ground }) => ground),
  ])
  engine.served.note(text, [...[...shown, ...counterpoints].map(({ block }) => block), ...others])
  return {
    ...rendered,
    ...noted,
    budgetTotal,
    active: index.size,
    excludedByFilter: index.countPassing({ include: frame.exclude }),
    ...(request.suggest && { suggestions: await suggest(engine, idsOf(shown), hours) }),
    ...(asked && index.lacking.size > 0 && { waitingWithoutVector: index.lacking.size }),
  }
}

async function suggest(
  engine: Engine,
  shown: readonly string[],
  hours: number,
): Promise<SuggestedConnection[]> {
  return engine.store.read(async (tx) => {
    const suggestions = await suggestConnections(engine, tx, shown, hours)
    const ids = suggestions.flatMap(({ source, target }) => [source, target])
    const read = ids.length === 0 ? [] : await readBlocks(tx, ids)
    const living = new Map(
      read.filter(({ status }) => status !== 'archived').map((block) => [block.id, block]),
    )
    return suggestions.flatMap((suggestion) => {
      const [source, target] = [living.get(suggestion.source), living.get(suggestion.target)]
      return source && target ? [{ ...suggestion, blocks: [source, target] as const }] : []
    })
  })
}

/** Changes that a recall made. */
interface Noted {
  /** Of its entry in the log; absent when nothing was shown or written. */
  readonly recallId: number | undefined
  /** Number of edges it made. */
  readonly edgesPromoted: number
  /** Edges evicted for them. */
  readonly displaced: readonly Edge[]
  /** Present where nothing could be written: the disk is full, or the memory lies in a read-only place. */
  readonly untraced?: 'full' | 'read_only'
}

const UNNOTED: Noted = { recallId: undefined, edgesPromoted: 0, displaced: [] }

/** Why a recall answers without a trace, by the refusal of its write. */
const UNTRACED: { readonly [code in ErrorCode]?: 'full' | 'read_only' } = {
  STORE_FULL: 'full',
  STORE_READ_ONLY: 'read_only',
}

/** That something was recalled may be lost with the power; nothing that was acknowledged is. */
const LOSABLE = { durable: false, undoable: false }

/** The use of a recall: the blocks that stay fresh, those that answer, and pairs of these. */
interface Use {
  readonly moment: Moment
  /** Absent where nothing was asked. */
  readonly question: string | undefined
  readonly fresh: readonly string[]
  readonly answers: readonly string[]
  readonly pairs: readonly Ends[]
}

/**
 * Records a recall: the blocks that answer stay fresh, edges among them are used, and pairs that keep coming together are counted once a
 * question until they are joined. The entry of the log comes before the answer, which names it, and the use behind it unless the
 * answer tells that blocks are joined. Where nothing can be written, the answer says so. At most a dozen statements, as a rule.
 */
async function noteRecalled(
  engine: Engine,
  context: CallContext,
  { shown, quality, asked }: Rendered,
  { reading, request }: { readonly reading: ClockReading; readonly request: RecallRequest },
): Promise<Noted> {
  const answers = quality === 'match' || quality === 'perhaps' ? shown : []
  const fresh = shown.filter(
    (entry) => answers.includes(entry) || entry.guaranteed || isIdentity(entry.block),
  )
  const use = {
    // The pairs of a frame without a question are the same each time.
    question: asked?.text,
    pairs: asked === undefined ? [] : pairsToStage(answers),
    fresh: idsOf(fresh),
    answers: idsOf(answers),
  }
  const write = () =>
    mutate(
      engine,
      context,
      async ({ tx, moment, log, used: usage }) => {
        const used: Use = { ...use, moment }
        const isFirst = request.suggest || (await isAnyDue(engine, tx, use.pairs))
        const ready = isFirst ? await noteUse(engine, tx, used) : []
        // Pairs just counted were not disconnected lately.
        const heedless = { heedDisconnections: false }
        const { added: promoted, displaced } = await joinStaged(engine, { tx, moment }, ready, heedless)
        const recallId = await log({
          operation: 'recall',
          blockIds: idsOf(shown),
          summary: `${request.frame}: ${shown.length} shown`,
          reason: answers.length > 0 ? request.frame : `${request.frame}${UNUSED}`,
          ...(displaced.length > 0 && { before: { displaced } }),
          ...usage,
        })
        await noteAsked(tx, recallId, asked?.kept ?? {}, LEARNING.recallsKept)
        return { noted: { recallId, edgesPromoted: promoted.length, displaced }, later: !isFirst && used }
      },
      { reading, ...LOSABLE },
    )
  try {
    const { noted, later } = await write()
    engine.session.noteRecalled(idsOf(shown))
    if (later && fresh.length > 0)
      engine.behind.add(() => engine.store.write((tx) => noteUse(engine, tx, later), LOSABLE))
    return noted
  } catch (error) {
    const untraced = ElfmemError.is(error) ? UNTRACED[error.code] : undefined
    if (untraced === undefined) throw error
    return { ...UNNOTED, untraced }
  }
}

const idsOf = (entries: readonly Entry[]) => entries.map(({ block }) => block.id)

/**
 * Writes what a use changes; returns pairs that are due to be joined. Behind an answer they wait for the next recall that
 * shows them: another process counted them meanwhile.
 */
async function noteUse(
  { settings, ids }: Engine,
  tx: Transaction,
  { moment: { hours }, fresh, answers, question, pairs }: Use,
): Promise<readonly Ends[]> {
  await reinforceBlocks(tx, fresh, hours)
  if (answers.length > 1) await reinforceEdgesAmong(tx, answers, hours)
  if (question === undefined || pairs.length === 0) return []
  return stagePairs(tx, pairs, {
    ...markOfQuestion(question, hours, ids.sha256),
    threshold: settings.memory.coRetrievalThreshold,
    limit: GRAPH.togetherPairs,
    disconnectedSince: hours - GRAPH.disconnectHours,
  })
}

/** Returns true if counting these pairs once more may join one. One statement at most. */
async function isAnyDue(engine: Engine, tx: ReadTransaction, pairs: readonly Ends[]): Promise<boolean> {
  if (pairs.length === 0) return false
  const atLeast = engine.settings.memory.coRetrievalThreshold - 1
  const among = [...new Set(pairs.flat())]
  return atLeast < 1 || (await readStagedPairs(tx, { atLeast, among, limit: 1 })).length > 0
}

/**
 * Returns pairs of the best active blocks that matched by themselves. What the frame guarantees comes together always, and what an
 * edge brought came because of its seed: neither says anything new.
 */
function pairsToStage(answers: readonly Entry[]): Ends[] {
  const matched = answers.filter(
    ({ block, path, guaranteed }) => path === undefined && block.status === 'active' && !guaranteed,
  )
  return pairsAmong(idsOf(matched.slice(0, GRAPH.togetherBlocks)))
}
