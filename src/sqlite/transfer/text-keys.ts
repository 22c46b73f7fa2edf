import { textKey } from '../../store/rules/blocks.ts'
import type { Connection, Values } from '../connection/driver.ts'

/** Contents read at once: a few MB of texts, as a rule. */
const FILLED_AT_ONCE = 1_000

const SELECT_UNFILLED =
  'SELECT arrival, content FROM blocks WHERE arrival > ?1 AND text_key IS NULL ORDER BY arrival LIMIT ?2'

const FILL = `UPDATE blocks SET text_key = wanted.value ->> 1
FROM json_each(?1) AS wanted WHERE blocks.arrival = wanted.value ->> 0`

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

function fill(connection: Pick<Connection, 'run'>, rows: readonly Values[]): void {
  connection.run(FILL, JSON.stringify(rows.map(([arrival, content]) => [arrival, textKey(String(content))])))
}
