import type { CallContext, Principal } from '../../engine/engine.ts'
import type { CallableMemory } from '../../engine/open-memory.ts'
import type { Settings } from '../../engine/settings.ts'
import { Turns } from '../../engine/turns.ts'
import type { Watched, WatchOptions } from '../../engine/watch.ts'
import { ElfmemError } from '../../errors.ts'
import { acceptCaller, callerName, type Surface } from '../../intake/check-input.ts'
import type { Operation } from '../../operations/operation.ts'
import { CallRate } from '../call-rate.ts'
import type { Watchable } from '../dashboard/events.ts'
import { refusePlaces } from '../dashboard/served.ts'
import type { Listening } from '../http/gate.ts'
import type { Holder, Holders } from './holders.ts'
import type { Memories } from './memories.ts'
import type { Metrics } from './metrics.ts'

/** The parts that a service is made of. */
export interface ServiceParts {
  readonly memories: Memories
  readonly holders: Holders
  readonly limits: () => Settings['limits']
  readonly version: string
  /** True: MCP lists the schemas of answers, too. */
  readonly outputSchemas: boolean
  readonly listening: Listening
  /** False: nobody names a place of this machine over MCP, where other memories may lie. REST never takes one. */
  readonly takesPlaces: boolean
  /** Numbers for `/metrics` besides those of calls and memories, by their names without `elfmem_`. */
  readonly gauges?: () => Readonly<Record<string, number>>
  /** Takes one line of JSON for each request. */
  readonly log?: ((line: string) => void) | undefined
  /** The folder of the page; that of this package unless given. */
  readonly page?: URL
  readonly onerror: (error: Error) => void
}

/** The most calls of a holder that run at once, and those that wait behind them. */
const RUNNING = 4
const WAITING = 256

/** The calls of holders, whichever way they come in: each goes to the holder's own memory, is counted and timed. */
export class Calls {
  readonly #parts: ServiceParts
  readonly #metrics: Metrics
  readonly #turns = new WeakMap<Holder, Turns>()
  readonly #rates = new WeakMap<Holder, CallRate>()
  /** The number of calls that run or wait for their turn. */
  underWay = 0

  constructor(parts: ServiceParts, metrics: Metrics) {
    this.#parts = parts
    this.#metrics = metrics
  }

  /**
   * Calls an operation on the memory of a holder, in the holder's turn. All holders share one thread: one who sends many calls at once
   * delays others by the few that run, not by all that it sent.
   */
  async call(holder: Holder, operation: Operation, input: unknown, context?: CallContext) {
    const done = this.#metrics.begin(operation.name)
    this.underWay += 1
    try {
      const call = () => this.#parts.memories.use(holder, (memory) => memory.call(operation, input, context))
      const turns = this.#turns.get(holder) ?? new Turns(RUNNING, WAITING)
      this.#turns.set(holder, turns)
      const output = await turns.take(call, context?.signal)
      done('ok')
      // The values of items are told as they are kept.
      return 'space' in operation.input.shape ? output : this.#parts.memories.named(holder, output)
    } catch (cause) {
      done(ElfmemError.is(cause) ? cause.code : 'UNEXPECTED')
      throw this.#parts.memories.named(holder, cause)
    } finally {
      this.underWay -= 1
    }
  }

  /** Counts the calls of a holder, over all its connections and ways in. */
  rateOf(holder: Holder): CallRate {
    const rate = this.#rates.get(holder) ?? new CallRate(() => performance.now())
    this.#rates.set(holder, rate)
    return rate
  }

  /** Counts a request that calls no operation, or as many as some calls; an owner's are not counted. */
  count(holder: Holder, calls = 1): void {
    if (holder.capability !== 'owner') this.rateOf(holder).take(this.#parts.limits(), calls)
  }

  /** Returns a holder's memory as an MCP server calls it. */
  callableOf(holder: Holder): CallableMemory {
    const { limits, takesPlaces } = this.#parts
    return {
      call: async (operation, input, context) => {
        if (!takesPlaces) refusePlaces(operation, input)
        return this.call(holder, operation, input, context)
      },
      get limits() {
        return limits()
      },
    }
  }

  /** Returns a holder's memory as the dashboard calls and watches it. */
  watchableOf(holder: Holder): Watchable {
    const context = principalOf('dashboard', holder)
    return {
      call: async (operation, input, more) =>
        this.call(holder, operation, input, { ...more, principal: await context }),
      watch: (options) => this.watch(holder, options),
    }
  }

  /** Returns new entries of the log of a holder's memory, and of no scope but its own; the memory stays open meanwhile. */
  async *watch(holder: Holder, options: WatchOptions): AsyncGenerator<Watched> {
    const { memory, release } = await this.#parts.memories.hold(holder.memory)
    const scope = holder.scope ?? options.scope
    try {
      yield* memory.watch({ ...options, ...(scope === undefined ? {} : { scope }) })
    } finally {
      release()
    }
  }
}

/** Returns a holder as the caller of a surface. */
export async function principalOf(surface: Surface, holder: Holder): Promise<Principal> {
  const { name, capability, scope } = holder
  return acceptCaller(surface, { name: await callerName(name), as: capability, scope })
}
