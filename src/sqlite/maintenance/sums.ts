import { strengthOf } from '../migrations/002-graph.ts'

/** A table that triggers keep, and the query that makes it from nothing. */
interface KeptSums {
  readonly table: string
  readonly columns: string
  readonly made: string
}

const ends = (condition: string, scope: string) => `SELECT id, ${scope}sum(strength), count(*) FROM (
  SELECT from_id AS id, scope, ${strengthOf('edges')} AS strength FROM edges ${condition}
  UNION ALL SELECT to_id, scope, ${strengthOf('edges')} FROM edges ${condition}
) GROUP BY id`

/** Tables that can be made again from the edges. */
export const KEPT_SUMS: readonly KeptSums[] = [
  { table: 'block_strengths', columns: 'block_id, strength, degree', made: ends('', '') },
  {
    table: 'scope_strengths',
    columns: 'block_id, scope, strength, degree',
    made: ends(`WHERE scope <> ''`, 'max(scope), '),
  },
  {
    table: 'edge_counts',
    columns: 'scope, relation, origin, total',
    made: 'SELECT scope, relation, origin, count(*) FROM edges GROUP BY scope, relation, origin',
  },
]

/** Rows that differ from what the edges make. */
export function countWrongSums({ table, columns, made }: KeptSums): string {
  const kept = `SELECT ${columns} FROM ${table}`
  return `SELECT (SELECT count(*) FROM (SELECT * FROM (${made}) EXCEPT ${kept}))
  + (SELECT count(*) FROM (${kept} EXCEPT SELECT * FROM (${made}))) AS total`
}
