import type { SessionRecord } from '../../src/ports/store/transaction.ts'
import { byString, type State } from './state.ts'

/** The session begun last and not ended. */
export function latestOpen(sessions: readonly SessionRecord[]): SessionRecord | undefined {
  return sessions
    .filter(({ endedAt }) => endedAt === undefined)
    .sort(byStart)
    .at(-1)
}

/** Removes the oldest of some sessions but the newest and the open one begun last. */
export function trimSessions(
  state: State,
  among: readonly SessionRecord[],
  { keep, most }: { readonly keep: number; readonly most: number },
): number {
  const open = latestOpen(among)
  const old = [...among]
    .sort(byStart)
    .slice(0, Math.max(0, among.length - Math.max(0, keep)))
    .filter(({ id }) => id !== open?.id)
    .slice(0, Math.max(0, most))
  for (const { id } of old) state.sessions.delete(id)
  return old.length
}

function byStart(one: SessionRecord, other: SessionRecord): number {
  return (
    byString(one.startedAt, other.startedAt) ||
    one.startHours - other.startHours ||
    byString(one.id, other.id)
  )
}
