import type { OpenMemory } from '../../engine/open-memory.ts'
import { ElfmemError } from '../../errors.ts'
import type { Holder } from '../mcp/http/holders.ts'

/** The holder of a token of a service, which opens one memory by its name. */
export type ServiceHolder = Holder

/** The holders of a service's tokens, as they are when they are asked for. */
export interface ServiceHolders {
  /**
   * Finds the holder of a token by the SHA-256 of it; undefined if there is none, or it was revoked or is expired. A holder whose rights are
   * as they were is the same object as before.
   */
  find(hash: Buffer): Promise<ServiceHolder | undefined>
  /** Returns those of some holders whose tokens still open what they opened; the others' streams are to end. */
  still(holders: readonly ServiceHolder[]): Promise<readonly ServiceHolder[]>
}

/** The parts that memories are made of. */
export interface MemoriesParts {
  /** Opens a memory by its name, for the most that any holder may do; makes it when it is first written. */
  readonly open: (name: string) => Promise<OpenMemory>
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
  /** The memory once it is open. */
  memory?: OpenMemory
  uses: number
}

/** The open memories of a service, by name; two that ask for one name at once get the same. */
export class Memories {
  readonly #parts: MemoriesParts
  /** The memory used last stands at the end. */
  readonly #entries = new Map<string, Entry>()
  /** Memories that are being closed; a name is opened again only after that. */
  readonly #closing = new Map<string, Promise<unknown>>()
  readonly #using = new Set<Promise<unknown>>()
  #isClosed = false

  constructor(parts: MemoriesParts) {
    this.#parts = parts
  }

  /** The number of open memories. */
  get open(): number {
    return this.#entries.size
  }

  /** About the bytes that the open memories take. */
  get bytes(): number {
    let sum = 0
    for (const { memory } of this.#entries.values()) sum += memory?.bytes ?? 0
    return sum
  }

  /** Runs work on a holder's memory, with the holder's own session and echo guard; the memory stays open meanwhile. */
  use<T>(holder: ServiceHolder, work: (memory: OpenMemory) => Promise<T>): Promise<T> {
    const using = this.#use(holder, work)
    this.#using.add(using)
    const forget = () => void this.#using.delete(using)
    using.then(forget, forget)
    return using
  }

  async #use<T>(holder: ServiceHolder, work: (memory: OpenMemory) => Promise<T>): Promise<T> {
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
      this.#trim()
    }
    try {
      const memory = await entry.opening
      this.#trim()
      return { memory, release }
    } catch (error) {
      release()
      throw error
    }
  }

  async isReady(): Promise<void> {
    await this.#parts.isReady?.()
  }

  /** Waits for running calls and closes all memories. */
  async close(): Promise<void> {
    this.#isClosed = true
    await Promise.allSettled(this.#using)
    for (const name of this.#entries.keys()) this.#close(name)
    await Promise.allSettled(this.#closing.values())
  }

  #entryOf(name: string): Entry {
    if (this.#isClosed)
      throw new ElfmemError('CLOSED', 'The service is being ended.', { recovery: 'Ask again in a moment.' })
    const known = this.#entries.get(name)
    if (known !== undefined) this.#entries.delete(name)
    const entry = known ?? this.#opened(name)
    this.#entries.set(name, entry)
    return entry
  }

  #opened(name: string): Entry {
    const opening = Promise.resolve(this.#closing.get(name)).then(() => this.#parts.open(name))
    const entry: Entry = { opening, uses: 0 }
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

  /** Closes the memories used longest ago, while all together take too much and they are in nobody's use. */
  #trim(): void {
    let { bytes } = this
    for (const [name, { memory, uses }] of this.#entries) {
      if (bytes <= this.#parts.bytes) return
      if (uses > 0 || memory === undefined) continue
      bytes -= memory.bytes
      this.#close(name)
    }
  }

  #close(name: string): void {
    const entry = this.#entries.get(name)
    this.#entries.delete(name)
    const closing = Promise.resolve(entry?.opening)
      .then((memory) => memory?.close())
      .catch(this.#parts.failed)
      .finally(() => this.#closing.delete(name))
    this.#closing.set(name, closing)
  }
}
