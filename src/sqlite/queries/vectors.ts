import type { Block } from '../../domain/block/block.ts'
import type { ContentVector, VectorTotals } from '../../ports/store/vectors.ts'
import type { ScopedConnection } from '../connection/scoped-connection.ts'
import { vectorTriggers } from '../migrations/005-vectors.ts'
import { waitingTrigger } from '../migrations/012-waiting.ts'
import { BLOCK, columnsOf } from './rows.ts'
import { NEW_GENERATION } from './state.ts'

const KEEPS_SHADOW = `(SELECT count(*) FROM meta WHERE key = 'spare_vectors')`

const SELECT_TOTALS = `SELECT count(*) AS blocks, coalesce(sum(length(content)), 0) AS characters,
  coalesce(sum(status <> 'inbox'), 0) AS settled, ${KEEPS_SHADOW} AS keeps, (SELECT count(*) FROM spare_missing) AS missing
FROM block_vectors CROSS JOIN blocks ON blocks.arrival = block_vectors.arrival`

const SELECT_MISSING = `SELECT ${columnsOf('blocks', BLOCK.names)}
FROM spare_missing CROSS JOIN blocks ON blocks.arrival = spare_missing.arrival
ORDER BY spare_missing.arrival LIMIT ?1`

const INCOMING_SHADOW = `(
  SELECT blocks.arrival, substr(?2, value ->> 2, value ->> 3) AS vector
  FROM json_each(?1)
  CROSS JOIN blocks ON blocks.id = value ->> 0 AND blocks.content = value ->> 1
  CROSS JOIN block_vectors ON block_vectors.arrival = blocks.arrival
  WHERE ${KEEPS_SHADOW} = 1
)`

const SAVE_SHADOW = `INSERT INTO spare_vectors (arrival, vector) SELECT arrival, vector FROM ${INCOMING_SHADOW} WHERE true
ON CONFLICT (arrival) DO UPDATE SET vector = excluded.vector`

const REMOVE_FROM_MISSING = `DELETE FROM spare_missing WHERE arrival IN (SELECT arrival FROM ${INCOMING_SHADOW})`

const SELECT_SWAPPABLE = `SELECT ${KEEPS_SHADOW} AS keeps, EXISTS (SELECT 1 FROM spare_missing) AS missing`

/** The two sets of vectors change their names; triggers would follow the tables to theirs. */
export const SWAP = `
DROP TRIGGER vectors_inserted;
DROP TRIGGER vectors_changed;
DROP TRIGGER vectors_deleted;
DROP TRIGGER waiting_changed;
ALTER TABLE block_vectors RENAME TO vectors_before;
ALTER TABLE spare_vectors RENAME TO block_vectors;
ALTER TABLE vectors_before RENAME TO spare_vectors;
${NEW_GENERATION};
${vectorTriggers()}
${waitingTrigger()}`

const DROP_SHADOW = `
DELETE FROM meta WHERE key = 'spare_vectors';
DELETE FROM spare_vectors;
DELETE FROM spare_missing;`

const BEGIN_SHADOW = `${DROP_SHADOW}
INSERT INTO meta (key, value) VALUES ('spare_vectors', '1');
INSERT INTO spare_missing (arrival) SELECT arrival FROM block_vectors;`

/** Vectors as one bound blob, because JSON cannot hold them, and where each begins and how long it is. */
interface PackedVectors {
  readonly bytes: Uint8Array
  /** Offset from 1 and length in bytes; two nulls for no vector. */
  readonly places: readonly (readonly [number | null, number | null])[]
}

/** Lays vectors one after another. */
function packVectors(vectors: readonly (Float32Array | undefined)[]): PackedVectors {
  const parts: Uint8Array[] = []
  let offset = 1
  const places = vectors.map((vector): readonly [number | null, number | null] => {
    if (vector === undefined) return [null, null]
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
    parts.push(bytes)
    offset += bytes.length
    return [offset - bytes.length, bytes.length]
  })
  return { bytes: Buffer.concat(parts), places }
}

/** How many vectors are in use, of how much text, and how many the shadow set lacks. */
export function readVectorTotals(connection: ScopedConnection): VectorTotals & { readonly settled: number } {
  const [row = []] = connection.values(SELECT_TOTALS)
  const [blocks = 0, characters = 0, settled = 0, keeps = 0, missing = 0] = row.map(Number)
  return { blocks, characters, settled, ...(keeps === 0 ? {} : { missing }) }
}

/** The first blocks that the shadow set lacks. */
export function readMissingShadow(connection: ScopedConnection, limit: number): Block[] {
  return connection.values(SELECT_MISSING, Math.max(0, limit)).map(BLOCK.decode)
}

/** An empty shadow set. */
export function beginShadow(connection: ScopedConnection): void {
  connection.script(BEGIN_SHADOW)
}

/** Keeps the vectors whose blocks still say what they were made of. */
export function saveShadow(connection: ScopedConnection, vectors: readonly ContentVector[]): void {
  if (vectors.length === 0) return
  const entries = [...new Map(vectors.map((each) => [each.id, each])).values()]
  const { bytes, places } = packVectors(entries.map(({ vector }) => vector))
  const values = entries.map(({ id, content }, i) => [id, content, ...(places[i] ?? [])])
  const parameters = [JSON.stringify(values), bytes] as const
  connection.run(SAVE_SHADOW, ...parameters)
  connection.run(REMOVE_FROM_MISSING, ...parameters)
}

/** Swaps the two sets of vectors, unless the shadow set is absent or incomplete; true if it did. */
export function swapVectors(connection: ScopedConnection): boolean {
  const row = connection.get<{ keeps: number; missing: number }>(SELECT_SWAPPABLE)
  if (row?.keeps !== 1 || row.missing !== 0) return false
  connection.script(SWAP)
  return true
}

/** Forgets the shadow set. */
export function dropShadow(connection: ScopedConnection): void {
  connection.script(DROP_SHADOW)
}
