import { type CallContext, mayDo, nextTurn, type Principal } from '../../engine/engine.ts'
import type { CallableMemory, OpenMemory } from '../../engine/open-memory.ts'
import type { Settings } from '../../engine/settings.ts'
import type { Hooks } from '../../hooks/hooks.ts'
import type { HookMemory } from '../../hooks/memory.ts'
import { acceptCaller } from '../../intake/check-input.ts'
import type { Operation } from '../../operations/operation.ts'
import type { HookFront } from './hook-tool.ts'

/** The settings of hooks, and of what is kept of their sessions. */
export type HookSettings = Settings['hooks'] & Settings['capture']

/** A memory as a server with hooks opened it. */
export interface Opened {
  readonly memory: OpenMemory
  /** The scope of everything that is called; the whole memory where there is none. */
  readonly scope: string | undefined
  readonly settings: HookSettings
}

/** Returns the memory as its clients may call it: in one scope, whoever calls. */
export function boundTo(memory: OpenMemory, scope: string | undefined): CallableMemory {
  if (scope === undefined) return memory
  return {
    get limits() {
      return memory.limits
    },
    call: (operation, input, context = {}) => {
      const { principal = memory.principal } = context
      return memory.call(operation, input, { ...context, principal: { ...principal, scope } })
    },
  }
}

/** The hooks of a server. Their code is loaded with the first event, and whatever fails is answered with nothing to say. */
export class ServedHooks implements HookFront {
  readonly #opening: Promise<Opened>
  readonly #settings: Promise<HookSettings>
  readonly #budgetMs: number
  #hooks: Promise<Hooks> | undefined

  /**
   * @param settings known before the memory is open, which may take longer than a client waits
   * @param budgetMs milliseconds that a client waits as long as they are not known
   */
  constructor(opening: Promise<Opened>, settings: Promise<HookSettings>, budgetMs: number) {
    this.#opening = opening
    this.#budgetMs = budgetMs
    opening.catch(() => undefined)
    this.#settings = Promise.race([settings, opening.then((opened) => opened.settings)])
    this.#settings.catch(() => undefined)
  }

  async handle(client: string, payload: unknown): Promise<object> {
    const begun = performance.now()
    try {
      const loaded = this.#loaded()
      const spent = () => performance.now() - begun
      const known = await inTime(this.#settings, this.#budgetMs)
      const left = () => (known?.budgetMs ?? 0) - spent()
      const hooks = await inTime(loaded, left())
      if (hooks !== undefined) return await hooks.handle(client, payload, left())
      void loaded.then(
        (late) => late.handle(client, payload, 0),
        () => undefined,
      )
      return {}
    } catch {
      // A memory that cannot be opened is said by every other call.
      return {}
    }
  }

  /** Loads what the first event needs. */
  warm(): void {
    void this.#loaded().then(
      (hooks) => hooks.warm(),
      () => undefined,
    )
  }

  /** Waits for what outlived its answer. */
  async close(): Promise<void> {
    await this.#hooks?.then(
      (hooks) => hooks.close(),
      () => undefined,
    )
  }

  #loaded(): Promise<Hooks> {
    if (this.#hooks !== undefined) return this.#hooks
    this.#hooks = this.#load()
    // Each event awaits it; before the first one that does, a failure is nobody's.
    this.#hooks.catch(() => undefined)
    return this.#hooks
  }

  async #load(): Promise<Hooks> {
    const { memory, scope, settings } = await this.#opening
    await nextTurn()
    const { Hooks } = await import('../../hooks/hooks.ts')
    const { callerName } = await import('../../intake/check-input.ts')
    const name = await callerName('hooks')
    // What a hook stores is an agent's at most, whoever is served besides.
    const as = mayDo(memory.principal, 'agent') ? 'agent' : 'reader'
    const seen = (each: string | undefined) =>
      hookMemory(memory, acceptCaller('mcp', { name, as, scope: each }))
    const shared = scope === undefined ? [] : settings.shared.filter((each) => each !== scope)
    const memories = {
      own: await seen(scope),
      shared: await Promise.all(shared.map(async (each) => ({ scope: each, memory: await seen(each) }))),
      mayWrite: as === 'agent',
    }
    return new Hooks(memories, { ...settings, undo: (id) => `elfmem_undo({ operation_id: ${id} })` })
  }
}

/** Returns a memory as a caller in a scope sees it, for hooks. */
async function hookMemory(memory: OpenMemory, principal: Principal): Promise<HookMemory> {
  const { recall } = await import('../../operations/recall/recall.ts')
  await nextTurn()
  const { itemsOf } = await import('../../operations/items/items.ts')
  const { loadOperation } = await import('../../operations/load.ts')
  // A notice of the memory is kept for a call whose answer somebody reads.
  const call = (operation: Operation, input: unknown, context: CallContext = {}) =>
    memory.call(operation, input, { ...context, principal, showsNoSummary: true })
  const later = (name: 'rememberMany' | 'ls' | 'history') => async (input?: unknown, context?: CallContext) =>
    call((await loadOperation(name)) as Operation, input ?? {}, context) as never
  return {
    recall: (input, context) => call(recall as unknown as Operation, input, context) as never,
    items: (space, options = {}) => itemsOf(call, space, options),
    settle: async (trace, options, context) => {
      const { settle } = await import('../../operations/recall/settle.ts')
      return call(settle as unknown as Operation, { ...trace, ...options }, context) as never
    },
    rememberMany: later('rememberMany'),
    ls: later('ls'),
    history: later('history'),
  }
}

/** Waits for something at most so long; undefined if it is not there by then. */
async function inTime<T>(coming: Promise<T>, milliseconds: number): Promise<T | undefined> {
  const over = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => over.resolve(undefined), Math.max(0, milliseconds))
  try {
    return await Promise.race([coming, over.promise])
  } finally {
    clearTimeout(timer)
  }
}
