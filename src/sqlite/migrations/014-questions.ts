/** The first version that keeps reports by question. */
export const QUESTIONS_SINCE = 14

/** The earlier reports, as reports on one question of no words. */
export const EVIDENCE_OF_OLD = `
INSERT INTO question_evidence (question, block_id, helped, misled, graded, beside, scope)
SELECT '', id, successes, 0, 0, failures, scope FROM blocks WHERE successes + failures > 0
ON CONFLICT DO NOTHING;
`

/**
 * The reports on each question. Of earlier reports it is not known which question they were about: they count
 * as one, of no words, and as nothing against a block in others, since misled and beside the point were one.
 */
export const QUESTIONS = `
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
${EVIDENCE_OF_OLD}`
