/** Entries of recalls come into the index of the log by blocks so many numbers at a time: an answer is not to wait for ten pages. */
export const LISTED_AT_ONCE = 32

/**
 * Which entries name a block: of recalls only up to the last number that `LISTED_AT_ONCE` divides, after which their lists
 * tell. Whoever removes entries takes them out of it, all at once: one by one each would cost pages of its own.
 */
export const LOG_BY_BLOCKS = `
DROP TRIGGER operations_blocks_deleted;
DROP TRIGGER operations_blocks_inserted;
CREATE TRIGGER operations_blocks_inserted AFTER INSERT ON operations
WHEN new.block_ids <> '[]' AND new.operation <> 'recall' BEGIN
  INSERT OR IGNORE INTO operation_blocks (block_id, operation_id) SELECT value, new.id FROM json_each(new.block_ids);
END;
CREATE TRIGGER operations_recalls_listed AFTER INSERT ON operations WHEN new.id % ${LISTED_AT_ONCE} = 0 BEGIN
  INSERT OR IGNORE INTO operation_blocks (block_id, operation_id)
  SELECT value, recent.id FROM operations AS recent CROSS JOIN json_each(recent.block_ids)
  WHERE recent.id > new.id - ${LISTED_AT_ONCE} AND recent.id <= new.id AND recent.operation = 'recall'
  ORDER BY value, recent.id;
END;
`
