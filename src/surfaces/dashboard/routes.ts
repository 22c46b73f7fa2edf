import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { CallContext, Progress } from '../../engine/engine.ts'
import type { OpenMemory } from '../../engine/open-memory.ts'
import type { Timer } from '../../engine/ports.ts'
import { attempt, ElfmemError } from '../../errors.ts'
import type { Operation } from '../../operations/operation.ts'
import { DASHBOARD_BOUNDS } from '../bounds.ts'
import { failureOf, type Spelling } from '../failure.ts'
import { type Tell, tooMany } from '../http/app.ts'
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

/** A call of a page. */
export interface PageCall {
  readonly to: 'operation' | 'view'
  readonly name: string
  readonly body: Buffer
  /** The page's own name for it. */
  readonly call: string | undefined
  /** Aborted when the page that asked is gone. */
  readonly signal: AbortSignal
}

/** An answer before it is sent. */
export interface Answer {
  readonly status: ContentfulStatusCode
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The names of the library, which the page uses too. */
const SPELLING: Spelling = {
  name: (name) => name,
  example: async ({ guide }) => guide.example,
  owner: ({ command }) =>
    `The owner ${command === undefined ? 'starts the dashboard' : `runs ${command}, or starts the dashboard`} without --read-only.`,
  writer: 'To write, start the dashboard without --read-only.',
}

/** The calls of pages: each runs through the one door, and no more than some at once. */
export class Routes {
  readonly #parts: RouteParts
  #served: Promise<ReadonlyMap<string, Operation>> | undefined
  #running = 0

  constructor(parts: RouteParts) {
    this.#parts = parts
  }

  /** Answers one call. Never rejects. */
  async answer(asked: PageCall): Promise<Answer> {
    const operation = await this.#find(asked)
    if (operation === undefined) return answerOf(missing(`There is no ${asked.to} "${asked.name}" here.`))
    if (this.#parts.readOnly && !isLook(operation)) return readOnlyRefusal(operation)
    if (this.#running >= DASHBOARD_BOUNDS.calls) return answerOf(tooMany('calls'))
    this.#running += 1
    try {
      return await this.#run(operation, asked)
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

  async #find({ to, name }: PageCall): Promise<Operation | undefined> {
    const { views } = this.#parts
    if (to === 'operation') return (await this.load()).get(name)
    return Object.hasOwn(views, name) ? views[name] : undefined
  }

  async #run(operation: Operation, asked: PageCall): Promise<Answer> {
    const { memory, timer } = this.#parts
    const late = new AbortController()
    const isInTime = isLong(operation) ? undefined : timer.after(DASHBOARD_BOUNDS.callMs, () => late.abort())
    try {
      const input = inputOf(operation, asked.body)
      refusePlaces(operation, input)
      const signal = AbortSignal.any([asked.signal, late.signal])
      const output = await memory.call(operation, input, { signal, ...this.#reporting(asked) })
      return { status: 200, body: output }
    } catch (cause) {
      return failed(late.signal.aborted ? tooLate(operation) : cause)
    } finally {
      isInTime?.()
    }
  }

  /** The progress of a call with a name, as often as somebody can read it. */
  #reporting({ call }: PageCall): Pick<CallContext, 'progress'> {
    if (call === undefined) return {}
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
  const parsed = attempt(() => ({ value: JSON.parse(body.toString('utf8')) as unknown }))
  if (typeof parsed?.value === 'object' && parsed.value !== null && !Array.isArray(parsed.value))
    return parsed.value
  throw new ElfmemError('INVALID_INPUT', `${name}: the body is no JSON object.`, {
    recovery: 'Send the arguments as one JSON object, {} for none.',
    details: { operation: name },
  })
}

async function failed(cause: unknown): Promise<Answer> {
  const { code, error: message, ...rest } = await failureOf(cause, SPELLING)
  const status = code === 'NOT_FOUND' ? 404 : code === 'UNEXPECTED' ? 500 : 422
  return { status, body: { error: code, message, ...rest } }
}

function readOnlyRefusal({ name }: Operation): Answer {
  const message = `${name} changes the memory, and this dashboard only looks.`
  const recovery = 'Start it without --read-only: elfmem dashboard.'
  return { status: 403, body: { error: 'READ_ONLY', message, recovery } }
}

/** The words that a page reads: `error` is the code. */
export const tellPage: Tell = ({ code, message, recovery }) => ({
  ...{ error: code, message },
  ...(recovery === undefined ? {} : { recovery }),
})

/** The answer to who is refused before anything is done. */
function answerOf({ headers = {}, ...refusal }: Refusal): Answer {
  return { status: refusal.status, body: tellPage(refusal), headers }
}
