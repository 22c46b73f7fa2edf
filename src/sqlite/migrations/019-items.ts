/** The named items. */
export const ITEMS = `
CREATE TABLE items (
  arrival INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  space TEXT NOT NULL,
  namespace TEXT NOT NULL,
  key TEXT NOT NULL,
  value TEXT NOT NULL CHECK (json_valid(value)),
  texts INTEGER NOT NULL CHECK (texts >= 0),
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  scope TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX items_by_space ON items (space, scope, arrival);
CREATE INDEX items_by_namespace ON items (space, scope, namespace);
CREATE INDEX items_of_scope ON items (scope, arrival) WHERE scope <> '';

CREATE TABLE item_blocks (
  arrival INTEGER PRIMARY KEY,
  item TEXT NOT NULL,
  place INTEGER NOT NULL CHECK (place >= 0),
  block_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  scope TEXT NOT NULL DEFAULT '',
  UNIQUE (item, place)
) STRICT;
CREATE INDEX item_blocks_by_block ON item_blocks (block_id);
CREATE INDEX item_blocks_of_scope ON item_blocks (scope, arrival) WHERE scope <> '';
`
