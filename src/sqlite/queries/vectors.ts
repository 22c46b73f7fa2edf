import type { Block } from '../../domain/block/block.ts'
import type { VectorTotals } from '../../ports/store/vectors.ts'
import type { ScopedConnection } from '../connection/scoped-connection.ts'
import { BLOCK, columnsOf } from './rows.ts'
import { HAS_SHADOW, SELECT_SET } from './state.ts'

/** Vectors in use, and beside each the one of its block in the other set. */
const IN_BOTH = `block_vectors LEFT JOIN block_vectors AS other
  ON other.arrival = block_vectors.arrival AND other.set_number <> block_vectors.set_number`

const SELECT_TOTALS = `SELECT count(*) AS blocks, coalesce(sum(length(content)), 0) AS characters,
  coalesce(sum(status <> 'inbox'), 0) AS settled, ${HAS_SHADOW} AS keeps,
  coalesce(sum(other.arrival IS NULL), 0) AS missing
FROM ${IN_BOTH} CROSS JOIN blocks ON blocks.arrival = block_vectors.arrival
WHERE block_vectors.set_number = ${SELECT_SET}`

const SELECT_MISSING = `SELECT ${columnsOf('blocks', BLOCK.names)}
FROM ${IN_BOTH} CROSS JOIN blocks ON blocks.arrival = block_vectors.arrival
WHERE block_vectors.set_number = ${SELECT_SET} AND other.arrival IS NULL AND ${HAS_SHADOW} = 1
ORDER BY block_vectors.arrival LIMIT ?1`

/** How many vectors are in use, of how much text, and how many the shadow set lacks. */
export function readVectorTotals(connection: ScopedConnection): VectorTotals & { readonly settled: number } {
  const [row = []] = connection.values(SELECT_TOTALS)
  const [blocks = 0, characters = 0, settled = 0, keeps = 0, missing = 0] = row.map(Number)
  return { blocks, characters, settled, ...(keeps === 0 ? {} : { missing }) }
}

/** The first blocks that the shadow set lacks. Walks the index as far as the last of them. */
export function readMissingShadow(connection: ScopedConnection, limit: number): Block[] {
  return connection.values(SELECT_MISSING, Math.max(0, limit)).map(BLOCK.decode)
}
