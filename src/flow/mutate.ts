import type { ClockReading, OperationRecord, StoreWriter, WriteOptions } from '../ports/store.ts'
import type { CallContext, Engine } from './engine.ts'
import type { Moment } from './session.ts'

/** What a mutation did, for the log. */
type LogEntry = Pick<OperationRecord, 'operation' | 'blockIds' | 'summary'> &
  Partial<Pick<OperationRecord, 'reason' | 'before'>>

export interface Mutation {
  readonly tx: StoreWriter
  readonly moment: Moment
  /** The running session's id. */
  readonly session: string
  /** Logs an operation and thereby moves the memory's clock. Every mutation logs all it did. */
  log(entry: LogEntry): Promise<number>
  /** The same for many, in their order. */
  logAll(entries: readonly LogEntry[]): Promise<void>
}

/**
 * The one way the flow writes: one transaction that knows the time, runs in a session (begun now if there is none)
 * and is logged. When `work` throws nothing is left behind, not even the session.
 *
 * @param options.reading the memory's clock when the caller has just read it; saves a statement
 * @param options.durable see `WriteOptions`
 */
export async function mutate<T>(
  engine: Engine,
  context: CallContext,
  work: (mutation: Mutation) => Promise<T>,
  { reading, durable = true }: WriteOptions & { readonly reading?: ClockReading } = {},
): Promise<T> {
  const begunBefore = engine.session.current !== undefined
  try {
    return await engine.store.write(
      async (tx) => {
        const moment = engine.session.moment(reading ?? (await tx.clock()))
        const session = await engine.session.ensure(tx, moment)
        const stamp = {
          at: moment.at,
          hours: moment.hours,
          actor: context.actor ?? engine.actor,
          session: session.id,
        }
        return work({
          tx,
          moment,
          session: session.id,
          log: (entry) => tx.log({ ...entry, ...stamp }),
          logAll: (entries) => tx.logAll(entries.map((entry) => ({ ...entry, ...stamp }))),
        })
      },
      { durable },
    )
  } catch (error) {
    if (!begunBefore) engine.session.forget()
    throw error
  }
}
