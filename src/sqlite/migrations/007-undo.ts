/**
 * Taking operations back.
 *
 * `operation_changes` holds what the rows a transaction changed were before, under the last entry the transaction
 * logged; `first_id` is its first. It goes with that entry. `run` joins the entries of one dream or curation, which is
 * many transactions.
 */
export const UNDO = `
ALTER TABLE operations ADD COLUMN run TEXT;
CREATE INDEX operations_by_run ON operations (run, id) WHERE run IS NOT NULL;
CREATE TABLE operation_changes (
  operation_id INTEGER PRIMARY KEY,
  first_id INTEGER NOT NULL CHECK (first_id <= operation_id),
  changes TEXT NOT NULL CHECK (json_valid(changes))
) STRICT;
CREATE TRIGGER operations_changes_deleted AFTER DELETE ON operations BEGIN
  DELETE FROM operation_changes WHERE operation_id = old.id;
END;
`
