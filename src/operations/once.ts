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
import { mustBeKey } from './call-context.ts'

/** The time and the number of requests for which an answer is kept, and how many are removed at a time. */
const KEPT = { milliseconds: 3_600_000, requests: 10_000, removed: 500 }

/** Old requests are looked for with every so many new ones. */
const TRIMMED_EVERY = 100

/** The most characters of an answer that is kept. */
const ANSWER_MOST = 100_000

/** Writes that change nothing durable; their loss at a power cut loses an answer, and no write. */
const LATER = { durable: false } as const

/** A write that its caller gave a key. */
interface Once {
  readonly operation: { readonly name: string; readonly idempotent: boolean; readonly cost: string }
  readonly principal: Principal
  readonly once: string
  readonly input: object
}

type Answering = (request: NotedRequest) => Promise<unknown>

/**
 * Answers a write that may be asked for more than once with the same key: the first time it is done, and noted in its first transaction;
 * then its answer is kept and given again. While it runs, others with its key wait for it. Throws `CONFLICT` for a key with another input.
 */
export async function doneOnce(engine: Engine, call: Once, answering: Answering): Promise<unknown> {
  mustBeKey(call.once)
  const { requests } = engine
  const request = new Request(engine, call)
  const name = request.key.join(' ')
  for (let running = requests.get(name); running !== undefined; running = requests.get(name)) {
    request.mustHaveInput(running.input)
    try {
      return await running.answer
    } catch (error) {
      // The caller that asked first may have left; one who asks again has not.
      if (!ElfmemError.is(error) || error.code !== 'CANCELLED') throw error
    }
  }
  const answer = request.answered(answering).finally(() => requests.delete(name))
  answer.catch(() => undefined)
  requests.set(name, { input: request.input, answer })
  return answer
}

/** Counts the answers of an engine by its map of requests. */
const answered = new WeakMap<object, number>()

/** A write with a key, which is noted in its first transaction. */
class Request implements NotedRequest {
  readonly key: RequestKey
  /** The hash of the input. */
  readonly input: string
  readonly #engine: Engine
  readonly #operation: Once['operation']
  #isNoted = false
  #entry: number | undefined
  /** The answer of another process that did it meanwhile. */
  #before: object | undefined

  constructor(engine: Engine, { operation, principal, once, input }: Once) {
    this.#engine = engine
    this.#operation = operation
    this.key = [[principal.actor, principal.scope ?? ''].join(' '), operation.name, once]
    this.input = engine.ids.sha256(JSON.stringify(input))
  }

  mustHaveInput(input: string): void {
    const { name } = this.#operation
    if (input === this.input) return
    throw new ElfmemError('CONFLICT', `${name} was called with this key before, and with another input.`, {
      recovery: 'Give each call a key of its own, and the same one only to send the same call once more.',
    })
  }

  /** Returns the answer that is kept, or else does the work and keeps its answer. */
  async answered(answering: Answering): Promise<unknown> {
    const { store, isAbsent } = this.#engine
    const before = await store.read((tx) => this.#kept(tx))
    if (before !== undefined) return before
    try {
      const output = await answering(this)
      // Another process has done it, and the operation went on without it.
      if (this.#before !== undefined) return this.#before
      if (!isAbsent) this.#keep(output)
      return output
    } catch (error) {
      if (this.#before !== undefined) return this.#before
      const { idempotent, cost } = this.#operation
      // A retry goes on with work that may be done again, and with work that is done in parts.
      if (this.#isNoted && (idempotent || cost === 'batch'))
        await store.write((tx) => removeRequest(tx, this.key), LATER)
      throw error
    }
  }

  async begin(tx: Transaction): Promise<void> {
    if (this.#isNoted) return
    this.#before = await this.#kept(tx)
    if (this.#before !== undefined) throw new Error('The request was done before.')
  }

  async end(tx: Transaction, at: string): Promise<void> {
    if (this.#isNoted) return
    this.#entry = tx.logged.at(-1)
    await saveRequest(tx, this.#row(at))
  }

  committed(): void {
    this.#isNoted = true
  }

  #row(at: string): StoredRequest {
    const [holder, operation, key] = this.key
    return { holder, operation, key, input: this.input, at, ...defined({ entry: this.#entry }) }
  }

  /** Keeps the answer behind the call; a request that wrote nothing is noted with it. If that fails, only the answer is lost. */
  #keep(output: unknown): void {
    const { store, clock, requests, logger, behind } = this.#engine
    const now = clock.now()
    const answer = JSON.stringify(output).length <= ANSWER_MOST ? { answer: output } : {}
    const row = { ...this.#row(new Date(now).toISOString()), ...answer }
    const old = { before: new Date(now - KEPT.milliseconds).toISOString(), keep: KEPT.requests }
    const work = async (tx: Transaction) => {
      await saveRequest(tx, row)
      const times = answered.get(requests) ?? 0
      answered.set(requests, times + 1)
      if (times % TRIMMED_EVERY === 0) await trimRequests(tx, { ...old, most: KEPT.removed })
    }
    behind.add(() => store.write(work, LATER).catch((error) => logFailure(logger, row.operation, error)))
  }

  /** Returns the answer of a request that was made before; what is known of it, if the answer itself got lost. */
  async #kept(tx: ReadTransaction): Promise<object | undefined> {
    const known = await readRequest(tx, this.key)
    if (known === undefined) return undefined
    this.mustHaveInput(known.input)
    if (known.answer !== undefined) return Object(known.answer)
    const [found] =
      known.entry === undefined ? [] : await tx.queries.operations({ limit: 1, before: known.entry + 1 })
    const { blockIds = [], id } = found !== undefined && found.id === known.entry ? found : {}
    return {
      ...defined({ operationId: id, blockId: blockIds.length === 1 ? blockIds[0] : undefined }),
      ...(blockIds.length > 0 ? { blockIds } : {}),
      summary: 'This was done before, and its answer got lost: what it wrote is there.',
    }
  }
}
