import { type Block, normaliseScope } from '../block/block.ts'
import { defined } from '../block/text.ts'
import { ElfmemError } from '../errors.ts'
import type { KeptIndex, MeasuredBackground, ResidentIndex } from '../index/resident-index.ts'
import type { Analysis } from '../language/question.ts'
import type { LeftOut } from '../operations/fit-answer.ts'
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
import { addUsage, dayOf, isUnused, llmTokens, NO_USAGE, type TokenUsage, type UsageMeter } from './counts.ts'
import type { Chunker, Clock, Embedder, Ids, Importers, LanguageModel, Logger, TextFiles } from './ports.ts'
import type { Settings } from './settings.ts'

export { llmTokens, UsageMeter } from './counts.ts'

/** An engine has the dependencies of all stages, such as store and settings. It lives as long as an open memory. */
export interface Engine {
  /** The whole store, or the view of one scope. */
  readonly store: Store
  readonly scope?: string
  readonly within: (scope: string) => Engine
  /** Returns this engine over another store, with caches of its own; it keeps nothing beside the memory's file. */
  readonly over: (store: Store) => Engine
  readonly embedder: Embedder
  readonly languageModel?: LanguageModel
  /** Caches of the store's active blocks and of the evidence from reports; both are refreshed before use. */
  readonly index: ResidentIndex
  /** Counts the blocks in the index and in the indexes of scopes that are kept with it; one of two scopes counts twice. */
  readonly indexed: () => number
  readonly experience: Experience
  /** The place of a packed copy of the index; absent for a memory in no file. */
  readonly keptIndex?: KeptIndex
  readonly analysis: Analysis
  readonly chunker: Chunker
  readonly texts: TextFiles
  readonly importers: () => Promise<Importers>
  /** The memory's file does not exist yet, and this engine is that of an empty memory. */
  readonly isAbsent?: boolean | undefined
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
  readonly settings: Settings
  readonly session: SessionTracker
  /** The model of the stored vectors as last read or written, the generation of that read, and the model's background. */
  readonly vectorModel: {
    current: EmbeddingLock | undefined
    generation: number
    background?: StoredBackground | undefined
  }
  /** The queue of calls that embed waiting blocks one after the other, and the number of running dreams. */
  readonly embedding: { queue: Promise<unknown>; dreams: number }
  readonly behind: WriteBehind
  readonly served: Served
  readonly rest: Rest
  /** Model usage of calls that wrote nothing; the next write stores it. */
  readonly unbilled: UsageMeter
  /** The running calls with a key of their caller, by holder, operation and key. */
  readonly requests: Map<string, RunningRequest>
  /** A sentence about this memory that `status` always says; absent if there is none. */
  readonly notice?: string | undefined
  /** The caller if a call names none. No caller through the engine may do more than it. */
  readonly principal: Principal
}

/** An embedding lock names the model whose vectors a store holds. */
export interface EmbeddingLock {
  readonly model: string
  readonly dimensions: number
}

/** A stored background tells how the cosines of a model's unrelated texts lie in this store, and how many blocks showed it. */
export interface StoredBackground extends MeasuredBackground {
  readonly model: string
}

export const AUTO = 'auto'
/** A curation that a dream found due has this actor. */
export const CURATE = 'curate'
/** The actor of what hooks keep for the agent whose client calls them. */
export const HOOKS = 'mcp:hooks'

/** Rest is the work of this process on the memory while nobody calls. */
export interface Rest {
  readonly mode: 'rules' | 'full' | 'off'
  /** Random name of this process, by which its lease is known. */
  readonly holder: string
  /** The message of the last dream at rest if it failed; undefined otherwise. */
  trouble: string | undefined
}

/** The texts that recall returned lately in this process, as `intake/echo.ts` keeps them. */
interface Served {
  readonly another: () => Served
  readonly clear: () => void
  /** Keeps the text of an answer and all blocks that may stand in it. */
  readonly note: (text: string, blocks: readonly Block[]) => void
  /** Returns a text without the shown parts, and the blocks of these; undefined if it holds none. */
  readonly part: (
    text: string,
    scope?: string,
  ) => { readonly rest: string; readonly blocks: readonly Block[] } | undefined
}

/** A logged transaction has the log entries that one transaction of a call made. */
export interface LoggedTransaction {
  readonly entries: readonly { readonly id: number; readonly operation: string }[]
  /** Number under which its changes are kept; absent if it changed nothing that an undo could take back. */
  readonly kept?: number | undefined
  /** The dream, curation, import or batch that it was part of. */
  readonly run?: string | undefined
}

/** A running request is a call with a key; another one with the same key gets its answer. */
interface RunningRequest {
  readonly input: string
  readonly answer: Promise<unknown>
}

/** A noted request is a call with a key, which the first transaction of the call notes. */
export interface NotedRequest {
  /** Throws if the call was noted before. */
  begin(tx: Transaction): Promise<void>
  end(tx: Transaction, at: string): Promise<void>
  committed(): void
}

/** A call context has the options of one call: caller, usage meter, abort signal, streams, progress callback, actor and run. */
export interface CallContext {
  /** Meter of the models' usage in this call, and the transactions that it logged; `invoke` brings both. */
  readonly meter?: UsageMeter
  readonly logged?: LoggedTransaction[]
  readonly signal?: AbortSignal
  readonly pipe?: { readonly read: () => Promise<string>; readonly write: (text: string) => unknown }
  readonly progress?: (progress: Progress) => void
  /** The caller as a surface accepted it; the engine's own principal unless given. `invoke` lets it do no more than that. */
  readonly principal?: Principal
  /** Counts the calls of a caller and refuses one too many; absent: no rate. An owner's calls are not counted. */
  readonly rate?: { readonly take: (limits: Settings['limits']) => void }
  /** Form of the answers of a surface that have at most `limits.answerTokens`; absent: answers of any length. */
  readonly answer?: AnswerForm
  /** The operations that the caller's surface lists; absent: all. The guide names no others. */
  readonly tools?: ToolChoice
  /** Logged in place of the caller, for work of the memory itself; `invoke` takes none from outside. */
  readonly actor?: string
  /** The caller shows no summary, so that the notice of the first answer is kept for the next one. */
  readonly showsNoSummary?: boolean
  /** The dream, curation or import that the call is part of; its log entries are undone together. */
  readonly run?: string
  /** A key of the caller's: a write that is asked for again with the same key is done once, and answered as before. */
  readonly once?: string
  /** The request that the first transaction notes; `invoke` brings it. */
  readonly request?: NotedRequest
}

/** An answer form tells how a surface carries an answer beside its text, and takes reports of the parts that did not fit. */
export interface AnswerForm {
  readonly fieldsOf: (output: Readonly<Record<string, unknown>>) => unknown
  readonly leftOut: (parts: readonly LeftOut[]) => void
}

/** Progress is the state of long work: `done` of `total` texts or blocks of the running stage. */
export interface Progress {
  readonly stage: string
  readonly done: number
  readonly total: number
  /** True if finished work stays when the work is stopped, and the rest is left as it was. */
  readonly isKept?: boolean
}

/** Returns the caller that the call names, else the engine's own. */
export function callerOf(
  engine: Pick<Engine, 'principal'>,
  context: Pick<CallContext, 'principal'>,
): Principal {
  return context.principal ?? engine.principal
}

/** Returns the name under which a call is logged. */
export function actorOf(
  engine: Pick<Engine, 'principal'>,
  context: Pick<CallContext, 'principal' | 'actor'>,
): string {
  return context.actor ?? callerOf(engine, context).actor
}

/** Returns the key of the store's settings under which an engine keeps a value: each scope has its own, and the whole store. */
export function ownKey({ scope }: Pick<Engine, 'scope'>, key: string): string {
  return scope === undefined ? key : `${key} ${scope}`
}

/** The capabilities are the rights of a caller, the most first: everything; everything but the owner's acts; reading. */
export const CAPABILITIES = ['owner', 'agent', 'reader'] as const
export type Capability = (typeof CAPABILITIES)[number]

/** A principal is a caller. A surface makes it once, when it accepts the caller, and it travels with every call. */
export interface Principal {
  /** The name in the log: the surface and, after a colon, the caller's own name. */
  readonly actor: string
  readonly capability: Capability
  /** The scope that the caller may not leave by any argument; absent if it sees the whole store. */
  readonly scope?: string
}

export function mayDo({ capability }: Pick<Principal, 'capability'>, needed: Capability): boolean {
  return CAPABILITIES.indexOf(capability) <= CAPABILITIES.indexOf(needed)
}

/** Returns the normal spelling of the scope to which an engine is bound; throws `INVALID_INPUT` if it is no scope. */
export function boundScope(given: string | undefined): string | undefined {
  return given === undefined ? undefined : normaliseScope(given)
}

/** Pauses let other calls have their turn now and then, while one call has much to search. */
export class Pauses {
  #work = 0
  #since = performance.now()

  async after(work: number): Promise<void> {
    this.#work += work
    // This much text, as people write it, takes some 15 ms.
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

/** Logs a failure of the memory's own work; returns its message. */
export function logFailure(logger: Logger, operation: string, error: unknown): string {
  const detail = error instanceof Error ? error.message : String(error)
  const outcome = ElfmemError.is(error) ? error.code : 'UNEXPECTED'
  logger.log({ level: 'error', operation, actor: AUTO, milliseconds: 0, outcome, detail })
  return detail
}

/** Runs writes after their answers, in a later turn or when the next call waits for them. */
export class WriteBehind {
  readonly #failed: (error: unknown) => string
  #waiting: (() => Promise<unknown>)[] = []
  #running: Promise<void> = Promise.resolve()
  #turn: ReturnType<typeof setImmediate> | undefined
  trouble: string | undefined

  /** @param failed reports a failure and returns its message */
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

/** A moment is the time of an operation: ISO time, wall clock in milliseconds and active hours. */
export interface Moment {
  readonly at: string
  readonly wallMs: number
  readonly hours: number
  /** The block told last; absent in an empty memory. */
  readonly newest?: NonNullable<ClockReading['newest']>
}

/** The clock, the ids and, in milliseconds, the longest pause that counts as active time and the idle time that ends a session. */
interface SessionOptions {
  readonly clock: Clock
  readonly ids: Ids
  readonly gapCapMs: number
  readonly idleMs: number
}

/** A session whose end is not written, and the moment of its last operation. */
interface OpenSession {
  readonly session: SessionRecord
  readonly last: Moment
  /** The generation of the store in which its row was last seen; a restored backup has another one, and may lack the row. */
  readonly generation: number
}

/**
 * A session tracker has the session of one open memory, and is the only reader of its clock. The first write begins a session; after
 * `idleMs` without a write it is over, and the next write records its end. Time counts between operations, at most `gapCapMs` at a stretch.
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

  /** Returns a tracker for another session of the same process, with the same clock. */
  another(): SessionTracker {
    const tracker = new SessionTracker(this.#options)
    tracker.#countsFrom = this.#countsFrom
    return tracker
  }

  get current(): SessionRecord | undefined {
    return this.#isOver ? undefined : this.#open?.session
  }

  /** Returns the session whose end is not written, even if it is over; `backTo` goes back to it. */
  get unended(): OpenSession | undefined {
    return this.#open
  }

  /** Returns copies of the ids that an agent may still need from its last calls; a new session resets them. */
  get breadcrumbs() {
    if (this.#isOver) return { lastRecallBlockIds: [], sessionBlockIds: [] }
    return {
      lastLearnedBlockId: this.#learned,
      lastRecallBlockIds: [...this.#recalled],
      sessionBlockIds: [...this.#seen],
    }
  }

  /** Returns the memory's present time, given its newest logged operation. Writes nothing. */
  moment(reading: ClockReading): Moment {
    const wallMs = this.#options.clock.now()
    const { newest, hours: before, wallMs: last } = reading
    // After a clock was set back, counting begins anew.
    if (wallMs < this.#countsFrom) this.#countsFrom = Number.NEGATIVE_INFINITY
    const state = { hours: before, ...defined({ wallMs: last && Math.max(last, this.#countsFrom) }) }
    const { hours } = advance(state, wallMs, this.#options)
    return { at: new Date(wallMs).toISOString(), wallMs, hours, ...defined({ newest }) }
  }

  /** Begins the life of a lasting process: the pause before it does not count. */
  begin(): void {
    this.#countsFrom = this.#options.clock.now()
  }

  /** Continues the store's open session if its last operation is recent, so that one-shot commands share a session. */
  async resume(tx: ReadTransaction): Promise<void> {
    const wallMs = this.#options.clock.now()
    const { hours, wallMs: lastMs } = (await tx.state()).clock
    if (lastMs === undefined || wallMs - lastMs > this.#options.idleMs) return
    const session = await readLatestOpenSession(tx)
    const last = { hours, wallMs: lastMs, at: new Date(lastMs).toISOString() }
    this.#open = session && { session, last, generation: (await tx.state()).generation }
  }

  /** Returns the running session, begun now if there is none; its idle time counts anew from now. */
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

  /** Goes back to the session, if any, that was open before a failed transaction. */
  backTo(open: OpenSession | undefined): void {
    this.#open = open
  }

  /** Returns true if the idle time is over by the wall clock, which goes on while a machine sleeps. A clock set back delays the end. */
  get #isOver(): boolean {
    const { clock, idleMs } = this.#options
    return this.#open !== undefined && clock.now() - this.#open.last.wallMs > idleMs
  }

  noteLearned(id: string): void {
    this.#learned = id
    this.#seen.add(id)
  }

  /** Counts blocks as seen in this session; blocks seen before keep their place. */
  noteTouched(ids: readonly string[]): void {
    for (const id of ids) this.#seen.add(id)
  }

  /** Replaces the blocks of the last recall by these, and counts them as seen. */
  noteRecalled(ids: readonly string[]): void {
    this.#recalled = [...ids]
    this.noteTouched(ids)
  }
}

/** One operation for the log, without the time, actor, session and run that are added. */
type LogEntry = Omit<NewOperation, 'at' | 'hours' | 'actor' | 'session' | 'run'>

/** A mutation is an open transaction with its time, session and log; it ends with the work. */
export interface Mutation {
  readonly tx: Transaction
  readonly moment: Moment
  /** Id of the running session; empty for a dream at rest without a session. */
  readonly session: string
  /** Token usage of this call so far, to spread into its log entry; empty if no model was used. */
  readonly used: Pick<OperationRecord, 'tokens'>
  /** Logs an operation and thereby moves the memory's clock. Every mutation logs all its changes. */
  log(entry: LogEntry): Promise<number>
  /** Logs many operations in their order. */
  logAll(entries: readonly LogEntry[]): Promise<void>
}

/** Writes within a session; after a failure no session has begun or ended. */
export async function writeSession<T>(
  { store, session }: Engine,
  work: (tx: Transaction) => Promise<T>,
  options: WriteOptions = {},
): Promise<T> {
  // The open session is read inside the transaction: another call may begin one while this call waits for its turn.
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
 * Writes in one transaction that knows the time, runs in a session (begun now if there is none) and is logged. If `work` throws, nothing is
 * left behind, not even the session.
 *
 * @param options.reading the memory's clock if the caller has just read it, which saves a statement
 * @param options.undoable true by default
 */
export async function mutate<T>(
  engine: Engine,
  context: CallContext,
  work: (mutation: Mutation) => Promise<T>,
  { reading, undoable = true, ...options }: WriteOptions & { readonly reading?: ClockReading } = {},
): Promise<T> {
  const { meter } = context
  const meters = [...(meter ? [meter] : []), engine.unbilled]
  let billed: (readonly [UsageMeter, TokenUsage])[] = []
  const entries: { id: number; operation: string }[] = []
  let kept: number | undefined
  const write = async (tx: Transaction): Promise<T> => {
    await context.request?.begin(tx)
    const moment = engine.session.moment(reading ?? (await tx.state()).clock)
    // A dream at rest begins no session, since nobody calls.
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
    await context.request?.end(tx, moment.at)
    return result
  }
  const done = await writeSession(engine, write, {
    ...options,
    undoable,
    onKept: (operationId) => (kept = operationId),
  })
  context.request?.committed()
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

/** Returns the tokens that language models of all processes used on the UTC day of `at`. */
export async function tokensOfDay(tx: ReadTransaction, at: string): Promise<number> {
  const [day, tokens] = (await readMeta(tx, DAY_KEY))?.split(' ') ?? []
  return day === dayOf(at) ? Number(tokens) || 0 : 0
}

/** Adds a usage to the totals of the memory and of its day. */
async function noteUsage(tx: Transaction, used: TokenUsage, at: string): Promise<void> {
  if (isUnused(used)) return
  await saveMeta(tx, LIFETIME_KEY, JSON.stringify(addUsage(await lifetimeUsage(tx), used)))
  const tokens = llmTokens(used)
  if (tokens > 0) await saveMeta(tx, DAY_KEY, `${dayOf(at)} ${(await tokensOfDay(tx, at)) + tokens}`)
}
