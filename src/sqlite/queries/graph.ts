import type { BlockPair } from '../../domain/graph/edge.ts'
import type { Strengths } from '../../ports/store/queries.ts'
import { codecOf } from '../../store/codec.ts'
import { PAIR } from '../../store/views.ts'
import { columnsOf, jsonList, type ScopedConnection, statement } from '../connection/connection.ts'

/** Strengths are kept in whole billionths. */
const BILLION = 1e9

/** The queue of the walk is first in, first out, so that the nearest are kept where the limit ends it. The walk is made once: as a list. */
const SELECT_GROUPED = statement(
  ({ isOwn }) => `WITH RECURSIVE grouped (id) AS (
  SELECT value FROM json_each(?1)
  UNION
  SELECT pairs.b FROM grouped CROSS JOIN pairs ON pairs.a = grouped.id
  WHERE resolved = 0 AND kind IN ('supersession', 'near_duplicate')${isOwn('pairs')}
  UNION
  SELECT pairs.a FROM grouped CROSS JOIN pairs ON pairs.b = grouped.id
  WHERE resolved = 0 AND kind IN ('supersession', 'near_duplicate')${isOwn('pairs')}
  LIMIT +?2
), reached (ids) AS MATERIALIZED (SELECT json_group_array(id) FROM grouped)
SELECT ${columnsOf(PAIR, 'pairs')} FROM reached CROSS JOIN json_each(ids) AS one CROSS JOIN pairs ON pairs.a = one.value
WHERE resolved = 0 AND pairs.b IN (SELECT value FROM reached, json_each(ids))${isOwn('pairs')}
ORDER BY a, b`,
)

const SELECT_STRENGTHS = statement(
  ({ isOwn, strengths }) => `SELECT block_id, strength, degree
FROM ${strengths} WHERE block_id IN (SELECT value FROM json_each(?1))${isOwn(strengths)}`,
)

const SELECT_STRONGEST = statement(
  ({ own, strengths }) => `SELECT * FROM (
  SELECT block_id AS id, strength
  FROM ${strengths} WHERE true${own(strengths)} ORDER BY strength DESC, block_id LIMIT +?1
)
UNION ALL
SELECT NULL, coalesce((SELECT strength FROM ${strengths}
  WHERE true${own(strengths)} ORDER BY strength DESC, block_id LIMIT 1 OFFSET ?2), 0)`,
)

/** Open pairs among some blocks and those that supersessions and near-duplicates join with them, at most `limit` blocks. */
export function readGroupedPairs(
  connection: ScopedConnection,
  ids: readonly string[],
  limit: number,
): BlockPair[] {
  return connection.values(SELECT_GROUPED, jsonList(ids), Math.max(0, limit)).map(codecOf(PAIR).decode)
}

/** How well blocks are joined and how often, as the triggers on `edges` keep it. */
export function readStrengths(
  connection: ScopedConnection,
  ids: readonly string[],
): Map<string, { readonly strength: number; readonly degree: number }> {
  const rows = connection.values(SELECT_STRENGTHS, jsonList(ids)) as [string, number, number][]
  return new Map(rows.map(([id, strength, degree]) => [id, { strength: strength / BILLION, degree }]))
}

/** The best joined blocks and the strength at a rank. */
export function readStrongest(connection: ScopedConnection, limit: number, rank: number): Strengths {
  const rows = connection.all<{ id: string | null; strength: number }>(
    SELECT_STRONGEST,
    Math.max(0, limit),
    Math.max(0, rank - 1),
  )
  const atRank = (rows.pop()?.strength ?? 0) / BILLION
  return {
    strongest: rows.map(({ id, strength }) => ({ id: id as string, strength: strength / BILLION })),
    atRank,
  }
}
