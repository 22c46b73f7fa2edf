import type { WatchOptions } from '../engine/watch.ts'
import type { CallContext } from '../operations/call-context.ts'
import { boundItems } from '../operations/items/bound-items.ts'
import { type Address, addressOf, type RemoteOptions } from './address.ts'
import { closed, foreign } from './failures.ts'
import { send } from './line.ts'
import { OPERATIONS } from './operations.ts'
import { watchService } from './stream.ts'
import { Trail } from './trail.ts'

type Told = Readonly<Record<string, unknown>>
type Begun = { readonly taskType?: string }

/** A memory at a service: what `Memory` promises, with each call a request. */
export class RemoteMemory {
  readonly #address: Address
  readonly #about: Told
  readonly #trail = new Trail()
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<unknown>>()
  #hasBegun = false

  constructor(address: Address, about: Told) {
    this.#address = address
    this.#about = about
    const methods = Object.keys(OPERATIONS).map((name) => {
      const value = (input?: unknown, context?: CallContext) => this.call(name, input, context)
      return [name, { value, enumerable: true }] as const
    })
    Object.defineProperties(this, Object.fromEntries(methods))
  }

  get location(): string {
    return this.#address.url
  }

  get scope(): string | undefined {
    return typeof this.#about.scope === 'string' ? this.#about.scope : undefined
  }

  get limits(): unknown {
    return this.#about.limits
  }

  get lastLearnedBlockId(): string | undefined {
    return this.#trail.lastLearnedBlockId
  }

  get lastRecallBlockIds(): readonly string[] {
    return this.#trail.lastRecallBlockIds
  }

  get sessionBlockIds(): readonly string[] {
    return this.#trail.sessionBlockIds
  }

  /** Calls an operation by its name; the log of the service has the name of the token's holder. */
  async call(name: string, input: unknown = {}, { signal }: CallContext = {}): Promise<unknown> {
    const output = await this.#send({ method: 'POST', path: `/v1/${name}`, body: input, name }, signal)
    this.#trail.note(name, input, output)
    return withToString(name, output)
  }

  /** Returns the items of a space, as a memory in this process does. */
  items(space: string, options: object = {}) {
    return boundItems(
      (name, input, context) => this.call(name, input, context).then(withGaps),
      space,
      options,
    )
  }

  settle(trace: object, options: object = {}, context?: CallContext): Promise<unknown> {
    return this.call('settle', { ...trace, ...options }, context)
  }

  async beginSession({ taskType }: Begun = {}): Promise<string> {
    const asked = { action: 'begin', ...(taskType === undefined ? {} : { taskType }) }
    const { session } = await this.#session(asked)
    this.#trail.begin()
    this.#hasBegun = true
    return String(session)
  }

  async endSession(): Promise<number> {
    const { hours } = await this.#session({ action: 'end' })
    this.#trail.end()
    this.#hasBegun = false
    return Number(hours)
  }

  async session<T>(work: (memory: never) => Promise<T>, options?: Begun): Promise<T> {
    await this.beginSession(options)
    try {
      const answer = await work(this as never)
      if (await this.shouldDream()) await this.call('dream')
      return answer
    } finally {
      await this.endSession()
    }
  }

  async shouldDream(): Promise<boolean> {
    return (await this.#get('memory')).shouldDream === true
  }

  /** Returns the settings of the service; of its files it tells nothing. */
  async settings(): Promise<unknown> {
    const database = { path: this.location, rule: '--url' }
    return { backups: [], scopes: [], configs: [], database, ...(await this.#get('settings')) }
  }

  watch(options: WatchOptions = {}) {
    if (this.#closing.signal.aborted) throw closed(this.location)
    const ending = new AbortController()
    const signals = [this.#closing.signal, ending.signal, ...(options.signal ? [options.signal] : [])]
    const signal = AbortSignal.any(signals)
    const entries = watchService({
      ...{ address: this.#address, options, signal },
      newest: () => this.#newest(options.scope),
    })
    // Entries count from now on, even before somebody waits for them.
    let first: ReturnType<typeof entries.next> | undefined = entries.next()
    first.catch(() => undefined)
    const next = () => {
      const came = first ?? entries.next()
      first = undefined
      return came
    }
    return {
      next,
      return: () => {
        ending.abort()
        return entries.return(undefined)
      },
      [Symbol.asyncIterator]() {
        return this
      },
    }
  }

  /** Returns at once: the service has its embedder loaded. */
  warm(): void {}

  /** Ends what is watched, waits for running calls, and ends the session if it was begun here; else that goes on at the service. */
  async close(): Promise<void> {
    if (this.#hasBegun) await this.endSession().catch(() => undefined)
    this.#closing.abort()
    await Promise.allSettled([...this.#running])
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Returns the number of the newest entry of the log; undefined if this caller may not ask for it. */
  async #newest(scope: string | undefined): Promise<number | undefined> {
    const asked = { lastN: 1, ...(scope === undefined ? {} : { scope }) }
    const output = await this.call('history', asked).catch(() => undefined)
    const entries = (output as { readonly operations?: readonly { readonly id: number }[] } | undefined)
      ?.operations
    return entries === undefined ? undefined : (entries[0]?.id ?? 0)
  }

  #session(body: object): Promise<Told> {
    return this.#send({ method: 'POST', path: '/v1/session', body, name: 'session' })
  }

  #get(name: string): Promise<Told> {
    return this.#send({ method: 'GET', path: `/v1/${name}`, name })
  }

  async #send(request: Parameters<typeof send>[1], signal?: AbortSignal): Promise<Told> {
    if (this.#closing.signal.aborted) throw closed(this.location)
    const running = send(this.#address, { ...request, signal })
    this.#running.add(running)
    return running.finally(() => this.#running.delete(running))
  }
}

/** Opens the memory that a token opens at a service. */
export async function openRemote(url: string, options: RemoteOptions): Promise<RemoteMemory> {
  const address = addressOf(url, options)
  const about = await send(address, { method: 'GET', path: '/v1/memory', name: 'memory' })
  if (typeof about.limits !== 'object' || typeof about.name !== 'string')
    throw foreign(address, 'does not describe a memory')
  return new RemoteMemory(address, about)
}

/** Returns an answer about items with `undefined` where there is none, for which JSON has `null`. */
function withGaps(output: unknown): unknown {
  const { items } = output as { readonly items?: readonly unknown[] }
  return Array.isArray(items)
    ? { ...(output as Told), items: items.map((each) => each ?? undefined) }
    : output
}

/** Adds a hidden `toString` that returns the answer in one line. */
function withToString(name: string, output: Told): Told {
  if (!('summary' in output)) return output
  const ids = name === 'recall' && Array.isArray(output.blockIds) ? output.blockIds : []
  const short = ids.length > 0 ? ` ids: ${ids.map((id) => String(id).slice(0, 8)).join(' ')}` : ''
  const value = () => `${output.summary}${short}`
  return Object.defineProperty(output, 'toString', { value, enumerable: false })
}
