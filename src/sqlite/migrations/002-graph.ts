/**
 * The living graph.
 *
 * An edge may have no anchor, so that it never fades, and remembers whose it was before an agent made it its own.
 * The triggers keep what would be walked for otherwise: `block_strengths`, over a block's edges the sum of
 * weight + 0.1·ln(1 + count) and their number, and `edge_counts` by relation and origin. Both count in whole numbers,
 * a step for each change of an edge, so that they cost little and never drift. `disconnections` keep what an agent took
 * apart from being joined again.
 */
export const GRAPH = `
CREATE TABLE edges_with_origin (
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
  PRIMARY KEY (from_id, to_id),
  CHECK (from_id < to_id)
) STRICT, WITHOUT ROWID;
INSERT INTO edges_with_origin
SELECT from_id, to_id, relation, origin, weight, reinforcement_count, last_active_at, created_at, note, declared_by, NULL
FROM edges;
DROP TABLE edges;
ALTER TABLE edges_with_origin RENAME TO edges;
CREATE INDEX edges_by_to ON edges (to_id, from_id);

CREATE TRIGGER edges_promoted AFTER INSERT ON edges WHEN new.origin = 'co_retrieval' BEGIN
  DELETE FROM co_retrieval_staging WHERE from_id = new.from_id AND to_id = new.to_id;
END;

CREATE TABLE block_strengths (
  block_id TEXT PRIMARY KEY,
  strength INTEGER NOT NULL,
  degree INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX block_strengths_by_strength ON block_strengths (strength DESC, block_id);
INSERT INTO block_strengths
SELECT id, sum(strength), count(*) FROM (
  SELECT from_id AS id, ${strengthOf('edges')} AS strength FROM edges
  UNION ALL
  SELECT to_id, ${strengthOf('edges')} FROM edges
) GROUP BY id;

CREATE TABLE edge_counts (
  relation TEXT NOT NULL,
  origin TEXT NOT NULL,
  total INTEGER NOT NULL,
  PRIMARY KEY (relation, origin)
) STRICT, WITHOUT ROWID;
INSERT INTO edge_counts SELECT relation, origin, count(*) FROM edges GROUP BY relation, origin;

CREATE TRIGGER edges_inserted AFTER INSERT ON edges BEGIN
  INSERT INTO block_strengths (block_id, strength, degree)
  VALUES (new.from_id, ${strengthOf('new')}, 1), (new.to_id, ${strengthOf('new')}, 1)
  ON CONFLICT (block_id) DO UPDATE SET strength = strength + excluded.strength, degree = degree + 1;
  ${count('new')}
END;
CREATE TRIGGER edges_used AFTER UPDATE OF weight, reinforcement_count ON edges
WHEN ${strengthOf('new')} <> ${strengthOf('old')} BEGIN
  UPDATE block_strengths SET strength = strength + ${strengthOf('new')} - ${strengthOf('old')}
  WHERE block_id IN (new.from_id, new.to_id);
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

CREATE INDEX co_retrieval_staging_by_count ON co_retrieval_staging (count, arrival);

CREATE TABLE disconnections (
  from_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  to_id TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  at REAL NOT NULL,
  reason TEXT,
  PRIMARY KEY (from_id, to_id),
  CHECK (from_id < to_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX disconnections_by_to ON disconnections (to_id);
CREATE INDEX disconnections_by_time ON disconnections (at);
`

/** Weight with use (`effectiveEdgeWeight`) in whole billionths, so that sums are exact in any order. */
export function strengthOf(row: string): string {
  return `CAST(round((${row}.weight + 0.1 * ln(1 + ${row}.reinforcement_count)) * 1e9) AS INTEGER)`
}

function count(row: string): string {
  return `INSERT INTO edge_counts (relation, origin, total) VALUES (${row}.relation, ${row}.origin, 1)
  ON CONFLICT (relation, origin) DO UPDATE SET total = total + 1;`
}

function discount(row: string): string {
  const itsKind = `WHERE relation = ${row}.relation AND origin = ${row}.origin`
  return `UPDATE edge_counts SET total = total - 1 ${itsKind};
  DELETE FROM edge_counts ${itsKind} AND total = 0;`
}
