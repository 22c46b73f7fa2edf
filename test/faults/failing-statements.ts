import { DatabaseSync, StatementSync } from 'node:sqlite'

/** The codes with which a store says that the world failed it, with the result codes of SQLite (sqlite.org/rescode.html). */
const RESULTS = { STORE_BUSY: 5, STORE_FAILED: 10, STORE_CORRUPT: 11, STORE_FULL: 13 } as const

type FaultCode = keyof typeof RESULTS
export const FAULT_CODES = Object.keys(RESULTS) as FaultCode[]

export interface Fault {
  /** The statement that fails, from 1. */
  readonly at: number
  readonly code: FaultCode
  /** `before`: the statement does nothing; `after`: it does its work and fails all the same, as a disk can at a commit. */
  readonly when: 'before' | 'after'
}

/** After these failures SQLite may have ended the transaction itself. */
const ENDING: ReadonlySet<FaultCode> = new Set(['STORE_FULL', 'STORE_FAILED'])

interface Armed {
  readonly fault: Fault | undefined
  readonly onCommit: (() => void) | undefined
  readonly steps: string[]
  met: boolean
}

let armed: Armed | undefined
let isInstalled = false

/** Counts the statements of every connection of this process from now on, and fails the one that is named. */
export function arm(fault?: Fault, onCommit?: () => void): void {
  installFaults()
  armed = { fault, onCommit, steps: [], met: false }
}

/** Ends that; returns the statements that were begun, and whether one failed. */
export function disarm(): Pick<Armed, 'steps' | 'met'> {
  const { steps = [], met = false } = armed ?? {}
  armed = undefined
  return { steps, met }
}

/** Must be called before the connections are opened that are to fail. */
export function installFaults(): void {
  if (!isInstalled) install()
  isInstalled = true
}

function install(): void {
  const known = new WeakMap<StatementSync, { readonly database: DatabaseSync; readonly sql: string }>()
  const { prepare, exec } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, ...given) {
    const statement = Reflect.apply(prepare, this, given) as StatementSync
    known.set(statement, { database: this, sql: given[0] })
    return statement
  }
  DatabaseSync.prototype.exec = function (this: DatabaseSync, sql) {
    step({ database: this, sql }, () => Reflect.apply(exec, this, [sql]))
  }
  for (const name of ['all', 'get', 'run', 'iterate'] as const) {
    const original = StatementSync.prototype[name] as (...given: unknown[]) => unknown
    Object.defineProperty(StatementSync.prototype, name, {
      configurable: true,
      writable: true,
      value(this: StatementSync, ...given: unknown[]) {
        const origin = known.get(this)
        const work = () => Reflect.apply(original, this, given)
        return origin === undefined ? work() : step(origin, work)
      },
    })
  }
}

function step<T>(
  { database, sql }: { readonly database: DatabaseSync; readonly sql: string },
  work: () => T,
): T {
  const fault = sql === 'ROLLBACK' ? undefined : begin(sql)
  if (fault?.when === 'before') fail(fault, database)
  const done = work()
  if (sql === 'BEGIN IMMEDIATE') writers.add(database)
  if (sql === 'COMMIT') lookOn(database)
  if (fault) fail(fault, database)
  return done
}

/** Counts a statement; returns how it is to fail, if it is. */
function begin(sql: string): Fault | undefined {
  if (armed === undefined) return undefined
  armed.steps.push(sql)
  if (armed.steps.length !== armed.fault?.at) return undefined
  armed.met = true
  return armed.fault
}

/** Whether the newest committed write was synced before it was acknowledged. */
export const lastWrite = { durable: false }

const FULL = 2
const writers = new WeakSet<DatabaseSync>()

/** The look at the file after a commit uses statements, too, which are not counted. */
function lookOn(database: DatabaseSync): void {
  const counting = armed
  armed = undefined
  // A database without a file of its own ends with its connection, so nothing of it has to last.
  if (writers.has(database) && database.location() !== null)
    lastWrite.durable = database.prepare('PRAGMA synchronous').get()?.synchronous === FULL
  counting?.onCommit?.()
  armed = counting
}

function fail({ code }: Fault, database: DatabaseSync): never {
  if (ENDING.has(code) && database.isTransaction) database.prepare('ROLLBACK').run()
  throw Object.assign(new Error('failed on purpose'), { code: 'ERR_SQLITE_ERROR', errcode: RESULTS[code] })
}
