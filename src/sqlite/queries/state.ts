import type { State } from '../../ports/store/rows.ts'
import type { ScopedConnection } from '../connection/scoped-connection.ts'

/** Hours and time of the newest entry of the log: no row in an empty store. */
export const SELECT_CLOCK = 'SELECT hours, at FROM operations WHERE id = (SELECT max(id) FROM operations)'

/** The newest number of a change. */
export const NEWEST = 'SELECT max(sequence) FROM blocks WHERE sequence IS NOT NULL'

/** Grows with every swap of the vectors and every removal of blocks. An expression for a column. */
export const SELECT_GENERATION = `(SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'vector_generation')`

/** Makes readers of changes read everything anew. */
export const NEW_GENERATION = `INSERT INTO meta (key, value) VALUES ('vector_generation', '1')
ON CONFLICT (key) DO UPDATE SET value = CAST(value + 1 AS TEXT)`

const SELECT_STATE = `SELECT clock.hours, clock.at, (${NEWEST}) AS sequence, ${SELECT_GENERATION} AS generation,
  EXISTS (SELECT 1 FROM blocks WHERE scope <> '' AND scope > '') AS scoped
FROM (SELECT 1) LEFT JOIN (${SELECT_CLOCK}) AS clock ON true`

/** What the database counts for the memory as a whole. */
export function readState(connection: ScopedConnection): State {
  const [row = []] = connection.values(SELECT_STATE)
  const [hours, at, sequence, generation, scoped] = row
  return {
    clock: typeof at === 'string' ? { hours: Number(hours), wallMs: Date.parse(at) } : { hours: 0 },
    sequence: Number(sequence ?? 0),
    generation: Number(generation ?? 0),
    hasScopes: scoped === 1,
  }
}
