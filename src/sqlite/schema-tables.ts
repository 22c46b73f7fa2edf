/** Number of recalls that are added to `operation_blocks` at a time. */
export const LISTED_AT_ONCE = 32

/**
 * Returns the expression for the weight of an edge with its use (`effectiveEdgeWeight`), in whole billionths, so that sums
 * are exact in any order.
 */
export function strengthOf(row: string): string {
  return `CAST(round((${row}.weight + 0.1 * ln(1 + ${row}.reinforcement_count)) * 1e9) AS INTEGER)`
}

/**
 * The tables of blocks, their index, tags and vectors. The column `scope` is '' for rows of no scope; indexes named
 * `of_scope` leave those out, so that a memory without scopes pays nothing for them. Triggers keep `block_tags`.
 */
const BLOCKS = `
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
  token_count INTEGER NOT NULL CHECK (token_count >= 0),
  scope TEXT NOT NULL DEFAULT '',
  scored_at TEXT,
  judgement_pending INTEGER NOT NULL DEFAULT 0 CHECK (judgement_pending IN (0, 1)),
  supersedes TEXT,
  source_class TEXT NOT NULL DEFAULT 'agent'
    CHECK (source_class IN ('user', 'agent', 'model', 'tool', 'document', 'peer', 'import')),
  text_key TEXT,
  valid_from TEXT,
  valid_until TEXT,
  superseded_at TEXT,
  archived_at TEXT,
  last_at TEXT,
  last_told_at TEXT
) STRICT;
CREATE INDEX blocks_by_told ON blocks (coalesce(last_told_at, created_at), arrival);
CREATE INDEX blocks_of_scope_by_told ON blocks (scope, coalesce(last_told_at, created_at), arrival)
  WHERE scope <> '';
CREATE INDEX blocks_by_sequence ON blocks (sequence) WHERE sequence IS NOT NULL;
CREATE INDEX blocks_by_category ON blocks (category);
CREATE INDEX blocks_inbox ON blocks (arrival) WHERE status = 'inbox';
CREATE INDEX blocks_active ON blocks (arrival) WHERE status = 'active';
CREATE INDEX blocks_archived ON blocks (last_reinforced_at DESC, id) WHERE status = 'archived';
CREATE INDEX blocks_by_session ON blocks (session, scope, position);
CREATE INDEX blocks_of_scope_by_status ON blocks (scope, status, arrival) WHERE scope <> '';
CREATE INDEX blocks_of_scope_by_id ON blocks (scope, id) WHERE scope <> '';
CREATE INDEX blocks_of_scope_by_sequence ON blocks (scope, sequence)
  WHERE scope <> '' AND sequence IS NOT NULL;
CREATE INDEX blocks_by_judgement ON blocks (coalesce(scored_at, ''), arrival) WHERE status = 'active';
CREATE INDEX blocks_of_scope_by_judgement ON blocks (scope, coalesce(scored_at, ''), arrival)
  WHERE status = 'active' AND scope <> '';
CREATE INDEX blocks_judgement_pending ON blocks (arrival) WHERE status = 'active' AND judgement_pending = 1;
CREATE INDEX blocks_of_scope_judgement_pending ON blocks (scope, arrival)
  WHERE status = 'active' AND judgement_pending = 1 AND scope <> '';
CREATE INDEX blocks_by_text ON blocks (text_key, scope) WHERE status <> 'archived';
CREATE INDEX blocks_by_superseded ON blocks (supersedes)
  WHERE supersedes IS NOT NULL AND status <> 'archived';
CREATE INDEX blocks_waiting_by_class ON blocks (source_class, arrival) WHERE status = 'inbox';
CREATE INDEX blocks_waiting_of_scope ON blocks (scope, source_class, arrival)
  WHERE status = 'inbox' AND scope <> '';

CREATE TRIGGER blocks_tags_deleted AFTER DELETE ON blocks WHEN old.tags <> '[]' BEGIN
  DELETE FROM block_tags WHERE tag IN (SELECT value FROM json_each(old.tags)) AND block_id = old.id;
END;

CREATE TRIGGER blocks_activated AFTER UPDATE OF status ON blocks
WHEN new.status = 'active' AND old.status <> 'active' BEGIN
  UPDATE block_index SET sequence = new.sequence WHERE arrival = new.arrival;
END;

CREATE TRIGGER blocks_tags_inserted AFTER INSERT ON blocks WHEN new.tags <> '[]' BEGIN
  INSERT OR IGNORE INTO block_tags (tag, block_id, scope)
  SELECT value, new.id, new.scope FROM json_each(new.tags);
END;

CREATE TRIGGER blocks_tags_updated AFTER UPDATE OF tags ON blocks WHEN new.tags <> old.tags BEGIN
  DELETE FROM block_tags WHERE tag IN (SELECT value FROM json_each(old.tags)) AND block_id = old.id;
  INSERT OR IGNORE INTO block_tags (tag, block_id, scope)
  SELECT value, new.id, new.scope FROM json_each(new.tags);
END;

CREATE TABLE occurrences (
  arrival INTEGER PRIMARY KEY,
  block_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  at TEXT NOT NULL,
  created_at TEXT NOT NULL,
  source TEXT,
  source_class TEXT NOT NULL
    CHECK (source_class IN ('user', 'agent', 'model', 'tool', 'document', 'peer', 'import')),
  session TEXT NOT NULL,
  ended_at TEXT
) STRICT;
CREATE INDEX occurrences_by_block ON occurrences (block_id);

CREATE TABLE block_index (
  arrival INTEGER PRIMARY KEY REFERENCES blocks (arrival) ON DELETE CASCADE,
  terms TEXT NOT NULL,
  flags TEXT NOT NULL,
  sequence INTEGER NOT NULL DEFAULT 0,
  names TEXT
) STRICT;

CREATE TABLE block_tags (
  tag TEXT NOT NULL,
  block_id TEXT NOT NULL,
  scope TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (tag, block_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX block_tags_of_scope ON block_tags (scope, tag, block_id) WHERE scope <> '';

CREATE TABLE block_vectors (
  arrival INTEGER NOT NULL REFERENCES blocks (arrival) ON DELETE CASCADE,
  vector BLOB NOT NULL,
  passages BLOB,
  set_number INTEGER NOT NULL DEFAULT 0 CHECK (set_number IN (0, 1)),
  PRIMARY KEY (arrival, set_number)
) STRICT;
`

/**
 * The tables of edges, and of pairs that may become one; `from_id` is the smaller id. Triggers keep the sums that are read often:
 * `block_strengths`, `scope_strengths` (without edges that lead out of a scope) and `edge_counts`.
 */
const GRAPH = `
CREATE TABLE edges (
  from_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  to_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  relation TEXT NOT NULL,
  origin TEXT NOT NULL CHECK (origin IN ('similarity', 'co_retrieval', 'outcome', 'agent', 'llm_inferred')),
  weight REAL NOT NULL CHECK (weight BETWEEN 0 AND 1),
  reinforcement_count INTEGER NOT NULL CHECK (reinforcement_count >= 0),
  last_active_at REAL,
  created_at TEXT NOT NULL,
  note TEXT,
  declared_by TEXT,
  previous_origin TEXT
    CHECK (previous_origin IN ('similarity', 'co_retrieval', 'outcome', 'agent', 'llm_inferred')),
  scope TEXT NOT NULL DEFAULT '',
  valid_from TEXT,
  valid_until TEXT,
  PRIMARY KEY (from_id, to_id),
  CHECK (from_id < to_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX edges_by_to ON edges (to_id, from_id);
CREATE INDEX edges_of_scope ON edges (scope, from_id, to_id) WHERE scope <> '';
CREATE INDEX edges_noted ON edges (created_at DESC, from_id, to_id, note, scope) WHERE note IS NOT NULL;

CREATE TRIGGER edges_used AFTER UPDATE OF weight, reinforcement_count ON edges
WHEN ${strengthOf('new')} <> ${strengthOf('old')} BEGIN
  UPDATE block_strengths SET strength = strength + ${strengthOf('new')} - ${strengthOf('old')}
  WHERE block_id IN (new.from_id, new.to_id);
END;

CREATE TRIGGER edges_of_scope_inserted AFTER INSERT ON edges WHEN new.scope <> '' BEGIN
  INSERT INTO scope_strengths (block_id, scope, strength, degree)
  VALUES (new.from_id, new.scope, ${strengthOf('new')}, 1), (new.to_id, new.scope, ${strengthOf('new')}, 1)
  ON CONFLICT (block_id) DO UPDATE SET strength = strength + excluded.strength, degree = degree + 1;
END;

CREATE TRIGGER edges_of_scope_used AFTER UPDATE OF weight, reinforcement_count ON edges
WHEN new.scope <> '' AND ${strengthOf('new')} <> ${strengthOf('old')} BEGIN
  UPDATE scope_strengths SET strength = strength + ${strengthOf('new')} - ${strengthOf('old')}
  WHERE block_id IN (new.from_id, new.to_id);
END;

CREATE TRIGGER edges_of_scope_deleted AFTER DELETE ON edges WHEN old.scope <> '' BEGIN
  UPDATE scope_strengths SET strength = strength - ${strengthOf('old')}, degree = degree - 1
  WHERE block_id IN (old.from_id, old.to_id);
  DELETE FROM scope_strengths WHERE block_id IN (old.from_id, old.to_id) AND degree = 0;
END;

CREATE TRIGGER edges_inserted AFTER INSERT ON edges BEGIN
  INSERT INTO block_strengths (block_id, strength, degree)
  VALUES (new.from_id, ${strengthOf('new')}, 1), (new.to_id, ${strengthOf('new')}, 1)
  ON CONFLICT (block_id) DO UPDATE SET strength = strength + excluded.strength, degree = degree + 1;
  INSERT INTO edge_counts (scope, relation, origin, total) VALUES (new.scope, new.relation, new.origin, 1)
  ON CONFLICT (scope, relation, origin) DO UPDATE SET total = total + 1;
END;

CREATE TRIGGER edges_renamed AFTER UPDATE OF relation, origin ON edges
WHEN (new.relation, new.origin) <> (old.relation, old.origin) BEGIN
  INSERT INTO edge_counts (scope, relation, origin, total) VALUES (new.scope, new.relation, new.origin, 1)
  ON CONFLICT (scope, relation, origin) DO UPDATE SET total = total + 1;
  UPDATE edge_counts SET total = total - 1
  WHERE scope = old.scope AND relation = old.relation AND origin = old.origin;
  DELETE FROM edge_counts
  WHERE scope = old.scope AND relation = old.relation AND origin = old.origin AND total = 0;
END;

CREATE TRIGGER edges_deleted AFTER DELETE ON edges BEGIN
  UPDATE block_strengths SET strength = strength - ${strengthOf('old')}, degree = degree - 1
  WHERE block_id IN (old.from_id, old.to_id);
  DELETE FROM block_strengths WHERE block_id IN (old.from_id, old.to_id) AND degree = 0;
  UPDATE edge_counts SET total = total - 1
  WHERE scope = old.scope AND relation = old.relation AND origin = old.origin;
  DELETE FROM edge_counts
  WHERE scope = old.scope AND relation = old.relation AND origin = old.origin AND total = 0;
END;

CREATE TABLE block_strengths (
  block_id TEXT PRIMARY KEY,
  strength INTEGER NOT NULL,
  degree INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX block_strengths_by_strength ON block_strengths (strength DESC, block_id);

CREATE TABLE scope_strengths (
  block_id TEXT PRIMARY KEY,
  scope TEXT NOT NULL,
  strength INTEGER NOT NULL,
  degree INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX scope_strengths_by_strength ON scope_strengths (scope, strength DESC, block_id);

CREATE TABLE edge_counts (
  scope TEXT NOT NULL,
  relation TEXT NOT NULL,
  origin TEXT NOT NULL,
  total INTEGER NOT NULL,
  PRIMARY KEY (scope, relation, origin)
) STRICT, WITHOUT ROWID;

CREATE TABLE archived_edges (
  block_id TEXT PRIMARY KEY REFERENCES blocks (id) ON DELETE CASCADE,
  previous_status TEXT NOT NULL CHECK (previous_status IN ('inbox', 'active', 'archived')),
  edges TEXT NOT NULL CHECK (json_valid(edges)),
  pairs TEXT NOT NULL CHECK (json_valid(pairs))
) STRICT, WITHOUT ROWID;

CREATE TABLE pairs (
  arrival INTEGER PRIMARY KEY,
  a TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  b TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('near_duplicate', 'perhaps_newer', 'supersession', 'contradiction')),
  score REAL NOT NULL CHECK (score BETWEEN 0 AND 1),
  resolved INTEGER NOT NULL CHECK (resolved IN (0, 1)),
  created_at TEXT NOT NULL,
  found_by TEXT,
  scope TEXT NOT NULL DEFAULT '',
  UNIQUE (a, b),
  CHECK (a < b)
) STRICT;
CREATE INDEX pairs_by_b ON pairs (b, a);
CREATE INDEX pairs_told_by_a ON pairs (a) WHERE resolved = 0 AND kind IN ('supersession', 'contradiction');
CREATE INDEX pairs_told_by_b ON pairs (b) WHERE resolved = 0 AND kind IN ('supersession', 'contradiction');
CREATE INDEX pairs_settled ON pairs (a, b) WHERE resolved = 1;
CREATE INDEX pairs_open ON pairs (arrival) WHERE resolved = 0;
CREATE INDEX pairs_of_scope ON pairs (scope, arrival) WHERE resolved = 0 AND scope <> '';
CREATE INDEX pairs_open_by_kind ON pairs (kind, arrival) WHERE resolved = 0;
CREATE INDEX pairs_of_scope_by_kind ON pairs (scope, kind, arrival) WHERE resolved = 0 AND scope <> '';

CREATE TABLE unlabelled_pairs (
  arrival INTEGER PRIMARY KEY,
  from_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  to_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  cosine REAL NOT NULL CHECK (cosine BETWEEN 0 AND 1),
  scope TEXT NOT NULL DEFAULT '',
  UNIQUE (from_id, to_id),
  CHECK (from_id < to_id)
) STRICT;
CREATE INDEX unlabelled_pairs_by_to ON unlabelled_pairs (to_id);
CREATE INDEX unlabelled_pairs_of_scope ON unlabelled_pairs (scope, arrival) WHERE scope <> '';

CREATE TABLE co_retrieval_staging (
  arrival INTEGER PRIMARY KEY,
  from_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  to_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  count INTEGER NOT NULL CHECK (count > 0),
  sessions TEXT NOT NULL CHECK (json_valid(sessions)),
  scope TEXT NOT NULL DEFAULT '',
  UNIQUE (from_id, to_id),
  CHECK (from_id < to_id)
) STRICT;
CREATE INDEX co_retrieval_staging_by_count ON co_retrieval_staging (count, arrival);
CREATE INDEX co_retrieval_staging_of_scope ON co_retrieval_staging (scope, count, arrival) WHERE scope <> '';

CREATE TABLE pending_connections (
  id INTEGER PRIMARY KEY,
  source TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  target TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  relation TEXT NOT NULL,
  weight REAL NOT NULL CHECK (weight BETWEEN 0 AND 1),
  note TEXT,
  requested_at_hours REAL NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
  scope TEXT NOT NULL DEFAULT '',
  valid_from TEXT,
  valid_until TEXT,
  UNIQUE (source, target)
) STRICT;
CREATE INDEX pending_connections_by_target ON pending_connections (target);
CREATE INDEX pending_connections_of_scope ON pending_connections (scope, id) WHERE scope <> '';

CREATE TABLE disconnections (
  from_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  to_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  at REAL NOT NULL,
  reason TEXT,
  scope TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (from_id, to_id),
  CHECK (from_id < to_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX disconnections_by_to ON disconnections (to_id);
CREATE INDEX disconnections_by_time ON disconnections (at);
CREATE INDEX disconnections_of_scope ON disconnections (scope, at) WHERE scope <> '';

CREATE TABLE grounds (
  block_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  ground TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  found_by TEXT NOT NULL CHECK (found_by IN ('given', 'host')),
  created_at TEXT NOT NULL,
  scope TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (block_id, ground)
) STRICT, WITHOUT ROWID;
CREATE INDEX grounds_by_ground ON grounds (ground);
CREATE INDEX grounds_of_scope ON grounds (scope, block_id, ground) WHERE scope <> '';
`

/** The tables of reports about blocks, and of the questions they were given for. */
const EVIDENCE = `
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

CREATE TABLE questions (
  id TEXT PRIMARY KEY,
  text TEXT,
  vector BLOB,
  hours REAL NOT NULL,
  scope TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE INDEX questions_of_scope ON questions (scope, id) WHERE scope <> '';

CREATE TABLE question_evidence (
  question TEXT NOT NULL,
  block_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  helped REAL NOT NULL CHECK (helped >= 0),
  misled REAL NOT NULL CHECK (misled >= 0),
  graded REAL NOT NULL CHECK (graded >= 0),
  beside REAL NOT NULL CHECK (beside >= 0),
  scope TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (question, block_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX question_evidence_by_block ON question_evidence (block_id);
CREATE INDEX question_evidence_of_scope ON question_evidence (scope, question, block_id) WHERE scope <> '';

CREATE TABLE recent_questions (
  operation_id INTEGER PRIMARY KEY REFERENCES operations (id) ON DELETE CASCADE,
  text TEXT,
  vector BLOB,
  scope TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX recent_questions_of_scope ON recent_questions (scope, operation_id) WHERE scope <> '';
`

/**
 * The tables of the log, and of the settings of the memory. `operation_blocks` lists the entries of each block. Recalls are
 * added to it `LISTED_AT_ONCE` at a time, because one alone would cost an answer some ten pages.
 */
const LOG = `
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
  before TEXT CHECK (before IS NULL OR json_valid(before)),
  scope TEXT NOT NULL DEFAULT '',
  tokens TEXT CHECK (tokens IS NULL OR json_valid(tokens)),
  run TEXT,
  result TEXT CHECK (result IS NULL OR json_valid(result))
) STRICT;
CREATE INDEX operations_by_operation ON operations (operation, id);
CREATE INDEX operations_of_scope ON operations (scope, id) WHERE scope <> '';
CREATE INDEX operations_by_run ON operations (run, id) WHERE run IS NOT NULL;

CREATE TRIGGER operations_changes_deleted AFTER DELETE ON operations BEGIN
  DELETE FROM operation_changes WHERE operation_id = old.id;
END;

CREATE TRIGGER operations_blocks_inserted AFTER INSERT ON operations
WHEN new.block_ids <> '[]' AND new.operation <> 'recall' BEGIN
  INSERT OR IGNORE INTO operation_blocks (block_id, operation_id)
  SELECT value, new.id FROM json_each(new.block_ids);
END;

CREATE TRIGGER operations_recalls_listed AFTER INSERT ON operations WHEN new.id % ${LISTED_AT_ONCE} = 0 BEGIN
  INSERT OR IGNORE INTO operation_blocks (block_id, operation_id)
  SELECT value, recent.id FROM operations AS recent CROSS JOIN json_each(recent.block_ids)
  WHERE recent.id > new.id - ${LISTED_AT_ONCE} AND recent.id <= new.id AND recent.operation = 'recall'
  ORDER BY value, recent.id;
END;

CREATE TABLE operation_blocks (
  block_id TEXT NOT NULL,
  operation_id INTEGER NOT NULL,
  PRIMARY KEY (block_id, operation_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE operation_changes (
  operation_id INTEGER PRIMARY KEY,
  first_id INTEGER NOT NULL CHECK (first_id <= operation_id),
  changes TEXT NOT NULL CHECK (json_valid(changes))
) STRICT;

CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  task_type TEXT NOT NULL,
  started_at TEXT NOT NULL,
  ended_at TEXT,
  start_hours REAL NOT NULL,
  scope TEXT NOT NULL DEFAULT ''
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_open ON sessions (started_at, start_hours, id) WHERE ended_at IS NULL;
CREATE INDEX sessions_open_of_scope ON sessions (scope, started_at, start_hours, id)
  WHERE ended_at IS NULL AND scope <> '';
CREATE INDEX sessions_by_start ON sessions (started_at, start_hours, id);
CREATE INDEX sessions_of_scope_by_start ON sessions (scope, started_at, start_hours, id)
  WHERE scope <> '';

CREATE TABLE days (
  day TEXT NOT NULL,
  within TEXT NOT NULL,
  taken_in INTEGER NOT NULL CHECK (taken_in >= 0),
  recalled INTEGER NOT NULL CHECK (recalled >= 0),
  reported INTEGER NOT NULL CHECK (reported >= 0),
  archived INTEGER NOT NULL CHECK (archived >= 0),
  PRIMARY KEY (day, within)
) STRICT, WITHOUT ROWID;

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
`

/** The tables of items that other programs keep, and of proposals to the owner. */
const ITEMS = `
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

CREATE TABLE proposals (
  arrival INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  kind TEXT NOT NULL CHECK (kind IN ('identity', 'value', 'goal', 'principle', 'rewording', 'class')),
  target TEXT,
  content TEXT,
  source_class TEXT,
  reason TEXT,
  proposer TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'accepted', 'refused')),
  created_at TEXT NOT NULL,
  decided_at TEXT,
  decided_by TEXT,
  answer TEXT,
  result TEXT,
  scope TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX proposals_by_state ON proposals (state, arrival);
CREATE INDEX proposals_of_scope ON proposals (scope, state, arrival) WHERE scope <> '';
`

/** The statements that make an empty memory, in order. SQLite stores each as it is written here. */
export const STATEMENTS: readonly string[] = [BLOCKS, GRAPH, EVIDENCE, LOG, ITEMS]
  .join('\n')
  .split(/;\n+(?=CREATE |$)/)
  .map((statement) => statement.trim())
  .filter((statement) => statement !== '')
