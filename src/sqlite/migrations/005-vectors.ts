/**
 * Two sets of vectors: `block_vectors` is in use, `spare_vectors` is being made by another model or was in use before.
 * They change places by their names (`swapVectors`), so that the change is as short at any size.
 *
 * While there is a shadow set (`meta` has the key), triggers keep `spare_missing`: the blocks with a vector in use and
 * none that is valid in the shadow set. It is the list of what is still to be embedded, whoever adds to it.
 */
export const VECTORS = `
CREATE TABLE block_vectors (
  arrival INTEGER PRIMARY KEY REFERENCES blocks (arrival) ON DELETE CASCADE,
  vector BLOB NOT NULL
) STRICT;
INSERT INTO block_vectors (arrival, vector) SELECT arrival, vector FROM block_index WHERE vector IS NOT NULL;
ALTER TABLE block_index DROP COLUMN vector;

CREATE TABLE spare_vectors (
  arrival INTEGER PRIMARY KEY REFERENCES blocks (arrival) ON DELETE CASCADE,
  vector BLOB NOT NULL
) STRICT;

CREATE TABLE spare_missing (
  arrival INTEGER PRIMARY KEY REFERENCES blocks (arrival) ON DELETE CASCADE
) STRICT;
${vectorTriggers()}
`

/** Triggers follow a table to its new name, so a swap makes them anew. */
export function vectorTriggers(): string {
  const isKept = `EXISTS (SELECT 1 FROM meta WHERE key = 'spare_vectors')`
  // Within an upsert SQLite takes no heed of a trigger's own OR IGNORE.
  const isMissing = `INSERT INTO spare_missing (arrival) SELECT new.arrival
  WHERE NOT EXISTS (SELECT 1 FROM spare_missing WHERE arrival = new.arrival);`
  return `
CREATE TRIGGER vectors_inserted AFTER INSERT ON block_vectors WHEN ${isKept} BEGIN
  ${isMissing}
END;
CREATE TRIGGER vectors_changed AFTER UPDATE OF vector ON block_vectors
WHEN new.vector IS NOT old.vector AND ${isKept} BEGIN
  ${isMissing}
END;
CREATE TRIGGER vectors_deleted AFTER DELETE ON block_vectors WHEN ${isKept} BEGIN
  DELETE FROM spare_vectors WHERE arrival = old.arrival;
  DELETE FROM spare_missing WHERE arrival = old.arrival;
END;`
}
