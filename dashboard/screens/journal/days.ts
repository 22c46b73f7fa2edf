import type { Dates } from '../../format.ts'

/** Entries of one day. */
export interface Day<E> {
  readonly key: string
  readonly entries: readonly E[]
}

/** Entries, newest first, day by day in the zone of the dates. */
export function byDay<E extends { readonly at: string }>(
  entries: readonly E[],
  { key }: Dates,
): readonly Day<E>[] {
  return [...Map.groupBy(entries, ({ at }) => key(at))].map(([day, all]) => ({ key: day, entries: all }))
}

/** A day so many days after another, both as `2026-11-21`. */
export function dayAfter(key: string, days: number): string {
  return new Date(Date.parse(`${key}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)
}

/** The Monday on or before a day. */
export function mondayOf(key: string): string {
  return dayAfter(key, -((new Date(`${key}T00:00:00Z`).getUTCDay() + 6) % 7))
}

/** When a day begins where the page is looked at; undefined for what is no day. */
export function beginning(key: string | undefined): string | undefined {
  const at = new Date(`${key}T00:00:00`)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
