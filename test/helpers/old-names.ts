import type { DatabaseSync } from 'node:sqlite'

/** Gives a file of today the names that version 9 had. */
export function asVersion9(raw: DatabaseSync): void {
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
