/** How much was done on a day. */
interface DayCounts {
  /** Blocks that were new. */
  readonly takenIn: number
  /** Recalls that the log still has. */
  readonly recalled: number
  /** Reports of outcomes that the log still has. */
  readonly reported: number
  /** Blocks archived, duplicates among them. */
  readonly archived: number
}

/** The counts of a UTC day, such as 2026-03-01. */
export interface CountedDay extends DayCounts {
  readonly day: string
}

/** A day on which nothing was done. */
export const NOTHING_DONE: DayCounts = { takenIn: 0, recalled: 0, reported: 0, archived: 0 }

/** The UTC day of an instant. */
function dayOf(instant: string): string {
  return instant.slice(0, instant.indexOf('T'))
}

const DAY_MS = 86_400_000

/** So many UTC days, oldest first; the last is that of `now`, in milliseconds since 1970. */
export function lastDays(now: number, days: number): string[] {
  return Array.from({ length: days }, (_, at) =>
    dayOf(new Date(now - (days - 1 - at) * DAY_MS).toISOString()),
  )
}
