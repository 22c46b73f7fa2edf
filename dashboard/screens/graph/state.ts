import type { Query } from '../../address.ts'
import type { ColourBy } from './scenes/look.ts'

/** What the address says of the map. */
export interface MapState {
  readonly by: ColourBy
  readonly without: ReadonlySet<string>
  /** Hundredths. */
  readonly least: number
  readonly lone: boolean
  readonly group: number | undefined
  /** True: each block is drawn, however many there are. */
  readonly every: boolean
  /** The block in the middle of a neighbourhood. */
  readonly near: string | undefined
  readonly steps: 1 | 2
  /** The time the map shows, ISO-8601; now when absent. */
  readonly at: string | undefined
}

/** Reads the state of the map from the address; what is no value of it counts as not given. */
export function stateOf(query: Query): MapState {
  const least = Number(query.least ?? 0)
  const group = Number(query.group ?? Number.NaN)
  return {
    by: query.by === 'speaker' || query.by === 'belief' ? query.by : 'group',
    without: new Set((query.without ?? '').split(',').filter(Boolean)),
    least: Number.isFinite(least) ? Math.min(100, Math.max(0, least)) : 0,
    lone: query.lone === '1',
    group: Number.isInteger(group) && group >= 0 ? group : undefined,
    every: query.every === '1',
    near: query.block ?? query.near,
    steps: query.steps === '2' ? 2 : 1,
    at: query.at !== undefined && !Number.isNaN(Date.parse(query.at)) ? query.at : undefined,
  }
}

/** The query that leaves a set of relations out. */
export function withoutQuery(without: ReadonlySet<string>): string | undefined {
  return without.size === 0 ? undefined : [...without].sort().join(',')
}

const MS_PER_HOUR = 3_600_000
const MS_PER_MINUTE = 60_000

/** The hour after the beginning that is over at a moment. */
export function hoursUntil(at: string, begin: number): number {
  return Math.floor((Date.parse(at) - begin) / MS_PER_HOUR) - 1
}

/** The moment at which an hour after the beginning is over, to the minute; undefined if that is not yet. */
export function momentAfter(hours: number, begin: number, now: number): string | undefined {
  const moment = begin + (Math.floor(hours) + 1) * MS_PER_HOUR
  return moment >= now ? undefined : `${new Date(moment + MS_PER_MINUTE - 1).toISOString().slice(0, 16)}Z`
}
