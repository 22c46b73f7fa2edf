/** Sessions by their beginning, so that the oldest are found when a memory keeps only so many. */
export const SESSION_ORDER = `
CREATE INDEX IF NOT EXISTS sessions_by_start ON sessions (started_at, start_hours, id);
CREATE INDEX IF NOT EXISTS sessions_of_scope_by_start ON sessions (scope, started_at, start_hours, id)
WHERE scope <> '';
`
