import type { WatchOptions } from '../engine/watch.ts'
import { ElfmemError } from '../errors.ts'
import type { CallContext } from '../operations/call-context.ts'
import { boundItems } from '../operations/items/bound-items.ts'
import { type Address, addressOf, type RemoteOptions } from './address.ts'
import { foreign, isObject, send, type Told, watchService } from './line.ts'

const words = (text: string) => text.split(' ')

/** The operations of a memory. They stand here as plain words, so that a client loads no record and no schema. */
export const METHODS = [
  ...words(
    'remember recall overview outcome recordUse connect connectByQuery connects disconnect edit forget restore',
  ),
  ...words('resolve inbox ls facets show why graph status history diff undo propose decisions setup guide'),
]
/** Operations that may work through a whole memory, and so take long. */
export const LONG_METHODS = [
  ...words('rememberMany learnDocument dream curate decide erase reembed doctor'),
  ...words('backup restoreBackup export import importFrom'),
]

/** A memory at a service: what `Memory` promises, with each call a request. */
class RemoteMemory {
  readonly location: string
  readonly scope: unknown
  readonly limits: unknown
  readonly #address: Address
  readonly #trail = new Trail()
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<unknown>>()
  #hasBegun = false

  constructor(address: Address, { scope, limits }: Told) {
    this.#address = address
    this.location = address.url
    this.scope = scope
    this.limits = limits
    for (const name of [...METHODS, ...LONG_METHODS])
      Object.assign(this, { [name]: (input?: object, how?: CallContext) => this.#call(name, input, how) })
  }

  get lastLearnedBlockId(): string | undefined {
    return this.#trail.learned
  }

  get lastRecallBlockIds(): readonly string[] {
    return [...this.#trail.recalled]
  }

  get sessionBlockIds(): readonly string[] {
    return [...this.#trail.seen]
  }

  async #call(name: string, input: object = {}, how?: CallContext): Promise<Told> {
    const output = await this.#ask(name, input, how)
    if (typeof output.summary !== 'string') throw foreign(this.#address, `is none to ${name}`)
    this.#trail.note(name, output)
    return withToString(name, output)
  }

  items(space: string, options: object = {}) {
    return boundItems((name, input, how) => this.#call(name, input, how), space, options)
  }

  settle(trace: object, options: object = {}, context?: CallContext): Promise<Told> {
    return this.#call('settle', { ...trace, ...options }, context)
  }

  async beginSession(options: { readonly taskType?: string } = {}): Promise<string> {
    const { session } = await this.#ask('session', { ...options, action: 'begin' })
    this.#trail.begin()
    this.#hasBegun = true
    return String(session)
  }

  async endSession(): Promise<number> {
    const { hours } = await this.#ask('session', { action: 'end' })
    this.#trail.end()
    this.#hasBegun = false
    return Number(hours)
  }

  async session<T>(
    work: (memory: never) => Promise<T>,
    options?: { readonly taskType?: string },
  ): Promise<T> {
    await this.beginSession(options)
    try {
      const answer = await work(this as never)
      if (await this.shouldDream()) await this.#call('dream')
      return answer
    } finally {
      await this.endSession()
    }
  }

  async shouldDream(): Promise<boolean> {
    return (await this.#ask('memory')).shouldDream === true
  }

  /** Returns the settings of the service; of its files it tells nothing. */
  async settings(): Promise<Told> {
    const database = { path: this.location, rule: '--url' }
    return { backups: [], scopes: [], configs: [], database, ...(await this.#ask('settings')) }
  }

  /** Returns entries of the log from now on, even before somebody waits for them. */
  watch(options: WatchOptions = {}) {
    this.#mustBeOpen()
    const ending = new AbortController()
    const signals = [this.#closing.signal, ending.signal, ...(options.signal ? [options.signal] : [])]
    const begin = options.after === undefined ? this.#newest(options.scope) : Promise.resolve(options.after)
    const watching = { ...options, signal: AbortSignal.any(signals) }
    const entries = watchService(this.#address, watching, begin)
    const end = entries.return.bind(entries)
    // Without the signal a return would wait for the next entry.
    const endAtOnce = () => {
      ending.abort()
      return end(undefined)
    }
    return Object.assign(entries, { return: endAtOnce })
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
    const output = await this.#ask('history', asked).catch(() => undefined)
    const [newest] = (output?.operations ?? []) as readonly { readonly id: number }[]
    return output && (newest?.id ?? 0)
  }

  async #ask(name: string, body?: object, how?: CallContext): Promise<Told> {
    this.#mustBeOpen()
    const request = {
      ...how,
      name,
      isLong: [...LONG_METHODS, 'searchItems'].includes(name),
      ...(body === undefined ? {} : { body }),
    }
    const running = send(this.#address, request)
    this.#running.add(running)
    return running.finally(() => this.#running.delete(running))
  }

  #mustBeOpen(): void {
    if (!this.#closing.signal.aborted) return
    throw new ElfmemError('CLOSED', 'This memory was closed.', {
      recovery: 'Open it again with openMemory().',
      details: { location: this.location },
    })
  }
}

/** Opens the memory that a token opens at a service. */
export async function openRemote(url: string, options: RemoteOptions): Promise<RemoteMemory> {
  const address = addressOf(url, options)
  const about = await send(address, { name: 'memory' }).catch((cause: unknown) => {
    if (Object(cause).code !== 'NOT_FOUND') throw cause
  })
  if (!isObject(about?.limits) || typeof about.name !== 'string')
    throw foreign(address, 'does not describe a memory')
  return new RemoteMemory(address, about)
}

/** Adds a hidden `toString` that returns the answer in one line. */
function withToString(name: string, output: Told): Told {
  const ids = name === 'recall' && Array.isArray(output.blockIds) ? output.blockIds : []
  const short = ids.length > 0 ? ` ids: ${ids.map((id) => String(id).slice(0, 8)).join(' ')}` : ''
  if ('summary' in output)
    Object.defineProperty(output, 'toString', { value: () => `${output.summary}${short}` })
  return output
}

/** The blocks that a session learned and was shown, as the answers to this client tell it. */
class Trail {
  learned: string | undefined
  recalled: readonly string[] = []
  readonly seen = new Set<string>()
  #isOver = false

  /** Forgets all of it, since another session begins. */
  begin(): void {
    this.learned = undefined
    this.recalled = []
    this.seen.clear()
    this.#isOver = false
  }

  /** The session is over: the next write begins another one. */
  end(): void {
    this.#isOver = true
  }

  note(name: string, output: Told): void {
    const learned = learnedBy(name, output)
    const recalled =
      name === 'recall' && output.recallId !== undefined ? idsIn(output, 'blockIds') : undefined
    const touched = [...learned, ...(recalled ?? [])]
    if (this.#isOver && touched.length > 0) this.begin()
    this.learned = learned.at(-1) ?? this.learned
    this.recalled = recalled ?? this.recalled
    for (const id of touched) this.seen.add(id)
  }
}

function learnedBy(name: string, output: Told): readonly string[] {
  const isNew = name === 'learnDocument' ? Number(output.chunksCreated) > 0 : name === 'setup'
  if (isNew) return idsIn(output, 'blockIds')
  if (name === 'decide') return idsIn(output, 'blockId')
  if (name !== 'remember' && name !== 'rememberMany') return []
  const all = [output, ...(Array.isArray(output.results) ? output.results : [])] as readonly Told[]
  return all.flatMap((each) => (each.status === 'created' ? idsIn(each, 'blockId') : []))
}

/** Returns the ids under a key, which has one or a list of them. */
function idsIn(told: Told, key: string): readonly string[] {
  return [told[key]].flat().filter((each) => typeof each === 'string')
}
