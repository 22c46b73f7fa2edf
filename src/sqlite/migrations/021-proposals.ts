/** Proposals to the owner, and indexes by which open pairs and waiting blocks of others are found by kind. */
export const PROPOSALS = `
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
CREATE INDEX pairs_open_by_kind ON pairs (kind, arrival) WHERE resolved = 0;
CREATE INDEX pairs_of_scope_by_kind ON pairs (scope, kind, arrival) WHERE resolved = 0 AND scope <> '';
CREATE INDEX blocks_waiting_by_class ON blocks (source_class, arrival) WHERE status = 'inbox';
CREATE INDEX blocks_waiting_of_scope ON blocks (scope, source_class, arrival)
  WHERE status = 'inbox' AND scope <> '';
`
