import type { Block } from '../block/block.ts'
import { mustBeSameScope, normaliseScope } from '../block/scope.ts'
import { ElfmemError } from '../errors.ts'
import type { KeptIndex, ResidentIndex } from '../index/resident-index.ts'
import type { Analysis } from '../language/question.ts'
import type { Experience } from '../outcome/experience.ts'
import { advance } from '../outcome/formulas.ts'
import type { Store } from '../store/contract.ts'
import { readClock, readLatestOpenSession, type SessionRecord, saveSession } from '../store/log.ts'
import type { ClockReading } from '../store/queries.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'
import type { Chunker } from './chunker.ts'
import type { Clock } from './clock.ts'
import type { Embedder } from './embedder.ts'
import type { EmbeddingLock, StoredBackground } from './embedding.ts'
import type { LeftOut } from './fit-answer.ts'
import type { Ids } from './ids.ts'
import type { Importers } from './importers.ts'
import type { LanguageModel } from './language-model.ts'
import type { Logger } from './logger.ts'
import type { Settings } from './settings.ts'
import type { TextFiles } from './text-files.ts'
import type { ToolChoice } from './tool-sets.ts'
import type { CallLog, UsageMeter } from './usage.ts'

/** The dependencies of all stages, such as store and settings. One lives as long as an open memory. */
export interface Engine {
  /** All that the stages see: the whole store, or the view of one scope. */
  readonly store: Store
  /** The scope the store is a view of. */
  readonly scope?: string
  /** The engine in one scope; throws `OUT_OF_SCOPE` when this one works in another. */
  readonly within: (scope: string) => Engine
  /** The same engine over another store, with caches of its own; it keeps nothing beside the memory's file. */
  readonly over: (store: Store) => Engine
  readonly embedder: Embedder
  /** Judges blocks and pairs at dream; absent: rules do. */
  readonly languageModel?: LanguageModel
  /** The owner's words for how blocks are judged; has `{self_context}` and `{blocks}`. */
  readonly analysisPrompt?: string
  /** Where the keys of remote models are looked for; a caller's own models have theirs elsewhere. */
  readonly keys?: readonly KeyVariable[]
  /** A cache of the store's active blocks, refreshed before it is asked. */
  readonly index: ResidentIndex
  /** The evidence from reports; refreshed before it is asked, too. */
  readonly experience: Experience
  /** Where a packed copy of the index is kept; absent for a memory in no file. */
  readonly keptIndex?: KeptIndex
  /** How texts become words, the same for blocks and questions. */
  readonly analysis: Analysis
  readonly chunker: Chunker
  /** Where exports are written and read. */
  readonly texts: TextFiles
  /** Read what other programs remember; loaded when they are first asked for. */
  readonly importers: () => Promise<Importers>
  /** True: the memory's file is not there yet, and this engine is that of an empty one. */
  readonly isAbsent?: boolean | undefined
  /** The files of the memory that a version control has, or would take; absent where the memory is in no file. */
  readonly tracked?:
    | (() => Promise<{ readonly tracked: readonly string[]; readonly untracked: readonly string[] }>)
    | undefined
  readonly clock: Clock
  readonly ids: Ids
  readonly logger: Logger
  readonly settings: Settings
  readonly session: SessionTracker
  /**
   * The model of the stored vectors as last read or written, undefined while there are none, and the generation of
   * vectors (`Changes`) it was read with; with them how the model's cosines lie here, as far as that was measured.
   */
  readonly vectorModel: {
    current: EmbeddingLock | undefined
    generation: number
    background?: StoredBackground | undefined
  }
  /** Who embeds waiting blocks at the time: calls that follow each other, and the dreams under way. */
  readonly embedding: { queue: Promise<unknown>; dreams: number }
  /** Backups and exports of agents, one after the other. */
  readonly agentFiles: { queue: Promise<unknown> }
  /** The writes of recalls after their answers. */
  readonly behind: WriteBehind
  /** Texts that recall returned recently, for the echo check. */
  readonly served: Served
  readonly rest: Rest
  /** Model usage of calls that wrote nothing; the next write stores it. */
  readonly unbilled: UsageMeter
  /** One sentence about this memory that `status` always says; absent when there is nothing to say. */
  readonly notice?: string | undefined
  /** Who is calling when the call does not say, and more than nobody who calls through it may do. */
  readonly principal: Principal
}

/** Actor of what a memory does by itself. */
export const AUTO = 'auto'
/** Actor of a curation that a dream found due. */
export const CURATE = 'curate'

/** The work of this process on the memory while nobody calls. */
export interface Rest {
  /** How it dreams by itself: by rules, as `dream` does, or not at all. */
  readonly mode: 'rules' | 'full' | 'off'
  /** Its random name, by which its lease is known. */
  readonly holder: string
  /** The message of the last attempt to dream that failed; undefined after one that did not. */
  trouble: string | undefined
}

/** An environment variable that is to hold a key. */
export interface KeyVariable {
  readonly variable: string
  readonly use: 'embeddings' | 'llm'
  readonly isSet: boolean
}

/** The texts that recall returned lately in this process, as `flow/intake/echo.ts` keeps them. */
interface Served {
  /** Forgets all. */
  readonly clear: () => void
  /** Keeps the text of an answer and all blocks that may stand in it. */
  readonly note: (text: string, blocks: readonly Block[]) => void
  /** Returns a text without what was shown, and the blocks that were; undefined if it holds nothing that was shown. */
  readonly part: (
    text: string,
    scope?: string,
  ) => { readonly rest: string; readonly blocks: readonly Block[] } | undefined
}

/** Options of one call: caller, usage meter, abort signal, standard streams, progress callback, actor and run. */
export interface CallContext {
  /** Count what models use for this call, and note what it logs; `invoke` brings both. */
  readonly meter?: UsageMeter
  readonly logged?: CallLog
  readonly signal?: AbortSignal
  /** Standard input and output of a caller who has them. */
  readonly pipe?: { readonly read: () => Promise<string>; readonly write: (text: string) => void }
  readonly progress?: (progress: Progress) => void
  /** Who calls, as a surface accepted it; the engine's own principal unless given. `invoke` lets it do no more than that. */
  readonly principal?: Principal
  /** Counts the calls of whoever calls and refuses one too many; absent: no rate. An owner's calls are not counted. */
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
  /** Name of the running stage, for example `embedding`. */
  readonly stage: string
  readonly done: number
  readonly total: number
  /** True if what is done stays, wherever the work is stopped, and the rest is left as it was. */
  readonly isKept?: boolean
}

/** Who calls: whoever the call names, else the engine's own. */
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
/** The rights of one caller; `mayDo` compares two of them. */
export type Capability = (typeof CAPABILITIES)[number]

/** Somebody who calls. A surface makes it once, where it accepts a caller, and it travels with every call. */
export interface Principal {
  /** The name in the log: the surface and, after a colon, the name the caller gave itself. */
  readonly actor: string
  readonly capability: Capability
  /** The scope the caller may not leave by any argument; absent: it sees the whole store. */
  readonly scope?: string
}

/** True if a caller has at least the capability that is needed. */
export function mayDo({ capability }: Pick<Principal, 'capability'>, needed: Capability): boolean {
  return CAPABILITIES.indexOf(capability) <= CAPABILITIES.indexOf(needed)
}

/** The caller with no more than somebody else has through whom it calls. */
export function atMost(caller: Principal, through: Principal): Principal {
  const scope = caller.scope ?? through.scope
  return {
    actor: caller.actor,
    capability: mayDo(caller, through.capability) ? through.capability : caller.capability,
    ...(scope === undefined ? {} : { scope }),
  }
}

/** An engine before it is known what it works on. */
export type EngineBase = Omit<Engine, 'scope' | 'within' | 'over' | keyof Caches>

/** The objects in memory of a scope, or of the whole store. */
type Caches = Pick<Engine, 'index' | 'keptIndex' | 'experience'>

/** Makes them, still empty; `apart` from the memory's file. */
export type CreateCaches = (scope?: string, place?: 'apart') => Caches

/** The scope an engine is to be bound to, in its one spelling; throws `INVALID_INPUT` when it is none. */
export function boundScope(given: string | undefined): string | undefined {
  return given === undefined ? undefined : normaliseScope(given)
}

/** An engine that works in one scope of its store and can reach no other, with an index of that scope alone. */
export function engineIn(scope: string, base: EngineBase, createCaches: CreateCaches): Engine {
  const engine: Engine = {
    ...base,
    scope,
    store: base.store.within(scope),
    ...createCaches(scope),
    over: (store) => overStore(engine, store, createCaches),
    within: (asked) => {
      mustBeSameScope(scope, normaliseScope(asked))
      return engine
    },
  }
  return engine
}

/**
 * An engine on the whole store. Of the scopes it is asked to work in it keeps the engines of the `most` used last, so
 * that their indexes need not be built again.
 */
export function wholeEngine(base: EngineBase, createCaches: CreateCaches, most: number): Engine {
  const known = new Map<string, Engine>()
  const within = (asked: string): Engine => {
    const scope = normaliseScope(asked)
    const engine = known.get(scope) ?? engineIn(scope, base, createCaches)
    known.delete(scope)
    known.set(scope, engine)
    const [oldest] = known.keys()
    if (known.size > most && oldest !== undefined) known.delete(oldest)
    return engine
  }
  const engine: Engine = {
    ...base,
    ...createCaches(),
    within,
    over: (store) => overStore(engine, store, createCaches),
  }
  return engine
}

/** @param store sees what the engine's own store sees */
function overStore(engine: Engine, store: Store, createCaches: CreateCaches): Engine {
  const { keptIndex: _kept, ...caches } = createCaches(engine.scope, 'apart')
  const vectorModel = { current: undefined, generation: 0 }
  return { ...engine, ...caches, store, vectorModel }
}

/** A call that only the owner may make, from which a surface says how the owner makes it. */
export interface OwnersCall {
  /** The name of its operation. */
  readonly operation: string
  /** Its arguments by their names. */
  readonly input: Readonly<Record<string, unknown>>
  /** Location of the memory. */
  readonly memory: string
  /** True if the arguments are less than what was asked, so that it is another call. */
  readonly isPart?: boolean
}

/** Signs looked at between two pauses: some 15 ms, for text as people write it. */
const WORK_BETWEEN = 200_000
/** Milliseconds between two pauses, whatever the text. */
const LONGEST_MS = 20

/** Lets everybody else have their turn now and then, while one call has much to look through. */
export class Pauses {
  #work = 0
  #since = performance.now()

  /** @param work signs looked at since the call before */
  async after(work: number): Promise<void> {
    this.#work += work
    if (this.#work < WORK_BETWEEN && performance.now() - this.#since < LONGEST_MS) return
    this.#work = 0
    await nextTurn()
    this.#since = performance.now()
  }
}

/** Yields to the event loop, so that calls that came in meanwhile are answered first. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

/** Logs that something failed which the memory did while nobody waited for it; returns what happened in words. */
export function logFailure(logger: Logger, operation: string, error: unknown): string {
  const detail = error instanceof Error ? error.message : String(error)
  const outcome = ElfmemError.is(error) ? error.code : 'UNEXPECTED'
  logger.log({ level: 'error', operation, actor: AUTO, milliseconds: 0, outcome, detail })
  return detail
}

/** A call from outside while it lasts. */
interface RunningCall {
  /** The name of its operation. */
  readonly name: string
  readonly context: CallContext
  /** Start of the call by the monotonic clock, in milliseconds. */
  readonly started: number
}

/** Logs how a call ended. */
export function logCall(
  engine: Engine,
  { name, context, started }: RunningCall,
  outcome: string,
  detail: unknown,
): void {
  const { logger, session } = engine
  if (logger.level === 'off') return
  logger.log({
    level: outcome === 'ok' ? 'info' : 'error',
    operation: name,
    actor: actorOf(engine, context),
    ...(session.current ? { session: session.current.id } : {}),
    milliseconds: performance.now() - started,
    outcome,
    ...(logger.level === 'debug' ? { detail: String(detail) } : {}),
  })
}

/** A write that an answer did not wait for. */
type Write = () => Promise<unknown>

/**
 * Writes that come after the answer they belong to, in the order of the answers. They begin when everybody else had a turn,
 * or as soon as somebody waits for them: the next call of the process does, and so does closing. Until then the process
 * lives on. What fails is lost, and reported.
 */
export class WriteBehind {
  readonly #failed: (error: unknown) => string
  #waiting: Write[] = []
  #running: Promise<void> = Promise.resolve()
  #turn: ReturnType<typeof setImmediate> | undefined
  #trouble: string | undefined

  /** @param failed tells whoever watches, and says what happened in words */
  constructor(failed: (error: unknown) => string) {
    this.#failed = failed
  }

  /** Why the last write failed; undefined after one that did not. */
  get trouble(): string | undefined {
    return this.#trouble
  }

  /** Puts a write behind those that wait and returns at once; it begins in a later turn. */
  add(write: Write): void {
    this.#waiting.push(write)
    this.#turn ??= setImmediate(() => void this.done())
  }

  /** Resolves when all writes so far are over, however they ended. Nothing to do, as a rule. */
  done(): Promise<void> {
    if (this.#waiting.length > 0) {
      clearImmediate(this.#turn)
      this.#turn = undefined
      const writes = this.#waiting
      this.#waiting = []
      this.#running = this.#running.then(() => this.#all(writes))
    }
    return this.#running
  }

  async #all(writes: readonly Write[]): Promise<void> {
    for (const write of writes)
      try {
        await write()
        this.#trouble = undefined
      } catch (error) {
        this.#trouble = this.#failed(error)
      }
  }
}

/** The time of an operation: ISO time, wall clock in milliseconds and active hours. */
export interface Moment {
  /** ISO-8601 UTC. */
  readonly at: string
  readonly wallMs: number
  /** Active hours of the memory. */
  readonly hours: number
  /** Absent in an empty memory. */
  readonly newest?: NonNullable<ClockReading['newest']>
}

/** The ids an agent may still need from what it just did. Copies; reset by a new session. */
export interface Breadcrumbs {
  readonly lastLearnedBlockId?: string
  readonly lastRecallBlockIds: readonly string[]
  /** Learned, returned, reported on or connected in this session, first seen first. */
  readonly sessionBlockIds: readonly string[]
}

/** The clock, the ids and the time limits of sessions. */
export interface SessionOptions {
  readonly clock: Clock
  readonly ids: Ids
  /** Milliseconds: the longest pause that counts as active time. */
  readonly gapCapMs: number
  /** Milliseconds of wall time without an operation after which a session is over. */
  readonly idleMs: number
}

/** A session that was begun and whose end is not written, and when it was last worked in. */
export interface OpenSession {
  readonly session: SessionRecord
  readonly last: Moment
}

/**
 * The session of one open memory, and the only reader of its clock.
 *
 * No operation needs a session to be begun: the first that writes begins one. One in which nobody wrote for `idleMs` is over,
 * for whoever reads at once; the next that writes records its end and begins another. Time counts only between operations,
 * at most `gapCapMs` at a stretch, and never runs backwards.
 */
export class SessionTracker {
  readonly #options: SessionOptions
  #open: OpenSession | undefined
  /** Wall time from which on pauses count, in milliseconds. */
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

  get breadcrumbs(): Breadcrumbs {
    if (this.#isOver) return { lastRecallBlockIds: [], sessionBlockIds: [] }
    return {
      ...(this.#learned === undefined ? {} : { lastLearnedBlockId: this.#learned }),
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
    const state = {
      hours: before,
      ...(last === undefined ? {} : { wallMs: Math.max(last, this.#countsFrom) }),
    }
    const { hours } = advance(state, wallMs, this.#options)
    return { at: new Date(wallMs).toISOString(), wallMs, hours, ...(newest === undefined ? {} : { newest }) }
  }

  /** Begins the life of a process that lives on: the pause before it does not count. */
  begin(): void {
    this.#countsFrom = this.#options.clock.now()
  }

  /** Continues the store's open session when its last operation is recent: how one-shot commands share one. */
  async resume(tx: ReadTransaction): Promise<void> {
    const wallMs = this.#options.clock.now()
    const { hours, wallMs: lastMs } = await readClock(tx)
    if (lastMs === undefined || wallMs - lastMs > this.#options.idleMs) return
    const session = await readLatestOpenSession(tx)
    const last = { hours, wallMs: lastMs, at: new Date(lastMs).toISOString() }
    this.#open = session && { session, last }
  }

  /** The running session, begun now if there is none; from now on its idle time counts anew. */
  async ensure(tx: Transaction, moment: Moment, taskType = 'general'): Promise<SessionRecord> {
    if (this.#isOver) await this.end(tx, moment)
    const session = this.#open?.session ?? (await this.#begin(tx, moment, taskType))
    this.#open = { session, last: moment }
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

  /**
   * Ends the session that is open; returns its length in active hours, 0 when there is none. One that is over for want of
   * operations ended with its last one: nobody was there in the time after it.
   */
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

  /** Makes a block the one learned last in this session. */
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
