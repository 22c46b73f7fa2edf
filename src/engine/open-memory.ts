import { existsSync } from 'node:fs'
import * as z from 'zod'
import type { Project } from '../adapters/project/project.ts'
import { systemTimer } from '../adapters/system/machine.ts'
import { shownLine } from '../block/visible.ts'
import { type MemoryPlace, readPlace } from '../care/place.ts'
import { ElfmemError } from '../errors.ts'
import { capabilityFrom, mayDo, mayWrite, type Principal, readsOnly, type Surface } from '../intake/caller.ts'
import { taskTypeOf } from '../intake/check-input.ts'
import { invoke, isTaken, type Operation } from '../operations/operation.ts'
import { harmless, harmlessError } from '../operations/wording.ts'
import { readWaiting } from '../store/blocks.ts'
import { readClock } from '../store/log.ts'
import type { Transaction } from '../store/transaction.ts'
import { BackgroundWork, idleWorkOf } from './background-work.ts'
import { boundScope, type CallContext, type Engine } from './engine.ts'
import {
  type EngineParts,
  type EngineSource,
  type OpenedEngine,
  openEngine,
  worksAtRest,
} from './open-engine.ts'
import { takenOptions } from './options.ts'
import type { Settings } from './settings.ts'
import { keepIndex } from './upkeep.ts'
import { StoreWatch, type Watched, type Watcher, type WatchOptions, watchEntries } from './watch.ts'

const any = z.unknown().optional()

/** The options of `openMemory`; what each may be is looked at where it is used. */
const OPTIONS = z.strictObject({
  config: any,
  embedder: any,
  languageModel: any,
  store: any,
  indexes: any,
  clock: any,
  timer: any,
  ids: any,
  scope: any,
  actor: any,
  as: any,
  sessionMode: any,
  anew: any,
} satisfies Readonly<Record<keyof EngineParts | 'config', z.ZodType>>)

/** Throws `INVALID_INPUT` for a path that is none and for unknown options, so that a mistyped one is never ignored. */
export function checkOpening(path: unknown, options: object): void {
  if (path !== undefined && typeof path !== 'string')
    throw new ElfmemError('INVALID_INPUT', 'The first argument of openMemory is no path.', {
      recovery:
        "Pass the path of a file first, then the options: openMemory('memory.db', { config }). Without a path pass undefined.",
      details: { given: typeof path },
    })
  const example = "openMemory('memory.db', { config: { recall: { topK: 5 } } })"
  takenOptions(options, { maker: 'openMemory', schema: OPTIONS, example })
  if ('as' in options && options.as !== undefined) capabilityFrom(options.as)
}

/** The parts of a project that are needed to open its memory. */
export interface OpenableProject
  extends Pick<Project, 'settings' | 'database' | 'env'>,
    Partial<Pick<Project, 'notice' | 'trust' | 'withheld' | 'sourceOf' | 'configs'>> {
  /** The surface that its callers come through; `library` by default. */
  readonly surface?: Surface
}

/**
 * The behaviour if there is no file yet: `make` makes it at once; `wait` answers as an empty memory does and makes it
 * before the first operation that begins one, such as remember.
 */
export type WhenMissing = 'make' | 'wait'

/** An engine and what it does by itself. */
interface OpenedPart {
  readonly opened: OpenedEngine
  readonly background: BackgroundWork
}

/** A memory that is not there yet. */
interface Absence {
  readonly path: string
  readonly make: () => Promise<OpenedPart>
}

async function openPart(
  { database, sourceOf: _, configs: __, ...source }: OpenableProject,
  parts: EngineParts,
  given: Pick<EngineSource, 'isAbsent'> | Pick<EngineSource, 'embedder'>,
): Promise<OpenedPart> {
  const opened = await openEngine({ ...source, ...given, path: database.path }, parts)
  const isIdle = ('isAbsent' in given && given.isAbsent) || !mayWrite(opened.engine, {})
  const works = worksAtRest(parts) && !isIdle ? idleWorkOf(opened.engine) : []
  return { opened, background: new BackgroundWork(parts.timer ?? systemTimer, works) }
}

/** Opens the memory a project resolution chose, without loading any operation. */
export async function openLifetime(
  project: OpenableProject,
  parts: EngineParts = {},
  whenMissing: WhenMissing = 'make',
): Promise<OpenMemory> {
  const { path } = project.database
  const isAbsent = whenMissing === 'wait' && path !== ':memory:' && !parts.store && !existsSync(path)
  if (isAbsent && parts.anew !== true) (await import('../sqlite/maintenance/lost.ts')).mustNotBeLost(path)
  const part = await openPart(project, parts, { isAbsent })
  const { embedder } = part.opened.engine
  const absence = isAbsent ? { path, make: () => openPart(project, parts, { embedder }) } : undefined
  return new OpenMemory({ part, project, absence }, parts)
}

/** The part of an open memory that a surface needs to call its operations. */
export type CallableMemory = Pick<OpenMemory, 'call' | 'limits' | 'onLook'>

/** Refusals by which a session ends without its end being kept. */
const UNKEPT: ReadonlySet<string> = new Set(['STORE_MOVED', 'STORE_FULL', 'STORE_READ_ONLY'])

/** Key of what an answer says about the memory as a whole; a surface whose text leaves the summary out adds it. */
const NOTICES = Symbol('notices')

/** What a memory is opened with. */
interface Opening {
  readonly part: OpenedPart
  readonly project: OpenableProject
  /** Present while the memory is not there: `part` is an empty one in its place. */
  readonly absence: Absence | undefined
}

/** An engine between its opening and its closing: its session, its running calls, its end. */
export class OpenMemory {
  /** The project it was opened with. */
  readonly project: OpenableProject
  #part: OpenedPart
  readonly #watch: StoreWatch
  readonly #endsSession: boolean
  readonly #running = new Set<Promise<unknown>>()
  #closing: Promise<void> | undefined
  #absence: Absence | undefined
  #making: Promise<void> | undefined
  /** The context of the first call, which gets the notice even if it asks more than once. */
  #firstCall: { readonly context: CallContext | undefined } | undefined

  constructor({ part, project, absence }: Opening, { sessionMode: mode = 'own', timer }: EngineParts) {
    this.#watch = new StoreWatch(timer ?? systemTimer, () => this.#version())
    this.project = project
    this.#part = part
    this.#endsSession = mode === 'own'
    this.#absence = absence
  }

  get #engine(): Engine {
    return this.#part.opened.engine
  }

  get location(): string {
    return this.#engine.store.location
  }

  get scope(): string | undefined {
    return this.#engine.scope
  }

  /** Who calls when a call does not say. */
  get principal(): Principal {
    return this.#engine.principal
  }

  get limits(): Settings['limits'] {
    return this.#engine.settings.limits
  }

  get lastLearnedBlockId(): string | undefined {
    return this.#engine.session.breadcrumbs.lastLearnedBlockId
  }

  get lastRecallBlockIds(): readonly string[] {
    return this.#engine.session.breadcrumbs.lastRecallBlockIds
  }

  get sessionBlockIds(): readonly string[] {
    return this.#engine.session.breadcrumbs.sessionBlockIds
  }

  /** Runs an operation and returns its output; rejects with the operation's error, or `CLOSED` after `close`. */
  call(operation: Operation, input: unknown, context?: CallContext): Promise<unknown> {
    return this.#track(
      async () => {
        const output = await invoke(operation, this.#engine, input, context)
        return withToString(operation, this.#withNotices(output, context))
      },
      () => this.#makesMemory(operation, input, context),
    )
  }

  /** True for a call that begins a memory where there is none; one that will be refused begins nothing. */
  #makesMemory(operation: Operation, input: unknown, context?: CallContext): boolean {
    const { makesMemory, needs } = operation
    const makes = typeof makesMemory === 'function' ? makesMemory(Object(input)) : makesMemory === true
    if (!makes || !mayDo(context?.principal ?? this.principal, needs)) return false
    return isTaken(operation, input)
  }

  /** Adds to the summary of the first answer which memory this is, if that needs saying. */
  #withNotices(output: unknown, context: CallContext | undefined): unknown {
    const { notice } = this.#engine
    const absence = this.#absence && `There is no memory at ${shownLine(this.#absence.path)} yet.`
    const notices = [absence, notice].filter((each) => each !== undefined)
    if (notices.length === 0 || context?.showsNoSummary || typeof output !== 'object' || output === null)
      return output
    if (this.#firstCall && (this.#firstCall.context !== context || context === undefined)) return output
    this.#firstCall ??= { context }
    const { summary = '' } = output as { readonly summary?: string }
    const untold = notices.filter((each) => !summary.includes(each))
    const told = { ...output, summary: [summary, ...untold].join(' ') }
    return Object.defineProperty(told, NOTICES, { value: notices, enumerable: false })
  }

  /** Ends the running session and returns the id of a new one; rejects for a caller that only reads. */
  beginSession({ taskType = 'general' }: { readonly taskType?: string } = {}): Promise<string> {
    const { session, principal } = this.#engine
    return this.#track(async () => {
      if (!mayWrite(this.#engine, {})) throw readsOnly(principal, 'beginSession')
      const name = await taskTypeOf(this.#engine, taskType)
      return this.#writeSession(async (tx) => {
        const moment = session.moment(await readClock(tx))
        await session.end(tx, moment)
        return (await session.ensure(tx, moment, name)).id
      })
    })
  }

  /** Ends the running session and returns its length in active hours, 0 if there is none. */
  endSession(): Promise<number> {
    return this.#track(() => this.#endSession())
  }

  /** True if so many blocks wait in the inbox that a dream is due. */
  shouldDream(): Promise<boolean> {
    const engine = this.#engine
    return this.#track(() =>
      engine.store.read(async (tx) => (await readWaiting(tx)) >= engine.settings.memory.inboxThreshold),
    )
  }

  /**
   * New entries of the log, whoever writes, within half a second of their commit. It is no call: work at rest goes on, and
   * nobody's rate counts it. See `MemoryLifetime`.
   */
  watch(options: WatchOptions = {}): AsyncIterableIterator<Watched> {
    if (this.#closing) throw closed()
    const scope = boundScope(options.scope)
    const store = () => (scope === undefined ? this.#engine : this.#engine.within(scope)).store
    return watchEntries(this.#watch, store, options)
  }

  /** The memory's file, its backups and its scopes, those with most blocks first. */
  place(): Promise<MemoryPlace> {
    return this.#track(() => readPlace(this.#engine))
  }

  /** Tells a watcher at each look at the memory if anything was committed since, by whatever process; returns what ends that. */
  onLook(watcher: Watcher): () => void {
    return this.#watch.begin(watcher)
  }

  /** Another text after each commit, and when the memory was made that was not there. */
  async #version(): Promise<string> {
    if (this.#absence) await this.#awake(false)
    return `${this.#absence === undefined} ${await this.#engine.store.version()}`
  }

  /** Loads the embedder in the background, so that the first recall does not wait. */
  warm(): void {
    this.#engine.embedder.warm?.()
  }

  /** Waits for running calls, ends its own session and lets go of the file; a second call is no error. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /** The same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    this.#watch.close()
    await Promise.allSettled([...this.#running, this.#part.background.close()])
    // A call may have made the memory meanwhile.
    await this.#part.background.close()
    await this.#engine.behind.done()
    try {
      if (this.#endsSession) await this.#endSession()
      if (mayWrite(this.#engine, {})) await keepIndex(this.#engine)
    } catch (error) {
      // Of a file that is gone, or cannot be written, the end of the session cannot be kept; every call has said so.
      if (!ElfmemError.is(error) || !UNKEPT.has(error.code)) throw error
    } finally {
      await this.#part.opened.close()
    }
  }

  async #endSession(): Promise<number> {
    const { session } = this.#engine
    if (session.unended === undefined) return 0
    return this.#writeSession(async (tx) => session.end(tx, session.moment(await readClock(tx))))
  }

  /** Writes to the session; after a failure no session has begun or ended. */
  async #writeSession<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { store, session } = this.#engine
    let goBack = (): void => undefined
    try {
      return await store.write((tx) => {
        const before = session.unended
        goBack = () => session.backTo(before)
        return work(tx)
      })
    } catch (error) {
      goBack()
      throw error
    }
  }

  /** Runs work that `close` waits for; rejects with `CLOSED` once `close` was called. */
  #track<T>(work: () => Promise<T>, makesMemory = () => false): Promise<T> {
    if (this.#closing) return Promise.reject(closed())
    const calm = () => work().catch((error: unknown) => Promise.reject(harmlessError(error)))
    const running = this.#absence ? this.#awake(makesMemory()).then(() => this.#busy(calm)) : this.#busy(calm)
    this.#running.add(running)
    const forget = () => void this.#running.delete(running)
    void running.then(forget, forget)
    return running
  }

  async #busy<T>(work: () => Promise<T>): Promise<T> {
    const { background } = this.#part
    background.callBegins()
    try {
      await this.#engine.behind.done()
      return await work()
    } finally {
      background.callEnded()
    }
  }

  /** Takes the memory's file when there is one; makes it when the call begins a memory. */
  async #awake(makesMemory: boolean): Promise<void> {
    const { path, make } = this.#absence ?? {}
    if (path === undefined || make === undefined || !(makesMemory || existsSync(path))) return
    this.#making ??= make()
      .then((part) => {
        // Calls that still run on the empty memory need nothing that closing it would take.
        this.#part = part
        this.#absence = undefined
      })
      .finally(() => {
        this.#making = undefined
      })
    await this.#making
  }
}

function closed(): ElfmemError {
  const recovery = 'Open it again with openMemory().'
  return new ElfmemError('CLOSED', 'This memory was closed.', { recovery })
}

/** Adds a hidden `toString` that returns the answer in one line. */
function withToString({ inShort }: Operation, output: unknown): unknown {
  if (typeof output !== 'object' || output === null || !('summary' in output)) return output
  const { summary } = output
  const value = () => inShort?.(output) ?? summary
  return Object.defineProperty({ ...output }, 'toString', { value, enumerable: false })
}

/** The text of an answer, with what it says about the memory as a whole where the text leaves its summary out. */
export function rendered(operation: Operation, output: unknown): string {
  const text = operation.render(output)
  const notices = (output as { readonly [NOTICES]?: readonly string[] })[NOTICES] ?? []
  const untold = notices.map(harmless).filter((notice) => !text.includes(notice))
  return [text, ...untold].join('\n\n')
}
