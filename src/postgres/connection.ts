import type { PoolClient } from 'pg'
import type { Asked, SqlConnection, SqlValue, Values } from '../sql/connection.ts'
import { POSTGRES } from './dialect.ts'
import { postgresFailure } from './failure.ts'

/** The names under which connections keep the plans of statements, by their texts. */
const names = new Map<string, string>()

/** The most statements that a connection keeps a plan of. */
const MOST_NAMED = 1000

/** One connection within one transaction. */
export class PostgresConnection implements SqlConnection {
  readonly dialect = POSTGRES
  readonly #client: PoolClient
  readonly #location: string
  readonly #counter: { statements: number }
  #cursors = 0

  constructor(client: PoolClient, location: string, counter: { statements: number }) {
    this.#client = client
    this.#location = location
    this.#counter = counter
  }

  async values(text: string, values: readonly SqlValue[]): Promise<Values[]> {
    this.#counter.statements += 1
    return (await this.#query(text, values)).rows
  }

  async change(text: string, values: readonly SqlValue[]): Promise<number> {
    this.#counter.statements += 1
    return (await this.#query(text, values)).rowCount ?? 0
  }

  /** All are sent before any is answered. */
  async each(asked: readonly Asked[]): Promise<readonly (readonly Values[])[]> {
    this.#counter.statements += 1
    const answers = await Promise.all(asked.map(([text, values]) => this.#query(text, values)))
    return answers.map(({ rows }) => rows)
  }

  async *batches(text: string, size: number, values: readonly SqlValue[]): AsyncGenerator<Values[]> {
    this.#counter.statements += 1
    this.#cursors += 1
    const cursor = `cursor_${this.#cursors}`
    await this.#query(`DECLARE ${cursor} NO SCROLL CURSOR FOR ${text}`, values)
    for (;;) {
      const { rows } = await this.#query(`FETCH ${size} FROM ${cursor}`, [])
      if (rows.length > 0) yield rows
      if (rows.length < size) break
    }
    await this.#query(`CLOSE ${cursor}`, [])
  }

  async #query(text: string, values: readonly SqlValue[]) {
    try {
      const query = { text, values: values as unknown[], rowMode: 'array' as const }
      const name = nameOf(text)
      return await this.#client.query<Values>(name === undefined ? query : { ...query, name })
    } catch (error) {
      throw postgresFailure(error, this.#location)
    }
  }
}

/** Returns the name of a statement whose plan is kept; undefined for a cursor, which is a statement of its own. */
function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined) return known
  if (/^(DECLARE|FETCH|CLOSE)/.test(text) || names.size >= MOST_NAMED) return undefined
  const name = `elfmem_${names.size}`
  names.set(text, name)
  return name
}

/** Ends a failed transaction; a connection that cannot do that is thrown away. */
export async function rollBack(client: PoolClient): Promise<void> {
  await client.query('ROLLBACK').then(
    () => client.release(),
    (lost) => client.release(lost instanceof Error ? lost : true),
  )
}
