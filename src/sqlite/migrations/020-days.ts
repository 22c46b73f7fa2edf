/**
 * The counts by day, and what a dream came to. Of the time before, what was taken in and archived is counted by the blocks that
 * are there, because they reach back beyond a log that was trimmed; what was recalled and reported by the log.
 */
export const DAYS = `
CREATE TABLE days (
  day TEXT NOT NULL,
  within TEXT NOT NULL,
  taken_in INTEGER NOT NULL CHECK (taken_in >= 0),
  recalled INTEGER NOT NULL CHECK (recalled >= 0),
  reported INTEGER NOT NULL CHECK (reported >= 0),
  archived INTEGER NOT NULL CHECK (archived >= 0),
  PRIMARY KEY (day, within)
) STRICT, WITHOUT ROWID;
ALTER TABLE operations ADD COLUMN result TEXT CHECK (result IS NULL OR json_valid(result));
`

/** Makes the days of a memory that has none; walks the blocks and the log once. */
export const FILL_DAYS = `
INSERT INTO days (day, within, taken_in, recalled, reported, archived)
WITH acts (at, scope, taken_in, recalled, reported, archived) AS (
  SELECT created_at, scope, 1, 0, 0, 0 FROM blocks
  UNION ALL SELECT archived_at, scope, 0, 0, 0, 1 FROM blocks WHERE archived_at IS NOT NULL
  UNION ALL SELECT at, scope, 0, operation = 'recall', operation <> 'recall', 0 FROM operations
    WHERE operation IN ('recall', 'outcome')
    OR operation = 'settle' AND coalesce(reason, '') <> 'implicit: use'
)
SELECT substr(at, 1, instr(at, 'T') - 1) AS day, within,
  sum(taken_in), sum(recalled), sum(reported), sum(archived)
FROM (SELECT *, '' AS within FROM acts UNION ALL SELECT *, scope FROM acts WHERE scope <> '')
WHERE at LIKE '%-__-__T%'
GROUP BY day, within;
`
