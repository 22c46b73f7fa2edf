import { existsSync } from 'node:fs'
import { systemTimer } from '../adapters/system/machine.ts'
import { shownLine } from '../block/text.ts'
import { type MemoryPlace, readPlace } from '../care/files-of.ts'
import { dreamAtRest, quietMsOf, type RestTurn } from '../dream/rest.ts'
import { ElfmemError } from '../errors.ts'
import { mayWrite, readsOnly, taskTypeOf } from '../intake/check-input.ts'
import { invoke, isTaken, type Operation } from '../operations/operation.ts'
import { harmlessError } from '../operations/wording.ts'
import { readWaiting } from '../store/blocks.ts'
import { embedWaiting, keepIndex, WAITING_BATCH } from './embedding.ts'
import {
  AUTO,
  boundScope,
  type CallContext,
  type Engine,
  logFailure,
  mayDo,
  nextTurn,
  type Principal,
  writeSession,
} from './engine.ts'
import {
  type EngineParts,
  type OpenableProject,
  type OpenedEngine,
  openEngine,
  worksAtRest,
} from './open-engine.ts'
import type { Timer } from './ports.ts'
import type { Settings } from './settings.ts'
import type { Turns } from './turns.ts'
import { type Watched, type WatchOptions, watchEntries } from './watch.ts'

/**
 * The behaviour without a file is `make`, which makes the file at once, or `wait`, which answers as an empty memory does and makes the file
 * before the first operation that begins a memory, such as `remember`.
 */
export type WhenMissing = 'make' | 'wait'

/** An engine, the function that closes it, and the work that it does by itself. */
interface Opened extends OpenedEngine {
  readonly background: BackgroundWork
}

/** Opens the memory that a project resolution chose, without loading any operation. */
export async function openLifetime(
  project: OpenableProject,
  parts: EngineParts = {},
  whenMissing: WhenMissing = 'make',
): Promise<OpenMemory> {
  const { path, server } = project.database
  const open = async (more: Pick<OpenableProject, 'isAbsent' | 'embedder'>): Promise<Opened> => {
    const opened = await openEngine({ ...project, ...more }, parts)
    const works = worksAtRest(parts) && !more.isAbsent && mayWrite(opened.engine, {})
    const timer = parts.timer ?? systemTimer
    return {
      ...opened,
      background: new BackgroundWork(timer, works ? idleWorkOf(opened.engine) : [], parts.turns),
    }
  }
  const isFile = path !== ':memory:' && server === undefined && !parts.store
  const isAbsent = whenMissing === 'wait' && isFile && !existsSync(path)
  if (isAbsent && parts.anew !== true) (await import('../sqlite/maintenance/lost.ts')).mustNotBeLost(path)
  const opened = await open({ isAbsent })
  const make = isAbsent ? () => open({ embedder: opened.engine.embedder }) : undefined
  return new OpenMemory(opened, project, parts, make)
}

/** A callable memory is the part of an open memory that a surface needs to call its operations. */
export type CallableMemory = Pick<OpenMemory, 'call' | 'limits'>

/** Bytes that an open memory takes in a process, as they were measured: without blocks, and for each block of its index. */
const BYTES = { open: 1_700_000, block: 800 }

/** An answer keeps its notices about the memory under this key; a surface whose text leaves the summary out adds them. */
export const NOTICES = Symbol('notices')

/** An open memory is an engine between its opening and its closing, with its session and its running calls. */
export class OpenMemory {
  readonly project: OpenableProject
  /** The memory that was opened; another one if this is the same memory for one of its holders. */
  readonly #root: OpenMemory
  readonly #holders = new Map<string, OpenMemory>()
  /** The engine of a holder, and the one it was made of. */
  #held: { readonly of: Engine; readonly engine: Engine } | undefined
  #opened: Opened
  readonly #timer: Timer
  /** Ends all watching when the memory closes. */
  readonly #watching = new AbortController()
  readonly #endsSession: boolean
  readonly #running = new Set<Promise<unknown>>()
  #closing: Promise<void> | undefined
  /** Makes the memory; present while there is none and `#opened` is an empty one in its place. */
  #make: (() => Promise<Opened>) | undefined
  #making: Promise<void> | undefined
  /** The context of the first call, which gets the notice even if it asks more than once. */
  #firstCall: { readonly context: CallContext | undefined } | undefined

  constructor(
    opened: Opened,
    project: OpenableProject,
    { sessionMode = 'own', timer = systemTimer }: EngineParts,
    make: (() => Promise<Opened>) | undefined,
    root?: OpenMemory,
  ) {
    this.#root = root ?? this
    this.#timer = timer
    this.project = project
    this.#opened = opened
    this.#endsSession = sessionMode === 'own'
    this.#make = make
  }

  get #engine(): Engine {
    const { engine } = this.#root.#opened
    if (this.#root === this) return engine
    // The making of a missing memory replaces its engine.
    if (this.#held?.of !== engine) this.#held = { of: engine, engine: forHolder(engine) }
    return this.#held.engine
  }

  /**
   * Returns this memory for one of its holders, such as the owner of a token: with a session, breadcrumbs and an echo guard of its own, over
   * the same index, store and background work. Closing it ends its session alone; closing this memory ends the sessions of all.
   */
  heldBy(name: string): OpenMemory {
    const root = this.#root
    const known = root.#holders.get(name)
    if (known !== undefined) return known
    const parts = { sessionMode: this.#endsSession ? 'own' : 'resume' } as const
    const held = new OpenMemory(root.#opened, this.project, parts, undefined, root)
    root.#holders.set(name, held)
    return held
  }

  /** Returns about how many bytes of memory this takes: those of an empty one, and those of its indexes. */
  get bytes(): number {
    return BYTES.open + BYTES.block * this.#engine.indexed()
  }

  get location(): string {
    return this.#engine.store.location
  }

  get scope(): string | undefined {
    return this.#engine.scope
  }

  /** Returns the caller of calls that name none. */
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

  /** Returns true for a call that begins a memory where there is none; a call that will be refused begins nothing. */
  #makesMemory(operation: Operation, input: unknown, context?: CallContext): boolean {
    const { makesMemory, needs } = operation
    const makes = typeof makesMemory === 'function' ? makesMemory(Object(input)) : makesMemory === true
    if (!makes || !mayDo(context?.principal ?? this.principal, needs)) return false
    return isTaken(operation, input)
  }

  /** Adds the notices about this memory to the summary of the first answer, if there are any. */
  #withNotices(output: unknown, context: CallContext | undefined): unknown {
    const { notice } = this.#engine
    const { path, name = path } = this.project.database
    const absence = this.#root.#make && `There is no memory at ${shownLine(name)} yet.`
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
      return writeSession(this.#engine, async (tx) => {
        const moment = session.moment((await tx.state()).clock)
        await session.end(tx, moment)
        return (await session.ensure(tx, moment, name)).id
      })
    })
  }

  endSession(): Promise<number> {
    return this.#track(() => this.#endSession())
  }

  /** Returns true if enough blocks wait in the inbox for a dream. */
  shouldDream(): Promise<boolean> {
    const engine = this.#engine
    return this.#track(() =>
      engine.store.read(async (tx) => (await readWaiting(tx)) >= engine.settings.memory.inboxThreshold),
    )
  }

  /** Returns new entries of the log, see `MemoryLifetime`. It is no call: work at rest goes on, and no rate counts it. */
  watch(options: WatchOptions = {}): AsyncIterableIterator<Watched> {
    const root = this.#root
    if (this.#closing ?? root.#closing) throw closed()
    const scope = boundScope(options.scope)
    const store = () => (scope === undefined ? this.#engine : this.#engine.within(scope)).store
    const version = () => root.#version()
    return watchEntries({ store, version, timer: root.#timer, closing: root.#watching.signal }, options)
  }

  /** Returns the memory's file, its backups and its scopes, those with most blocks first. */
  place(): Promise<MemoryPlace> {
    return this.#track(() => readPlace(this.#engine))
  }

  /** Returns a text that changes after each commit, and when a missing memory was made. */
  async #version(): Promise<string> {
    if (this.#make) await this.#awake(false)
    return `${this.#make === undefined} ${await this.#engine.store.version()}`
  }

  warm(): void {
    this.#engine.embedder.warm?.()
  }

  /** Waits for running calls, ends its own session and closes the file; a second call is no error. */
  close(): Promise<void> {
    this.#closing ??= this.#root === this ? this.#close() : this.#letGo(this.#root)
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Ends the session of a holder, for whom the memory begins anew with the next call. */
  async #letGo(root: OpenMemory): Promise<void> {
    for (const [name, held] of root.#holders) if (held === this) root.#holders.delete(name)
    if (this.#endsSession && !root.#closing) await root.#track(() => this.#endSession())
  }

  async #close(): Promise<void> {
    this.#watching.abort()
    await Promise.allSettled([...this.#running, this.#opened.background.close()])
    // A call may have made the memory meanwhile.
    await this.#opened.background.close()
    await this.#engine.behind.done()
    try {
      if (this.#endsSession) for (const each of [this, ...this.#holders.values()]) await each.#endSession()
      if (mayWrite(this.#engine, {})) await keepIndex(this.#engine)
    } catch (error) {
      // If the file is gone or cannot be written, the end of the session is lost; every call has said so.
      const isSaid = ElfmemError.is(error) && /^STORE_(MOVED|FULL|READ_ONLY)$/.test(error.code)
      if (!isSaid) throw error
    } finally {
      await this.#opened.close()
    }
  }

  async #endSession(): Promise<number> {
    const { session } = this.#engine
    if (session.unended === undefined) return 0
    return writeSession(this.#engine, async (tx) => session.end(tx, session.moment((await tx.state()).clock)))
  }

  /** Runs work for which `close` waits; rejects with `CLOSED` once `close` was called. */
  #track<T>(work: () => Promise<T>, makesMemory = () => false): Promise<T> {
    if (this.#closing) return Promise.reject(closed())
    if (this.#root !== this) return this.#root.#track(work, makesMemory)
    const calm = () => work().catch((error: unknown) => Promise.reject(harmlessError(error)))
    const running = this.#make ? this.#awake(makesMemory()).then(() => this.#busy(calm)) : this.#busy(calm)
    this.#running.add(running)
    const forget = () => void this.#running.delete(running)
    void running.then(forget, forget)
    return running
  }

  async #busy<T>(work: () => Promise<T>): Promise<T> {
    const { background } = this.#opened
    background.callBegins()
    try {
      await this.#engine.behind.done()
      return await work()
    } finally {
      background.callEnded()
    }
  }

  /** Takes the memory's file if there is one; makes it if the call begins a memory. */
  async #awake(makesMemory: boolean): Promise<void> {
    if (this.#make === undefined || !(makesMemory || existsSync(this.project.database.path))) return
    this.#making ??= this.#make()
      .then((opened) => {
        // Calls that still run on the empty memory need nothing that closing it would take.
        this.#opened = opened
        this.#make = undefined
      })
      .finally(() => {
        this.#making = undefined
      })
    await this.#making
  }
}

/** Returns an engine with a session and an echo guard of its own; it shares store, caches, models and background work. */
function forHolder(
  engine: Engine,
  own = { session: engine.session.another(), served: engine.served.another() },
): Engine {
  return {
    ...engine,
    ...own,
    within: (scope) => forHolder(engine.within(scope), own),
    over: (store) => ({ ...engine.over(store), ...own }),
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

/** Work that a memory does by itself while nobody calls. */
interface IdleWork {
  readonly quietMs: number
  /** Does some of the work; returns the milliseconds until the next run, or undefined to wait for the next call. */
  run(turn: RestTurn): Promise<number | undefined>
  /** Handles a failure of `run`, which is tried again later, each time later than before. */
  failed(error: unknown): void
}

/** Returns the work that the memory does by itself, the most urgent first: vectors for waiting blocks, then dreams. */
function idleWorkOf(engine: Engine): IdleWork[] {
  let lacking = 0
  const embedding: IdleWork = {
    quietMs: 0,
    async run({ signal }) {
      const before = lacking
      const portion = { most: WAITING_BATCH, milliseconds: Number.POSITIVE_INFINITY }
      lacking = await embedWaiting(engine, { signal, actor: AUTO }, portion)
      // An engine that embeds nothing now is asked again after the next call.
      return lacking === 0 || lacking === before ? undefined : 0
    },
    failed: (error) => logFailure(engine.logger, 'embedWaiting', error),
  }
  if (engine.rest.mode === 'off') return [embedding]
  const failed = (error: unknown) => {
    engine.rest.trouble = logFailure(engine.logger, 'dream', error)
  }
  return [embedding, { quietMs: quietMsOf(engine), run: (turn) => dreamAtRest(engine, turn), failed }]
}

/** Milliseconds before failed work is tried again: the first time, and at most. */
const RETRY = { first: 60_000, longest: 3_600_000 }

interface Job {
  readonly work: IdleWork
  /** Cancels the timer of the next run. */
  cancel?: (() => void) | undefined
  isDue: boolean
  failures: number
  /** The work failed and waits to be tried again: no call brings that forward. */
  isHeld: boolean
}

/** Does idle work in the order of the list, and none while a call is running. It never keeps the process alive. */
class BackgroundWork {
  readonly #timer: Timer
  readonly #jobs: readonly Job[]
  readonly #turns: Turns | undefined
  readonly #closing = new AbortController()
  #calls = 0
  #callsBegun = 0
  #running: Promise<void> | undefined

  constructor(timer: Timer, works: readonly IdleWork[], turns: Turns | undefined) {
    this.#timer = timer
    this.#turns = turns
    this.#jobs = works.map((work) => ({ work, isDue: false, failures: 0, isHeld: false }))
    this.#waitForAll()
  }

  callBegins(): void {
    this.#calls += 1
    this.#callsBegun += 1
    for (const job of this.#jobs) {
      job.isDue = false
      if (!job.isHeld) job.cancel?.()
    }
  }

  /** Ends the call that `callBegins` began; after the last running call the quiet time of all work begins anew. */
  callEnded(): void {
    this.#calls -= 1
    if (this.#calls === 0) this.#waitForAll()
  }

  async close(): Promise<void> {
    this.#closing.abort()
    for (const { cancel } of this.#jobs) cancel?.()
    await this.#running
  }

  #waitForAll(): void {
    for (const job of this.#jobs) this.#waitFor(job, job.work.quietMs)
  }

  #waitFor(job: Job, milliseconds: number): void {
    if (this.#closing.signal.aborted || job.isHeld) return
    job.cancel?.()
    job.cancel = this.#timer.after(milliseconds, () => {
      job.isDue = true
      this.#next()
    })
  }

  #next(): void {
    if (this.#due === undefined || this.#running) return
    const { signal } = this.#closing
    // A call may come in before the turn does.
    const work = async () => {
      const job = this.#due
      if (job !== undefined) await this.#run(job)
    }
    this.#running = (this.#turns?.take(work, signal).catch(() => undefined) ?? work()).finally(() => {
      this.#running = undefined
      this.#next()
    })
  }

  /** The work that may run now. */
  get #due(): Job | undefined {
    if (this.#calls > 0 || this.#closing.signal.aborted) return undefined
    return this.#jobs.find(({ isDue }) => isDue)
  }

  async #run(job: Job): Promise<void> {
    job.isDue = false
    const begun = this.#callsBegun
    const { signal } = this.#closing
    const isUncalled = () => this.#callsBegun === begun && !signal.aborted
    const goesOn = async () => {
      if (isUncalled()) await nextTurn()
      return isUncalled()
    }
    try {
      const again = await job.work.run({ goesOn, signal })
      job.failures = 0
      // After a call everything begins anew.
      if (again !== undefined && isUncalled()) this.#waitFor(job, again)
    } catch (error) {
      if (!signal.aborted) this.#hold(job, error)
    }
  }

  #hold(job: Job, error: unknown): void {
    job.work.failed(error)
    job.cancel?.()
    job.isHeld = true
    const wait = Math.min(RETRY.longest, RETRY.first * 2 ** Math.min(job.failures, 30))
    job.failures += 1
    job.cancel = this.#timer.after(wait, () => {
      job.isHeld = false
      if (this.#calls === 0) this.#waitFor(job, 0)
    })
  }
}
