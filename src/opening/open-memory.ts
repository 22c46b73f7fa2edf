import { nearest } from '../adapters/project/nearest.ts'
import type { Project } from '../adapters/project/resolve.ts'
import type { Settings } from '../config/settings.ts'
import { ElfmemError } from '../errors.ts'
import { dreamAdvice } from '../flow/engine/dream-policy.ts'
import type { CallContext, Engine } from '../flow/engine/engine.ts'
import { keepIndex } from '../flow/engine/keep-index.ts'
import { taskTypeOf } from '../flow/guard/task-type.ts'
import { invoke, type Operation } from '../operations/operation.ts'
import type { StoreWriter } from '../ports/store/transaction.ts'
import { type EngineParts, type OpenedEngine, openEngine } from './open-engine.ts'

/** The parts of a project that are needed to open its memory. */
export type OpenableProject = Pick<Project, 'settings' | 'database' | 'env'>

/** Opens the memory a project resolution chose, without loading any operation. */
export async function openLifetime(project: OpenableProject, parts: EngineParts = {}): Promise<OpenMemory> {
  const { settings, env, database } = project
  const opened = await openEngine({ path: database.path, settings, env }, parts)
  return new OpenMemory(opened, parts.sessionMode ?? 'own')
}

/** An engine between its opening and its closing: its session, its running calls, its end. */
export class OpenMemory {
  readonly #opened: OpenedEngine
  readonly #engine: Engine
  readonly #endsSession: boolean
  readonly #running = new Set<Promise<unknown>>()
  #closing: Promise<void> | undefined

  constructor(opened: OpenedEngine, mode: 'own' | 'resume') {
    this.#opened = opened
    this.#engine = opened.engine
    this.#endsSession = mode === 'own'
  }

  get location(): string {
    return this.#engine.store.location
  }

  get scope(): string | undefined {
    return this.#engine.scope
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
    const { session } = this.#engine
    return this.#track(async () => {
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
      engine.store.read(async (tx) => (await dreamAdvice(tx, engine, await tx.waiting())).shouldDream),
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
    await Promise.allSettled(this.#running)
    try {
      if (this.#endsSession) await this.#endSession()
      await keepIndex(this.#engine)
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
    const running = work()
    this.#running.add(running)
    const forget = () => void this.#running.delete(running)
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
