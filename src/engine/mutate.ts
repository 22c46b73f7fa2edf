import { defined } from '../block/text.ts'
import type { ClockReading, OperationRecord, WriteOptions } from '../store/database.ts'
import { logOperation, logOperations, type NewOperation, readMeta, saveMeta } from '../store/log.ts'
import type { ReadTransaction, Transaction } from '../store/transaction.ts'
import { addUsage, dayOf, isUnused, llmTokens, NO_USAGE, type TokenUsage, type UsageMeter } from './counts.ts'
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
    const moment = engine.session.moment(reading ?? (await tx.state()).clock)
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
  context.logged?.push({ entries, kept, run: context.run })
  return done
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

/** Why the model did not answer the last time it was asked. */
export interface Trouble {
  readonly at: string
  readonly message: string
  readonly recovery: string
}

export async function lifetimeUsage(tx: ReadTransaction): Promise<TokenUsage> {
  return readUsage(await readMeta(tx, LIFETIME_KEY))
}

/** Tokens of language models on the UTC day of `at`, of all processes. */
export async function tokensOfDay(tx: ReadTransaction, at: string): Promise<number> {
  const [day, tokens] = (await readMeta(tx, DAY_KEY))?.split(' ') ?? []
  return day === dayOf(at) ? Number(tokens) || 0 : 0
}

/** Adds what was used to the life of the memory and to its day. Nothing is written for nothing. */
async function noteUsage(tx: Transaction, used: TokenUsage, at: string): Promise<void> {
  if (isUnused(used)) return
  await saveMeta(tx, LIFETIME_KEY, JSON.stringify(addUsage(await lifetimeUsage(tx), used)))
  const tokens = llmTokens(used)
  if (tokens > 0) await saveMeta(tx, DAY_KEY, `${dayOf(at)} ${(await tokensOfDay(tx, at)) + tokens}`)
}

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
