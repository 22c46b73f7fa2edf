/**
 * All vectors in one table, with the number of the set each belongs to: 0 or 1, of which `meta` says which is in use
 * (`vector_set`; 0 unless said). What the other set lacks is found by looking, so nothing has to be kept of it. Where an undo
 * has to see what follows from a change the rules do it, and the triggers go. Nothing ever read `block_amendments`.
 */
export const VECTOR_SETS = `
DROP TRIGGER vectors_inserted;
DROP TRIGGER vectors_changed;
DROP TRIGGER vectors_deleted;
DROP TRIGGER waiting_changed;
DROP TRIGGER edges_promoted;
DROP TABLE block_amendments;

CREATE TABLE vectors_of_sets (
  arrival INTEGER NOT NULL REFERENCES blocks (arrival) ON DELETE CASCADE,
  vector BLOB NOT NULL,
  set_number INTEGER NOT NULL DEFAULT 0 CHECK (set_number IN (0, 1)),
  PRIMARY KEY (arrival, set_number)
) STRICT;
INSERT INTO vectors_of_sets (arrival, vector) SELECT arrival, vector FROM block_vectors ORDER BY arrival;
INSERT INTO vectors_of_sets (arrival, vector, set_number)
SELECT arrival, vector, 1 FROM spare_vectors WHERE arrival NOT IN (SELECT arrival FROM spare_missing) ORDER BY arrival;
DROP TABLE spare_missing;
DROP TABLE spare_vectors;
DROP TABLE block_vectors;
ALTER TABLE vectors_of_sets RENAME TO block_vectors;
`
