import type { Block, BlockIndex } from '../../domain/block/block.ts'
import { ElfmemError } from '../../errors.ts'
import type { InsertedBlock, NewBlock } from '../../ports/store/transaction.ts'
import type { Cell } from '../../store/codec.ts'
import { type ScopedConnection, statement } from '../connection/scoped-connection.ts'
import { textKey } from '../migrations/text-keys.ts'
import { prefixEnd } from './prefix.ts'
import { BLOCK, columnsOf, jsonList, jsonTable } from './rows.ts'
import { packVectors } from './vectors.ts'

/** The number of the change that is being written. */
export const NEXT_SEQUENCE = '(SELECT coalesce(max(sequence), 0) + 1 FROM blocks WHERE sequence IS NOT NULL)'
const FIELDS = BLOCK.names.filter((column) => column !== 'id' && column !== 'scope')
/** The key of the content is written with it. */
const WRITTEN = [...BLOCK.names, 'text_key'] as const
const INSERTED = WRITTEN.filter((column) => column !== 'position')

const SELECT_BLOCKS = statement(
  ({ isOwn }) => `SELECT ${columnsOf('blocks', BLOCK.names)}
FROM json_each(?1) AS wanted CROSS JOIN blocks ON blocks.id = wanted.value${isOwn('blocks')}`,
)

const SELECT_OWN = statement(
  ({ isOwn }) => `SELECT blocks.id
FROM json_each(?1) AS wanted CROSS JOIN blocks ON blocks.id = wanted.value${isOwn('blocks')}`,
)

const SELECT_BY_PREFIX = statement(
  ({ own }) => `SELECT prefix, first,
  (SELECT min(id) FROM blocks WHERE id > first AND id < past${own('blocks')}) AS second
FROM (
  SELECT value ->> 0 AS prefix, value ->> 1 AS past,
    (SELECT min(id) FROM blocks WHERE id >= value ->> 0 AND id < value ->> 1${own('blocks')}) AS first
  FROM json_each(?1)
)`,
)

const INSERT_BLOCK = `INSERT INTO blocks (${INSERTED.join(', ')}, position, sequence)
VALUES (${INSERTED.map((_, index) => `?${index + 1}`).join(', ')},
  (SELECT coalesce(max(position) + 1, 0) FROM blocks
    WHERE session = ?${INSERTED.indexOf('session') + 1} AND scope = ?${INSERTED.indexOf('scope') + 1}),
  CASE WHEN ?${INSERTED.indexOf('status') + 1} <> 'archived' THEN ${NEXT_SEQUENCE} END)
ON CONFLICT (id) DO NOTHING
RETURNING position`

const NEXT_POSITIONS = `SELECT value ->> 0 AS session, value ->> 1 AS scope,
  (SELECT coalesce(max(position) + 1, 0) FROM blocks WHERE session = value ->> 0 AND scope = value ->> 1) AS position
FROM json_each(?1)`

const INSERT_BLOCKS = `INSERT INTO blocks (${WRITTEN.join(', ')}, sequence)
SELECT ${columnsOf('incoming', WRITTEN)}, CASE WHEN incoming.status <> 'archived' THEN ${NEXT_SEQUENCE} END
FROM ${jsonTable(WRITTEN)} AS incoming ORDER BY incoming.ordinal`

const UPDATE_BLOCKS = statement(
  ({ isOwn }) => `UPDATE blocks
SET ${FIELDS.map((column) => `${column} = incoming.${column}`).join(', ')}, text_key = incoming.text_key,
  sequence = CASE
    WHEN (blocks.status <> 'archived' OR incoming.status <> 'archived')
      AND (${columnsOf('blocks', FIELDS)}) IS NOT (${columnsOf('incoming', FIELDS)})
    THEN ${NEXT_SEQUENCE} ELSE blocks.sequence END
FROM ${jsonTable(WRITTEN)} AS incoming
WHERE blocks.id = incoming.id${isOwn('blocks')}`,
)

const incomingIndex = (own: string): string => `(
  SELECT blocks.arrival, coalesce(blocks.sequence, 0) AS sequence, value ->> 1 AS terms, value ->> 2 AS asks, value ->> 3 AS timed,
    CASE WHEN value ->> 4 IS NOT NULL THEN substr(?2, value ->> 4, value ->> 5) END AS vector
  FROM json_each(?1) CROSS JOIN blocks ON blocks.id = value ->> 0${own}
)`

/** Runs before the index is saved: only a block whose index will differ counts as changed. */
const COUNT_INDEX_CHANGES = statement(
  ({ isOwn }) => `UPDATE blocks SET sequence = ${NEXT_SEQUENCE}
WHERE status = 'active' AND arrival IN (
  SELECT incoming.arrival FROM ${incomingIndex(isOwn('blocks'))} AS incoming
  LEFT JOIN block_index AS stored ON stored.arrival = incoming.arrival
  LEFT JOIN block_vectors AS held ON held.arrival = incoming.arrival
  WHERE (stored.terms, stored.asks, stored.timed, held.vector)
    IS NOT (incoming.terms, incoming.asks, incoming.timed, incoming.vector)
)`,
)

const SAVE_INDEX = statement(
  ({ isOwn }) => `INSERT INTO block_index (arrival, terms, asks, timed, sequence)
SELECT arrival, terms, asks, timed, sequence FROM ${incomingIndex(isOwn('blocks'))} WHERE true
ON CONFLICT (arrival) DO UPDATE
SET terms = excluded.terms, asks = excluded.asks, timed = excluded.timed, sequence = excluded.sequence`,
)

const SAVE_VECTORS = statement(
  ({ isOwn }) => `INSERT INTO block_vectors (arrival, vector)
SELECT arrival, vector FROM ${incomingIndex(isOwn('blocks'))} WHERE vector IS NOT NULL
ON CONFLICT (arrival) DO UPDATE SET vector = excluded.vector WHERE vector IS NOT excluded.vector`,
)

const REMOVE_VECTORS = statement(
  ({ isOwn }) => `DELETE FROM block_vectors
WHERE arrival IN (SELECT arrival FROM ${incomingIndex(isOwn('blocks'))} WHERE vector IS NULL)`,
)

const REINFORCE_BLOCKS = statement(
  ({ isOwn }) => `UPDATE blocks
SET reinforcement_count = reinforcement_count + 1, last_reinforced_at = ?2, sequence = ${NEXT_SEQUENCE}
WHERE id IN (SELECT value FROM json_each(?1)) AND status = 'active'${isOwn('blocks')}
RETURNING id`,
)

/** The blocks with these ids, in their order. */
export function readBlocks(connection: ScopedConnection, ids: readonly string[]): Block[] {
  const found = connection.values(SELECT_BLOCKS, jsonList(ids)).map(BLOCK.decode)
  return inOrder(ids, new Map(found.map((block) => [block.id, block])))
}

/** Those of the ids that are blocks the connection may see. */
export function ownIds(connection: ScopedConnection, ids: readonly string[]): Set<string> {
  return new Set(connection.values(SELECT_OWN, jsonList(ids)).map(([id]) => id as string))
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

/** Inserts a block at the end of its session unless its id is taken. */
export function insertBlock(connection: ScopedConnection, block: NewBlock): InsertedBlock {
  const { scope = block.scope } = connection
  const owned: NewBlock = scope === undefined ? block : { ...block, scope }
  const values = writtenValues({ ...owned, position: 0 })
  values.splice(BLOCK.names.indexOf('position'), 1)
  const row = connection.get<{ position: number }>(INSERT_BLOCK, ...values)
  if (row !== undefined) return { inserted: true, block: { ...owned, position: row.position } }
  const [known] = readBlocks(connection, [block.id])
  if (known === undefined) throw takenId(block.id)
  return { inserted: false, block: known }
}

/** Inserts blocks at the ends of their sessions, one after the other, unless their ids are taken. */
export function insertBlocks(connection: ScopedConnection, blocks: readonly NewBlock[]): InsertedBlock[] {
  if (blocks.length === 0) return []
  const owned = blocks.map((block): NewBlock => {
    const { scope = block.scope } = connection
    return scope === undefined ? block : { ...block, scope }
  })
  const ids = owned.map(({ id }) => id)
  // An id is taken whichever scope its block is in.
  const known = new Map(readBlocks(connection.whole, ids).map((block) => [block.id, block]))
  const fresh = owned.filter(({ id }) => !known.has(id))
  const positions = nextPositions(connection, fresh)
  const inserted: Block[] = []
  const answers = owned.map((block): InsertedBlock => {
    const there = known.get(block.id)
    if (there !== undefined) {
      if (connection.scope !== undefined && there.scope !== connection.scope) throw takenId(block.id)
      return { inserted: false, block: there }
    }
    const place = placeOf(block)
    const position = positions.get(place) as number
    const placed: Block = { ...block, position }
    positions.set(place, position + 1)
    known.set(block.id, placed)
    inserted.push(placed)
    return { inserted: true, block: placed }
  })
  if (inserted.length > 0) connection.run(INSERT_BLOCKS, JSON.stringify(inserted.map(writtenValues)))
  return answers
}

/** Overwrites all fields of the blocks that exist. */
export function updateBlocks(connection: ScopedConnection, blocks: readonly Block[]): void {
  if (blocks.length === 0) return
  connection.run(UPDATE_BLOCKS, JSON.stringify(lastById(blocks).map(writtenValues)))
}

function writtenValues(block: Block): Cell[] {
  return [...BLOCK.encode(block), textKey(block.content)]
}

/** Sets or replaces the index of the blocks that exist; all vectors travel in one bound blob. */
export function saveIndex(connection: ScopedConnection, entries: readonly BlockIndex[]): void {
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
export function reinforceBlocks(
  connection: ScopedConnection,
  ids: readonly string[],
  hours: number,
): string[] {
  if (ids.length === 0) return []
  const rows = connection.all<{ id: string }>(REINFORCE_BLOCKS, jsonList(ids), hours)
  return inOrder(ids, new Map(rows.map((row) => [row.id, row.id])))
}

/** The next position in each session the blocks are in. */
function nextPositions(connection: ScopedConnection, blocks: readonly NewBlock[]): Map<string, number> {
  if (blocks.length === 0) return new Map()
  const rows = connection.all<{ session: string; scope: string; position: number }>(
    NEXT_POSITIONS,
    jsonList(blocks.map(placeOf)),
  )
  return new Map(rows.map(({ session, scope, position }) => [JSON.stringify([session, scope]), position]))
}

/** A session of a scope; sessions of the same name in two scopes have nothing to do with each other. */
function placeOf({ session, scope = '' }: NewBlock): string {
  return JSON.stringify([session, scope])
}

/** Ids are hashes over the scope or random: whoever meets this made the id by hand. */
function takenId(id: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', `A block of another scope has the id ${id}.`, {
    recovery: 'Give the block another id.',
    details: { blockId: id },
  })
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
