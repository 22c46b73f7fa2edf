import { DatabaseSync } from 'node:sqlite'
import { problemsOf } from './whole.ts'

/** All that is in a memory's file, table by table, with random ids alike. */
export type Dump = Readonly<Record<string, string>>

/** Reads a file beside whoever has it open. */
function reading<T>(path: string, look: (database: DatabaseSync) => T): T {
  const database = new DatabaseSync(path, { readOnly: true })
  try {
    return look(database)
  } finally {
    database.close()
  }
}

const TABLES = `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`

/**
 * Vectors of blocks that wait are made whenever there is time, and no operation makes them: of the sequence, which counts
 * them, only the order of the other blocks is an operation's.
 */
const QUERIES: Readonly<Record<string, string>> = {
  block_vectors: `SELECT * FROM block_vectors WHERE arrival NOT IN (SELECT arrival FROM blocks WHERE status = 'inbox')`,
  blocks: `SELECT *, iif(status = 'inbox', NULL,
    dense_rank() OVER (PARTITION BY status = 'inbox' ORDER BY sequence)) AS sequence FROM blocks`,
  meta: `SELECT key, iif(key IN ('memory_id', 'sound_file'), 'random', value) AS value FROM meta`,
}

export function dumpOf(path: string): Dump {
  return reading(path, (database) => {
    const tables = database
      .prepare(TABLES)
      .all()
      .map(({ name }) => String(name))
    return Object.fromEntries(
      tables.map((name) => [name, textOf(database.prepare(QUERIES[name] ?? `SELECT * FROM ${name}`).all())]),
    )
  })
}

function textOf(rows: readonly object[]): string {
  const hex = (_: string, value: unknown) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
  const texts = rows.map((row) => JSON.stringify(row, hex).replaceAll(/random-\w+-\d+/g, 'random'))
  return texts.sort().join('\n')
}

/** What somebody would miss: statements, what is known of them, and how they hang together. */
export function essenceOf(path: string): unknown {
  return reading(path, (database) =>
    [
      'SELECT id, content, status, tags, cue, successes, failures, superseded_by, archive_reason FROM blocks ORDER BY id',
      'SELECT from_id, to_id, relation, origin, note FROM edges ORDER BY from_id, to_id',
      'SELECT a, b, kind, resolved FROM pairs ORDER BY a, b',
      'SELECT block_id, at, source_class, ended_at FROM occurrences ORDER BY arrival',
      'SELECT block_id, signal, weight FROM block_outcomes ORDER BY block_id, id',
      'SELECT id, terms, length(vector) FROM blocks JOIN block_index USING (arrival) LEFT JOIN block_vectors USING (arrival) ORDER BY id',
      'SELECT block_id, signal FROM queued_outcomes ORDER BY block_id, id',
      'SELECT text, block_id, helped, misled, graded, beside FROM question_evidence LEFT JOIN questions ON id = question ORDER BY text, block_id',
      'SELECT source, target, relation FROM pending_connections ORDER BY source, target',
      `SELECT key, value FROM meta WHERE key LIKE 'embedding%' ORDER BY key`,
    ].map((sql) =>
      database
        .prepare(sql)
        .all()
        .map((row) => ({ ...row })),
    ),
  )
}

/** Which tables of two dumps differ. */
export function differences(one: Dump, other: Dump): string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter(
    (name) => one[name] !== other[name],
  )
}

export function problemsBeside(path: string): string[] {
  return reading(path, problemsOf)
}
