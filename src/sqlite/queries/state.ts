import type { State } from '../../ports/store/rows.ts'
import { SHADOW_KEY, VECTOR_SET_KEY } from '../../store/rules/vectors.ts'
import type { ScopedConnection } from '../connection/scoped-connection.ts'

/** Hours and time of the newest entry of the log: no row in an empty store. */
export const SELECT_CLOCK = 'SELECT hours, at FROM operations WHERE id = (SELECT max(id) FROM operations)'

/** The newest number of a change. */
export const NEWEST = 'SELECT max(sequence) FROM blocks WHERE sequence IS NOT NULL'

/** Grows with every swap of the vectors and every removal of blocks. An expression for a column. */
export const SELECT_GENERATION = `(SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'vector_generation')`

/** The number of the set of vectors in use. An expression for a column. */
export const SELECT_SET = `coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = '${VECTOR_SET_KEY}'), 0)`

/** 1 if there is a shadow set, else 0. */
export const HAS_SHADOW = `(SELECT count(*) FROM meta WHERE key = '${SHADOW_KEY}')`

/** Makes readers of changes read everything anew. */
export const NEW_GENERATION = `INSERT INTO meta (key, value) VALUES ('vector_generation', '1')
ON CONFLICT (key) DO UPDATE SET value = CAST(value + 1 AS TEXT)`

const SELECT_STATE = `SELECT clock.hours, clock.at, (${NEWEST}) AS sequence, ${SELECT_GENERATION} AS generation,
  EXISTS (SELECT 1 FROM blocks WHERE scope <> '' AND scope > '') AS scoped, ${SELECT_SET} AS vector_set, ${HAS_SHADOW} AS shadow
FROM (SELECT 1) LEFT JOIN (${SELECT_CLOCK}) AS clock ON true`

/** What the database counts for the memory as a whole. */
export function readState(connection: ScopedConnection): State {
  const [row = []] = connection.values(SELECT_STATE)
  const [hours, at, sequence, generation, scoped, vectorSet, shadow] = row
  return {
    clock: typeof at === 'string' ? { hours: Number(hours), wallMs: Date.parse(at) } : { hours: 0 },
    sequence: Number(sequence ?? 0),
    generation: Number(generation ?? 0),
    hasScopes: scoped === 1,
    vectorSet: Number(vectorSet ?? 0),
    hasShadow: shadow === 1,
  }
}
