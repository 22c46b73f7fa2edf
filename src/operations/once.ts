import { defined } from '../block/text.ts'
import { type Engine, logFailure, type NotedRequest, type Principal } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import {
  type RequestKey,
  readRequest,
  removeRequest,
  type StoredRequest,
  saveRequest,
  trimRequests,
} from '../store/requests.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'

/** The time and the number of requests for which an answer is kept, and how many are removed at a time. */
const KEPT = { milliseconds: 3_600_000, requests: 10_000, removed: 500 }

/** Old requests are looked for with every so many new ones. */
const TRIMMED_EVERY = 100

/** The most characters of an answer that is kept. */
const ANSWER_MOST = 100_000

/** Writes that change nothing durable; their loss at a power cut loses an answer, and no write. */
const LATER = { durable: false } as const

/** The facts about an operation that its repetition depends on, as its record has them. */
interface Repeated {
  readonly name: string
  readonly idempotent: boolean
  readonly cost: string
}

/** A write that its caller gave a key. */
interface Once {
  readonly operation: Repeated
  readonly principal: Principal
  readonly once: string
  readonly input: object
}

/**
 * Answers a write that may be asked for more than once with the same key: the first time it is done, and noted in its first transaction;
 * then its answer is kept and given again. While it runs, others with its key wait for it. Throws `CONFLICT` for a key with another input.
 */
export async function doneOnce(
  engine: Engine,
  { operation, principal, once, input: given }: Once,
  answer: (request: NotedRequest) => Promise<unknown>,
): Promise<unknown> {
  if (!/^[\x21-\x7e]{1,128}$/.test(once)) throw noKey()
  const { requests, ids } = engine
  const holder = [principal.actor, principal.scope ?? ''].join(' ')
  const key = [holder, operation.name, once] as const
  const name = key.join(' ')
  const input = ids.sha256(JSON.stringify(given))
  for (let running = requests.get(name); running !== undefined; running = requests.get(name)) {
    if (running.input !== input) throw otherInput(operation)
    try {
      return await running.answer
    } catch (error) {
      // Whoever asked first may have left; who asks again has not.
      if (!isCode(error, 'CANCELLED')) throw error
    }
  }
  const asked = answerOf(engine, { operation, key, input }, answer)
  const running = asked.finally(() => requests.delete(name))
  running.catch(() => undefined)
  requests.set(name, { input, answer: running })
  return running
}

interface Asked {
  readonly operation: Repeated
  readonly key: RequestKey
  readonly input: string
}

async function answerOf(
  engine: Engine,
  asked: Asked,
  answer: (request: NotedRequest) => Promise<unknown>,
): Promise<unknown> {
  const { store } = engine
  const before = await store.read((tx) => keptAnswer(tx, asked))
  if (before !== undefined) return before
  const request = new Request(asked)
  try {
    const output = await answer(request)
    // Another process has done it, and the operation went on without it.
    if (request.before !== undefined) return request.before
    if (!engine.isAbsent) keepAnswer(engine, request, output)
    return output
  } catch (error) {
    if (request.before !== undefined) return request.before
    const { idempotent, cost } = asked.operation
    // A retry goes on with work that may be done again, and with work that is done in parts.
    if (request.isNoted && (idempotent || cost === 'batch'))
      await store.write((tx) => removeRequest(tx, asked.key), LATER)
    throw error
  }
}

/** A request in its first transaction. */
class Request implements NotedRequest {
  readonly asked: Asked
  isNoted = false
  entry: number | undefined
  /** The answer of another process that did it meanwhile. */
  before: object | undefined

  constructor(asked: Asked) {
    this.asked = asked
  }

  async begin(tx: Transaction): Promise<void> {
    if (this.isNoted) return
    this.before = await keptAnswer(tx, this.asked)
    if (this.before !== undefined) throw new Error('The request was done before.')
  }

  async end(tx: Transaction, at: string): Promise<void> {
    if (this.isNoted) return
    this.entry = tx.logged.at(-1)
    await saveRequest(tx, requestOf(this, at))
  }

  committed(): void {
    this.isNoted = true
  }
}

function requestOf({ asked, entry }: Request, at: string): StoredRequest {
  const [holder, operation, key] = asked.key
  return { holder, operation, key, input: asked.input, at, ...defined({ entry }) }
}

/** Keeps the answer of a request behind it; a request that wrote nothing is noted with it. If that fails, only the answer is lost. */
function keepAnswer(
  { store, clock, requests, logger, behind }: Engine,
  request: Request,
  output: unknown,
): void {
  const now = clock.now()
  const answer = JSON.stringify(output).length <= ANSWER_MOST ? { answer: output } : {}
  const row = { ...requestOf(request, new Date(now).toISOString()), ...answer }
  const before = new Date(now - KEPT.milliseconds).toISOString()
  const work = async (tx: Transaction) => {
    await saveRequest(tx, row)
    if (isTimeToTrim(requests)) await trimRequests(tx, { before, keep: KEPT.requests, most: KEPT.removed })
  }
  behind.add(() => store.write(work, LATER).catch((error) => logFailure(logger, row.operation, error)))
}

const answered = new WeakMap<object, number>()

function isTimeToTrim(requests: object): boolean {
  const times = answered.get(requests) ?? 0
  answered.set(requests, times + 1)
  return times % TRIMMED_EVERY === 0
}

/** Returns the answer of a request that was made before; what is known of it, if the answer itself got lost. */
async function keptAnswer(
  tx: ReadTransaction,
  { operation, key, input }: Asked,
): Promise<object | undefined> {
  const known = await readRequest(tx, key)
  if (known === undefined) return undefined
  if (known.input !== input) throw otherInput(operation)
  if (known.answer !== undefined) return Object(known.answer)
  const [entry] =
    known.entry === undefined ? [] : await tx.queries.operations({ limit: 1, before: known.entry + 1 })
  const { blockIds = [], id } = entry?.id === known.entry ? (entry ?? {}) : {}
  return {
    ...defined({ operationId: id, blockId: blockIds.length === 1 ? blockIds[0] : undefined }),
    ...(blockIds.length > 0 ? { blockIds } : {}),
    summary: 'This was done before, and its answer got lost: what it wrote is there.',
  }
}

function isCode(error: unknown, code: string): boolean {
  return ElfmemError.is(error) && error.code === code
}

function noKey(): ElfmemError {
  return new ElfmemError('INVALID_INPUT', 'The key of the call is none that can be used.', {
    recovery: 'Give it 1 to 128 visible characters of ASCII, such as a random UUID.',
  })
}

function otherInput({ name }: Repeated): ElfmemError {
  return new ElfmemError('CONFLICT', `${name} was called with this key before, and with another input.`, {
    recovery: 'Give each call a key of its own, and the same one only to send the same call once more.',
  })
}
