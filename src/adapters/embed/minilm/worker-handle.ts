import { Worker } from 'node:worker_threads'
import { ElfmemError } from '../../../errors.ts'
import type { KernelBuild } from './kernel.ts'

const SCRIPT = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)

/** Events that a worker reports to its owner. */
interface WorkerEvents {
  done(job: number, vectors: Float32Array): void
  /** The thread is gone; `jobs` are those it still had. */
  stopped(error: ElfmemError, jobs: readonly number[]): void
}

/** A worker thread that keeps the process alive only while it has jobs. */
export class WorkerHandle {
  readonly #thread: Worker
  readonly #events: WorkerEvents
  /** The jobs it has, and whether each is urgent. */
  readonly #jobs = new Map<number, boolean>()
  #failure: ElfmemError | undefined
  #closing = false

  constructor(options: WorkerOptions, events: WorkerEvents) {
    this.#events = events
    // Without the flags of this process: some, such as --input-type, forbid a file to start from.
    this.#thread = new Worker(SCRIPT, { workerData: options, execArgv: [], name: 'elfmem-embedder' })
    this.#thread.on('message', (message: FromWorker) => this.#receive(message))
    this.#thread.on('error', (cause) => this.#fail(crashed(cause)))
    this.#thread.on('exit', (code) => this.#exited(code))
    // Last: a listener for messages holds the process again.
    this.#thread.unref()
  }

  get load(): { readonly urgent: number; readonly patient: number } {
    const urgent = [...this.#jobs.values()].filter(Boolean).length
    return { urgent, patient: this.#jobs.size - urgent }
  }

  /** Sends a job, which keeps the process alive until it is done or cancelled; `done` reports its vectors. */
  embed(job: number, texts: readonly string[], urgent: boolean): void {
    this.#jobs.set(job, urgent)
    this.#thread.ref()
    this.#send({ kind: 'embed', job, texts, urgent })
  }

  /** Gives a job up, whose vectors are never reported then; a job it does not have is no error. */
  cancel(job: number): void {
    if (!this.#jobs.has(job)) return
    this.#send({ kind: 'cancel', job })
    this.#forget(job)
  }

  /** Ends the thread and resolves when it is gone; jobs that it still has are not reported as stopped. */
  async close(): Promise<void> {
    this.#closing = true
    this.#thread.ref()
    await this.#thread.terminate()
  }

  #send(message: ToWorker): void {
    this.#thread.postMessage(message)
  }

  #forget(job: number): void {
    this.#jobs.delete(job)
    if (this.#jobs.size === 0) this.#thread.unref()
  }

  #receive(message: FromWorker): void {
    if (message.kind === 'broken') {
      this.#fail(
        new ElfmemError('EMBEDDER_FAILED', message.message, {
          recovery: message.recovery,
          cause: message.cause,
        }),
      )
      void this.#thread.terminate()
      return
    }
    // A cancelled job may have been finished before the worker heard of it.
    if (!this.#jobs.has(message.job)) return
    this.#forget(message.job)
    this.#events.done(message.job, message.vectors)
  }

  #fail(error: ElfmemError): void {
    this.#failure ??= error
  }

  #exited(code: number): void {
    if (this.#closing) return
    const error = this.#failure ?? crashed(new Error(`it exited with code ${code}`))
    this.#events.stopped(error, [...this.#jobs.keys()])
  }
}

function crashed(cause: unknown): ElfmemError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new ElfmemError('EMBEDDER_FAILED', `The embedding worker stopped: ${reason}.`, {
    recovery:
      'Call again: a new worker starts. If it keeps stopping, free memory or configure an HTTP embedder.',
    cause,
  })
}

/** Options of a worker at its start. */
export interface WorkerOptions {
  readonly build?: KernelBuild | undefined
  /** True if nobody waits yet: the worker embeds a first text, which takes twice as long as a later one. */
  readonly rehearse?: boolean
}

/** A message from the pool to a worker. An urgent job goes before the others, between two passes of the kernel. */
export type ToWorker =
  | {
      readonly kind: 'embed'
      readonly job: number
      readonly texts: readonly string[]
      readonly urgent: boolean
    }
  | { readonly kind: 'cancel'; readonly job: number }

/** A message from a worker to the pool. `vectors` holds the job's vectors one after another. */
export type FromWorker =
  | { readonly kind: 'done'; readonly job: number; readonly vectors: Float32Array }
  | { readonly kind: 'broken'; readonly message: string; readonly recovery: string; readonly cause: string }
