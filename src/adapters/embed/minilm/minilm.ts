import { Worker } from 'node:worker_threads'
import type { Embedder, EmbedOptions } from '../../../engine/ports.ts'
import { ElfmemError } from '../../../errors.ts'
import { MINILM_SCRIPTS } from '../embedder-wrappers.ts'
import { DIMENSIONS } from './kernel.ts'

/**
 * The embedder inside the package: all-MiniLM-L6-v2 with int8 weights, in a worker thread, without network.
 *
 * Texts longer than 254 tokens are cut at sentences and their parts averaged. Fails with EMBEDDER_FAILED
 * when the worker stops, CANCELLED when the signal aborts, and CLOSED after close().
 */
export function createMiniLmEmbedder(): Embedder {
  const thread = new EmbeddingThread()
  return {
    model: 'all-MiniLM-L6-v2-int8',
    dimensions: DIMENSIONS,
    scripts: MINILM_SCRIPTS,
    warm: () => thread.warm(),
    close: () => thread.close(),
    embed: (texts, options) => thread.embed(texts, options),
  }
}

/** A list of texts for the worker; a request that is urgent goes before the others, between two passes of the kernel. */
export interface WorkerRequest {
  readonly kind: 'embed'
  readonly id: number
  readonly texts: readonly string[]
  readonly isUrgent: boolean
}

/** A message to the worker. */
export type ToWorker = WorkerRequest | { readonly kind: 'cancel'; readonly id: number }

/** A message of the worker. `vectors` holds the next vectors of a request, one after another. */
export type FromWorker =
  | { readonly kind: 'vectors'; readonly id: number; readonly vectors: Float32Array }
  | { readonly kind: 'broken'; readonly message: string; readonly recovery: string; readonly cause: string }

/** Options of the worker at its start. */
export interface WorkerOptions {
  /** True: the worker embeds a text at its start, because its first text takes twice as long as a later one. */
  readonly rehearse: boolean
}

const SCRIPT = new URL(import.meta.url.endsWith('.ts') ? './worker.ts' : './worker.js', import.meta.url)

/** The most characters of an urgent text: somebody waits for it, and a longer one would make others wait. */
const URGENT_CHARACTERS = 2000

interface Request {
  readonly size: number
  readonly vectors: Float32Array[]
  readonly progress: ((done: number) => void) | undefined
  readonly resolve: (vectors: Float32Array[]) => void
  readonly reject: (error: unknown) => void
}

/** A worker thread that starts with the first texts and keeps the process alive only while it has some. */
class EmbeddingThread {
  #worker: Worker | undefined
  readonly #requests = new Map<number, Request>()
  #last = 0
  #isClosed = false

  /** Starts the worker when there is none, and lets it try its kernel. */
  warm(): void {
    if (!this.#isClosed && this.#worker === undefined) this.#start({ rehearse: true })
  }

  async embed(texts: readonly string[], { signal, progress }: EmbedOptions = {}): Promise<Float32Array[]> {
    if (this.#isClosed) throw closed()
    if (signal?.aborted) throw cancelled(signal)
    if (texts.length === 0) return []
    const worker = this.#worker ?? this.#start({ rehearse: false })
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array[]>()
    const id = ++this.#last
    this.#requests.set(id, { size: texts.length, vectors: [], progress, resolve, reject })
    const abort = () => this.#abandon(id, cancelled(signal))
    signal?.addEventListener('abort', abort, { once: true })
    const isUrgent = texts.length === 1 && (texts[0]?.length ?? 0) <= URGENT_CHARACTERS
    worker.ref()
    worker.postMessage({ kind: 'embed', id, texts, isUrgent } satisfies ToWorker)
    return promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const worker = this.#worker
    this.#lose(worker, closed())
    worker?.ref()
    await worker?.terminate()
  }

  #start(workerData: WorkerOptions): Worker {
    // The worker gets no flags of this process, since some, such as --input-type, forbid a file to start from.
    const worker = new Worker(SCRIPT, { workerData, execArgv: [], name: 'elfmem-embedder' })
    worker.on('message', (message: FromWorker) => this.#receive(worker, message))
    worker.on('error', (cause) => this.#lose(worker, crashed(cause)))
    worker.on('exit', (code) => this.#lose(worker, crashed(new Error(`it exited with code ${code}`))))
    // `unref` comes last, because a listener for messages holds the process.
    worker.unref()
    this.#worker = worker
    return worker
  }

  #receive(worker: Worker, message: FromWorker): void {
    if (message.kind === 'broken') {
      const { message: said, recovery, cause } = message
      this.#lose(worker, new ElfmemError('EMBEDDER_FAILED', said, { recovery, cause }))
      void worker.terminate()
      return
    }
    const request = this.#requests.get(message.id)
    // The worker may not have heard yet that a request was cancelled.
    if (request === undefined) return
    const { size, vectors, progress } = request
    for (let at = 0; at < message.vectors.length; at += DIMENSIONS)
      vectors.push(message.vectors.slice(at, at + DIMENSIONS))
    try {
      progress?.(vectors.length)
    } catch (error) {
      this.#abandon(message.id, error)
    }
    if (vectors.length < size) return
    this.#forget(message.id)
    request.resolve(vectors)
  }

  /** Fails all requests of a worker that is gone; the next one starts another worker. */
  #lose(worker: Worker | undefined, error: ElfmemError): void {
    if (worker !== this.#worker) return
    this.#worker = undefined
    for (const [id, { reject }] of this.#requests) {
      this.#requests.delete(id)
      reject(error)
    }
  }

  #abandon(id: number, error: unknown): void {
    const request = this.#requests.get(id)
    if (request === undefined) return
    this.#worker?.postMessage({ kind: 'cancel', id } satisfies ToWorker)
    this.#forget(id)
    request.reject(error)
  }

  #forget(id: number): void {
    this.#requests.delete(id)
    if (this.#requests.size === 0) this.#worker?.unref()
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

function cancelled(signal: AbortSignal | undefined): ElfmemError {
  return new ElfmemError('CANCELLED', 'Embedding was cancelled.', {
    recovery: 'Call again without aborting the signal.',
    cause: signal?.reason,
  })
}

function closed(): ElfmemError {
  return new ElfmemError('CLOSED', 'The embedder is closed.', { recovery: 'Create a new embedder.' })
}
