import type { RowChanged } from '../store/database.ts'
import { columnName, type View } from '../store/description.ts'
import { STATE_META } from '../store/tables.ts'
import type { SqlConnection, SqlValue, Values } from './connection.ts'
import { type Dialect, numbered } from './dialect.ts'

/** A form says in which dialect a statement is written, and whether it is over the whole store or over what belongs to one scope. */
export interface Form {
  readonly sql: Dialect
  /** `AND` the rows of the table are the scope's, which they are found by; nothing over the whole store. */
  readonly own: (table: string) => string
  /** `AND` the row of the table, which is found by another key, is the scope's; nothing over the whole store. */
  readonly isOwn: (table: string) => string
  /** `AND` the block of this id is the scope's. */
  readonly ofOwn: (blockId: string) => string
  /** The table of strengths: of all edges, or of those inside one scope. */
  readonly strengths: 'block_strengths' | 'scope_strengths'
  /** The sign before a column whose index must not be used, because it would look for a scope among the rows of all. */
  readonly unindexed: '' | '+'
}

/** The place of the scope, which is bound behind all other values. */
const SCOPE = '?0'

/** Returns a form. Indexes of a scope leave out rows without a scope, so the condition also says that there is one. */
function makeForm(sql: Dialect, isScoped: boolean): Form {
  const scoped = (condition: string) => (isScoped ? ` AND ${condition}` : '')
  return {
    sql,
    own: (table) => scoped(`${table}.scope = ${SCOPE} AND ${table}.scope <> ''`),
    isOwn: (table) => scoped(`${sql.plus}${table}.scope = ${SCOPE}`),
    ofOwn: (id) =>
      scoped(`EXISTS (SELECT 1 FROM blocks AS owned WHERE owned.id = ${id} AND owned.scope = ${SCOPE})`),
    strengths: isScoped ? 'scope_strengths' : 'block_strengths',
    unindexed: isScoped ? sql.plus : '',
  }
}

const forms = [new Map<Dialect, Form>(), new Map<Dialect, Form>()] as const

function formOf(sql: Dialect, isScoped: boolean): Form {
  const [whole, scoped] = forms
  const made = isScoped ? scoped : whole
  const form = made.get(sql) ?? makeForm(sql, isScoped)
  made.set(sql, form)
  return form
}

/** A text in the words of its dialect; `isScoped`: the scope is bound as its last value. */
interface Spoken {
  readonly text: string
  readonly isScoped: boolean
}

function spoken(text: string, { sql }: Form): Spoken {
  return { text: numbered(text, sql), isScoped: text.includes(SCOPE) }
}

/** A statement has a text in each form. */
export type Statement = (form: Form) => Spoken

/** Returns a statement whose texts are made once each, when they are first asked. */
export function statement(make: (form: Form) => string): Statement {
  const made = new Map<Form, Spoken>()
  return (form) => {
    const known = made.get(form) ?? spoken(make(form), form)
    if (!made.has(form)) made.set(form, known)
    return known
  }
}

/** Takes a value of a statement and returns its place. */
export type Bind = (value: SqlValue) => string

/** Returns the comparisons with values that are given. */
export function compared(
  bind: Bind,
  all: readonly (readonly [condition: string, value: SqlValue | undefined])[],
): string[] {
  return all.flatMap(([condition, value]) => (value === undefined ? [] : [`${condition} ${bind(value)}`]))
}

/** The columns of a view, each with the name of its table. */
export function columnsOf({ table, properties }: View, alias: string): string {
  return properties.map((each) => `${alias}.${columnName(table, each)}`).join(', ')
}

/** Returns each value once, at its first place. */
export function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}

/**
 * A connection as one transaction uses it: bound to a scope, it chooses that form of every statement, so that a part of
 * the store can only be reached by a statement that says whose rows it means.
 */
export class ScopedConnection {
  /** Undefined: the whole store. */
  readonly scope: string | undefined
  /** Called for rows that a statement changes, where that is kept for an undo. */
  readonly changed: RowChanged | undefined
  /** The connection itself, for statements about the store as a whole. */
  readonly connection: SqlConnection
  readonly #form: Form

  constructor(connection: SqlConnection, scope?: string, changed?: RowChanged) {
    this.connection = connection
    this.scope = scope
    this.changed = changed
    this.#form = formOf(connection.dialect, scope !== undefined)
  }

  /** The connection over the whole store, for rows that a block takes along wherever it is joined. */
  get whole(): ScopedConnection {
    return this.scope === undefined ? this : new ScopedConnection(this.connection, undefined, this.changed)
  }

  /** The values by which `Dialect.list` gives keys of several parts. */
  keys(keys: readonly (readonly string[])[], width: number): SqlValue[] {
    return this.connection.dialect.keys(keys, width)
  }

  /** Reads all rows, by the places of their columns. */
  values(asked: Statement, ...values: SqlValue[]): Promise<Values[]> {
    const { text, isScoped } = asked(this.#form)
    return this.connection.values(text, this.#bound(isScoped, values))
  }

  /** Reads all rows of a statement that is made for this call. */
  made(make: (form: Form, bind: Bind) => string): Promise<Values[]> {
    const values: SqlValue[] = []
    const bind: Bind = (value) => `?${values.push(value)}`
    const { text, isScoped } = spoken(make(this.#form, bind), this.#form)
    return this.connection.values(text, this.#bound(isScoped, values))
  }

  /** Yields all rows, `size` at a time, the last ones fewer. */
  batches(asked: Statement, size: number): AsyncIterable<readonly Values[]> {
    const { text, isScoped } = asked(this.#form)
    return this.connection.batches(text, size, this.#bound(isScoped, []))
  }

  /** Runs a statement without rows and returns how many rows it changed. */
  change(asked: Statement, ...values: SqlValue[]): Promise<number> {
    const { text, isScoped } = asked(this.#form)
    return this.connection.change(text, this.#bound(isScoped, values))
  }

  #bound(isScoped: boolean, values: readonly SqlValue[]): readonly SqlValue[] {
    return isScoped ? [...values, this.scope as string] : values
  }
}

/** The expression for the generation, which grows with every swap of the vectors and every removal of blocks. */
export const SELECT_GENERATION = `(SELECT CAST(value AS BIGINT) FROM meta WHERE key = '${STATE_META.generation}')`

/** The number of the set of vectors in use. An expression for a column. */
export const SELECT_SET = `coalesce((SELECT CAST(value AS BIGINT) FROM meta WHERE key = '${STATE_META.vectorSet}'), 0)`

/** 1 if there is a shadow set, else 0. */
export const HAS_SHADOW = `(SELECT count(*) FROM meta WHERE key = '${STATE_META.shadow}')`
