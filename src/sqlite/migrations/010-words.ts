/**
 * The field's words for two names of old. What is kept for `undo` names tables and columns as keys of JSON: there a
 * quote, the name, a quote and a colon stand for nothing else, since a quote inside a text has a backslash before it.
 */
export const WORDS = `
ALTER TABLE tombstones RENAME TO archived_edges;

ALTER TABLE blocks RENAME COLUMN owed TO judgement_pending;
DROP INDEX blocks_owed;
DROP INDEX blocks_of_scope_owed;
CREATE INDEX blocks_judgement_pending ON blocks (arrival) WHERE status = 'active' AND judgement_pending = 1;
CREATE INDEX blocks_of_scope_judgement_pending ON blocks (scope, arrival)
WHERE status = 'active' AND judgement_pending = 1 AND scope <> '';

UPDATE operation_changes SET changes =
  replace(replace(changes, '"tombstones":', '"archived_edges":'), '"owed":', '"judgement_pending":')
WHERE instr(changes, '"tombstones":') > 0 OR instr(changes, '"owed":') > 0;
`
