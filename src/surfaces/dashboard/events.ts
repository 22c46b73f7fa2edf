import type { ServerResponse } from 'node:http'
import type { Progress } from '../../engine/engine.ts'
import type { OpenMemory } from '../../engine/open-memory.ts'
import type { Timer } from '../../engine/ports.ts'
import type { Watched } from '../../engine/watch.ts'
import { DASHBOARD_BOUNDS } from '../bounds.ts'

/** The beginning of a stream. */
export interface Hello {
  readonly version: string
  readonly readOnly: boolean
  readonly scope?: string
  readonly location: string
  /** The name of a memory that is made anew at each start, and whose file says nothing. */
  readonly name?: string
}

type Watchable = Pick<OpenMemory, 'watch' | 'call'>

/** The streams of all pages: what anybody writes, how far own calls are, and the end. */
export class Streams {
  readonly #memory: Watchable
  readonly #hello: Hello
  readonly #timer: Timer
  readonly #open = new Set<Stream>()

  constructor(memory: Watchable, hello: Hello, timer: Timer) {
    this.#memory = memory
    this.#hello = hello
    this.#timer = timer
  }

  get isFull(): boolean {
    return this.#open.size >= DASHBOARD_BOUNDS.streams
  }

  /** The beginning of a stream for who has none yet, and the number of the entry to go on after, if it can be read. */
  async greeting(): Promise<{ readonly hello: Hello; readonly last?: number }> {
    const last = await newestEntry(this.#memory).catch(() => undefined)
    return { hello: this.#hello, ...(last === undefined ? {} : { last }) }
  }

  /**
   * Sends events over a response until one side ends.
   *
   * @param after the number of the last entry that the page knows
   */
  async serve(
    response: ServerResponse,
    {
      after,
      headers,
    }: { readonly after: number | undefined; readonly headers: Readonly<Record<string, string>> },
  ): Promise<void> {
    const stream = new Stream(response, headers, this.#timer)
    this.#open.add(stream)
    response.once('close', () => void this.#open.delete(stream))
    const from = after ?? (await newestEntry(this.#memory))
    // What comes now is after what the page begins with, so that nothing falls between two streams.
    stream.send('hello', this.#hello, after === undefined ? from : undefined)
    try {
      await passOn(this.#memory.watch({ after: from, signal: stream.signal }), stream)
    } finally {
      stream.end()
    }
  }

  /** Tells every page how far a call is. */
  progress(call: string, { stage, done, total }: Progress): void {
    for (const stream of this.#open) stream.send('progress', { call, stage, done, total })
  }

  /** Says goodbye, and ends all streams. */
  close(): void {
    for (const stream of this.#open) {
      stream.send('bye', {})
      stream.end()
    }
  }
}

/** The number of the newest entry of the log; 0 in an empty one. */
async function newestEntry(memory: Watchable): Promise<number> {
  const { history } = await import('../../operations/inspect/history.ts')
  const { operations } = (await memory.call(history, { limit: 1 })) as Awaited<ReturnType<typeof history.run>>
  return operations.at(-1)?.id ?? 0
}

/** Sends entries as they come; those that come together go out together. */
async function passOn(entries: AsyncIterable<Watched>, stream: Stream): Promise<void> {
  let ready: Exclude<Watched, { readonly isStale: true }>[] = []
  const flush = () => {
    const newest = ready.at(-1)
    if (newest !== undefined) stream.send('operations', ready, newest.id)
    ready = []
  }
  for await (const entry of entries) {
    if ('isStale' in entry) {
      flush()
      stream.send('stale', { id: entry.id }, entry.id)
      continue
    }
    if (ready.length === 0) setImmediate(flush)
    ready.push(entry)
  }
  flush()
}

/** One stream of server-sent events. */
class Stream {
  readonly #response: ServerResponse
  readonly #ending = new AbortController()
  readonly #timer: Timer
  #alive: () => void = () => undefined

  constructor(response: ServerResponse, headers: Readonly<Record<string, string>>, timer: Timer) {
    this.#response = response
    this.#timer = timer
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream; charset=utf-8' })
    response.flushHeaders()
    this.#stayAlive()
    response.once('close', () => this.#stop())
  }

  /** Aborted when either side ends. */
  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** @param id the number of the newest entry that the page knows now */
  send(event: string, data: unknown, id?: number): void {
    const mark = id === undefined ? '' : `id: ${id}\n`
    // JSON has no line ends, so that one line holds it.
    this.#write(`event: ${event}\n${mark}data: ${JSON.stringify(data)}\n\n`)
  }

  end(): void {
    this.#stop()
    this.#response.end()
  }

  #stayAlive(): void {
    this.#alive = this.#timer.after(DASHBOARD_BOUNDS.aliveMs, () => {
      this.#write(': \n\n')
      if (!this.signal.aborted) this.#stayAlive()
    })
  }

  #write(text: string): void {
    if (this.#response.writableEnded || this.#response.destroyed) return
    this.#response.write(text)
    // Whoever reads no more is let go; a page comes again and says where it was.
    if (this.#response.writableLength > DASHBOARD_BOUNDS.unreadBytes) this.#response.destroy()
  }

  #stop(): void {
    this.#alive()
    this.#ending.abort()
  }
}
