import type { Block, BlockIndex } from '../../domain/block.ts'
import type { InsertedBlock, NewBlock } from '../../ports/store.ts'
import type { Connection } from './driver.ts'
import { prefixEnd } from './prefix.ts'
import { BLOCK_COLUMNS, blockOf, blockValues, columnsOf, jsonList, jsonTable } from './rows.ts'
import { packVectors } from './vectors.ts'

const NEXT_SEQUENCE = '(SELECT coalesce(max(sequence), 0) + 1 FROM blocks WHERE sequence IS NOT NULL)'
const FIELDS = BLOCK_COLUMNS.filter((column) => column !== 'id')
const INSERTED = BLOCK_COLUMNS.filter((column) => column !== 'position')

const SELECT_BLOCKS = `SELECT ${columnsOf('blocks', BLOCK_COLUMNS)}
FROM json_each(?1) AS wanted CROSS JOIN blocks ON blocks.id = wanted.value`

const SELECT_BY_PREFIX = `SELECT prefix, first,
  (SELECT min(id) FROM blocks WHERE id > first AND id < past) AS second
FROM (
  SELECT value ->> 0 AS prefix, value ->> 1 AS past,
    (SELECT min(id) FROM blocks WHERE id >= value ->> 0 AND id < value ->> 1) AS first
  FROM json_each(?1)
)`

const INSERT_BLOCK = `INSERT INTO blocks (${INSERTED.join(', ')}, position, sequence)
VALUES (${INSERTED.map((_, index) => `?${index + 1}`).join(', ')},
  (SELECT coalesce(max(position) + 1, 0) FROM blocks WHERE session = ?${INSERTED.indexOf('session') + 1}),
  CASE WHEN ?${INSERTED.indexOf('status') + 1} = 'active' THEN ${NEXT_SEQUENCE} END)
ON CONFLICT (id) DO NOTHING
RETURNING position`

const NEXT_POSITIONS = `SELECT value AS session,
  (SELECT coalesce(max(position) + 1, 0) FROM blocks WHERE session = value) AS position
FROM json_each(?1)`

const INSERT_BLOCKS = `INSERT INTO blocks (${BLOCK_COLUMNS.join(', ')}, sequence)
SELECT ${columnsOf('incoming', BLOCK_COLUMNS)}, CASE WHEN incoming.status = 'active' THEN ${NEXT_SEQUENCE} END
FROM ${jsonTable(BLOCK_COLUMNS)} AS incoming ORDER BY incoming.ordinal`

const UPDATE_BLOCKS = `UPDATE blocks
SET ${FIELDS.map((column) => `${column} = incoming.${column}`).join(', ')},
  sequence = CASE
    WHEN (blocks.status = 'active' OR incoming.status = 'active')
      AND (${columnsOf('blocks', FIELDS)}) IS NOT (${columnsOf('incoming', FIELDS)})
    THEN ${NEXT_SEQUENCE} ELSE blocks.sequence END
FROM ${jsonTable(BLOCK_COLUMNS)} AS incoming
WHERE blocks.id = incoming.id`

const INCOMING_INDEX = `(
  SELECT blocks.arrival, coalesce(blocks.sequence, 0) AS sequence, value ->> 1 AS terms, value ->> 2 AS asks, value ->> 3 AS timed,
    CASE WHEN value ->> 4 IS NOT NULL THEN substr(?2, value ->> 4, value ->> 5) END AS vector
  FROM json_each(?1) CROSS JOIN blocks ON blocks.id = value ->> 0
)`

/** Runs before the index is saved: only a block whose index will differ counts as changed. */
const COUNT_INDEX_CHANGES = `UPDATE blocks SET sequence = ${NEXT_SEQUENCE}
WHERE status = 'active' AND arrival IN (
  SELECT incoming.arrival FROM ${INCOMING_INDEX} AS incoming
  LEFT JOIN block_index AS stored ON stored.arrival = incoming.arrival
  LEFT JOIN block_vectors AS held ON held.arrival = incoming.arrival
  WHERE (stored.terms, stored.asks, stored.timed, held.vector)
    IS NOT (incoming.terms, incoming.asks, incoming.timed, incoming.vector)
)`

const SAVE_INDEX = `INSERT INTO block_index (arrival, terms, asks, timed, sequence)
SELECT arrival, terms, asks, timed, sequence FROM ${INCOMING_INDEX} WHERE true
ON CONFLICT (arrival) DO UPDATE
SET terms = excluded.terms, asks = excluded.asks, timed = excluded.timed, sequence = excluded.sequence`

const SAVE_VECTORS = `INSERT INTO block_vectors (arrival, vector)
SELECT arrival, vector FROM ${INCOMING_INDEX} WHERE vector IS NOT NULL
ON CONFLICT (arrival) DO UPDATE SET vector = excluded.vector WHERE vector IS NOT excluded.vector`

const REMOVE_VECTORS = `DELETE FROM block_vectors
WHERE arrival IN (SELECT arrival FROM ${INCOMING_INDEX} WHERE vector IS NULL)`

const REINFORCE_BLOCKS = `UPDATE blocks
SET reinforcement_count = reinforcement_count + 1, last_reinforced_at = ?2, sequence = ${NEXT_SEQUENCE}
WHERE id IN (SELECT value FROM json_each(?1)) AND status = 'active'
RETURNING id`

/** The blocks with these ids, in their order. */
export function readBlocks(connection: Connection, ids: readonly string[]): Block[] {
  const found = connection.values(SELECT_BLOCKS, jsonList(ids)).map(blockOf)
  return inOrder(ids, new Map(found.map((block) => [block.id, block])))
}

/** At most two ids for each prefix, an exact match alone: it is always the smallest id with the prefix. */
export function readIdsByPrefix(
  connection: Connection,
  prefixes: readonly string[],
): Map<string, readonly string[]> {
  const ranges = [...new Set(prefixes)].map((prefix) => [prefix, prefixEnd(prefix)])
  const rows = connection.all<{ prefix: string; first: string | null; second: string | null }>(
    SELECT_BY_PREFIX,
    JSON.stringify(ranges),
  )
  return new Map(rows.map((row) => [row.prefix, matches(row.prefix, row.first, row.second)]))
}

/** Inserts a block at the end of its session unless its id is taken. */
export function insertBlock(connection: Connection, block: NewBlock): InsertedBlock {
  const values = blockValues({ ...block, position: 0 })
  values.splice(BLOCK_COLUMNS.indexOf('position'), 1)
  const row = connection.get<{ position: number }>(INSERT_BLOCK, ...values)
  if (row !== undefined) return { inserted: true, block: { ...block, position: row.position } }
  return { inserted: false, block: readBlocks(connection, [block.id])[0] as Block }
}

/** Inserts blocks at the ends of their sessions, one after the other, unless their ids are taken. */
export function insertBlocks(connection: Connection, blocks: readonly NewBlock[]): InsertedBlock[] {
  if (blocks.length === 0) return []
  const known = new Map(
    readBlocks(
      connection,
      blocks.map(({ id }) => id),
    ).map((block) => [block.id, block]),
  )
  const positions = nextPositions(
    connection,
    blocks.filter(({ id }) => !known.has(id)),
  )
  const inserted: Block[] = []
  const answers = blocks.map((block): InsertedBlock => {
    const there = known.get(block.id)
    if (there !== undefined) return { inserted: false, block: there }
    const position = positions.get(block.session) as number
    const fresh: Block = { ...block, position }
    positions.set(block.session, position + 1)
    known.set(block.id, fresh)
    inserted.push(fresh)
    return { inserted: true, block: fresh }
  })
  if (inserted.length > 0) connection.run(INSERT_BLOCKS, JSON.stringify(inserted.map(blockValues)))
  return answers
}

/** Overwrites all fields of the blocks that exist. */
export function updateBlocks(connection: Connection, blocks: readonly Block[]): void {
  if (blocks.length === 0) return
  connection.run(UPDATE_BLOCKS, JSON.stringify(lastById(blocks).map(blockValues)))
}

/** Sets or replaces the index of the blocks that exist; all vectors travel in one bound blob. */
export function saveIndex(connection: Connection, entries: readonly BlockIndex[]): void {
  if (entries.length === 0) return
  const last = lastById(entries)
  const { bytes, places } = packVectors(last.map(({ vector }) => vector))
  const values = last.map(({ id, terms, asks, timed }, i) => [
    id,
    terms,
    Number(asks),
    Number(timed),
    ...(places[i] ?? []),
  ])
  const parameters = [JSON.stringify(values), bytes] as const
  connection.run(COUNT_INDEX_CHANGES, ...parameters)
  connection.run(SAVE_INDEX, ...parameters)
  if (bytes.length > 0) connection.run(SAVE_VECTORS, ...parameters)
  if (last.some(({ vector }) => vector === undefined)) connection.run(REMOVE_VECTORS, ...parameters)
}

/** Counts a use of the active ones among the blocks; returns their ids in the order given. */
export function reinforceBlocks(connection: Connection, ids: readonly string[], hours: number): string[] {
  if (ids.length === 0) return []
  const rows = connection.all<{ id: string }>(REINFORCE_BLOCKS, jsonList(ids), hours)
  return inOrder(ids, new Map(rows.map((row) => [row.id, row.id])))
}

function nextPositions(connection: Connection, blocks: readonly NewBlock[]): Map<string, number> {
  if (blocks.length === 0) return new Map()
  const rows = connection.all<{ session: string; position: number }>(
    NEXT_POSITIONS,
    jsonList(blocks.map(({ session }) => session)),
  )
  return new Map(rows.map(({ session, position }) => [session, position]))
}

function inOrder<T>(ids: readonly string[], found: ReadonlyMap<string, T>): T[] {
  return [...new Set(ids)].flatMap((id) => found.get(id) ?? [])
}

function lastById<T extends { readonly id: string }>(items: readonly T[]): T[] {
  return [...new Map(items.map((item) => [item.id, item])).values()]
}

function matches(prefix: string, first: string | null, second: string | null): string[] {
  if (first === null) return []
  return second === null || first === prefix ? [first] : [first, second]
}
