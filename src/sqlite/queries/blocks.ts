import type { Block } from '../../domain/block/block.ts'
import type { VectorTotals } from '../../ports/store/queries.ts'
import type { Cells } from '../../ports/store/rows.ts'
import { codecOf } from '../../store/codec.ts'
import { blocks as BLOCKS } from '../../store/tables.ts'
import { BLOCK } from '../../store/views.ts'
import { columnsOf, jsonList, type ScopedConnection, statement } from '../connection/connection.ts'
import { prefixEnd } from './block-filter.ts'
import { HAS_SHADOW, SELECT_SET } from './changes.ts'

const SELECT_BY_PREFIX = statement(
  ({ own }) => `SELECT prefix, first,
  (SELECT min(id) FROM blocks WHERE id > first AND id < past${own('blocks')}) AS second
FROM (
  SELECT value ->> 0 AS prefix, value ->> 1 AS past,
    (SELECT min(id) FROM blocks WHERE id >= value ->> 0 AND id < value ->> 1${own('blocks')}) AS first
  FROM json_each(?1)
)`,
)

const USE_BLOCK = statement(
  ({ isOwn }) => `UPDATE blocks
SET reinforcement_count = reinforcement_count + 1, last_reinforced_at = ?2, sequence = ?3
WHERE id = ?1 AND status = 'active'${isOwn('blocks')}`,
)

const NUMBER_BLOCKS = 'UPDATE blocks SET sequence = ?2 WHERE arrival IN (SELECT value FROM json_each(?1))'

const { decode } = codecOf(BLOCK)

const ROW = codecOf(BLOCKS)
const SELECT_ROWS = `SELECT ${ROW.names.join(', ')} FROM blocks
WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY arrival`

const SELECT_SAME = `SELECT ${columnsOf(BLOCK, 'blocks')}
FROM json_each(?1) AS wanted CROSS JOIN blocks
  ON blocks.text_key = wanted.value ->> 0 AND blocks.scope = wanted.value ->> 1 AND blocks.status <> 'archived'
ORDER BY wanted.key, blocks.arrival`

/** The same for one text, as nearly every write asks. */
const SELECT_SAME_AS_ONE = `SELECT ${columnsOf(BLOCK, 'blocks')}
FROM blocks WHERE text_key = ?1 AND scope = ?2 AND status <> 'archived' ORDER BY arrival`

/** The queue of the walk is first in, first out, so that the nearest are kept where the limit ends it. */
const SELECT_REPLACING = statement(
  ({ isOwn }) => `WITH RECURSIVE chain (id) AS (
  SELECT value FROM json_each(?1)
  UNION
  SELECT blocks.id FROM chain CROSS JOIN blocks ON blocks.supersedes = chain.id
  WHERE blocks.status <> 'archived'${isOwn('blocks')}
  UNION
  SELECT blocks.supersedes FROM chain CROSS JOIN blocks ON blocks.id = chain.id
  WHERE blocks.supersedes IS NOT NULL AND blocks.status <> 'archived'${isOwn('blocks')}
  LIMIT +?2
)
SELECT ${columnsOf(BLOCK, 'blocks')}
FROM chain CROSS JOIN blocks
  ON blocks.supersedes = chain.id AND blocks.status <> 'archived'${isOwn('blocks')}
ORDER BY blocks.arrival`,
)

/**
 * Blocks in the inbox or active that are to take the place of one of these or of one that such blocks join with them, at
 * most `limit` blocks with these, by arrival. One statement.
 */
export function readReplacing(connection: ScopedConnection, ids: readonly string[], limit: number): Block[] {
  const wanted = JSON.stringify([...new Set(ids)])
  return connection.values(SELECT_REPLACING, wanted, Math.max(0, limit)).map(decode)
}

/** Blocks in the inbox or active whose texts have one of the keys in a scope, by key, then by arrival. One statement. */
export function readBlocksByText(
  connection: ScopedConnection,
  keys: readonly (readonly [string, string])[],
): Block[] {
  const [only] = keys
  const found =
    keys.length === 1 && only !== undefined
      ? connection.values(SELECT_SAME_AS_ONE, ...only)
      : connection.values(SELECT_SAME, JSON.stringify(keys))
  return found.map(decode)
}

/** At most two ids for each prefix, an exact match alone: it is always the smallest id with the prefix. */
export function readIdsByPrefix(
  connection: ScopedConnection,
  prefixes: readonly string[],
): Map<string, readonly string[]> {
  const ranges = [...new Set(prefixes)].map((prefix) => [prefix, prefixEnd(prefix)])
  const rows = connection.all<{ prefix: string; first: string | null; second: string | null }>(
    SELECT_BY_PREFIX,
    JSON.stringify(ranges),
  )
  return new Map(rows.map((row) => [row.prefix, matches(row.prefix, row.first, row.second)]))
}

/** Counts a use of the active ones among the blocks; returns their ids. */
export function useBlocks(
  connection: ScopedConnection,
  ids: readonly string[],
  { hours, sequence }: { readonly hours: number; readonly sequence: number },
): string[] {
  const wanted = jsonList(ids)
  const { changed } = connection
  const rows = (): Cells[] =>
    changed === undefined ? [] : (connection.values(SELECT_ROWS, wanted) as Cells[])
  const before = rows()
  const isUsed = (id: string) => connection.run(USE_BLOCK, id, hours, sequence) > 0
  const used = connection.asOne(() => [...new Set(ids)].filter(isUsed))
  for (const [i, is] of rows().entries()) changed?.(BLOCKS, before[i], is)
  return used
}

/** Gives blocks the number of a change. */
export function numberBlocks(
  connection: ScopedConnection,
  arrivals: readonly number[],
  sequence: number,
): void {
  connection.run(NUMBER_BLOCKS, JSON.stringify(arrivals), sequence)
}

function matches(prefix: string, first: string | null, second: string | null): string[] {
  if (first === null) return []
  return second === null || first === prefix ? [first] : [first, second]
}

/** Vectors in use, and beside each the one of its block in the other set. */
const IN_BOTH = `block_vectors LEFT JOIN block_vectors AS other
  ON other.arrival = block_vectors.arrival AND other.set_number <> block_vectors.set_number`

const SELECT_TOTALS = `SELECT count(*) AS blocks, coalesce(sum(length(content)), 0) AS characters,
  coalesce(sum(status <> 'inbox'), 0) AS settled, ${HAS_SHADOW} AS keeps,
  coalesce(sum(other.arrival IS NULL), 0) AS missing
FROM ${IN_BOTH} CROSS JOIN blocks ON blocks.arrival = block_vectors.arrival
WHERE block_vectors.set_number = ${SELECT_SET}`

const SELECT_MISSING = `SELECT ${columnsOf(BLOCK, 'blocks')}
FROM ${IN_BOTH} CROSS JOIN blocks ON blocks.arrival = block_vectors.arrival
WHERE block_vectors.set_number = ${SELECT_SET} AND other.arrival IS NULL AND ${HAS_SHADOW} = 1
ORDER BY block_vectors.arrival LIMIT +?1`

/** How many vectors are in use, of how much text, and how many the shadow set lacks. */
export function readVectorTotals(connection: ScopedConnection): VectorTotals & { readonly settled: number } {
  const [row = []] = connection.values(SELECT_TOTALS)
  const [blocks = 0, characters = 0, settled = 0, keeps = 0, missing = 0] = row.map(Number)
  return { blocks, characters, settled, ...(keeps === 0 ? {} : { missing }) }
}

/** The first blocks that the shadow set lacks. Walks the index as far as the last of them. */
export function readMissingShadow(connection: ScopedConnection, limit: number): Block[] {
  return connection.values(SELECT_MISSING, Math.max(0, limit)).map(decode)
}
