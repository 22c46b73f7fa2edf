import type { CallContext, Progress } from '../../engine/engine.ts'
import type { OpenMemory } from '../../engine/open-memory.ts'
import type { Timer } from '../../engine/ports.ts'
import { ElfmemError } from '../../errors.ts'
import type { Operation } from '../../operations/operation.ts'
import { DASHBOARD_BOUNDS } from '../bounds.ts'
import { failureOf } from '../failure.ts'
import { type Asked, answer, bodyOf, isRefusal, parsed, refused, type Tell, tooMany } from '../http/app.ts'
import { missing, type Refusal } from '../http/gate.ts'
import { isLong, isLook, isServed, refusePlaces } from './served.ts'

/** The operations and views that a page may call. */
export interface RouteParts {
  readonly memory: Pick<OpenMemory, 'call'>
  /** Loads all operations; whoever listens need not wait for them. */
  readonly operations: () => Promise<readonly Operation[]>
  readonly views: Readonly<Record<string, Operation>>
  /** Says which of them the caller may call besides; all unless given. */
  readonly isOffered?: (operation: Operation) => boolean
  /** True: nothing can be changed. */
  readonly readOnly: boolean
  readonly timer: Timer
  /** Hears how far calls are that have a name. */
  readonly progress: (call: string, progress: Progress) => void
}

/** The calls of pages: each runs through the one door, and no more than some at once. */
export class Routes {
  readonly #parts: RouteParts
  #served: Promise<ReadonlyMap<string, Operation>> | undefined
  #running = 0

  constructor(parts: RouteParts) {
    this.#parts = parts
  }

  /** Answers one call of an operation or a view, which the address names. */
  async answer(c: Asked, to: 'operation' | 'view'): Promise<Response> {
    const body = await bodyOf(c, DASHBOARD_BOUNDS.bodyBytes)
    if (isRefusal(body)) return refused(c, body)
    const name = c.req.param('name') ?? ''
    const operation = to === 'operation' ? (await this.load()).get(name) : this.#viewOf(name)
    if (operation === undefined) return refused(c, missing(`There is no ${to} "${name}" here.`))
    if (this.#parts.readOnly && !isLook(operation)) return refused(c, onlyLooks(operation))
    if (this.#running >= DASHBOARD_BOUNDS.calls) return refused(c, tooMany('calls'))
    this.#running += 1
    try {
      return await this.#run(operation, c, body)
    } finally {
      this.#running -= 1
    }
  }

  /** Loads what a page may call, so that its first call need not wait. */
  async load(): Promise<ReadonlyMap<string, Operation>> {
    this.#served ??= this.#parts
      .operations()
      .then((all) => all.filter((each) => isServed(each) && this.#parts.isOffered?.(each) !== false))
      .then((served) => new Map(served.map((each) => [each.name, each])))
    return this.#served
  }

  #viewOf(name: string): Operation | undefined {
    return Object.hasOwn(this.#parts.views, name) ? this.#parts.views[name] : undefined
  }

  async #run(operation: Operation, c: Asked, body: Buffer): Promise<Response> {
    const { memory, timer } = this.#parts
    const late = new AbortController()
    const isInTime = isLong(operation) ? undefined : timer.after(DASHBOARD_BOUNDS.callMs, () => late.abort())
    try {
      const input = inputOf(operation, body)
      refusePlaces(operation, input)
      // The page that asked may be gone before the answer.
      const signal = AbortSignal.any([c.req.raw.signal, late.signal])
      return answer(c, 200, await memory.call(operation, input, { signal, ...this.#reporting(c) }))
    } catch (cause) {
      const told = failureOf(late.signal.aborted ? tooLate(operation) : cause)
      const { code, error: message, ...rest } = told
      const status = code === 'NOT_FOUND' ? 404 : code === 'UNEXPECTED' ? 500 : 422
      return answer(c, status, { error: code, message, ...rest })
    } finally {
      isInTime?.()
    }
  }

  /** The progress of a call with a name, as often as somebody can read it. */
  #reporting({ env }: Asked): Pick<CallContext, 'progress'> {
    const [call = ''] = env.incoming.headersDistinct['x-call'] ?? []
    if (!/^[\w-]{1,64}$/.test(call)) return {}
    let [stage, since] = ['', 0]
    const progress = (progress: Progress) => {
      const now = performance.now()
      const isDue = progress.stage !== stage || progress.done >= progress.total
      if (!isDue && now - since < DASHBOARD_BOUNDS.progressMs) return
      ;[stage, since] = [progress.stage, now]
      this.#parts.progress(call, progress)
    }
    return { progress }
  }
}

function tooLate({ name }: Operation): ElfmemError {
  const seconds = DASHBOARD_BOUNDS.callMs / 1_000
  return new ElfmemError('CANCELLED', `${name} took longer than ${seconds} seconds and was cancelled.`, {
    recovery: 'Ask for less at once, or call it on the command line, which waits.',
  })
}

function inputOf({ name }: Operation, body: Buffer): unknown {
  if (body.length === 0) return {}
  const value = parsed(body)?.value
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw new ElfmemError('INVALID_INPUT', `${name}: the body is no JSON object.`, {
    recovery: 'Send the arguments as one JSON object, {} for none.',
    details: { operation: name },
  })
}

function onlyLooks({ name }: Operation): Refusal {
  const message = `${name} changes the memory, and this dashboard only looks.`
  return {
    status: 403,
    code: 'READ_ONLY',
    message,
    recovery: 'Start it without --read-only: elfmem dashboard.',
  }
}

/** The words that a page reads: `error` is the code. */
export const tellPage: Tell = ({ code, message, recovery }) => ({
  ...{ error: code, message },
  ...(recovery === undefined ? {} : { recovery }),
})
