import type { Block } from '../block/block.ts'
import { mustBeSameScope, normaliseScope } from '../block/block.ts'
import { defined } from '../block/text.ts'
import { ElfmemError } from '../errors.ts'
import type { KeptIndex, ResidentIndex } from '../index/resident-index.ts'
import type { Analysis } from '../language/question.ts'
import type { LeftOut } from '../operations/answers/fit-answer.ts'
import type { ToolChoice } from '../operations/tool-choice.ts'
import type { Experience } from '../outcome/experience.ts'
import { advance } from '../outcome/formulas.ts'
import type { ClockReading } from '../store/database.ts'
import { readLatestOpenSession, type SessionRecord, saveSession } from '../store/log.ts'
import type { ReadTransaction, Store, Transaction } from '../store/transaction.ts'
import type { LoggedTransaction, UsageMeter } from './counts.ts'
import type { EmbeddingLock, StoredBackground } from './embedding.ts'
import type { Chunker, Clock, Embedder, Ids, Importers, LanguageModel, Logger, TextFiles } from './ports.ts'
import type { Settings } from './settings.ts'

/** The dependencies of all stages, such as store and settings. One lives as long as an open memory. */
export interface Engine {
  /** The whole store, or the view of one scope. */
  readonly store: Store
  readonly scope?: string
  readonly within: (scope: string) => Engine
  /** The same engine over another store, with caches of its own; it keeps nothing beside the memory's file. */
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
  /** The files of the memory that a version control has, or would take; absent where the memory is in no file. */
  readonly tracked?:
    | (() => Promise<{ readonly tracked: readonly string[]; readonly untracked: readonly string[] }>)
    | undefined
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
  /** Who is calling when the call does not say, and more than nobody who calls through it may do. */
  readonly principal: Principal
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

export type EngineBase = Omit<Engine, 'scope' | 'within' | 'over' | keyof Caches>

/** The objects in memory of a scope, or of the whole store. */
type Caches = Pick<Engine, 'index' | 'keptIndex' | 'experience'>

/** Scopes whose index a memory of the whole store keeps; 1.5 kB a block. */
const SCOPES_HELD = 8

/** Makes empty caches; `apart` from the memory's file. */
export type CreateCaches = (scope?: string, place?: 'apart') => Caches

/** The scope an engine is to be bound to, in its one spelling; throws `INVALID_INPUT` when it is none. */
export function boundScope(given: string | undefined): string | undefined {
  return given === undefined ? undefined : normaliseScope(given)
}

/**
 * An engine on a store, or on one scope of it, with caches of its own. Without a scope it keeps the engines of the
 * `SCOPES_HELD` scopes used last, so that their indexes need not be built again.
 */
export function createEngine(base: EngineBase, createCaches: CreateCaches, scope?: string): Engine {
  const known = new Map<string, Engine>()
  const engine: Engine = {
    ...base,
    ...createCaches(scope),
    ...(scope === undefined ? {} : { scope, store: base.store.within(scope) }),
    over: (store) => ({
      ...engine,
      ...createCaches(scope, 'apart'),
      store,
      vectorModel: { current: undefined, generation: 0 },
    }),
    within: (given) => {
      const asked = normaliseScope(given)
      if (scope !== undefined) {
        mustBeSameScope(scope, asked)
        return engine
      }
      const found = known.get(asked) ?? createEngine(base, createCaches, asked)
      known.delete(asked)
      known.set(asked, found)
      const [oldest] = known.keys()
      if (known.size > SCOPES_HELD && oldest !== undefined) known.delete(oldest)
      return found
    },
  }
  return engine
}

/** A call that only the owner may make, from which a surface says how the owner makes it. */
export interface OwnersCall {
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
  readonly memory: string
  /** True if the arguments are less than what was asked, so that it is another call. */
  readonly isPart?: boolean
}

/** A long call pauses after so many signs, or so many milliseconds: some 15 ms, for text as people write it. */
const PAUSE = { signs: 200_000, milliseconds: 20 }

/** Lets everybody else have their turn now and then, while one call has much to look through. */
export class Pauses {
  #work = 0
  #since = performance.now()

  async after(work: number): Promise<void> {
    this.#work += work
    if (this.#work < PAUSE.signs && performance.now() - this.#since < PAUSE.milliseconds) return
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

/** Writes that come after their answers, in a later turn or when the next call waits for them. A failed one is reported. */
export class WriteBehind {
  readonly #failed: (error: unknown) => string
  #waiting: (() => Promise<unknown>)[] = []
  #running: Promise<void> = Promise.resolve()
  #turn: ReturnType<typeof setImmediate> | undefined
  trouble: string | undefined

  /** @param failed tells whoever watches, and says what happened in words */
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
    try {
      await write()
      this.trouble = undefined
    } catch (error) {
      this.trouble = this.#failed(error)
    }
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

/** The clock, the ids and the time limits of sessions. */
interface SessionOptions {
  readonly clock: Clock
  readonly ids: Ids
  /** Milliseconds: the longest pause that counts as active time. */
  readonly gapCapMs: number
  /** Milliseconds of wall time without an operation after which a session is over. */
  readonly idleMs: number
}

/** A session that was begun and whose end is not written, and when it was last worked in. */
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
    const isOver = this.#isOver
    return {
      lastLearnedBlockId: isOver ? undefined : this.#learned,
      lastRecallBlockIds: isOver ? [] : [...this.#recalled],
      sessionBlockIds: isOver ? [] : [...this.#seen],
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
