import { validityIn } from '../../domain/block/validity/validity-in-text.ts'
import type { Connection, Values } from '../connection/driver.ts'

/**
 * When a block and an edge hold, and when a block was superseded and archived. Of blocks that were archived before, the log
 * says when, as far as it reaches; a block ended when that which took its place was said, and never before it was said
 * itself. Of those that live on, only what the same class of source replaced counts: anything else may be a proposal.
 */
export const VALIDITY = `
ALTER TABLE blocks ADD COLUMN valid_from TEXT;
ALTER TABLE blocks ADD COLUMN valid_until TEXT;
ALTER TABLE blocks ADD COLUMN superseded_at TEXT;
ALTER TABLE blocks ADD COLUMN archived_at TEXT;
ALTER TABLE edges ADD COLUMN valid_from TEXT;
ALTER TABLE edges ADD COLUMN valid_until TEXT;
ALTER TABLE pending_connections ADD COLUMN valid_from TEXT;
ALTER TABLE pending_connections ADD COLUMN valid_until TEXT;

UPDATE blocks SET archived_at = (
  SELECT max(at) FROM operation_blocks CROSS JOIN operations ON operations.id = operation_id
  WHERE block_id = blocks.id
    AND operation IN ('forget', 'resolve', 'archive', 'promote', 'remember', 'remember_many', 'undo')
) WHERE status = 'archived';
UPDATE blocks SET superseded_at = max(min(created_at, occurred_at), coalesce(
  (SELECT min(newer.created_at, newer.occurred_at) FROM blocks AS newer WHERE newer.id = blocks.superseded_by),
  archived_at, ''
)) WHERE status = 'archived' AND archive_reason = 'superseded';
UPDATE blocks SET superseded_at = (
  SELECT max(min(blocks.created_at, blocks.occurred_at), min(min(newer.created_at, newer.occurred_at)))
  FROM blocks AS newer WHERE newer.supersedes = blocks.id AND newer.status <> 'archived'
    AND newer.source_class = blocks.source_class AND newer.scope = blocks.scope
) WHERE status <> 'archived';
`

/** Contents read at once: a few MB of texts, as a rule. */
const READ_AT_ONCE = 1_000

const SELECT = 'SELECT arrival, content FROM blocks WHERE arrival > ?1 ORDER BY arrival LIMIT ?2'

const FILL = `UPDATE blocks SET valid_from = wanted.value ->> 1, valid_until = wanted.value ->> 2
FROM json_each(?1) AS wanted WHERE blocks.arrival = wanted.value ->> 0`

/** Reads from each text when it holds, as remembering does from now on. Walks the table once. */
export function readValidity(connection: Connection): void {
  for (let after = 0; ; ) {
    const rows = connection.values(SELECT, after, READ_AT_ONCE)
    const last = rows.at(-1)
    if (last === undefined) return
    after = Number(last[0])
    fill(connection, rows)
  }
}

function fill(connection: Pick<Connection, 'run'>, rows: readonly Values[]): void {
  const said = rows.flatMap(([arrival, content]) => {
    const { validFrom, validUntil } = validityIn(String(content))
    return validFrom === undefined && validUntil === undefined
      ? []
      : [[arrival, validFrom ?? null, validUntil ?? null]]
  })
  if (said.length > 0) connection.run(FILL, JSON.stringify(said))
}
