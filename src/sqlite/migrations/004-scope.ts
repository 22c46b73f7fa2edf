import { strengthOf } from './002-graph.ts'

/**
 * Many memories in one store.
 *
 * `scope` is '' for what belongs to no scope. An edge, pair, staged pair, waiting connection or disconnection belongs to
 * the scope both its ends have, an entry of the log to that of all blocks it names. What looks into one scope has
 * indexes of its own that leave out rows without a scope, so that a store without scopes pays nothing for them.
 * `scope_strengths` is `block_strengths` without the edges that lead out of a scope.
 */
export const SCOPES = `
ALTER TABLE blocks ADD COLUMN scope TEXT NOT NULL DEFAULT '';
DROP INDEX blocks_by_session;
CREATE INDEX blocks_by_session ON blocks (session, scope, position);
CREATE INDEX blocks_of_scope_by_status ON blocks (scope, status, arrival) WHERE scope <> '';
CREATE INDEX blocks_of_scope_by_recency ON blocks (scope, last_reinforced_at DESC, id) WHERE scope <> '';
CREATE INDEX blocks_of_scope_by_id ON blocks (scope, id) WHERE scope <> '';
CREATE INDEX blocks_of_scope_by_sequence ON blocks (scope, sequence) WHERE scope <> '' AND sequence IS NOT NULL;

ALTER TABLE block_tags ADD COLUMN scope TEXT NOT NULL DEFAULT '';
CREATE INDEX block_tags_of_scope ON block_tags (scope, tag, block_id) WHERE scope <> '';
DROP TRIGGER blocks_tags_inserted;
CREATE TRIGGER blocks_tags_inserted AFTER INSERT ON blocks WHEN new.tags <> '[]' BEGIN
  INSERT OR IGNORE INTO block_tags (tag, block_id, scope) SELECT value, new.id, new.scope FROM json_each(new.tags);
END;
DROP TRIGGER blocks_tags_updated;
CREATE TRIGGER blocks_tags_updated AFTER UPDATE OF tags ON blocks WHEN new.tags <> old.tags BEGIN
  DELETE FROM block_tags WHERE tag IN (SELECT value FROM json_each(old.tags)) AND block_id = old.id;
  INSERT OR IGNORE INTO block_tags (tag, block_id, scope) SELECT value, new.id, new.scope FROM json_each(new.tags);
END;

ALTER TABLE edges ADD COLUMN scope TEXT NOT NULL DEFAULT '';
CREATE INDEX edges_of_scope ON edges (scope, from_id, to_id) WHERE scope <> '';

CREATE TABLE scope_strengths (
  block_id TEXT PRIMARY KEY,
  scope TEXT NOT NULL,
  strength INTEGER NOT NULL,
  degree INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX scope_strengths_by_strength ON scope_strengths (scope, strength DESC, block_id);
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

CREATE TABLE edge_counts_by_scope (
  scope TEXT NOT NULL,
  relation TEXT NOT NULL,
  origin TEXT NOT NULL,
  total INTEGER NOT NULL,
  PRIMARY KEY (scope, relation, origin)
) STRICT, WITHOUT ROWID;
INSERT INTO edge_counts_by_scope SELECT '', relation, origin, total FROM edge_counts;
DROP TRIGGER edges_inserted;
DROP TRIGGER edges_renamed;
DROP TRIGGER edges_deleted;
DROP TABLE edge_counts;
ALTER TABLE edge_counts_by_scope RENAME TO edge_counts;
CREATE TRIGGER edges_inserted AFTER INSERT ON edges BEGIN
  INSERT INTO block_strengths (block_id, strength, degree)
  VALUES (new.from_id, ${strengthOf('new')}, 1), (new.to_id, ${strengthOf('new')}, 1)
  ON CONFLICT (block_id) DO UPDATE SET strength = strength + excluded.strength, degree = degree + 1;
  ${count('new')}
END;
CREATE TRIGGER edges_renamed AFTER UPDATE OF relation, origin ON edges
WHEN (new.relation, new.origin) <> (old.relation, old.origin) BEGIN
  ${count('new')}
  ${discount('old')}
END;
CREATE TRIGGER edges_deleted AFTER DELETE ON edges BEGIN
  UPDATE block_strengths SET strength = strength - ${strengthOf('old')}, degree = degree - 1
  WHERE block_id IN (old.from_id, old.to_id);
  DELETE FROM block_strengths WHERE block_id IN (old.from_id, old.to_id) AND degree = 0;
  ${discount('old')}
END;

ALTER TABLE pairs ADD COLUMN scope TEXT NOT NULL DEFAULT '';
CREATE INDEX pairs_of_scope ON pairs (scope, arrival) WHERE resolved = 0 AND scope <> '';
ALTER TABLE co_retrieval_staging ADD COLUMN scope TEXT NOT NULL DEFAULT '';
CREATE INDEX co_retrieval_staging_of_scope ON co_retrieval_staging (scope, count, arrival) WHERE scope <> '';
ALTER TABLE pending_connections ADD COLUMN scope TEXT NOT NULL DEFAULT '';
CREATE INDEX pending_connections_of_scope ON pending_connections (scope, id) WHERE scope <> '';
ALTER TABLE disconnections ADD COLUMN scope TEXT NOT NULL DEFAULT '';
CREATE INDEX disconnections_of_scope ON disconnections (scope, at) WHERE scope <> '';

ALTER TABLE operations ADD COLUMN scope TEXT NOT NULL DEFAULT '';
CREATE INDEX operations_of_scope ON operations (scope, id) WHERE scope <> '';
ALTER TABLE sessions ADD COLUMN scope TEXT NOT NULL DEFAULT '';
CREATE INDEX sessions_open_of_scope ON sessions (scope, started_at, start_hours, id)
WHERE ended_at IS NULL AND scope <> '';
`

function count(row: string): string {
  return `INSERT INTO edge_counts (scope, relation, origin, total) VALUES (${row}.scope, ${row}.relation, ${row}.origin, 1)
  ON CONFLICT (scope, relation, origin) DO UPDATE SET total = total + 1;`
}

function discount(row: string): string {
  const itsKind = `WHERE scope = ${row}.scope AND relation = ${row}.relation AND origin = ${row}.origin`
  return `UPDATE edge_counts SET total = total - 1 ${itsKind};
  DELETE FROM edge_counts ${itsKind} AND total = 0;`
}
