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
import { type Around, type Entry, frameFilter, match, readIndex, UNUSED } from './match.ts'
import { choose, rank, sized } from './rank.ts'
import { type Framing, type Rendered, render } from './render.ts'
import { provenFirst } from './strategies.ts'
import { addReplaced, groupTold, newerFirst, turnToPast } from './versions.ts'

interface RecallRequest extends Omit<Framing, 'agentName'> {
  readonly query?: string | undefined
  readonly topK?: number | undefined
  readonly reinforce: boolean
  readonly tags?: readonly string[] | undefined
  readonly category?: string | undefined
  readonly session?: string | undefined
  /** Ids of the only blocks that may be shown. */
  readonly among?: ReadonlySet<string> | undefined
  /** Blocks that wait for a dream are left out. */
  readonly active?: true | undefined
  readonly minStrength?: number | undefined
  readonly tokenBudget?: number | undefined
  /** Long blocks are served whole; otherwise by the passage that matches best. */
  readonly whole?: boolean
  /** The time that the answer is for, ISO-8601 UTC; now by default. */
  readonly at?: string | undefined
  /** The answer also names connections that suggest themselves. */
  readonly suggest: boolean
}

/** A suggested connection has both blocks. */
export interface SuggestedConnection extends Suggestion {
  readonly blocks: readonly [source: Block, target: Block]
}

/** The answer of a recall has the text, the blocks left out, and the changes that the recall made. */
export interface RecallAnswer extends Rendered, Noted {
  readonly budgetTotal: number
  /** Blocks that can be recalled. */
  readonly active: number
  /** Present only if the call asks for them. */
  readonly suggestions?: readonly SuggestedConnection[]
  /** Number of waiting blocks that only words find; absent if there are none, or without a question. */
  readonly waitingWithoutVector?: number
}

/**
 * Answers a call: ranks matches, groups told versions, puts likely newer notes first, reads the blocks, writes their text, and notes their
 * use. Runs some 15 statements whatever the corpus, of which those that need no other's answer are asked together: six round trips with
 * a question, the entry of the log included. Writes nothing if `reinforce` is false.
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

  const reading = await (question === undefined
    ? store.read((tx) => index.refresh(tx))
    : readIndex(engine, engine.experience))
  const allowed = await frameFilter(engine, frame, request)
  const filter = { ...allowed, ids: request.among ?? allowed.ids }
  const { hours, at: now } = engine.session.moment(reading)
  const { at = now } = request
  const asked =
    question === undefined ? undefined : await match(engine, question, { topK, filter, isKept, context })
  const chosen = await store.read(
    async (tx) => {
      const ranked = await rank(engine, tx, { frame, filter, hours, at, asked, topK, minStrength, whole })
      const ordered = await newerFirst(engine, tx, sized(engine, await groupTold(engine, tx, ranked)))
      return turnToPast(await addReplaced(await choose(engine, ordered)))
    },
    { again: true, brief: true },
  )
  const budgetTotal = request.tokenBudget ?? frame.tokenBudget
  const all = request.frame === 'task' ? provenFirst(engine, chosen, budgetTotal) : chosen
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
  /** Id of the recall's entry in the log; absent if nothing was shown or written. */
  readonly recallId: number | undefined
  /** Number of edges that the recall made. */
  readonly edgesPromoted: number
  /** Edges evicted to make room for new ones. */
  readonly displaced: readonly Edge[]
  /** Present if nothing could be written: the disk is full, or the memory lies in a read-only place. */
  readonly untraced?: 'full' | 'read_only'
}

const UNNOTED: Noted = { recallId: undefined, edgesPromoted: 0, displaced: [] }

/** The reason why a recall leaves no trace, by the error of its write. */
const UNTRACED: { readonly [code in ErrorCode]?: 'full' | 'read_only' } = {
  STORE_FULL: 'full',
  STORE_READ_ONLY: 'read_only',
}

/** A power failure may lose the note that blocks were recalled; it loses nothing that was acknowledged. */
const LOSABLE = { durable: false, undoable: false }

/** The use of a recall: the blocks that stay fresh, those that answer, and pairs of the latter. */
interface Use {
  readonly moment: Moment
  /** Absent if nothing was asked. */
  readonly question: string | undefined
  readonly fresh: readonly string[]
  readonly answers: readonly string[]
  readonly pairs: readonly Ends[]
}

/**
 * Records a recall: the blocks that answer stay fresh, edges among them are reinforced, and pairs that often come together are counted once
 * a question until they are joined. The entry of the log is written before the answer, which names it; the use is written behind the
 * answer, unless the answer must tell that blocks are joined. As a rule it runs at most a dozen statements.
 */
async function noteRecalled(
  engine: Engine,
  context: CallContext,
  { shown, quality, asked, around }: Rendered,
  { reading, request }: { readonly reading: ClockReading; readonly request: RecallRequest },
): Promise<Noted> {
  const answers = quality === 'match' || quality === 'perhaps' ? shown : []
  const fresh = shown.filter(
    (entry) => answers.includes(entry) || entry.guaranteed || isIdentity(entry.block),
  )
  const use = {
    // A frame without a question has the same pairs each time.
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
        const isFirst = request.suggest || (await isAnyDue(engine, tx, use.pairs, around))
        const ready = isFirst ? await noteUse(engine, tx, used) : []
        // These pairs were just counted, so they were not disconnected lately.
        const heedless = { heedDisconnections: false }
        const { added: promoted, displaced } = await joinStaged(engine, { tx, moment }, ready, heedless)
        const along = idsOf(shown.filter(({ path }) => path !== undefined))
        const before = { ...(displaced.length > 0 && { displaced }), ...(along.length > 0 && { along }) }
        const recallId = await log({
          operation: 'recall',
          blockIds: idsOf(shown),
          summary: `${request.frame}: ${shown.length} shown`,
          reason: answers.length > 0 ? request.frame : `${request.frame}${UNUSED}`,
          ...(displaced.length > 0 ? {} : scopeOf(shown)),
          ...(Object.keys(before).length > 0 && { before }),
          ...usage,
        })
        noteAsked(tx, recallId, asked?.kept ?? {}, LEARNING.recallsKept)
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

/** Returns the scope that all entries have in common, which saves the log a look-up. */
function scopeOf(entries: readonly Entry[]) {
  const [scope, ...others] = new Set(entries.map(({ block }) => block.scope))
  return { scope: others.length > 0 ? undefined : scope }
}

const idsOf = (entries: readonly Entry[]) => entries.map(({ block }) => block.id)

/**
 * Writes the changes of a use; returns the pairs that are due to be joined. Behind an answer nothing joins them: they wait for the next
 * recall that shows them.
 */
async function noteUse(
  { settings, ids }: Engine,
  tx: Transaction,
  { moment: { hours }, fresh, answers, question, pairs }: Use,
): Promise<readonly Ends[]> {
  const staging =
    question === undefined || pairs.length === 0
      ? []
      : stagePairs(tx, pairs, {
          ...markOfQuestion(question, hours, ids.sha256),
          threshold: settings.memory.coRetrievalThreshold,
          limit: GRAPH.togetherPairs,
          disconnectedSince: hours - GRAPH.disconnectHours,
        })
  const [due] = await Promise.all([
    staging,
    reinforceBlocks(tx, fresh, hours),
    reinforceEdgesAmong(tx, answers, hours),
  ])
  return due
}

/** Returns true if counting these pairs once more may join one. Runs a statement only if not all of them were looked up ahead. */
async function isAnyDue(
  engine: Engine,
  tx: ReadTransaction,
  pairs: readonly Ends[],
  around: Around,
): Promise<boolean> {
  if (pairs.length === 0) return false
  const atLeast = engine.settings.memory.coRetrievalThreshold - 1
  if (atLeast < 1) return true
  const among = new Set(pairs.flat())
  const isKnown = [...among].every((id) => around.first.has(id))
  const due = isKnown ? around.due : await readStagedPairs(tx, { atLeast, among: [...among], limit: 1 })
  return due.some(({ from, to }) => among.has(from) && among.has(to))
}

/**
 * Returns pairs of the best active blocks that matched by themselves. Guaranteed blocks always come together, and a block that an edge
 * brought came because of its seed, so neither tells anything new.
 */
function pairsToStage(answers: readonly Entry[]): Ends[] {
  const matched = answers.filter(
    ({ block, path, guaranteed }) => path === undefined && block.status === 'active' && !guaranteed,
  )
  return pairsAmong(idsOf(matched.slice(0, GRAPH.togetherBlocks)))
}
