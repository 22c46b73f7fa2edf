/**
 * Says of what recall ranks by when it changed last, in the numbers of `blocks.sequence`, so that a reader of changes
 * need not read words and vectors again of blocks that were only used. A block that becomes active again counts as
 * changed, because readers let go of it when it left.
 */
export const INDEX_CHANGES = `
ALTER TABLE block_index ADD COLUMN sequence INTEGER NOT NULL DEFAULT 0;
UPDATE block_index SET sequence = coalesce((
  SELECT sequence FROM blocks WHERE blocks.arrival = block_index.arrival
), 0);
CREATE TRIGGER blocks_activated AFTER UPDATE OF status ON blocks
WHEN new.status = 'active' AND old.status <> 'active' BEGIN
  UPDATE block_index SET sequence = new.sequence WHERE arrival = new.arrival;
END;
`
