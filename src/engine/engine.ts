import { type Block, normaliseScope } from '../block/block.ts'
import { defined } from '../block/text.ts'
import { ElfmemError } from '../errors.ts'
import type { KeptIndex, ResidentIndex } from '../index/resident-index.ts'
import type { Analysis } from '../language/question.ts'
import type { LeftOut } from '../operations/answers/fit-answer.ts'
import type { ToolChoice } from '../operations/tool-choice.ts'
import type { Experience } from '../outcome/experience.ts'
import { advance } from '../outcome/formulas.ts'
import type { ClockReading, OperationRecord, WriteOptions } from '../store/database.ts'
import {
  logOperation,
  logOperations,
  type NewOperation,
  readLatestOpenSession,
  readMeta,
  type SessionRecord,
  saveMeta,
  saveSession,
} from '../store/log.ts'
import type { ReadTransaction, Store, Transaction } from '../store/transaction.ts'
import { dayOf, type TokenUsage } from './counts.ts'
import type { Chunker, Clock, Embedder, Ids, Importers, LanguageModel, Logger, TextFiles } from './ports.ts'
import type { Settings } from './settings.ts'

/** The dependencies of all stages, such as store and settings. One lives as long as an open memory. */
export interface Engine {
  /** The whole store, or the view of one scope. */
  readonly store: Store
  readonly scope?: string
  readonly within: (scope: string) => Engine
  /** Returns this engine over another store, with caches of its own; it keeps nothing beside the memory's file. */
  readonly over: (store: Store) => Engine
  readonly embedder: Embedder
  readonly languageModel?: LanguageModel
  /** The owner's words for how blocks are judged; has `{self_context}` and `{blocks}`. */
  readonly analysisPrompt?: string
  readonly keys?: readonly KeyVariable[]
  /** Caches of the store's active blocks and of the evidence from reports, both refreshed before they are asked. */
  readonly index: ResidentIndex
  readonly experience: Experience
  /** Where a packed copy of the index is kept; absent for a memory in no file. */
  readonly keptIndex?: KeptIndex
  readonly analysis: Analysis
  readonly chunker: Chunker
  readonly texts: TextFiles
  readonly importers: () => Promise<Importers>
  /** True: the memory's file is not there yet, and this engine is that of an empty one. */
  readonly isAbsent?: boolean | undefined
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
  readonly settings: Settings
  readonly session: SessionTracker
  /** The model of the stored vectors as last read or written, the generation it was read with, and its background. */
  readonly vectorModel: {
    current: EmbeddingLock | undefined
    generation: number
    background?: StoredBackground | undefined
  }
  /** The calls that embed waiting blocks one after the other, and the number of dreams under way. */
  readonly embedding: { queue: Promise<unknown>; dreams: number }
  readonly agentFiles: { queue: Promise<unknown> }
  readonly behind: WriteBehind
  readonly served: Served
  readonly rest: Rest
  /** Model usage of calls that wrote nothing; the next write stores it. */
  readonly unbilled: UsageMeter
  /** One sentence about this memory that `status` always says; absent when there is nothing to say. */
  readonly notice?: string | undefined
  /** The caller when a call names none. Nobody who calls through the engine may do more. */
  readonly principal: Principal
}

/** The model whose vectors a store holds. */
export interface EmbeddingLock {
  readonly model: string
  readonly dimensions: number
}

/** How the cosines of unrelated texts of a model lie in this store, and how many blocks showed it. */
export interface StoredBackground {
  readonly model: string
  readonly blocks: number
  readonly mean: number
  readonly deviation: number
}

export const AUTO = 'auto'
/** Actor of a curation that a dream found due. */
export const CURATE = 'curate'

/** The work of this process on the memory while nobody calls. */
export interface Rest {
  readonly mode: 'rules' | 'full' | 'off'
  /** Its random name, by which its lease is known. */
  readonly holder: string
  /** The message of the last attempt to dream that failed; undefined after one that did not. */
  trouble: string | undefined
}

export interface KeyVariable {
  readonly variable: string
  readonly use: 'embeddings' | 'llm'
  readonly isSet: boolean
}

/** The texts that recall returned lately in this process, as `intake/echo.ts` keeps them. */
interface Served {
  readonly clear: () => void
  /** Keeps the text of an answer and all blocks that may stand in it. */
  readonly note: (text: string, blocks: readonly Block[]) => void
  /** Returns a text without what was shown, and the blocks that were; undefined if it holds nothing that was shown. */
  readonly part: (
    text: string,
    scope?: string,
  ) => { readonly rest: string; readonly blocks: readonly Block[] } | undefined
}

/** The entries that one transaction of a call logged. */
export interface LoggedTransaction {
  readonly entries: readonly { readonly id: number; readonly operation: string }[]
  /** The number under which its changes are kept; absent if nothing changed that an undo could take back. */
  readonly kept?: number | undefined
  /** The dream, curation, import or batch it was part of. */
  readonly run?: string | undefined
}

/** Options of one call: caller, usage meter, abort signal, standard streams, progress callback, actor and run. */
export interface CallContext {
  /** What models use for this call, and the transactions it logged; `invoke` brings both. */
  readonly meter?: UsageMeter
  readonly logged?: LoggedTransaction[]
  readonly signal?: AbortSignal
  readonly pipe?: { readonly read: () => Promise<string>; readonly write: (text: string) => void }
  readonly progress?: (progress: Progress) => void
  /** Who calls, as a surface accepted it; the engine's own principal unless given. `invoke` lets it do no more than that. */
  readonly principal?: Principal
  /** Counts the calls of a caller and refuses one too many; absent: no rate. An owner's calls are not counted. */
  readonly rate?: { readonly take: (limits: Settings['limits']) => void }
  /** Of a surface whose answers have at most `limits.answerTokens`; absent: answers are as long as they are. */
  readonly answer?: AnswerForm
  /** The operations that the caller's surface lists; absent: all. The guide speaks of no others. */
  readonly tools?: ToolChoice
  /** Logged in place of the caller, for what the memory does by itself; `invoke` takes none from outside. */
  readonly actor?: string
  /** True: the caller shows no summary, so what the first answer says of the memory is kept for the next one. */
  readonly showsNoSummary?: boolean
  /** Returns this call as the owner makes it, with other arguments besides or instead; `invoke` brings it. */
  readonly asOwner?: (more: Readonly<Record<string, unknown>>) => OwnersCall | undefined
  /** The dream, curation or import the call is part of; its log entries are undone together. */
  readonly run?: string
}

/** How a surface carries an answer beside its text, and where it reports what did not fit. */
export interface AnswerForm {
  readonly fieldsOf: (output: Readonly<Record<string, unknown>>) => unknown
  readonly leftOut: (parts: readonly LeftOut[]) => void
}

/** The state of long work: `done` of `total` texts or blocks of the running stage. */
export interface Progress {
  readonly stage: string
  readonly done: number
  readonly total: number
  /** True if what is done stays, wherever the work is stopped, and the rest is left as it was. */
  readonly isKept?: boolean
}

/** Returns the caller that the call names, else the engine's own. */
export function callerOf(
  engine: Pick<Engine, 'principal'>,
  context: Pick<CallContext, 'principal'>,
): Principal {
  return context.principal ?? engine.principal
}

/** Returns the name a call is logged under. */
export function actorOf(
  engine: Pick<Engine, 'principal'>,
  context: Pick<CallContext, 'principal' | 'actor'>,
): string {
  return context.actor ?? callerOf(engine, context).actor
}

/** Under which key of the store's settings an engine keeps something: each scope its own, the whole store its own. */
export function ownKey({ scope }: Pick<Engine, 'scope'>, key: string): string {
  return scope === undefined ? key : `${key} ${scope}`
}

/** The rights of a caller, the most first: everything; everything but what is the owner's; reading. */
export const CAPABILITIES = ['owner', 'agent', 'reader'] as const
export type Capability = (typeof CAPABILITIES)[number]

/** Somebody who calls. A surface makes it once, where it accepts a caller, and it travels with every call. */
export interface Principal {
  /** The name in the log: the surface and, after a colon, the name the caller gave itself. */
  readonly actor: string
  readonly capability: Capability
  /** The scope the caller may not leave by any argument; absent: it sees the whole store. */
  readonly scope?: string
}

export function mayDo({ capability }: Pick<Principal, 'capability'>, needed: Capability): boolean {
  return CAPABILITIES.indexOf(capability) <= CAPABILITIES.indexOf(needed)
}

/** The scope an engine is to be bound to, in its one spelling; throws `INVALID_INPUT` when it is none. */
export function boundScope(given: string | undefined): string | undefined {
  return given === undefined ? undefined : normaliseScope(given)
}

/** A call that only the owner may make, from which a surface says how the owner makes it. */
export interface OwnersCall {
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
  readonly memory: string
  /** True if the arguments are less than what was asked, so that it is another call. */
  readonly isPart?: boolean
}

/** Lets everybody else have their turn now and then, while one call has much to look through. */
export class Pauses {
  #work = 0
  #since = performance.now()

  async after(work: number): Promise<void> {
    this.#work += work
    // Some 15 ms, for text as people write it.
    if (this.#work < 200_000 && performance.now() - this.#since < 20) return
    this.#work = 0
    await nextTurn()
    this.#since = performance.now()
  }
}

/** Yields to the event loop, so that calls that came in meanwhile are answered first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

/** Logs a failure of what the memory did by itself; returns in words what happened. */
export function logFailure(logger: Logger, operation: string, error: unknown): string {
  const detail = error instanceof Error ? error.message : String(error)
  const outcome = ElfmemError.is(error) ? error.code : 'UNEXPECTED'
  logger.log({ level: 'error', operation, actor: AUTO, milliseconds: 0, outcome, detail })
  return detail
}

/** Writes that come after their answers, in a later turn or when the next call waits for them. */
export class WriteBehind {
  readonly #failed: (error: unknown) => string
  #waiting: (() => Promise<unknown>)[] = []
  #running: Promise<void> = Promise.resolve()
  #turn: ReturnType<typeof setImmediate> | undefined
  trouble: string | undefined

  /** @param failed reports a failure and says in words what happened */
  constructor(failed: (error: unknown) => string) {
    this.#failed = failed
  }

  add(write: () => Promise<unknown>): void {
    this.#waiting.push(write)
    this.#turn ??= setImmediate(() => void this.done())
  }

  done(): Promise<void> {
    clearImmediate(this.#turn)
    this.#turn = undefined
    for (const write of this.#waiting.splice(0)) this.#running = this.#running.then(() => this.#run(write))
    return this.#running
  }

  async #run(write: () => Promise<unknown>): Promise<void> {
    this.trouble = await write().then(() => undefined, this.#failed)
  }
}

/** The time of an operation: ISO time, wall clock in milliseconds and active hours. */
export interface Moment {
  readonly at: string
  readonly wallMs: number
  readonly hours: number
  /** Absent in an empty memory. */
  readonly newest?: NonNullable<ClockReading['newest']>
}

/** The clock, the ids and, in milliseconds, the longest pause that counts as active time and the idle time that ends a session. */
interface SessionOptions {
  readonly clock: Clock
  readonly ids: Ids
  readonly gapCapMs: number
  readonly idleMs: number
}

/** A session whose end is not written, and when it was last worked in. */
interface OpenSession {
  readonly session: SessionRecord
  readonly last: Moment
  /** The generation of the store in which its row was seen last; a restored backup has another one, and may lack the row. */
  readonly generation: number
}

/**
 * The session of one open memory, and the only reader of its clock. The first write begins one; after `idleMs` without a
 * write it is over, and the next write records its end. Time counts between operations, at most `gapCapMs` at a stretch.
 */
export class SessionTracker {
  readonly #options: SessionOptions
  #open: OpenSession | undefined
  #countsFrom = Number.NEGATIVE_INFINITY
  #learned: string | undefined
  #recalled: readonly string[] = []
  readonly #seen = new Set<string>()

  constructor(options: SessionOptions) {
    this.#options = options
  }

  get current(): SessionRecord | undefined {
    return this.#isOver ? undefined : this.#open?.session
  }

  /** The session whose end is not written, be it over or not; `backTo` goes back to it. */
  get unended(): OpenSession | undefined {
    return this.#open
  }

  /** Copies of the ids an agent may still need from what it just did; a new session resets them. */
  get breadcrumbs() {
    if (this.#isOver) return { lastRecallBlockIds: [], sessionBlockIds: [] }
    return {
      lastLearnedBlockId: this.#learned,
      lastRecallBlockIds: [...this.#recalled],
      sessionBlockIds: [...this.#seen],
    }
  }

  /** The memory's time now, given its newest logged operation. Writes nothing. */
  moment(reading: ClockReading): Moment {
    const wallMs = this.#options.clock.now()
    const { newest, hours: before, wallMs: last } = reading
    // A clock that was set back begins anew.
    if (wallMs < this.#countsFrom) this.#countsFrom = Number.NEGATIVE_INFINITY
    const state = { hours: before, ...defined({ wallMs: last && Math.max(last, this.#countsFrom) }) }
    const { hours } = advance(state, wallMs, this.#options)
    return { at: new Date(wallMs).toISOString(), wallMs, hours, ...defined({ newest }) }
  }

  /** Begins the life of a process that lives on: the pause before it does not count. */
  begin(): void {
    this.#countsFrom = this.#options.clock.now()
  }

  /** Continues the store's open session when its last operation is recent: how one-shot commands share one. */
  async resume(tx: ReadTransaction): Promise<void> {
    const wallMs = this.#options.clock.now()
    const { hours, wallMs: lastMs } = (await tx.state()).clock
    if (lastMs === undefined || wallMs - lastMs > this.#options.idleMs) return
    const session = await readLatestOpenSession(tx)
    const last = { hours, wallMs: lastMs, at: new Date(lastMs).toISOString() }
    this.#open = session && { session, last, generation: (await tx.state()).generation }
  }

  /** The running session, begun now if there is none; from now on its idle time counts anew. */
  async ensure(tx: Transaction, moment: Moment, taskType = 'general'): Promise<SessionRecord> {
    if (this.#isOver) await this.end(tx, moment)
    const { generation } = await tx.state()
    if (this.#open && this.#open.generation !== generation) await saveSession(tx, this.#open.session)
    const session = this.#open?.session ?? (await this.#begin(tx, moment, taskType))
    this.#open = { session, last: moment, generation }
    return session
  }

  async #begin(tx: Transaction, moment: Moment, taskType: string): Promise<SessionRecord> {
    const session: SessionRecord = {
      id: this.#options.ids.random(),
      taskType,
      startedAt: moment.at,
      startHours: moment.hours,
    }
    await saveSession(tx, session)
    this.#learned = undefined
    this.#recalled = []
    this.#seen.clear()
    return session
  }

  /** Ends the open session, an idle one with its last operation; returns its length in active hours, 0 without one. */
  async end(tx: Transaction, moment: Moment): Promise<number> {
    if (!this.#open) return 0
    const { session, last } = this.#open
    const { at, hours } = this.#isOver ? last : moment
    await saveSession(tx, { ...session, endedAt: at })
    this.#open = undefined
    return hours - session.startHours
  }

  /** Goes back to the session, if any, that was open before a transaction that failed. */
  backTo(open: OpenSession | undefined): void {
    this.#open = open
  }

  /** By the wall clock, which goes on while a machine sleeps; one that was set back lets the session last longer. */
  get #isOver(): boolean {
    const { clock, idleMs } = this.#options
    return this.#open !== undefined && clock.now() - this.#open.last.wallMs > idleMs
  }

  noteLearned(id: string): void {
    this.#learned = id
    this.#seen.add(id)
  }

  /** Counts blocks as seen in this session; those seen before keep their place. */
  noteTouched(ids: readonly string[]): void {
    for (const id of ids) this.#seen.add(id)
  }

  /** Makes these the blocks of the last recall, in the place of those before, and counts them as seen. */
  noteRecalled(ids: readonly string[]): void {
    this.#recalled = [...ids]
    this.noteTouched(ids)
  }
}

export const NO_USAGE: TokenUsage = {
  llmInputTokens: 0,
  llmOutputTokens: 0,
  llmCalls: 0,
  embeddingTokens: 0,
  embeddingCalls: 0,
}

/** Returns the sum of two usages; `sign` -1 takes the other away. */
export function addUsage(one: TokenUsage, other: Partial<TokenUsage>, sign: 1 | -1 = 1): TokenUsage {
  const counters = Object.keys(NO_USAGE) as (keyof TokenUsage)[]
  const sums = counters.map((key) => [key, one[key] + sign * (other[key] ?? 0)])
  return Object.fromEntries(sums) as unknown as TokenUsage
}

/** Returns the tokens of language models, in and out. */
export function llmTokens({ llmInputTokens, llmOutputTokens }: TokenUsage): number {
  return llmInputTokens + llmOutputTokens
}

function isUnused({ llmCalls, embeddingCalls }: TokenUsage): boolean {
  return llmCalls === 0 && embeddingCalls === 0
}

/** Collects what calls of models used until it is written down (`mutate` does). */
export class UsageMeter {
  readonly redacted = new Map<string, number>()
  total: TokenUsage = NO_USAGE
  #written: TokenUsage = NO_USAGE

  noteRedacted(kind: string, count: number): void {
    this.redacted.set(kind, (this.redacted.get(kind) ?? 0) + count)
  }

  add(used: Partial<TokenUsage>): void {
    this.total = addUsage(this.total, used)
  }

  get unwritten(): TokenUsage {
    return addUsage(this.total, this.#written, -1)
  }

  /** Notes that a usage was written down, and that the write held. */
  written(used: TokenUsage): void {
    this.#written = addUsage(this.#written, used)
  }
}

/** One operation for the log, without the time, actor, session and run that are added. */
type LogEntry = Omit<NewOperation, 'at' | 'hours' | 'actor' | 'session' | 'run'>

/** The open transaction of a mutation, its time, session and log; it ends with the work. */
export interface Mutation {
  readonly tx: Transaction
  readonly moment: Moment
  /** The running session's id; empty where a dream at rest finds none. */
  readonly session: string
  /** Token usage of this call so far, to spread into its log entry; empty if no model was used. */
  readonly used: Pick<OperationRecord, 'tokens'>
  /** Logs an operation and thereby moves the memory's clock. Every mutation logs all it did. */
  log(entry: LogEntry): Promise<number>
  /** Logs many operations in their order. */
  logAll(entries: readonly LogEntry[]): Promise<void>
}

/** Writes to the session; after a failure no session has begun or ended. */
export async function writeSession<T>(
  { store, session }: Engine,
  work: (tx: Transaction) => Promise<T>,
  options: WriteOptions = {},
): Promise<T> {
  // Known only inside the transaction: a call that waits for its turn may find a session begun meanwhile.
  let goBack = (): void => undefined
  try {
    return await store.write((tx) => {
      const before = session.unended
      goBack = () => session.backTo(before)
      return work(tx)
    }, options)
  } catch (error) {
    goBack()
    throw error
  }
}

/**
 * Writes in one transaction that knows the time, runs in a session (begun now if there is none)
 * and is logged. When `work` throws nothing is left behind, not even the session.
 *
 * @param options.reading the memory's clock when the caller has just read it; saves a statement
 * @param options.undoable true unless said
 */
export async function mutate<T>(
  engine: Engine,
  context: CallContext,
  work: (mutation: Mutation) => Promise<T>,
  { reading, durable = true, undoable = true }: WriteOptions & { readonly reading?: ClockReading } = {},
): Promise<T> {
  const { meter } = context
  const meters = [...(meter ? [meter] : []), engine.unbilled]
  let billed: (readonly [UsageMeter, TokenUsage])[] = []
  const entries: { id: number; operation: string }[] = []
  let kept: number | undefined
  const write = async (tx: Transaction): Promise<T> => {
    const moment = engine.session.moment(reading ?? (await tx.state()).clock)
    // Nobody is there for whom a session would begin.
    const session = context.actor === AUTO ? engine.session.current : await engine.session.ensure(tx, moment)
    const stamp = {
      at: moment.at,
      hours: moment.hours,
      actor: actorOf(engine, context),
      ...defined({ session: session?.id, run: context.run }),
    }
    const result = await work({
      tx,
      used: meter === undefined || isUnused(meter.total) ? {} : { tokens: meter.total },
      moment,
      session: session?.id ?? '',
      log: async (entry) => {
        const id = await logOperation(tx, { ...entry, ...stamp })
        entries.push({ id, operation: entry.operation })
        return id
      },
      logAll: async (many) => {
        const stamped = many.map((entry) => ({ ...entry, ...stamp }))
        await logOperations(tx, stamped)
      },
    })
    billed = meters.map((each) => [each, each.unwritten])
    for (const [, used] of billed) await noteUsage(tx, used, moment.at)
    return result
  }
  const done = await writeSession(engine, write, {
    durable,
    undoable,
    onKept: (operationId) => (kept = operationId),
  })
  for (const [each, used] of billed) each.written(used)
  context.logged?.push({ entries, kept, run: context.run })
  return done
}

/** Keys of the store's settings for all scopes together, because one owner pays for all of them. */
const LIFETIME_KEY = 'lifetime_token_usage'
const DAY_KEY = 'llm_tokens_of_day'

export async function lifetimeUsage(tx: ReadTransaction): Promise<TokenUsage> {
  return addUsage(NO_USAGE, JSON.parse((await readMeta(tx, LIFETIME_KEY)) ?? '{}') as Partial<TokenUsage>)
}

/** Tokens of language models on the UTC day of `at`, of all processes. */
export async function tokensOfDay(tx: ReadTransaction, at: string): Promise<number> {
  const [day, tokens] = (await readMeta(tx, DAY_KEY))?.split(' ') ?? []
  return day === dayOf(at) ? Number(tokens) || 0 : 0
}

/** Adds what was used to the life of the memory and to its day. */
async function noteUsage(tx: Transaction, used: TokenUsage, at: string): Promise<void> {
  if (isUnused(used)) return
  await saveMeta(tx, LIFETIME_KEY, JSON.stringify(addUsage(await lifetimeUsage(tx), used)))
  const tokens = llmTokens(used)
  if (tokens > 0) await saveMeta(tx, DAY_KEY, `${dayOf(at)} ${(await tokensOfDay(tx, at)) + tokens}`)
}
