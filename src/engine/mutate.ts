import { defined } from '../block/text.ts'
import type { WriteOptions } from '../store/contract.ts'
import {
  logOperation,
  logOperations,
  type NewOperation,
  readClock,
  readMeta,
  saveMeta,
} from '../store/log.ts'
import type { ClockReading, OperationRecord } from '../store/queries.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'
import { dayOf, type TokenUsage } from './counts.ts'
import { AUTO, actorOf, type CallContext, type Engine, type Moment } from './engine.ts'

/** One operation for the log, without the time, actor, session and run that are added. */
type LogEntry = Omit<NewOperation, 'at' | 'hours' | 'actor' | 'session' | 'run'>

/** The open transaction of a mutation, its time, session and log; it ends with the work. */
export interface Mutation {
  readonly tx: Transaction
  readonly moment: Moment
  /** The running session's id; empty where a dream at rest finds none. */
  readonly session: string
  /** Token usage of this call so far, to spread into its log entry; empty if no model was used. */
  readonly used: Pick<OperationRecord, 'tokens'>
  /** Logs an operation and thereby moves the memory's clock. Every mutation logs all it did. */
  log(entry: LogEntry): Promise<number>
  /** The same for many, in their order. */
  logAll(entries: readonly LogEntry[]): Promise<void>
}

/** How a mutation is written. */
interface MutateOptions extends WriteOptions {
  /** The memory's clock when the caller has just read it; saves a statement. */
  readonly reading?: ClockReading
}

/** Writes to the session; after a failure no session has begun or ended. */
export async function writeSession<T>(
  { store, session }: Engine,
  work: (tx: Transaction) => Promise<T>,
  options: WriteOptions = {},
): Promise<T> {
  // Known only inside the transaction: a call that waits for its turn may find a session begun meanwhile.
  let goBack = (): void => undefined
  try {
    return await store.write((tx) => {
      const before = session.unended
      goBack = () => session.backTo(before)
      return work(tx)
    }, options)
  } catch (error) {
    goBack()
    throw error
  }
}

/**
 * The one way the flow writes: one transaction that knows the time, runs in a session (begun now if there is none)
 * and is logged. When `work` throws nothing is left behind, not even the session.
 *
 * @param options.undoable true unless said, because whoever writes should be able to take it back
 */
export async function mutate<T>(
  engine: Engine,
  context: CallContext,
  work: (mutation: Mutation) => Promise<T>,
  { reading, durable = true, undoable = true }: MutateOptions = {},
): Promise<T> {
  const { meter } = context
  const meters = meter === undefined ? [engine.unbilled] : [meter, engine.unbilled]
  let billed: (readonly [UsageMeter, TokenUsage])[] = []
  const entries: { id: number; operation: string }[] = []
  let kept: number | undefined
  const write = async (tx: Transaction): Promise<T> => {
    const moment = engine.session.moment(reading ?? (await readClock(tx)))
    // Nobody is there for whom a session would begin.
    const session = context.actor === AUTO ? engine.session.current : await engine.session.ensure(tx, moment)
    const stamp = {
      at: moment.at,
      hours: moment.hours,
      actor: actorOf(engine, context),
      ...defined({ session: session?.id, run: context.run }),
    }
    const result = await work({
      tx,
      used: meter === undefined || isUnused(meter.total) ? {} : { tokens: meter.total },
      moment,
      session: session?.id ?? '',
      log: async (entry) => {
        const id = await logOperation(tx, { ...entry, ...stamp })
        entries.push({ id, operation: entry.operation })
        return id
      },
      logAll: (many) =>
        logOperations(
          tx,
          many.map((entry) => ({ ...entry, ...stamp })),
        ),
    })
    billed = meters.map((each) => [each, each.unwritten])
    for (const [, used] of billed) await noteUsage(tx, used, moment.at)
    return result
  }
  const done = await writeSession(engine, write, {
    durable,
    undoable,
    onKept: (operationId) => (kept = operationId),
  })
  for (const [each, used] of billed) each.written(used)
  context.logged?.note({ entries, kept, run: context.run })
  return done
}

/** A usage with all counters 0. */
export const NO_USAGE: TokenUsage = {
  llmInputTokens: 0,
  llmOutputTokens: 0,
  llmCalls: 0,
  embeddingTokens: 0,
  embeddingCalls: 0,
}

const COUNTERS = Object.keys(NO_USAGE) as readonly (keyof TokenUsage)[]

/** Returns the sum of two usages; `sign` -1 takes the other away. */
export function addUsage(one: TokenUsage, other: Partial<TokenUsage>, sign: 1 | -1 = 1): TokenUsage {
  const sums = COUNTERS.map((key) => [key, one[key] + sign * (other[key] ?? 0)])
  return Object.fromEntries(sums) as unknown as TokenUsage
}

/** Returns the tokens of language models, in and out: what budgets count. */
export function llmTokens({ llmInputTokens, llmOutputTokens }: TokenUsage): number {
  return llmInputTokens + llmOutputTokens
}

/** Returns true if no model was called. */
export function isUnused({ llmCalls, embeddingCalls }: TokenUsage): boolean {
  return llmCalls === 0 && embeddingCalls === 0
}

/** Returns a usage as it was stored; zeros for what cannot be read. */
function readUsage(stored: string | undefined): TokenUsage {
  try {
    const read: unknown = JSON.parse(stored ?? '{}')
    const numbers = Object.entries(Object(read)).filter(
      ([key, value]) => key in NO_USAGE && Number.isFinite(value) && (value as number) >= 0,
    )
    return { ...NO_USAGE, ...Object.fromEntries(numbers) }
  } catch {
    return NO_USAGE
  }
}

/** Under these keys of the store's settings, for all scopes together: one key is paid by one owner. */
const LIFETIME_KEY = 'lifetime_token_usage'
const DAY_KEY = 'llm_tokens_of_day'
const TROUBLE_KEY = 'llm_trouble'

/** Collects what calls of models used until it is written down (`mutate` does). */
export class UsageMeter {
  /** Secrets that were kept from models, by kind. */
  readonly redacted = new Map<string, number>()
  #total: TokenUsage = NO_USAGE
  #written: TokenUsage = NO_USAGE

  /** All since the meter began. */
  get total(): TokenUsage {
    return this.#total
  }

  /** Counts secrets of a kind that were kept from a model. */
  noteRedacted(kind: string, count: number): void {
    this.redacted.set(kind, (this.redacted.get(kind) ?? 0) + count)
  }

  /** Adds the counters that are given to the total. */
  add(used: Partial<TokenUsage>): void {
    this.#total = addUsage(this.#total, used)
  }

  /** Usage that is not stored yet. */
  get unwritten(): TokenUsage {
    return addUsage(this.#total, this.#written, -1)
  }

  /** Notes that a usage was written down, and that the write held. */
  written(used: TokenUsage): void {
    this.#written = addUsage(this.#written, used)
  }
}

/** Why the model did not answer the last time it was asked. */
export interface Trouble {
  /** ISO-8601 UTC. */
  readonly at: string
  readonly message: string
  readonly recovery: string
}

/** Returns the usage of models in the life of the memory. */
export async function lifetimeUsage(tx: ReadTransaction): Promise<TokenUsage> {
  return readUsage(await readMeta(tx, LIFETIME_KEY))
}

/** Tokens of language models on the UTC day of `at`, of all processes. */
export async function tokensOfDay(tx: ReadTransaction, at: string): Promise<number> {
  const [day, tokens] = (await readMeta(tx, DAY_KEY))?.split(' ') ?? []
  return day === dayOf(at) ? Number(tokens) || 0 : 0
}

/** Adds what was used to the life of the memory and to its day. Nothing is written for nothing. */
export async function noteUsage(tx: Transaction, used: TokenUsage, at: string): Promise<void> {
  if (isUnused(used)) return
  await saveMeta(tx, LIFETIME_KEY, JSON.stringify(addUsage(await lifetimeUsage(tx), used)))
  const tokens = llmTokens(used)
  if (tokens > 0) await saveMeta(tx, DAY_KEY, `${dayOf(at)} ${(await tokensOfDay(tx, at)) + tokens}`)
}

/** Why the model failed last, unless it has answered since. */
export async function lastTrouble(tx: ReadTransaction): Promise<Trouble | undefined> {
  const stored = await readMeta(tx, TROUBLE_KEY)
  return stored === undefined || stored === '' ? undefined : (JSON.parse(stored) as Trouble)
}

/** Notes why the model failed, or with nothing that it answers again. */
export async function noteTrouble(tx: Transaction, trouble: Trouble | undefined): Promise<void> {
  const before = await readMeta(tx, TROUBLE_KEY)
  const after = trouble === undefined ? '' : JSON.stringify(trouble)
  if ((before ?? '') !== after) await saveMeta(tx, TROUBLE_KEY, after)
}

/** The entries that one transaction of a call logged. */
interface LoggedTransaction {
  readonly entries: readonly { readonly id: number; readonly operation: string }[]
  /** The number under which its changes are kept; absent if nothing changed that an undo could take back. */
  readonly kept?: number | undefined
  /** The dream, curation, import or batch it was part of. */
  readonly run?: string | undefined
}

/** The entries of the log that a call wrote, so that its answer can name the one by which all of it is taken back. */
export class CallLog {
  readonly #transactions: LoggedTransaction[] = []

  /** Notes a transaction that is committed. */
  note(transaction: LoggedTransaction): void {
    this.#transactions.push(transaction)
  }

  /**
   * The number that `undo` takes: of the newest entry under the operation's own name, alone or of many, which stands for its run; else that of the
   * newest transaction. Undefined if nothing was changed that can be taken back.
   *
   * @param operation as the log names it
   */
  numberFor(operation: string): number | undefined {
    const runs = new Set(this.#transactions.flatMap(({ kept, run }) => (kept === undefined ? [] : [run])))
    const undoable = this.#transactions.filter(
      ({ kept, run }) => kept !== undefined || (run !== undefined && runs.has(run)),
    )
    const own = undoable.flatMap(({ entries }) =>
      entries.filter((entry) => entry.operation === operation || entry.operation === `${operation}_many`),
    )
    const last = undoable.at(-1)
    return own.at(-1)?.id ?? last?.entries.at(-1)?.id ?? last?.kept
  }
}
