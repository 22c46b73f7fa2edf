import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import { attempt } from '../../errors.ts'
import type { Asked, SqlConnection, SqlValue, Values } from '../../sql/connection.ts'
import { SQLITE } from '../dialect.ts'
import { storeFailure } from './failure.ts'

/** True if `?1` takes a value by its place: not in Node 22 before 22.20, nor in Node 24 before 24.7. */
let bindsNumbered: boolean | undefined

/** Statements whose rows are lists of values. Each runs at once; only its answer comes later. */
export class SqliteStatements implements SqlConnection {
  readonly dialect = SQLITE
  /** Statements run so far. */
  statements = 0
  readonly #database: DatabaseSync
  readonly #location: string
  readonly #prepared = new Map<string, StatementSync>()

  constructor(database: DatabaseSync, location: string) {
    this.#database = database
    this.#location = location
    bindsNumbered ??= attempt(() => database.prepare('SELECT ?1').get(1)) !== undefined
  }

  async values(text: string, values: readonly SqlValue[]): Promise<Values[]> {
    this.statements += 1
    return this.#guard(() => arraysOf(this.#prepare(text).all(...bound(cellsOf(values)))))
  }

  async change(text: string, values: readonly SqlValue[]): Promise<number> {
    this.statements += 1
    return this.#guard(() => Number(this.#prepare(text).run(...bound(cellsOf(values))).changes))
  }

  async each(asked: readonly Asked[]): Promise<readonly (readonly Values[])[]> {
    this.statements += 1
    return this.#guard(() =>
      asked.map(([text, values]) => arraysOf(this.#prepare(text).all(...bound(cellsOf(values))))),
    )
  }

  /** Nobody else may run this statement before all batches are read. */
  async *batches(text: string, size: number, values: readonly SqlValue[]): AsyncGenerator<Values[]> {
    this.statements += 1
    let batch: Values[] = []
    try {
      const rows = this.#prepare(text).iterate(...bound(cellsOf(values)))
      for (const row of rows as Iterable<object>) {
        batch.push(Array.isArray(row) ? row : Object.values(row))
        if (batch.length < size) continue
        yield batch
        batch = []
      }
    } catch (error) {
      throw storeFailure(error, this.#location)
    }
    if (batch.length > 0) yield batch
  }

  /** Forgets the statements of a connection that is closed. */
  clear(): void {
    this.#prepared.clear()
  }

  /** Some runtimes have only rows with names. */
  #prepare(text: string): StatementSync {
    const known = this.#prepared.get(text)
    if (known !== undefined) return known
    let statement = this.#database.prepare(text)
    if ('setReturnArrays' in statement) statement.setReturnArrays(true)
    // Columns of one name would be one; around them SQLite gives each a name of its own.
    else if (/^\s*SELECT\b/.test(text)) statement = this.#database.prepare(`SELECT * FROM (${text})`)
    this.#prepared.set(text, statement)
    return statement
  }

  #guard<T>(work: () => T): T {
    try {
      return work()
    } catch (error) {
      throw storeFailure(error, this.#location)
    }
  }
}

/** Returns values with lists as JSON. */
function cellsOf(values: readonly SqlValue[]): SQLInputValue[] {
  return values.some(Array.isArray)
    ? values.map((each) => (Array.isArray(each) ? JSON.stringify(each) : (each as SQLInputValue)))
    : (values as SQLInputValue[])
}

function arraysOf(rows: readonly object[]): Values[] {
  return rows.length === 0 || Array.isArray(rows[0]) ? (rows as Values[]) : rows.map(Object.values)
}

/** Returns the values for numbered parameters. Names work in every Node, and cost more to make. */
export function bound(values: readonly SQLInputValue[]): SQLInputValue[] {
  if (bindsNumbered || values.length === 0) return values as SQLInputValue[]
  // Its types take an object in the first place alone.
  return [Object.fromEntries(values.map((each, i) => [`?${i + 1}`, each]))] as unknown as SQLInputValue[]
}
