import { DatabaseSync } from 'node:sqlite'
import { FIRST } from '../../src/sqlite/migrations/001-first.ts'
import { GRAPH } from '../../src/sqlite/migrations/002-graph.ts'
import { AT } from '../store/harness.ts'

const ARRIVED = `INSERT INTO blocks (arrival, id, sequence, content, category, tags, status, created_at, occurred_at,
  session, position, successes, failures, reinforcement_count, last_reinforced_at, last_useful_at, decay_lambda, token_count)
  VALUES (?1, ?2, ?1, ?3, 'knowledge', '["seen"]', 'active', ?4, ?4, 's', ?1, 0, 0, 0, 0, 0, 0.001, 9)`

/** A memory as the second version of the file left it, with so many active blocks and vectors of 48 components. */
export function makeOldFile(path: string, blocks: number): void {
  const raw = new DatabaseSync(path)
  raw.exec(`PRAGMA journal_mode = WAL; BEGIN; ${FIRST} ${GRAPH}`)
  const vector = new Uint8Array(new Float32Array(48).fill(1 / Math.sqrt(48)).buffer)
  for (let i = 1; i <= blocks; i++) {
    raw.prepare(ARRIVED).run(i, `old-${i}`, `The old harbour keeps record o${i}`, AT)
    raw
      .prepare(`INSERT INTO block_index (arrival, terms, asks, timed, vector) VALUES (?, 'harbour', 0, 0, ?)`)
      .run(i, vector)
  }
  raw.exec(`INSERT INTO edges (from_id, to_id, relation, origin, weight, reinforcement_count, last_active_at, created_at)
    VALUES ('old-1', 'old-2', 'supports', 'agent', 0.5, 0, 0, '${AT}');
    INSERT INTO meta (key, value) VALUES ('embedding_model', 'hashing-48'), ('embedding_dimensions', '48');
    PRAGMA application_id = 0x656c666d; PRAGMA user_version = 2; COMMIT`)
  raw.close()
}
