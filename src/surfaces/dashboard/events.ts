import type { Progress } from '../../engine/engine.ts'
import type { OpenMemory } from '../../engine/open-memory.ts'
import type { Timer } from '../../engine/ports.ts'
import type { Watched, WatchOptions } from '../../engine/watch.ts'
import { DASHBOARD_BOUNDS } from '../bounds.ts'
import type { Asked } from '../http/app.ts'
import { type EventStream, lastEventOf, serveEvents } from '../http/events.ts'

/** The beginning of a stream. */
export interface Hello {
  readonly version: string
  readonly readOnly: boolean
  readonly scope?: string
  readonly location: string
  /** The name of a memory that is made anew at each start, and whose file says nothing. */
  readonly name?: string
}

/** The part of a memory that streams need. */
export interface Watchable extends Pick<OpenMemory, 'call'> {
  watch(options: WatchOptions): AsyncIterable<Watched>
}

/** The streams of all pages: what anybody writes, how far own calls are, and the end. */
export class Streams {
  readonly #memory: Watchable
  readonly #hello: Hello
  readonly #how: { readonly timer: Timer; readonly onerror: (error: Error) => void }
  readonly #open = new Set<EventStream>()

  constructor(memory: Watchable, hello: Hello, how: { timer: Timer; onerror: (error: Error) => void }) {
    this.#memory = memory
    this.#hello = hello
    this.#how = how
  }

  get isFull(): boolean {
    return this.#open.size >= DASHBOARD_BOUNDS.streams
  }

  /** The beginning of a stream for who has none yet, and the number of the entry to go on after, if it can be read. */
  async greeting(): Promise<{ readonly hello: Hello; readonly last?: number }> {
    const last = await newestEntry(this.#memory).catch(() => undefined)
    return { hello: this.#hello, ...(last === undefined ? {} : { last }) }
  }

  /** Answers with a stream, which goes on after the last entry that the page knows. */
  serve(c: Asked): Response {
    const after = lastEventOf(c)
    return serveEvents(c, this.#how, async (stream) => {
      this.#open.add(stream)
      try {
        const from = after ?? (await newestEntry(this.#memory))
        // The stream begins where the data of the page ends, so that nothing falls between the two.
        await stream.send(this.#hello, { event: 'hello', id: after === undefined ? from : undefined })
        await passOn(this.#memory.watch({ after: from, signal: stream.signal }), stream)
      } finally {
        this.#open.delete(stream)
      }
    })
  }

  /** Tells every page how far a call is. */
  progress(call: string, { stage, done, total }: Progress): void {
    for (const stream of this.#open) void stream.send({ call, stage, done, total }, { event: 'progress' })
  }

  /** Says goodbye, and ends all streams. */
  close(): void {
    for (const stream of this.#open) void stream.send({}, { event: 'bye' }).then(() => stream.end())
  }
}

/** The number of the newest entry of the log; 0 in an empty one. */
async function newestEntry(memory: Watchable): Promise<number> {
  const { history } = await import('../../operations/inspect/history.ts')
  const { operations } = (await memory.call(history, { limit: 1 })) as Awaited<ReturnType<typeof history.run>>
  return operations.at(-1)?.id ?? 0
}

/** Sends entries as they come; those that come together go out together, and no more is read than the page takes. */
async function passOn(entries: AsyncIterable<Watched>, stream: EventStream): Promise<void> {
  let ready: Exclude<Watched, { readonly isStale: true }>[] = []
  let sent = Promise.resolve()
  const flush = () => {
    const newest = ready.at(-1)
    if (newest !== undefined) sent = stream.send(ready, { event: 'operations', id: newest.id })
    ready = []
  }
  for await (const entry of entries) {
    await sent
    if ('isStale' in entry) {
      flush()
      await stream.send({ id: entry.id }, { event: 'stale', id: entry.id })
      continue
    }
    if (ready.length === 0) setImmediate(flush)
    ready.push(entry)
  }
  flush()
  await sent
}
