/**
 * Recall finds what waits, so its changes are numbered like those of active blocks. The vector of a block that waits is made
 * of its content and goes with it. Who says again what was superseded learns what superseded it. The rule of what says the same has
 * changed: `fillTextKeys` makes all keys anew.
 */
export const WAITING = `
UPDATE blocks SET text_key = NULL;
CREATE INDEX blocks_by_superseded ON blocks (supersedes) WHERE supersedes IS NOT NULL AND status <> 'archived';
UPDATE blocks SET sequence = (SELECT coalesce(max(sequence), 0) + 1 FROM blocks WHERE sequence IS NOT NULL)
WHERE status = 'inbox';
${waitingTrigger()}
`

/** The trigger follows the table it names to its new name, so a swap of the vectors makes it anew. */
function waitingTrigger(): string {
  return `CREATE TRIGGER waiting_changed AFTER UPDATE OF content, status ON blocks
WHEN old.status = 'inbox' AND (new.status = 'archived' OR new.content <> old.content) BEGIN
  DELETE FROM block_vectors WHERE arrival = new.arrival;
END;`
}
