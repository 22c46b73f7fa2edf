/**
 * The living graph.
 *
 * An edge may have no anchor, so that it never fades, and remembers whose it was before an agent made it its own.
 * `block_strengths` is kept by the triggers: the sum of weight + 0.1·ln(1 + count) over a block's edges, computed anew
 * from its few edges so that it never drifts. `disconnections` keep what an agent took apart from being joined again.
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
  strength REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX block_strengths_by_strength ON block_strengths (strength DESC, block_id);
${strengthTrigger('inserted', 'INSERT', 'new')}
${strengthTrigger('used', 'UPDATE OF weight, reinforcement_count', 'new')}
${strengthTrigger('removed', 'DELETE', 'old')}
INSERT INTO block_strengths
SELECT id, round(sum(weight), 9) FROM (
  SELECT from_id AS id, weight + 0.1 * ln(1 + reinforcement_count) AS weight FROM edges
  UNION ALL
  SELECT to_id, weight + 0.1 * ln(1 + reinforcement_count) FROM edges
) GROUP BY id;

CREATE INDEX co_retrieval_staging_by_count ON co_retrieval_staging (count DESC, arrival);

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

/** Keeps the strength of both ends: anew from the edges that are left, gone with the last of them. */
function strengthTrigger(name: string, event: string, row: 'new' | 'old'): string {
  const ends = `(${row}.from_id, ${row}.to_id)`
  return `CREATE TRIGGER edges_strength_${name} AFTER ${event} ON edges BEGIN
  DELETE FROM block_strengths WHERE block_id IN ${ends};
  INSERT INTO block_strengths
  SELECT id, round(sum(weight), 9) FROM (
    SELECT from_id AS id, weight + 0.1 * ln(1 + reinforcement_count) AS weight FROM edges WHERE from_id IN ${ends}
    UNION ALL
    SELECT to_id, weight + 0.1 * ln(1 + reinforcement_count) FROM edges WHERE to_id IN ${ends}
  ) WHERE id IN ${ends} GROUP BY id;
END;`
}
