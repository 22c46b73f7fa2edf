import { DatabaseSync, StatementSync } from 'node:sqlite'
import { type Fault, type FaultCode, type FaultLine, Steps } from './fault.ts'

/** Result codes of SQLite (sqlite.org/rescode.html). */
const RESULTS: Readonly<Record<FaultCode, number>> = {
  STORE_BUSY: 5,
  STORE_FAILED: 10,
  STORE_CORRUPT: 11,
  STORE_FULL: 13,
}

/** Failures after which SQLite has ended the transaction itself, as it may after these. */
const ENDING: ReadonlySet<FaultCode> = new Set(['STORE_FULL', 'STORE_FAILED'])

let steps: Steps | undefined
let isInstalled = false

/**
 * The statements of every connection of this process, each of which can be made to fail as SQLite itself would, the
 * ends of transactions included. Only a rollback always works. Node has no seam for it, so its prototypes get one.
 */
export const statementLine: FaultLine = {
  arm: (fault, onCommit) => {
    installFaults()
    steps = new Steps(fault, onCommit)
  },
  disarm: () => {
    const { names = [], met = false } = steps ?? {}
    steps = undefined
    return { steps: names, met }
  },
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
  const fault = sql === 'ROLLBACK' ? undefined : steps?.begin(sql)
  if (fault?.when === 'before') fail(fault, database)
  const done = work()
  if (sql === 'BEGIN IMMEDIATE') writers.add(database)
  if (sql === 'COMMIT') lookOn(database)
  if (fault) fail(fault, database)
  return done
}

/** How the newest committed write was to reach the disk: synced before it was acknowledged, or with the next one. */
export const lastWrite = { durable: false }

const FULL = 2
const writers = new WeakSet<DatabaseSync>()

/** Whoever looks at the file after a commit uses statements, too. */
function lookOn(database: DatabaseSync): void {
  const counting = steps
  steps = undefined
  if (writers.has(database))
    lastWrite.durable = database.prepare('PRAGMA synchronous').get()?.synchronous === FULL
  counting?.committed()
  steps = counting
}

function fail({ code }: Fault, database: DatabaseSync): never {
  if (ENDING.has(code) && database.isTransaction) database.prepare('ROLLBACK').run()
  throw Object.assign(new Error('failed on purpose'), { code: 'ERR_SQLITE_ERROR', errcode: RESULTS[code] })
}
