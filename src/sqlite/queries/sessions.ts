import type { SessionRecord } from '../../ports/store/transaction.ts'
import { codecOf } from '../../store/codec.ts'
import { sessions } from '../../store/tables.ts'
import { type ScopedConnection, statement } from '../connection/scoped-connection.ts'
import { NO_SCOPE } from './rows.ts'

const SESSION = codecOf(sessions, ['id', 'taskType', 'startedAt', 'endedAt', 'startHours'])
const COLUMNS = SESSION.names.join(', ')

const SELECT_SESSION = statement(
  ({ isOwn }) => `SELECT ${COLUMNS} FROM sessions WHERE id = ?1${isOwn('sessions')}`,
)

const SELECT_LATEST_OPEN = statement(
  ({ own }) => `SELECT ${COLUMNS} FROM sessions WHERE ended_at IS NULL AND started_at > ''${own('sessions')}
ORDER BY started_at DESC, start_hours DESC, id DESC LIMIT 1`,
)

const SAVE_SESSION = statement(
  ({ isOwn }) => `INSERT INTO sessions (${COLUMNS}, scope)
VALUES (?1, ?2, ?3, ?4, ?5, ?6)
ON CONFLICT (id) DO UPDATE SET task_type = excluded.task_type, started_at = excluded.started_at,
  ended_at = excluded.ended_at, start_hours = excluded.start_hours
WHERE true${isOwn('sessions')}`,
)

/** The innermost query finds the newest to remove: the one right behind the kept ones. */
const TRIM = statement(
  ({ own }) => `DELETE FROM sessions WHERE id IN (
  SELECT id FROM sessions
  WHERE (started_at, start_hours, id) <= (
    SELECT started_at, start_hours, id FROM sessions WHERE started_at > ''${own('sessions')}
    ORDER BY started_at DESC, start_hours DESC, id DESC LIMIT 1 OFFSET ?1
  ) AND id <> coalesce((
    SELECT id FROM sessions WHERE ended_at IS NULL AND started_at > ''${own('sessions')}
    ORDER BY started_at DESC, start_hours DESC, id DESC LIMIT 1
  ), '')${own('sessions')}
  ORDER BY started_at, start_hours, id LIMIT ?2
)`,
)

const SELECT_META = 'SELECT value FROM meta WHERE key = ?1'

const SAVE_META = `INSERT INTO meta (key, value) VALUES (?1, ?2)
ON CONFLICT (key) DO UPDATE SET value = excluded.value`

/** One session by its id. */
export function readSession(connection: ScopedConnection, id: string): SessionRecord | undefined {
  return connection.values(SELECT_SESSION, id).map(SESSION.decode)[0]
}

/** The session begun last among those that have not ended. */
export function readLatestOpenSession(connection: ScopedConnection): SessionRecord | undefined {
  return connection.values(SELECT_LATEST_OPEN).map(SESSION.decode)[0]
}

/** Inserts or overwrites a session, unless it is another scope's. */
export function saveSession(connection: ScopedConnection, session: SessionRecord): void {
  connection.run(SAVE_SESSION, ...SESSION.encode(session), connection.scope ?? NO_SCOPE)
}

/** Removes the oldest sessions but the newest and the open one begun last; returns how many. */
export function trimSessions(connection: ScopedConnection, keep: number, most: number): number {
  return connection.run(TRIM, Math.max(0, keep), Math.max(0, most))
}

/** One value of the memory's own settings. */
export function readMeta(connection: ScopedConnection, key: string): string | undefined {
  return connection.get<{ value: string }>(SELECT_META, key)?.value
}

/** Inserts or overwrites one value of the memory's own settings. */
export function saveMeta(connection: ScopedConnection, key: string, value: string): void {
  connection.run(SAVE_META, key, value)
}
