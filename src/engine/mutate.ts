import type { WriteOptions } from '../store/contract.ts'
import { logOperation, logOperations, type NewOperation, readClock } from '../store/log.ts'
import type { ClockReading, OperationRecord } from '../store/queries.ts'
import type { Transaction } from '../store/transaction.ts'
import type { TokenUsage } from './counts.ts'
import type { Moment } from './engine.ts'
import { AUTO, actorOf, type CallContext, type Engine } from './engine.ts'
import { isUnused, noteUsage, type UsageMeter } from './usage.ts'

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

/**
 * The one way the flow writes: one transaction that knows the time, runs in a session (begun now if there is none)
 * and is logged. When `work` throws nothing is left behind, not even the session.
 *
 * @param options.durable see `WriteOptions`
 * @param options.undoable the same; true unless said, because whoever writes should be able to take it back
 */
export async function mutate<T>(
  engine: Engine,
  context: CallContext,
  work: (mutation: Mutation) => Promise<T>,
  { reading, durable = true, undoable = true }: MutateOptions = {},
): Promise<T> {
  // Known only inside the transaction: a call that waits for its turn may find a session begun meanwhile.
  let goBack = (): void => undefined
  const bills = new Bills(engine, context)
  const entries: { id: number; operation: string }[] = []
  let kept: number | undefined
  try {
    const done = await engine.store.write(
      async (tx) => {
        const before = engine.session.unended
        goBack = () => engine.session.backTo(before)
        const moment = engine.session.moment(reading ?? (await readClock(tx)))
        // Nobody is there for whom a session would begin.
        const session =
          context.actor === AUTO ? engine.session.current : await engine.session.ensure(tx, moment)
        const stamp = {
          at: moment.at,
          hours: moment.hours,
          actor: actorOf(engine, context),
          ...(session === undefined ? {} : { session: session.id }),
          ...(context.run === undefined ? {} : { run: context.run }),
        }
        const result = await work({
          tx,
          used: bills.used,
          moment,
          session: session?.id ?? '',
          log: async (entry) => {
            const id = await logOperation(tx, { ...entry, ...stamp })
            entries.push({ id, operation: entry.operation })
            return id
          },
          logAll: (entries) =>
            logOperations(
              tx,
              entries.map((entry) => ({ ...entry, ...stamp })),
            ),
        })
        await bills.write(tx, moment.at)
        return result
      },
      { durable, undoable, onKept: (operationId) => (kept = operationId) },
    )
    bills.paid()
    context.logged?.note({ entries, kept, run: context.run })
    return done
  } catch (error) {
    goBack()
    throw error
  }
}

/** Model usage that is not stored yet: of this call, and of earlier calls that wrote nothing. */
class Bills {
  readonly #meters: readonly UsageMeter[]
  readonly used: Pick<OperationRecord, 'tokens'>
  #billed: readonly (readonly [UsageMeter, TokenUsage])[] = []

  constructor({ unbilled }: Engine, { meter }: CallContext) {
    this.#meters = meter === undefined ? [unbilled] : [meter, unbilled]
    this.used = meter === undefined || isUnused(meter.total) ? {} : { tokens: meter.total }
  }

  async write(tx: Transaction, at: string): Promise<void> {
    this.#billed = this.#meters.map((meter) => [meter, meter.unwritten] as const)
    for (const [, used] of this.#billed) await noteUsage(tx, used, at)
  }

  paid(): void {
    for (const [meter, used] of this.#billed) meter.written(used)
  }
}
