import { columnName, type View } from '../../ports/store/description.ts'
import type { RowChanged } from '../../ports/store/rows.ts'
import type { Connection, Parameter, Row, Values } from './driver.ts'

/** A statement in two forms: over the whole store, and over what belongs to one scope. */
export interface Statement {
  readonly whole: string
  readonly scoped: string
}

/** The parts that differ between the two forms of a statement. */
export interface Form {
  /** `AND` the rows of the table are the scope's, which they are found by; nothing over the whole store. */
  readonly own: (table: string) => string
  /** The same of a row that is found by another key. */
  readonly isOwn: (table: string) => string
  /** `AND` the block of this id is the scope's. */
  readonly ofOwn: (blockId: string) => string
  /** The table of strengths: of all edges, or of those inside one scope. */
  readonly strengths: 'block_strengths' | 'scope_strengths'
  /** Before a column by whose index a scope would be looked for among the rows of all. */
  readonly unindexed: '' | '+'
}

/** A number above those of all other parameters, because one number is one parameter everywhere. */
const SCOPE = '?40'

const WHOLE: Form = {
  own: () => '',
  isOwn: () => '',
  ofOwn: () => '',
  strengths: 'block_strengths',
  unindexed: '',
}

/** Scope indexes leave out rows without a scope, so the condition also says that there is one. */
const SCOPED: Form = {
  own: (table) => ` AND ${table}.scope = ${SCOPE} AND ${table}.scope <> ''`,
  isOwn: (table) => ` AND +${table}.scope = ${SCOPE}`,
  ofOwn: (blockId) =>
    ` AND EXISTS (SELECT 1 FROM blocks AS owned WHERE owned.id = ${blockId} AND owned.scope = ${SCOPE})`,
  strengths: 'scope_strengths',
  unindexed: '+',
}

/** Both forms of a statement. */
export function statement(text: (form: Form) => string): Statement {
  return { whole: text(WHOLE), scoped: text(SCOPED) }
}

/** The columns of a view, each with the name of its table. */
export function columnsOf({ table, properties }: View, alias: string): string {
  return properties.map((each) => `${alias}.${columnName(table, each)}`).join(', ')
}

/** Each value once, at its first place, as one bound parameter for `json_each`. */
export function jsonList(values: readonly string[]): string {
  return JSON.stringify([...new Set(values)])
}

/**
 * A connection as one transaction uses it: bound to a scope, it chooses that form of every statement, so that a part of
 * the store can only be reached by a statement that says whose rows it means. Plain texts are about the store itself.
 */
export class ScopedConnection {
  /** Undefined: the whole store. */
  readonly scope: string | undefined
  /** Called for rows that a statement changes, where that is kept for an undo. */
  readonly changed: RowChanged | undefined
  readonly #connection: Connection

  constructor(connection: Connection, scope?: string, changed?: RowChanged) {
    this.#connection = connection
    this.scope = scope
    this.changed = changed
  }

  /** The same connection over the whole store, for what a block takes along wherever it is joined. */
  get whole(): ScopedConnection {
    return this.scope === undefined ? this : new ScopedConnection(this.#connection, undefined, this.changed)
  }

  /** All rows, by the names of their columns. */
  all<T extends object = Row>(asked: Statement | string, ...parameters: Parameter[]): T[] {
    return this.#connection.all<T>(...this.#bound(asked, parameters))
  }

  /** All rows, by the places of their columns. */
  values(asked: Statement | string, ...parameters: Parameter[]): Values[] {
    return this.#connection.values(...this.#bound(asked, parameters))
  }

  /** All rows, `size` at a time, the last ones fewer. */
  batches(asked: Statement | string, size: number): Generator<Values[]> {
    const [sql, ...parameters] = this.#bound(asked, [])
    return this.#connection.batches(sql, size, ...parameters)
  }

  /** The first row; undefined if there is none. */
  get<T extends object = Row>(asked: Statement | string, ...parameters: Parameter[]): T | undefined {
    return this.#connection.get<T>(...this.#bound(asked, parameters))
  }

  /** Runs a statement without rows and returns how many rows it changed. */
  run(asked: Statement | string, ...parameters: Parameter[]): number {
    return this.#connection.run(...this.#bound(asked, parameters))
  }

  /** Counts the statements of a batch as one. */
  asOne<T>(work: () => T): T {
    return this.#connection.asOne(work)
  }

  /** A script of several statements about the store itself. */
  script(sql: string): void {
    this.#connection.script(sql)
  }

  #bound(asked: Statement | string, parameters: Parameter[]): [sql: string, ...Parameter[]] {
    if (typeof asked === 'string') return [asked, ...parameters]
    if (this.scope === undefined) return [asked.whole, ...parameters]
    return [asked.scoped, ...parameters, { name: SCOPE, value: this.scope }]
  }
}
