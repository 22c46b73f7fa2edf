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

/** The milliseconds for which an answer is kept, and how many old requests a new one removes at most. */
const KEPT = { milliseconds: 3_600_000, removed: 20 }

/** The most characters of an answer that is kept. */
const ANSWER_MOST = 100_000

/** How often an answer is looked for that another process may still be about to keep, and the milliseconds between. */
const LOOKS = { times: 10, every: 50 }

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
    const failure = await running.answer.then(
      () => undefined,
      (error: unknown) => error,
    )
    if (failure === undefined) request.mustHaveInput(running.input)
    // The caller that asked first may have left; one who asks again has not. The failure of another input is not this call's.
    const isOver = ElfmemError.is(failure) && failure.code === 'CANCELLED'
    if (running.input === request.input && !isOver) return running.answer
  }
  const answer = request.answered(answering).finally(() => requests.delete(name))
  answer.catch(() => undefined)
  requests.set(name, { input: request.input, answer })
  return answer
}

/** A write with a key, which is noted in its first transaction. */
class Request implements NotedRequest {
  readonly key: RequestKey
  /** The hash of the input. */
  readonly input: string
  readonly #engine: Engine
  readonly #operation: Once['operation']
  #isNoted = false
  #entry: number | undefined
  /** The note of another process that did it meanwhile. */
  #before: StoredRequest | undefined

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
    const before = await store.read((tx) => this.#noted(tx))
    if (before !== undefined) {
      const given = await this.#given(before)
      if (given !== undefined) return given
      await store.write((tx) => removeRequest(tx, this.key), LATER)
    }
    try {
      const output = await answering(this)
      // Another process has done it, and the operation went on without it.
      if (this.#before !== undefined) return this.#given(this.#before)
      if (!isAbsent) this.#keep(output)
      return output
    } catch (error) {
      if (this.#before !== undefined) return this.#given(this.#before)
      const { idempotent, cost } = this.#operation
      // A retry goes on with work that may be done again, and with work that is done in parts.
      if (this.#isNoted && (idempotent || cost === 'batch'))
        await store.write((tx) => removeRequest(tx, this.key), LATER)
      throw error
    }
  }

  async begin(tx: Transaction): Promise<void> {
    if (this.#isNoted) return
    this.#before = await this.#noted(tx)
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
    const { store, clock, logger, behind } = this.#engine
    const now = clock.now()
    const answer = JSON.stringify(output).length <= ANSWER_MOST ? { answer: output } : {}
    const row = { ...this.#row(new Date(now).toISOString()), ...answer }
    const before = new Date(now - KEPT.milliseconds).toISOString()
    const work = async (tx: Transaction) => {
      await saveRequest(tx, row)
      await trimRequests(tx, before, KEPT.removed)
    }
    behind.add(() => store.write(work, LATER).catch((error) => logFailure(logger, row.operation, error)))
  }

  async #noted(tx: ReadTransaction): Promise<StoredRequest | undefined> {
    const known = await readRequest(tx, this.key)
    if (known !== undefined) this.mustHaveInput(known.input)
    return known
  }

  /**
   * Returns the answer of a request that was made before; undefined if only the first parts of its work were done, which a retry goes on
   * with. Throws what is known of it if the answer itself got lost.
   */
  async #given(noted: StoredRequest): Promise<object | undefined> {
    const { store } = this.#engine
    let known: StoredRequest | undefined = noted
    for (let look = 0; known?.answer === undefined && look < LOOKS.times; look += 1) {
      await new Promise((resolve) => setTimeout(resolve, LOOKS.every))
      known = await store.read((tx) => readRequest(tx, this.key))
    }
    if (known?.answer !== undefined) return Object(known.answer)
    const { entry } = noted
    const read = (before: number) => store.read((tx) => tx.queries.operations({ limit: 1, before }))
    const [found] = entry === undefined ? [] : await read(entry + 1)
    const { blockIds = [], id, run = undefined } = found !== undefined && found.id === entry ? found : {}
    if (run !== undefined) return undefined
    throw new ElfmemError('STORE_FAILED', 'This call was done before, and its answer got lost.', {
      recovery: 'Do not repeat it with another key: read what it wrote.',
      details: { outcome: 'done', ...defined({ operationId: id }), blockIds },
    })
  }
}
