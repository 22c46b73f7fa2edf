import { DatabaseSync } from 'node:sqlite'

/** The fault of a block that no entry of the log names. */
export const UNNAMED = 'a block that no entry of the log names'

/** The vectors in use, of the two sets that there may be. */
const IN_USE = `SELECT arrival, vector FROM block_vectors
    WHERE set_number = coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'vector_set'), 0)`

/** What no transaction may leave behind, each a query for what would break it. */
const HALVES: Readonly<Record<string, string>> = {
  'an active block that cannot be found by words': `SELECT id FROM blocks LEFT JOIN block_index USING (arrival)
    WHERE status = 'active' AND block_index.arrival IS NULL`,
  'an active block without a vector': `SELECT id FROM blocks
    WHERE status = 'active' AND arrival NOT IN (SELECT arrival FROM (${IN_USE}))`,
  'vectors of two lengths in use': `SELECT min(length(vector)) AS least FROM (${IN_USE})
    HAVING min(length(vector)) <> max(length(vector))`,
  'an edge with an end that is not active': `SELECT from_id, to_id FROM edges
    JOIN blocks AS one ON one.id = from_id JOIN blocks AS other ON other.id = to_id
    WHERE one.status <> 'active' OR other.status <> 'active'`,
  'an archived block without archived edges': `SELECT id FROM blocks LEFT JOIN archived_edges ON block_id = id
    WHERE status = 'archived' AND block_id IS NULL`,
  'archived edges of a living block': `SELECT id FROM blocks JOIN archived_edges ON block_id = id WHERE status <> 'archived'`,
  [UNNAMED]: `SELECT id FROM blocks
    WHERE id NOT IN (SELECT block_id FROM operation_blocks) AND id NOT LIKE 'old-%'`,
  'the same words in two blocks': `SELECT content FROM blocks GROUP BY content, scope HAVING count(*) > 1`,
  'words of others with an identity': `SELECT id, tags FROM blocks
    WHERE source_class NOT IN ('user', 'agent') AND tags LIKE '%"self/%'`,
  'evidence without a report': `SELECT blocks.id AS id FROM blocks LEFT JOIN block_outcomes ON block_id = blocks.id
    GROUP BY blocks.id HAVING abs(successes - coalesce(sum(signal * weight), 0)) > 1e-6`,
  'an outcome that waits for an active block': `SELECT block_id FROM blocks JOIN queued_outcomes ON block_id = blocks.id
    WHERE status = 'active'`,
  'a session that is not there': `SELECT id FROM operations
    WHERE session IS NOT NULL AND session NOT IN (SELECT id FROM sessions)`,
  'a clock that fell': `SELECT one.id FROM operations AS one JOIN operations AS next ON next.id = one.id + 1
    WHERE next.hours < one.hours`,
  'edges counted wrongly': `SELECT relation, origin, scope, sum(total) AS total FROM (
      SELECT relation, origin, scope, total FROM edge_counts
      UNION ALL SELECT relation, origin, scope, -count(*) FROM edges GROUP BY relation, origin, scope
    ) GROUP BY relation, origin, scope HAVING sum(total) <> 0`,
  'a degree that is not that of the edges': `SELECT block_id FROM block_strengths
    WHERE degree <> (SELECT count(*) FROM edges WHERE from_id = block_id OR to_id = block_id)`,
}

/** What is wrong with a memory's file, by SQLite's own checks and by ours; empty when it is whole. */
export function problemsOf(database: DatabaseSync): string[] {
  const said = (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map((row) => JSON.stringify(row))
  const integrity = said('PRAGMA integrity_check').filter((row) => row !== '{"integrity_check":"ok"}')
  const orphans = said('PRAGMA foreign_key_check')
  const halves = Object.entries(HALVES).flatMap(([what, sql]) => said(sql).map((row) => `${what}: ${row}`))
  return [...integrity, ...orphans, ...halves]
}

/** The same for a file nobody has open. */
export function problemsIn(path: string): string[] {
  const database = new DatabaseSync(path)
  try {
    return problemsOf(database)
  } finally {
    database.close()
  }
}
