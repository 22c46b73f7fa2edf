import type { Embedder, EmbedOptions } from '../../../engine/ports.ts'
import { ElfmemError } from '../../../errors.ts'
import { MINILM_SCRIPTS } from '../embedder-wrappers.ts'
import { DIMENSIONS, type KernelBuild } from './kernel.ts'
import { WorkerHandle, type WorkerOptions } from './worker-handle.ts'

/** The options of the built-in embedder; each may be left out. */
export interface MiniLmOptions {
  /** Worker threads at most, 1 by default; each holds its own 40 MB. */
  readonly workers?: number
  /** The build of the kernel; by default the fastest that is exact here. All builds give the same vectors. */
  readonly build?: KernelBuild
}

/**
 * The embedder inside the package: all-MiniLM-L6-v2 with int8 weights, in worker threads, without network.
 *
 * Texts longer than 254 tokens are cut at sentences and their parts averaged. Fails with EMBEDDER_FAILED
 * when a worker stops, CANCELLED when the signal aborts, and CLOSED after close().
 */
export function createMiniLmEmbedder(options: MiniLmOptions = {}): Embedder {
  const pool = new WorkerPool(Math.max(1, options.workers ?? 1), { build: options.build })
  return {
    model: 'all-MiniLM-L6-v2-int8',
    dimensions: DIMENSIONS,
    scripts: MINILM_SCRIPTS,
    warm: () => pool.warm(),
    close: () => pool.close(),
    embed: (texts, embedOptions) => pool.embed(texts, embedOptions),
  }
}

/** A job is cut after this many texts or characters: it is what an abort waits for and workers share. */
const JOB_TEXTS = 8
const JOB_CHARACTERS = 2000
/** Jobs a worker holds of a long list: one running, one to go on with while the first travels back. */
const JOBS_AHEAD = 2

interface Request {
  readonly texts: readonly string[]
  readonly vectors: Float32Array[]
  readonly progress: ((done: number) => void) | undefined
  done: number
  settled: boolean
  resolve(vectors: Float32Array[]): void
  reject(error: unknown): void
}

interface Job {
  readonly id: number
  readonly request: Request
  readonly start: number
  readonly texts: readonly string[]
  worker?: WorkerHandle
}

/** Spreads lists of texts over worker threads; a single text, unless it is very long, overtakes every list. */
class WorkerPool {
  readonly #size: number
  readonly #options: WorkerOptions
  readonly #workers = new Set<WorkerHandle>()
  readonly #jobs = new Map<number, Job>()
  #waiting: Job[] = []
  #lastJob = 0
  #closed = false

  constructor(size: number, options: WorkerOptions) {
    this.#size = size
    this.#options = options
  }

  /** Starts the first worker when there is none, and lets it try its kernel. */
  warm(): void {
    if (!this.#closed && this.#workers.size === 0) this.#spawn({ ...this.#options, rehearse: true })
  }

  embed(texts: readonly string[], { signal, progress }: EmbedOptions = {}): Promise<Float32Array[]> {
    if (this.#closed) return Promise.reject(closed())
    if (signal?.aborted) return Promise.reject(cancelled(signal))
    if (texts.length === 0) return Promise.resolve([])
    return new Promise((resolve, reject) => {
      const request: Request = { texts, vectors: [], progress, done: 0, settled: false, resolve, reject }
      const abort = () => this.#abandon(request, cancelled(signal))
      signal?.addEventListener('abort', abort, { once: true })
      const settle =
        <T>(next: (value: T) => void) =>
        (value: T) => {
          request.settled = true
          signal?.removeEventListener('abort', abort)
          next(value)
        }
      request.resolve = settle(resolve)
      request.reject = settle(reject)
      this.#enqueue(request)
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const request of this.#requests()) this.#abandon(request, closed())
    await Promise.all([...this.#workers].map((worker) => worker.close()))
    this.#workers.clear()
  }

  #requests(): Set<Request> {
    return new Set([...this.#jobs.values()].map(({ request }) => request))
  }

  #enqueue(request: Request): void {
    const urgent = isUrgent(request.texts)
    for (const { start, texts } of cutJobs(request.texts)) {
      const job: Job = { id: ++this.#lastJob, request, start, texts }
      this.#jobs.set(job.id, job)
      if (urgent) this.#send(job, this.#freest(), true)
      else this.#waiting.push(job)
    }
    this.#dispatch()
  }

  /** Hands out waiting jobs while a worker wants one: the rest can still be taken back. */
  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const worker = this.#freest()
      const job = worker.load.patient < JOBS_AHEAD ? this.#waiting.shift() : undefined
      if (job === undefined) return
      this.#send(job, worker, false)
    }
  }

  #send(job: Job, worker: WorkerHandle, urgent: boolean): void {
    job.worker = worker
    worker.embed(job.id, job.texts, urgent)
  }

  /** A worker with nothing to do, a new one while there may be more, else the one with least to do. */
  #freest(): WorkerHandle {
    const weight = ({ load }: WorkerHandle) => load.urgent * JOBS_AHEAD + load.patient
    const [least] = [...this.#workers].sort((a, b) => weight(a) - weight(b))
    const busy = least === undefined || weight(least) > 0
    return least === undefined || (busy && this.#workers.size < this.#size) ? this.#spawn() : least
  }

  #spawn(options = this.#options): WorkerHandle {
    const worker: WorkerHandle = new WorkerHandle(options, {
      done: (job, vectors) => this.#finish(job, vectors),
      stopped: (error, jobs) => this.#lose(worker, error, jobs),
    })
    this.#workers.add(worker)
    return worker
  }

  #finish(id: number, vectors: Float32Array): void {
    const job = this.#jobs.get(id)
    if (job === undefined) return
    this.#jobs.delete(id)
    this.#dispatch()
    const { request, start, texts } = job
    for (let i = 0; i < texts.length; i++) {
      request.vectors[start + i] = vectors.slice(i * DIMENSIONS, (i + 1) * DIMENSIONS)
    }
    request.done += texts.length
    try {
      request.progress?.(request.done)
    } catch (error) {
      this.#abandon(request, error)
    }
    if (!request.settled && request.done === request.texts.length) request.resolve(request.vectors)
  }

  /** A thread that stopped takes the requests down that had work in it; the others get a new thread. */
  #lose(worker: WorkerHandle, error: ElfmemError, ids: readonly number[]): void {
    this.#workers.delete(worker)
    for (const id of ids) {
      const job = this.#jobs.get(id)
      if (job !== undefined) this.#abandon(job.request, error)
    }
    this.#dispatch()
  }

  #abandon(request: Request, error: unknown): void {
    if (request.settled) return
    for (const job of this.#jobs.values()) {
      if (job.request !== request) continue
      job.worker?.cancel(job.id)
      this.#jobs.delete(job.id)
    }
    this.#waiting = this.#waiting.filter((job) => job.request !== request)
    request.reject(error)
  }
}

/** Returns true for a single text that is short: somebody waits for it, and a long one would make others wait. */
function isUrgent(texts: readonly string[]): boolean {
  return texts.length === 1 && (texts[0]?.length ?? 0) <= JOB_CHARACTERS
}

function cutJobs(texts: readonly string[]): { start: number; texts: readonly string[] }[] {
  const jobs: { start: number; texts: readonly string[] }[] = []
  let start = 0
  let characters = 0
  texts.forEach((text, i) => {
    const full = i - start >= JOB_TEXTS || characters + text.length > JOB_CHARACTERS
    if (full && i > start) {
      jobs.push({ start, texts: texts.slice(start, i) })
      start = i
      characters = 0
    }
    characters += text.length
  })
  jobs.push({ start, texts: texts.slice(start) })
  return jobs
}

function cancelled(signal: AbortSignal | undefined): ElfmemError {
  return new ElfmemError('CANCELLED', 'Embedding was cancelled.', {
    recovery: 'Call again without aborting the signal.',
    cause: signal?.reason,
  })
}

function closed(): ElfmemError {
  return new ElfmemError('CLOSED', 'The embedder is closed.', { recovery: 'Create a new embedder.' })
}
