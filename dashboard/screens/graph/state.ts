import type { Query } from '../../address.ts'
import type { ColourBy } from './look.ts'

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
