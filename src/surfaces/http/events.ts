import { type SSEStreamingApi, streamSSE } from 'hono/streaming'
import type { Timer } from '../../engine/ports.ts'
import { HTTP_BOUNDS } from '../bounds.ts'
import type { Asked } from './app.ts'

/** The time of the machine; no timer keeps the process alive. */
export const machineTimer: Timer = {
  after(milliseconds, work) {
    const timeout = setTimeout(work, milliseconds).unref()
    return () => clearTimeout(timeout)
  },
}

/** One stream of server-sent events. */
export class EventStream {
  readonly #sse: SSEStreamingApi
  readonly #ending = new AbortController()
  readonly #timer: Timer
  #alive: () => void = () => undefined

  constructor(sse: SSEStreamingApi, timer: Timer) {
    this.#sse = sse
    this.#timer = timer
    sse.onAbort(() => this.#stop())
    this.#stayAlive()
  }

  /** Aborted when either side ends. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /**
   * Sends an event; resolves when the client may be sent more, so that who does not read is waited for and not sent to.
   *
   * @param id the number of the newest entry that the client knows now
   */
  async send(
    data: unknown,
    { event, id }: { readonly event?: string; readonly id?: number | undefined } = {},
  ) {
    const named = { ...(event && { event }), ...(id === undefined ? {} : { id: String(id) }) }
    await this.#sse.writeSSE({ ...named, data: JSON.stringify(data) })
  }

  /** Ends the stream behind what was sent. */
  async end(): Promise<void> {
    this.#stop()
    await this.#sse.close()
  }

  #stayAlive(): void {
    this.#alive = this.#timer.after(HTTP_BOUNDS.aliveMs, () => {
      if (this.signal.aborted) return
      void this.#sse.write(': \n\n')
      this.#stayAlive()
    })
  }

  #stop(): void {
    this.#alive()
    this.#ending.abort()
  }
}

/** Answers with a stream, which ends with the work or with the client. */
export function serveEvents(
  c: Asked,
  { timer, onerror }: { readonly timer: Timer; readonly onerror: (error: Error) => void },
  work: (stream: EventStream) => Promise<void>,
): Response {
  const response = streamSSE(c, async (sse) => {
    const stream = new EventStream(sse, timer)
    try {
      await work(stream)
    } catch (cause) {
      if (!stream.signal.aborted) onerror(cause instanceof Error ? cause : new Error(String(cause)))
    } finally {
      await stream.end()
    }
  })
  response.headers.set('cache-control', 'no-store')
  return response
}

/** Returns the number of the last event that a client says it knows. */
export function lastEventOf({ env }: Asked): number | undefined {
  const [last = ''] = env.incoming.headersDistinct['last-event-id'] ?? []
  return /^\d{1,15}$/.test(last) ? Number(last) : undefined
}
