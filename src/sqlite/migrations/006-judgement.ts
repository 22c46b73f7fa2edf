/**
 * Judgement by a model or host.
 *
 * `scored_at` is when a block was judged last, '' in its index for never; `owed` marks blocks that a dream
 * could not have judged. `unlabelled_pairs` lists the pairs whose relation nobody has named yet, so that a
 * dream that ends between making edges and labelling them loses none. Pairs may be proposed supersessions and
 * say who found them; entries of the log have the usage of models.
 */
export const JUDGEMENT = `
ALTER TABLE blocks ADD COLUMN scored_at TEXT;
ALTER TABLE blocks ADD COLUMN owed INTEGER NOT NULL DEFAULT 0 CHECK (owed IN (0, 1));
ALTER TABLE blocks ADD COLUMN supersedes TEXT;
CREATE INDEX blocks_by_judgement ON blocks (coalesce(scored_at, ''), arrival) WHERE status = 'active';
CREATE INDEX blocks_owed ON blocks (arrival) WHERE status = 'active' AND owed = 1;
CREATE INDEX blocks_of_scope_by_judgement ON blocks (scope, coalesce(scored_at, ''), arrival)
WHERE status = 'active' AND scope <> '';
CREATE INDEX blocks_of_scope_owed ON blocks (scope, arrival) WHERE status = 'active' AND owed = 1 AND scope <> '';

ALTER TABLE operations ADD COLUMN tokens TEXT CHECK (tokens IS NULL OR json_valid(tokens));

CREATE TABLE pairs_found (
  arrival INTEGER PRIMARY KEY,
  a TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  b TEXT NOT NULL REFERENCES blocks (id) ON DELETE CASCADE,
  kind TEXT NOT NULL CHECK (kind IN ('near_duplicate', 'supersession', 'contradiction')),
  score REAL NOT NULL CHECK (score BETWEEN 0 AND 1),
  resolved INTEGER NOT NULL CHECK (resolved IN (0, 1)),
  created_at TEXT NOT NULL,
  found_by TEXT,
  scope TEXT NOT NULL DEFAULT '',
  UNIQUE (a, b),
  CHECK (a < b)
) STRICT;
INSERT INTO pairs_found (arrival, a, b, kind, score, resolved, created_at, scope)
SELECT arrival, a, b, kind, score, resolved, created_at, scope FROM pairs;
DROP TABLE pairs;
ALTER TABLE pairs_found RENAME TO pairs;
CREATE INDEX pairs_by_b ON pairs (b, a);
CREATE INDEX pairs_open ON pairs (arrival) WHERE resolved = 0;
CREATE INDEX pairs_of_scope ON pairs (scope, arrival) WHERE resolved = 0 AND scope <> '';

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
`
