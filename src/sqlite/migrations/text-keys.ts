import { hash } from 'node:crypto'
import { undressed } from '../../domain/text/same-text.ts'
import type { Connection, Values } from '../connection/driver.ts'
import type { ScopedConnection } from '../connection/scoped-connection.ts'

/** Contents read at once: a few MB of texts, as a rule. */
const FILLED_AT_ONCE = 1_000

const SELECT_UNFILLED =
  'SELECT arrival, content FROM blocks WHERE arrival > ?1 AND text_key IS NULL ORDER BY arrival LIMIT ?2'

const SELECT_CONTENTS =
  'SELECT arrival, content FROM blocks WHERE arrival IN (SELECT value FROM json_each(?1))'

const FILL = `UPDATE blocks SET text_key = wanted.value ->> 1
FROM json_each(?1) AS wanted WHERE blocks.arrival = wanted.value ->> 0`

/** The first 16 hex digits of sha256 over what a text says; equal for texts that are the same, and hardly otherwise. */
export function textKey(content: string): string {
  return hash('sha256', undressed(content)).slice(0, 16)
}

/** Writes the keys that are missing. Walks the table once. */
export function fillTextKeys(connection: Connection): void {
  for (let after = 0; ; ) {
    const rows = connection.values(SELECT_UNFILLED, after, FILLED_AT_ONCE)
    const last = rows.at(-1)
    if (last === undefined) return
    after = Number(last[0])
    fill(connection, rows)
  }
}

/** Writes the keys of some blocks anew: of those that come from an older file, which had none. */
export function refreshTextKeys(connection: ScopedConnection, arrivals: readonly unknown[]): void {
  if (arrivals.length > 0) fill(connection, connection.values(SELECT_CONTENTS, JSON.stringify(arrivals)))
}

function fill(connection: Pick<Connection, 'run'>, rows: readonly Values[]): void {
  connection.run(FILL, JSON.stringify(rows.map(([arrival, content]) => [arrival, textKey(String(content))])))
}
