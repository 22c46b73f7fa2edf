/**
 * The first schema.
 *
 * `arrival` is the explicit row number, so that it survives VACUUM. What recall ranks by lies apart in `block_index`,
 * so that a change of a block does not rewrite its vector. `blocks.tags` and `operations.block_ids` are the truth;
 * `block_tags` and `operation_blocks` are their indexes and triggers keep them. `sequence` numbers the changes of
 * active blocks; a block that was never active has none. `pending_connections` and `block_amendments` wait for the
 * operations that fill them.
 */
export const FIRST = `
CREATE TABLE blocks (
  arrival INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  sequence INTEGER,
  content TEXT NOT NULL,
  summary TEXT,
  cue TEXT,
  category TEXT NOT NULL,
  tags TEXT NOT NULL CHECK (json_valid(tags)),
  source TEXT,
  status TEXT NOT NULL CHECK (status IN ('inbox', 'active', 'archived')),
  archive_reason TEXT CHECK (archive_reason IN ('decayed', 'superseded', 'forgotten')),
  superseded_by TEXT,
  created_at TEXT NOT NULL,
  occurred_at TEXT NOT NULL,
  session TEXT NOT NULL,
  position INTEGER NOT NULL CHECK (position >= 0),
  alignment REAL CHECK (alignment BETWEEN 0 AND 1),
  successes REAL NOT NULL CHECK (successes >= 0),
  failures REAL NOT NULL CHECK (failures >= 0),
  reinforcement_count INTEGER NOT NULL CHECK (reinforcement_count >= 0),
  last_reinforced_at REAL NOT NULL,
  last_useful_at REAL NOT NULL,
  decay_lambda REAL NOT NULL CHECK (decay_lambda >= 0),
  token_count INTEGER NOT NULL CHECK (token_count >= 0)
) STRICT;
CREATE INDEX blocks_by_sequence ON blocks (sequence) WHERE sequence IS NOT NULL;
CREATE INDEX blocks_by_recency ON blocks (last_reinforced_at DESC, id);
CREATE INDEX blocks_by_session ON blocks (session, position);
CREATE INDEX blocks_by_category ON blocks (category);
CREATE INDEX blocks_inbox ON blocks (arrival) WHERE status = 'inbox';
CREATE INDEX blocks_active ON blocks (arrival) WHERE status = 'active';
CREATE INDEX blocks_archived ON blocks (last_reinforced_at DESC, id) WHERE status = 'archived';

CREATE TABLE block_index (
  arrival INTEGER PRIMARY KEY REFERENCES blocks (arrival) ON DELETE CASCADE,
  terms TEXT NOT NULL,
  asks INTEGER NOT NULL CHECK (asks IN (0, 1)),
  timed INTEGER NOT NULL CHECK (timed IN (0, 1)),
  vector BLOB
) STRICT;

CREATE TABLE block_tags (
  tag TEXT NOT NULL,
  block_id TEXT NOT NULL,
  PRIMARY KEY (tag, block_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER blocks_tags_inserted AFTER INSERT ON blocks WHEN new.tags <> '[]' BEGIN
  INSERT OR IGNORE INTO block_tags (tag, block_id) SELECT value, new.id FROM json_each(new.tags);
END;
CREATE TRIGGER blocks_tags_updated AFTER UPDATE OF tags ON blocks WHEN new.tags <> old.tags BEGIN
  DELETE FROM block_tags WHERE tag IN (SELECT value FROM json_each(old.tags)) AND block_id = old.id;
  INSERT OR IGNORE INTO block_tags (tag, block_id) SELECT value, new.id FROM json_each(new.tags);
END;
CREATE TRIGGER blocks_tags_deleted AFTER DELETE ON blocks WHEN old.tags <> '[]' BEGIN
  DELETE FROM block_tags WHERE tag IN (SELECT value FROM json_each(old.tags)) AND block_id = old.id;
END;

CREATE TABLE edges (
  from_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  to_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  relation TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('similarity', 'co_retrieval', 'outcome', 'agent', 'llm_inferred')),
  weight REAL NOT NULL CHECK (weight BETWEEN 0 AND 1),
  reinforcement_count INTEGER NOT NULL CHECK (reinforcement_count >= 0),
  last_active_at REAL NOT NULL,
  created_at TEXT NOT NULL,
  note TEXT,
  declared_by TEXT,
  PRIMARY KEY (from_id, to_id),
  CHECK (from_id < to_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX edges_by_to ON edges (to_id, from_id);

CREATE TABLE pairs (
  arrival INTEGER PRIMARY KEY,
  a TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  b TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('near_duplicate', 'contradiction')),
  score REAL NOT NULL CHECK (score BETWEEN 0 AND 1),
  resolved INTEGER NOT NULL CHECK (resolved IN (0, 1)),
  created_at TEXT NOT NULL,
  UNIQUE (a, b),
  CHECK (a < b)
) STRICT;
CREATE INDEX pairs_by_b ON pairs (b, a);
CREATE INDEX pairs_open ON pairs (arrival) WHERE resolved = 0;

CREATE TABLE co_retrieval_staging (
  arrival INTEGER PRIMARY KEY,
  from_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  to_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  count INTEGER NOT NULL CHECK (count > 0),
  sessions TEXT NOT NULL CHECK (json_valid(sessions)),
  UNIQUE (from_id, to_id),
  CHECK (from_id < to_id)
) STRICT;

CREATE TABLE block_outcomes (
  id INTEGER PRIMARY KEY,
  block_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  signal REAL NOT NULL,
  weight REAL NOT NULL,
  source TEXT NOT NULL,
  confidence_before REAL NOT NULL,
  confidence_after REAL NOT NULL,
  at TEXT NOT NULL
) STRICT;
CREATE INDEX block_outcomes_by_block ON block_outcomes (block_id, id);

CREATE TABLE queued_outcomes (
  id INTEGER PRIMARY KEY,
  block_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  signal REAL NOT NULL,
  weight REAL NOT NULL,
  source TEXT NOT NULL
) STRICT;
CREATE INDEX queued_outcomes_by_block ON queued_outcomes (block_id, id);

CREATE TABLE block_amendments (
  id INTEGER PRIMARY KEY,
  block_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  at TEXT NOT NULL,
  content_before TEXT NOT NULL,
  content_after TEXT NOT NULL,
  summary_before TEXT,
  summary_after TEXT,
  drift REAL,
  rationale TEXT,
  acceptor TEXT NOT NULL CHECK (acceptor IN ('agent', 'user', 'system')),
  reverted_at TEXT
) STRICT;
CREATE INDEX block_amendments_by_block ON block_amendments (block_id, id);

CREATE TABLE pending_connections (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  target TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  relation TEXT NOT NULL,
  weight REAL NOT NULL CHECK (weight BETWEEN 0 AND 1),
  note TEXT,
  requested_at_hours REAL NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  UNIQUE (source, target)
) STRICT;
CREATE INDEX pending_connections_by_target ON pending_connections (target);

CREATE TABLE tombstones (
  block_id TEXT PRIMARY KEY REFERENCES blocks (id) ON DELETE CASCADE,
  previous_status TEXT NOT NULL CHECK (previous_status IN ('inbox', 'active', 'archived')),
  edges TEXT NOT NULL CHECK (json_valid(edges)),
  pairs TEXT NOT NULL CHECK (json_valid(pairs))
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  task_type TEXT NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  start_hours REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_open ON sessions (started_at, start_hours, id) WHERE ended_at IS NULL;

CREATE TABLE operations (
  id INTEGER PRIMARY KEY,
  operation TEXT NOT NULL,
  at TEXT NOT NULL,
  hours REAL NOT NULL,
  actor TEXT NOT NULL,
  session TEXT,
  block_ids TEXT NOT NULL CHECK (json_valid(block_ids)),
  summary TEXT NOT NULL,
  reason TEXT,
  before TEXT CHECK (before IS NULL OR json_valid(before))
) STRICT;
CREATE INDEX operations_by_operation ON operations (operation, id);

CREATE TABLE operation_blocks (
  block_id TEXT NOT NULL,
  operation_id INTEGER NOT NULL,
  PRIMARY KEY (block_id, operation_id)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER operations_blocks_inserted AFTER INSERT ON operations WHEN new.block_ids <> '[]' BEGIN
  INSERT OR IGNORE INTO operation_blocks (block_id, operation_id) SELECT value, new.id FROM json_each(new.block_ids);
END;
CREATE TRIGGER operations_blocks_deleted AFTER DELETE ON operations WHEN old.block_ids <> '[]' BEGIN
  DELETE FROM operation_blocks
  WHERE block_id IN (SELECT value FROM json_each(old.block_ids)) AND operation_id = old.id;
END;

-- A pair that came together often enough needs no count any more.
CREATE TRIGGER edges_promoted AFTER INSERT ON edges WHEN new.origin = 'co_retrieval' BEGIN
  DELETE FROM co_retrieval_staging WHERE from_id = new.from_id AND to_id = new.to_id;
END;

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`
