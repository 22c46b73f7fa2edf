import { nearest } from '../adapters/project/nearest.ts'
import type { Project } from '../adapters/project/resolve.ts'
import { systemTimer } from '../adapters/system/timer.ts'
import type { Settings } from '../config/settings.ts'
import { ElfmemError } from '../errors.ts'
import { dreamDue } from '../flow/engine/dream-policy.ts'
import { AUTO, type CallContext, type Engine } from '../flow/engine/engine.ts'
import { keepIndex } from '../flow/engine/keep-index.ts'
import type { Principal, Surface } from '../flow/guard/accept-caller.ts'
import { mayWrite, readsOnly } from '../flow/guard/owner-only.ts'
import { taskTypeOf } from '../flow/guard/task-type.ts'
import { DreamAtRest } from '../flow/rest/dream-at-rest.ts'
import { embedWaiting } from '../flow/waiting/embed-waiting.ts'
import { invoke, type Operation } from '../operations/operation.ts'
import type { StoreWriter } from '../ports/store/transaction.ts'
import { BackgroundWork, type IdleWork } from './background-work.ts'
import { type EngineParts, type OpenedEngine, openEngine, worksAtRest } from './open-engine.ts'

/** The parts of a project that are needed to open its memory. */
export type OpenableProject = Pick<Project, 'settings' | 'database' | 'env'>

/** A project and what its callers come through. */
interface Opening extends OpenableProject {
  /** `library` unless given. */
  readonly surface?: Surface
}

/** Opens the memory a project resolution chose, without loading any operation. */
export async function openLifetime(project: Opening, parts: EngineParts = {}): Promise<OpenMemory> {
  const { settings, env, database, surface = 'library' } = project
  const opened = await openEngine({ path: database.path, settings, env, surface }, parts)
  const works = worksAtRest(parts) && mayWrite(opened.engine, {}) ? idleWorkOf(opened.engine) : []
  const background = new BackgroundWork(parts.timer ?? systemTimer, works)
  return new OpenMemory(opened, background, parts.sessionMode ?? 'own')
}

/** What the memory does by itself, the most urgent first. */
function idleWorkOf(engine: Engine): IdleWork[] {
  return [embeddingWork(engine), ...(engine.rest.mode === 'off' ? [] : [dreamWork(engine)])]
}

/** Vectors for what was just remembered, soon after the call, a batch a turn. */
function embeddingWork(engine: Engine): IdleWork {
  const { memory } = engine.settings
  let lacking = 0
  return {
    quietMs: 0,
    async run({ signal }) {
      const portion = { most: memory.waitingBatch, milliseconds: memory.autoDreamBatchMs }
      const before = lacking
      lacking = await embedWaiting(engine, { signal, actor: AUTO }, portion)
      // Who embeds nothing now is asked again after the next call.
      const isStuck = lacking === before
      return lacking === 0 || isStuck ? undefined : 0
    },
    failed: (error) => logFailure(engine, 'embedWaiting', error),
  }
}

function dreamWork(engine: Engine): IdleWork {
  const dreams = new DreamAtRest(engine)
  return {
    quietMs: dreams.quietMs,
    run: (turn) => dreams.run(turn),
    failed(error) {
      engine.rest.trouble = logFailure(engine, 'dream', error)
    },
  }
}

function logFailure({ logger }: Engine, operation: string, error: unknown): string {
  const detail = error instanceof Error ? error.message : String(error)
  const outcome = ElfmemError.is(error) ? error.code : 'UNEXPECTED'
  logger.log({ level: 'error', operation, actor: AUTO, milliseconds: 0, outcome, detail })
  return detail
}

/** An engine between its opening and its closing: its session, its running calls, its end. */
export class OpenMemory {
  readonly #opened: OpenedEngine
  readonly #engine: Engine
  readonly #background: BackgroundWork
  readonly #endsSession: boolean
  readonly #running = new Set<Promise<unknown>>()
  #closing: Promise<void> | undefined

  constructor(opened: OpenedEngine, background: BackgroundWork, mode: 'own' | 'resume') {
    this.#opened = opened
    this.#background = background
    this.#engine = opened.engine
    this.#endsSession = mode === 'own'
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

  call(operation: Operation, input: unknown, context?: CallContext): Promise<unknown> {
    return this.#track(async () => {
      refuseUnknown(operation, input)
      return withToString(await invoke(operation, this.#engine, input, context))
    })
  }

  beginSession({ taskType = 'general' }: { readonly taskType?: string } = {}): Promise<string> {
    const { session, principal } = this.#engine
    return this.#track(async () => {
      if (!mayWrite(this.#engine, {})) throw readsOnly(principal, 'beginSession')
      const name = await taskTypeOf(this.#engine, taskType)
      return this.#writeSession(async (tx) => {
        const moment = session.moment(await tx.clock())
        await session.end(tx, moment)
        return (await session.ensure(tx, moment, name)).id
      })
    })
  }

  endSession(): Promise<number> {
    return this.#track(() => this.#endSession())
  }

  shouldDream(): Promise<boolean> {
    const engine = this.#engine
    return this.#track(() =>
      engine.store.read(async (tx) => (await dreamDue(tx, engine, await tx.waiting())).isDue),
    )
  }

  warm(): void {
    this.#engine.embedder.warm?.()
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #close(): Promise<void> {
    await Promise.allSettled([...this.#running, this.#background.close()])
    try {
      if (this.#endsSession) await this.#endSession()
      if (mayWrite(this.#engine, {})) await keepIndex(this.#engine)
    } finally {
      await this.#opened.close()
    }
  }

  async #endSession(): Promise<number> {
    const { session } = this.#engine
    if (session.current === undefined) return 0
    return this.#writeSession(async (tx) => session.end(tx, session.moment(await tx.clock())))
  }

  /** Writes to the session; after a failure no session has begun or ended. */
  async #writeSession<T>(work: (tx: StoreWriter) => Promise<T>): Promise<T> {
    const { store, session } = this.#engine
    let goBack = (): void => undefined
    try {
      return await store.write((tx) => {
        const before = session.current
        goBack = () => session.backTo(before)
        return work(tx)
      })
    } catch (error) {
      goBack()
      throw error
    }
  }

  /** Runs work that `close` waits for; rejects with `CLOSED` once `close` was called. */
  #track<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing) return Promise.reject(closed())
    this.#background.callBegins()
    const running = work()
    this.#running.add(running)
    const forget = () => {
      this.#running.delete(running)
      this.#background.callEnded()
    }
    void running.then(forget, forget)
    return running
  }
}

function closed(): ElfmemError {
  return new ElfmemError('CLOSED', 'This memory was closed.', {
    recovery: 'Open it again with openMemory().',
  })
}

/** Throws `INVALID_INPUT` for unknown arguments, so that a mistyped one is never silently ignored. */
function refuseUnknown(operation: Operation, input: unknown): void {
  if (typeof input !== 'object' || input === null) return
  const known = Object.keys(operation.input.shape)
  const unknown = Object.keys(input).filter((key) => !known.includes(key))
  if (unknown.length === 0) return
  const said = unknown.map((key) => {
    const similar = nearest(key, known)
    return similar === undefined ? key : `${key} (did you mean ${similar}?)`
  })
  throw new ElfmemError('INVALID_INPUT', `${operation.name} takes no ${said.join(', ')}.`, {
    recovery: known.length === 0 ? 'It takes no arguments.' : `It takes ${known.join(', ')}.`,
    details: { unknown, arguments: known },
  })
}

/** Adds a hidden `toString` that returns the summary. */
function withToString(output: unknown): unknown {
  if (typeof output !== 'object' || output === null || !('summary' in output)) return output
  const { summary } = output
  return Object.defineProperty({ ...output }, 'toString', { value: () => summary, enumerable: false })
}
