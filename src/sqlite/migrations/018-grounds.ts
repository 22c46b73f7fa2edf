/** The grounds of blocks. */
export const GROUNDS = `
CREATE TABLE grounds (
  block_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  ground TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  found_by TEXT NOT NULL CHECK (found_by IN ('given', 'host', 'rule')),
  created_at TEXT NOT NULL,
  scope TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (block_id, ground)
) STRICT, WITHOUT ROWID;
CREATE INDEX grounds_by_ground ON grounds (ground);
CREATE INDEX grounds_of_scope ON grounds (scope, block_id, ground) WHERE scope <> '';
`
