import type { Cell } from '../store/description.ts'
import type { TransactionLife } from '../store/transaction.ts'
import type { Dialect, SqlValue } from './dialect.ts'

export type { SqlValue }

/** A row by the places of its columns. */
export type Values = readonly Cell[]

/** A statement and its values. */
export type Asked = readonly [text: string, values: readonly SqlValue[]]

/**
 * One connection inside one transaction. Texts are in the words of the dialect, values stand in the order of their numbers, and
 * each call counts as one statement. A failure rejects with an `ElfmemError`.
 */
export interface SqlConnection {
  readonly dialect: Dialect
  /** Reads rows; columns of one row have different names. */
  values(text: string, values: readonly SqlValue[]): Promise<Values[]>
  /** Runs a statement without rows; returns how many rows it changed. */
  change(text: string, values: readonly SqlValue[]): Promise<number>
  /** Runs statements in their order, which are counted as one; returns the rows of each. */
  each(asked: readonly Asked[]): Promise<readonly (readonly Values[])[]>
  /** Yields rows in batches of `size`, read as they are asked for; the last batch is smaller. */
  batches(text: string, size: number, values: readonly SqlValue[]): AsyncIterable<readonly Values[]>
}

/** The life of a transaction, with the connection that its statements go to. */
export type SqlLife = Pick<TransactionLife<SqlConnection>, 'run' | 'connection'>
