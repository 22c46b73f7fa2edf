import type { ContentVector } from '../../ports/store/vectors.ts'
import { type ScopedConnection, statement } from '../connection/scoped-connection.ts'
import { NEXT_SEQUENCE } from './blocks.ts'
import { NEW_GENERATION, packVectors } from './vectors.ts'

const incoming = (own: string): string => `(
  SELECT blocks.arrival, substr(?2, value ->> 2, value ->> 3) AS vector
  FROM json_each(?1) CROSS JOIN blocks ON blocks.id = value ->> 0 AND blocks.content = value ->> 1
    AND blocks.status = 'inbox'${own}
)`

/** Runs before the vectors are saved: only a block whose vector will differ counts as changed. */
const COUNT_CHANGES = statement(
  ({ isOwn }) => `UPDATE blocks SET sequence = ${NEXT_SEQUENCE}
WHERE arrival IN (
  SELECT incoming.arrival FROM ${incoming(isOwn('blocks'))} AS incoming
  LEFT JOIN block_vectors AS held ON held.arrival = incoming.arrival
  WHERE held.vector IS NOT incoming.vector
)`,
)

const SAVE = statement(
  ({ isOwn }) => `INSERT INTO block_vectors (arrival, vector)
SELECT arrival, vector FROM ${incoming(isOwn('blocks'))} WHERE true
ON CONFLICT (arrival) DO UPDATE SET vector = excluded.vector WHERE vector IS NOT excluded.vector`,
)

const HAS_OTHERS = `SELECT EXISTS (
  SELECT 1 FROM block_vectors CROSS JOIN blocks ON blocks.arrival = block_vectors.arrival
  WHERE blocks.status <> 'inbox'
) AS others`

/** Keeps the vectors whose blocks wait and still say what they were made of. */
export function saveWaitingVectors(connection: ScopedConnection, vectors: readonly ContentVector[]): void {
  if (vectors.length === 0) return
  const entries = [...new Map(vectors.map((each) => [each.id, each])).values()]
  const { bytes, places } = packVectors(entries.map(({ vector }) => vector))
  const values = entries.map(({ id, content }, i) => [id, content, ...(places[i] ?? [])])
  const parameters = [JSON.stringify(values), bytes] as const
  connection.run(COUNT_CHANGES, ...parameters)
  connection.run(SAVE, ...parameters)
}

/** Removes all vectors of blocks that wait, unless another block has one; true if it did. */
export function dropWaitingVectors({ whole }: ScopedConnection): boolean {
  if (whole.get<{ others: number }>(HAS_OTHERS)?.others === 1) return false
  whole.run('DELETE FROM block_vectors')
  whole.run(NEW_GENERATION)
  return true
}
