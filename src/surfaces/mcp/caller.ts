import { CLIENT_INFO_META_KEY, type Server, type ServerContext } from '@modelcontextprotocol/server'
import type { CallContext, Principal, Progress } from '../../engine/engine.ts'
import type { CallableMemory } from '../../engine/open-memory.ts'
import { type Settings, settingsSchema } from '../../engine/settings.ts'
import { acceptCaller, type CallerName, callerName } from '../../intake/check-input.ts'
import { CallRate } from '../call-rate.ts'
import type { Served } from './tool-names.ts'

type Limits = Settings['limits']

/** The key under which the `_meta` of a tool call has the caller's own key of a write. */
const ONCE_META_KEY = 'elfmem/idempotencyKey'

/** A caller with more than one connection, such as the holder of a token. */
export interface KnownCaller {
  /** The name in the log, whatever a client calls itself. */
  readonly name: string
  /** The scope that no call leaves. */
  readonly scope?: string | undefined
  /** Counts the calls of all its connections together; `take` throws for one too many. */
  readonly rate: Pick<CallRate, 'take'>
}

/** A caller at the other end of a connection: one principal, whose calls are counted together. */
export class Caller {
  readonly #served: Served
  readonly #rate: KnownCaller['rate'] | undefined
  readonly #known: KnownCaller | undefined
  /** The name of the caller as it was said last, and how it is kept. */
  #named: { readonly said: string | undefined; readonly name: CallerName | undefined } | undefined
  /** The limits of the memory once it is open; lists do not wait for it. */
  #limits: Limits = settingsSchema.parse({}).limits

  constructor(
    memory: Promise<CallableMemory>,
    served: Served,
    { now, known }: { readonly now: () => number; readonly known?: KnownCaller | undefined },
  ) {
    this.#served = served
    this.#known = known
    const rate = known?.rate ?? new CallRate(now)
    this.#rate = served.capability === 'owner' ? undefined : rate
    void memory.then(
      ({ limits }) => {
        this.#limits = limits
      },
      () => undefined,
    )
  }

  /** Answers a request that is no tool call, unless it is one too many. */
  async ask<T>(work: () => Promise<T>, calls = 1): Promise<T> {
    try {
      this.#rate?.take(this.#limits, calls)
      return await work()
    } catch (cause) {
      const { refused } = await import('./tools.ts')
      throw await refused(cause, this.#served)
    }
  }

  /** Returns the context of a call that counts. */
  async context(server: Server, context: ServerContext): Promise<CallContext> {
    const rate = this.#rate
    const principal = await this.#principal(this.#known?.name ?? clientName(server, context))
    return { ...callContext(context), principal, ...(rate === undefined ? {} : { rate }) }
  }

  /** Returns the context of a call that is counted already, refused or not. */
  async uncounted(server: Server, context: ServerContext): Promise<CallContext> {
    const { rate: _, ...uncounted } = await this.context(server, context)
    return uncounted
  }

  async #principal(said: string | undefined): Promise<Principal> {
    if (this.#named?.said !== said)
      this.#named = { said, name: said === undefined ? undefined : await callerName(said) }
    return acceptCaller('mcp', {
      name: this.#named?.name,
      as: this.#served.capability,
      scope: this.#known?.scope,
    })
  }
}

/** A 2025 client names itself once, at initialize; a later one with every request. */
function clientName(server: Server, { mcpReq }: ServerContext): string | undefined {
  const envelope = mcpReq.envelope as
    | Readonly<Record<string, { readonly name?: string } | undefined>>
    | undefined
  return envelope?.[CLIENT_INFO_META_KEY]?.name ?? server.getClientVersion()?.name
}

function callContext({ mcpReq }: ServerContext): CallContext {
  const token = mcpReq._meta?.progressToken
  const once = mcpReq._meta?.[ONCE_META_KEY]
  return {
    signal: mcpReq.signal,
    ...(typeof once === 'string' ? { once } : {}),
    ...(token === undefined ? {} : { progress: progressNotifier(mcpReq, token) }),
  }
}

/** Stages begin at zero, but the protocol wants a number that only grows. */
function progressNotifier(
  { notify }: ServerContext['mcpReq'],
  progressToken: string | number,
): (progress: Progress) => void {
  let before = 0
  let current: Progress | undefined
  return (progress) => {
    if (current && current.stage !== progress.stage) before += current.done
    else if (current && progress.done <= current.done) return
    current = progress
    const params = {
      progressToken,
      progress: before + progress.done,
      total: before + progress.total,
      message: progress.stage,
    }
    // A client that left needs no progress; its call ends by the signal.
    void notify({ method: 'notifications/progress', params }).catch(() => undefined)
  }
}
