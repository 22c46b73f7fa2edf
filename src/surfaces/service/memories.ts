import type { OpenMemory } from '../../engine/open-memory.ts'
import { ElfmemError } from '../../errors.ts'
import type { Holder } from './holders.ts'

/** The parts that memories are made of. */
interface MemoriesParts {
  /** Opens a memory by its name, for the most that any holder may do; makes it when it is first written. */
  readonly open: (name: string) => Promise<OpenMemory>
  /** Returns a text with a memory's name in place of its path or address; absent: holders may know the path. */
  readonly named?: ((text: string, memory: string) => string) | undefined
  /** Bytes of open memories from which those used longest ago are closed, unless they are in use. */
  readonly bytes: number
  /** Rejects if no memory could be opened now. */
  readonly isReady?: () => Promise<void>
  /** Called if a memory that is not used any more cannot be closed. */
  readonly failed: (error: unknown) => void
}

/** An entry of the open memories. */
interface Entry {
  readonly opening: Promise<OpenMemory>
  /** The memory while it is open. */
  memory?: OpenMemory | undefined
  /** The bytes that it took when they were last counted. */
  bytes: number
  uses: number
}

/** The open memories of a service, by name; two that ask for one name at once get the same. */
export class Memories {
  readonly #parts: MemoriesParts
  /** The memory used last stands at the end. */
  readonly #entries = new Map<string, Entry>()
  /** Memories that are being closed; a name is opened again only after that. */
  readonly #closing = new Map<string, Promise<void>>()
  readonly #using = new Set<Promise<unknown>>()
  #bytes = 0
  #isClosed = false

  constructor(parts: MemoriesParts) {
    this.#parts = parts
  }

  /** The number of open memories. */
  get open(): number {
    return this.#entries.size
  }

  /** About the bytes that the open memories took when each was last used. */
  get bytes(): number {
    return this.#bytes
  }

  /** Runs work on a holder's memory, with the holder's own session and echo guard; the memory stays open meanwhile. */
  use<T>(holder: Holder, work: (memory: OpenMemory) => Promise<T>): Promise<T> {
    const using = this.#use(holder, work)
    this.#using.add(using)
    const forget = () => void this.#using.delete(using)
    using.then(forget, forget)
    return using
  }

  async #use<T>(holder: Holder, work: (memory: OpenMemory) => Promise<T>): Promise<T> {
    const { memory, release } = await this.hold(holder.memory)
    try {
      return await work(memory.heldBy(holder.name))
    } finally {
      release()
    }
  }

  /** Opens a memory, which stays open until it is released; `release` may be called more than once. */
  async hold(name: string): Promise<{ memory: OpenMemory; release(): void }> {
    const entry = this.#entryOf(name)
    entry.uses += 1
    let isHeld = true
    const release = () => {
      if (isHeld) entry.uses -= 1
      isHeld = false
      this.#trim(entry)
    }
    try {
      const memory = await entry.opening
      this.#trim(entry)
      return { memory, release }
    } catch (error) {
      release()
      throw error
    }
  }

  /** Returns what is told to a holder, an answer or a failure, with the memory's name in place of its path or address. */
  named<T>({ memory }: Holder, told: T): T {
    const { named } = this.#parts
    return named === undefined ? told : (rewritten(told, (text) => named(text, memory)) as T)
  }

  async isReady(): Promise<void> {
    await this.#parts.isReady?.()
  }

  /** Waits for running calls and closes all memories. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled(this.#using)
    for (const [name, entry] of this.#entries) this.#close(name, entry)
    await Promise.all(this.#closing.values())
  }

  #entryOf(name: string): Entry {
    if (this.#isClosed)
      throw new ElfmemError('CLOSED', 'The service is being ended.', { recovery: 'Ask again in a moment.' })
    const entry = this.#entries.get(name) ?? this.#opened(name)
    this.#entries.delete(name)
    this.#entries.set(name, entry)
    return entry
  }

  #opened(name: string): Entry {
    const opening = Promise.resolve(this.#closing.get(name)).then(() => this.#parts.open(name))
    const entry: Entry = { opening, bytes: 0, uses: 0 }
    opening.then(
      (memory) => {
        entry.memory = memory
      },
      () => {
        if (this.#entries.get(name) === entry) this.#entries.delete(name)
      },
    )
    return entry
  }

  /** Counts what a memory takes now, and closes those used longest ago while all together take too much and they are in nobody's use. */
  #trim(used: Entry): void {
    this.#count(used)
    if (this.#bytes <= this.#parts.bytes) return
    for (const [name, entry] of this.#entries) {
      if (entry.uses > 0 || entry.memory === undefined) continue
      this.#close(name, entry)
      if (this.#bytes <= this.#parts.bytes) return
    }
  }

  #count(entry: Entry): void {
    const bytes = entry.memory?.bytes ?? 0
    this.#bytes += bytes - entry.bytes
    entry.bytes = bytes
  }

  /** Closes a memory; one that cannot be closed is reported, and may be opened again. */
  #close(name: string, entry: Entry): void {
    this.#entries.delete(name)
    entry.memory = undefined
    this.#count(entry)
    const closed = async () => {
      try {
        await (await entry.opening).close()
      } catch (error) {
        this.#parts.failed(error)
      } finally {
        this.#closing.delete(name)
      }
    }
    this.#closing.set(name, closed())
  }
}

/** Returns an answer of JSON, or a failure, with each of its texts rewritten; it is the same object if nothing changes. */
function rewritten(told: unknown, rewrite: (text: string) => string): unknown {
  if (typeof told === 'string') return rewrite(told)
  if (typeof told !== 'object' || told === null) return told
  if (ElfmemError.is(told)) return failure(told, rewrite)
  const changed = Object.entries(told).flatMap(([key, part]) => {
    const other = rewritten(part, rewrite)
    return other === part ? [] : [[key, other] as const]
  })
  if (changed.length === 0) return told
  // Hidden properties of an answer stay.
  const copy = Object.defineProperties(Array.isArray(told) ? [] : {}, Object.getOwnPropertyDescriptors(told))
  return Object.assign(copy, Object.fromEntries(changed))
}

function failure(cause: ElfmemError, rewrite: (text: string) => string): ElfmemError {
  const { code, message, recovery, details } = cause
  const more = { recovery: rewrite(recovery), details: rewritten(details, rewrite), cause }
  return new ElfmemError(code, rewrite(message), more as never)
}
