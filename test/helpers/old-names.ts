import type { DatabaseSync } from 'node:sqlite'
import { Connection } from '../../src/sqlite/connection/driver.ts'
import { makeTables } from '../../src/sqlite/migrations/schema.ts'

/** Some tables, indexes and triggers in the words of a version; triggers come when the tables are there. */
function madeIn(version: number, which: string): string {
  const empty = new Connection(':memory:')
  makeTables(empty, version)
  const rows = empty.all<{ sql: string }>(`SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND (${which})
    ORDER BY type = 'trigger', rowid`)
  empty.close()
  return rows.map(({ sql }) => sql).join(';\n')
}

/** What version 13 took away. */
const OF_VERSION_12 = `name IN ('waiting_changed', 'edges_promoted', 'vectors_inserted', 'vectors_changed', 'vectors_deleted')
  OR tbl_name IN ('block_vectors', 'spare_vectors', 'spare_missing', 'block_amendments') AND type <> 'trigger'`

/** Gives a file of today the indexes of version 22, which kept blocks in the order of their use. */
function asVersion22(raw: DatabaseSync): void {
  raw.exec(
    `${madeIn(22, "name IN ('blocks_by_recency', 'blocks_of_scope_by_recency')")}; PRAGMA user_version = 22`,
  )
}

/** Gives a file of today the triggers of version 21, which listed the blocks of each entry at once. */
export function asVersion21(raw: DatabaseSync): void {
  asVersion22(raw)
  raw.exec(`DROP TRIGGER operations_recalls_listed; DROP TRIGGER operations_blocks_inserted;
    ${madeIn(21, `name LIKE 'operations_blocks_%'`)};
    INSERT OR IGNORE INTO operation_blocks (block_id, operation_id)
      SELECT value, operations.id FROM operations, json_each(operations.block_ids);
    PRAGMA user_version = 21`)
}

/** Gives a file of today the tables of version 19. */
export function asVersion19(raw: DatabaseSync): void {
  asVersion21(raw)
  raw.exec(`DROP TABLE proposals; DROP INDEX pairs_open_by_kind; DROP INDEX pairs_of_scope_by_kind;
    DROP INDEX blocks_waiting_by_class; DROP INDEX blocks_waiting_of_scope;
    DROP TABLE days; ALTER TABLE operations DROP COLUMN result; PRAGMA user_version = 19`)
}

/** Gives a file of today the tables of version 15. */
export function asVersion15(raw: DatabaseSync): void {
  asVersion19(raw)
  raw.exec('DROP TABLE item_blocks; DROP TABLE items; DROP TABLE grounds')
  for (const column of ['valid_from', 'valid_until'])
    for (const table of ['blocks', 'edges', 'pending_connections'])
      raw.exec(`ALTER TABLE ${table} DROP COLUMN ${column}`)
  raw.exec(`ALTER TABLE blocks DROP COLUMN superseded_at;
    ALTER TABLE blocks DROP COLUMN archived_at;
    ALTER TABLE block_index DROP COLUMN names;
    PRAGMA user_version = 15`)
}

/** Gives a file of today the tables of version 13. */
export function asVersion13(raw: DatabaseSync): void {
  asVersion15(raw)
  raw.exec(`DROP INDEX edges_noted;
    DROP TABLE question_evidence;
    DROP TABLE questions;
    DROP TABLE recent_questions;
    DELETE FROM meta WHERE key IN ('learning_mark', 'learning_proof');
    PRAGMA user_version = 13`)
}

/** Gives a file of today the tables of version 12. */
export function asVersion12(raw: DatabaseSync): void {
  asVersion13(raw)
  raw.exec(`ALTER TABLE block_vectors RENAME TO vectors_of_today;
    ${madeIn(12, OF_VERSION_12)};
    INSERT INTO block_vectors SELECT arrival, vector FROM vectors_of_today WHERE set_number = 0;
    DROP TABLE vectors_of_today;
    PRAGMA user_version = 12`)
}

/** Gives a file of today the names that version 9 had. */
export function asVersion9(raw: DatabaseSync): void {
  asVersion12(raw)
  raw.exec(`
    DROP INDEX blocks_by_superseded;
    DROP TRIGGER waiting_changed;
    DROP INDEX blocks_by_text;
    ALTER TABLE blocks DROP COLUMN text_key;
    DROP INDEX blocks_judgement_pending;
    DROP INDEX blocks_of_scope_judgement_pending;
    ALTER TABLE blocks RENAME COLUMN judgement_pending TO owed;
    CREATE INDEX blocks_owed ON blocks (arrival) WHERE status = 'active' AND owed = 1;
    CREATE INDEX blocks_of_scope_owed ON blocks (scope, arrival) WHERE status = 'active' AND owed = 1 AND scope <> '';
    ALTER TABLE archived_edges RENAME TO tombstones;
    UPDATE operation_changes SET changes =
      replace(replace(changes, '"archived_edges":', '"tombstones":'), '"judgement_pending":', '"owed":');
    UPDATE pairs SET found_by = 'likeness' WHERE found_by = 'similarity';
    PRAGMA user_version = 9`)
}

/** An export of today as version 9 wrote it. */
export function asExportOfVersion9(text: string): string {
  return text
    .replace(/"schema":\d+/, '"schema":9')
    .replaceAll('"archived_edges"', '"tombstones"')
    .replaceAll('"judgement_pending":', '"owed":')
}
