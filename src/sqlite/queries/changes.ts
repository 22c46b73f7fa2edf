import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BlockIndex } from '../../domain/block/block.ts'
import type { Changes, ClockReading, IndexedBlock } from '../../ports/store/queries.ts'
import type { State } from '../../ports/store/rows.ts'
import { codecOf } from '../../store/codec.ts'
import { MEMORY_ID, STATE_META } from '../../store/log-tables.ts'
import { contentVectors } from '../../store/rules/vectors.ts'
import { BLOCK } from '../../store/views.ts'
import {
  columnsOf,
  type ScopedConnection,
  type Statement,
  statement,
  type Values,
} from '../connection/connection.ts'

const { names, decode } = codecOf(BLOCK)

/** Hours and time of the newest entry of the log: no row in an empty store. */
const SELECT_CLOCK = 'SELECT hours, at FROM operations WHERE id = (SELECT max(id) FROM operations)'

/** The newest number of a change. */
const NEWEST = 'SELECT max(sequence) FROM blocks WHERE sequence IS NOT NULL'

/** Grows with every swap of the vectors and every removal of blocks. An expression for a column. */
export const SELECT_GENERATION = `(SELECT CAST(value AS INTEGER) FROM meta WHERE key = '${STATE_META.generation}')`

/** The number of the set of vectors in use. An expression for a column. */
export const SELECT_SET = `coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = '${STATE_META.vectorSet}'), 0)`

/** 1 if there is a shadow set, else 0. */
export const HAS_SHADOW = `(SELECT count(*) FROM meta WHERE key = '${STATE_META.shadow}')`

/** Makes readers of changes read everything anew. */
export const NEW_GENERATION = `INSERT INTO meta (key, value) VALUES ('${STATE_META.generation}', '1')
ON CONFLICT (key) DO UPDATE SET value = CAST(value + 1 AS TEXT)`

/** The block whose words arrived last, and when: no row in an empty store. */
const SELECT_NEWEST = `SELECT id, session, coalesce(last_told_at, created_at) AS at FROM blocks
  WHERE coalesce(last_told_at, created_at) > '' ORDER BY coalesce(last_told_at, created_at) DESC, arrival DESC LIMIT 1`

const SELECT_STATE = `SELECT clock.hours, clock.at, newest.id, newest.session, newest.at, (${NEWEST}) AS sequence, ${SELECT_GENERATION} AS generation,
  EXISTS (SELECT 1 FROM blocks WHERE scope <> '' AND scope > '') AS scoped, ${SELECT_SET} AS vector_set, ${HAS_SHADOW} AS shadow,
  (SELECT value FROM meta WHERE key = '${MEMORY_ID}') AS memory_id
FROM (SELECT 1) LEFT JOIN (${SELECT_CLOCK}) AS clock ON true LEFT JOIN (${SELECT_NEWEST}) AS newest ON true`

/** The counts of the memory as a whole, and the random name that separates a file's memory from every other. */
export function readState(connection: ScopedConnection): {
  readonly state: State
  readonly memoryId: unknown
} {
  const [row = []] = connection.values(SELECT_STATE)
  const [
    hours,
    at,
    newestId,
    newestSession,
    newestAt,
    sequence,
    generation,
    scoped,
    vectorSet,
    shadow,
    memoryId,
  ] = row
  const state: State = {
    clock: {
      ...(typeof at === 'string' ? { hours: Number(hours), wallMs: Date.parse(at) } : { hours: 0 }),
      ...(typeof newestAt === 'string'
        ? { newest: { id: String(newestId), session: String(newestSession), at: newestAt } }
        : {}),
    },
    sequence: Number(sequence ?? 0),
    generation: Number(generation ?? 0),
    hasScopes: scoped === 1,
    vectorSet: Number(vectorSet ?? 0),
    hasShadow: shadow === 1,
  }
  return { state, memoryId }
}

/** Columns after those of a block in a row; hours, time and generation are filled in the head alone. */
const MORE_COLUMNS = [
  'sequence',
  'arrival',
  'terms',
  'flags',
  'names',
  'vector',
  'passages',
  'known',
  'hours',
  'at',
  'generation',
] as const
const [SEQUENCE, ARRIVAL, TERMS, FLAGS, NAMES, VECTOR, PASSAGES, KNOWN, HOURS, AT, GENERATION] =
  MORE_COLUMNS.map((_, index) => names.length + index) as [
    ...[number, number, number, number, number, number],
    ...[number, number, number, number, number],
  ]

/** A row of NULLs with the names of all columns, except the ones given. */
function headColumns(filled: Readonly<Record<string, string>>): string {
  return [...names, ...MORE_COLUMNS].map((name) => `${filled[name] ?? 'NULL'} AS ${name}`).join(', ')
}

const HEAD = headColumns({
  sequence: `(${NEWEST})`,
  hours: 'clock.hours',
  at: 'clock.at',
  generation: SELECT_GENERATION,
})

/** Joins the vector in use. */
const IN_USE = `block_vectors.arrival = blocks.arrival AND block_vectors.set_number = ${SELECT_SET}`

/** The columns recall ranks by, NULL where the reader has them already. */
const INDEX_SINCE = ['terms', 'flags', 'names']
  .map((column) => `CASE WHEN block_index.sequence > ?1 THEN ${column} END`)
  .join(', ')

/**
 * The first row is the head: clock, newest sequence and generation. The others are not sorted here, because SQLite
 * would sort them with their vectors, which costs more than reading them.
 */
function selectChanges(condition: string): Statement {
  return statement(
    ({ own }) => `SELECT ${HEAD}
FROM (SELECT 1) LEFT JOIN (${SELECT_CLOCK}) AS clock ON true
UNION ALL
SELECT ${columnsOf(BLOCK, 'blocks')}, blocks.sequence, blocks.arrival,
  ${INDEX_SINCE}, vector, passages, block_index.sequence <= ?1, NULL, NULL, NULL
FROM blocks LEFT JOIN block_index ON block_index.arrival = blocks.arrival
  LEFT JOIN block_vectors ON ${IN_USE}
    AND (block_index.sequence > ?1 OR blocks.status = 'inbox')
WHERE ${condition}${own('blocks')}`,
  )
}

const FIRST_CHANGES = selectChanges(`blocks.sequence > ?1 AND status <> 'archived'`)
const LATER_CHANGES = selectChanges('blocks.sequence > ?1')

/** One status a statement, because each has an index of its own. */
const LIVING_BLOCKS = (['active', 'inbox'] as const).map((status) =>
  statement(
    ({
      own,
    }) => `SELECT ${columnsOf(BLOCK, 'blocks')}, blocks.sequence, blocks.arrival, terms, flags, names, vector, passages, 0 AS is_known
FROM blocks LEFT JOIN block_index ON block_index.arrival = blocks.arrival
  LEFT JOIN block_vectors ON ${IN_USE}
WHERE status = '${status}'${own('blocks')}`,
  ),
)

/** Rows with vectors that are read before they are handed over: about 200 kB, which the collector's nursery holds. */
const BATCH = 100

/** All blocks that wait or are active in two statements, a batch at a time. */
export async function visitLiving(
  connection: ScopedConnection,
  visit: (batch: readonly IndexedBlock[]) => void,
): Promise<void> {
  for (const asked of LIVING_BLOCKS)
    for (const rows of connection.batches(asked, BATCH)) {
      visit(rows.map(indexedOf))
      await nextTurn()
    }
}

/** The clock, the newest sequence, the generation and the blocks changed after `since`, in one statement. */
export function readChanges(connection: ScopedConnection, since: number): Changes {
  const [head, ...changed] = connection.values(since === 0 ? FIRST_CHANGES : LATER_CHANGES, since)
  const { clock, sequence, generation } = headOf(head as Values)
  changed.sort(
    (one, other) =>
      numberAt(one, SEQUENCE) - numberAt(other, SEQUENCE) ||
      numberAt(one, ARRIVAL) - numberAt(other, ARRIVAL),
  )
  return { clock, sequence, generation, blocks: changed.map(indexedOf) }
}

function headOf(values: Values): Omit<Changes, 'blocks'> {
  const sequence = (values[SEQUENCE] as number | null) ?? 0
  const generation = (values[GENERATION] as number | null) ?? 0
  const at = values[AT] as string | null
  const clock: ClockReading =
    at === null ? { hours: 0 } : { hours: numberAt(values, HOURS), wallMs: Date.parse(at) }
  return { clock, sequence, generation }
}

function indexedOf(values: Values): IndexedBlock {
  const block = decode(values)
  const terms = values[TERMS] as string | null
  if (block.status === 'archived') return { block }
  const vector = values[VECTOR] as Uint8Array | null
  const passages = values[PASSAGES] as Uint8Array | null
  const vectors = vector === null ? {} : { vectors: contentVectors(vector, passages ?? undefined) }
  if (block.status === 'inbox') return { block, ...vectors }
  if (values[KNOWN] === 1) return { block, indexUnchanged: true }
  if (terms === null) return { block }
  const named = values[NAMES] as string | null
  const index: BlockIndex = {
    id: block.id,
    terms,
    flags: values[FLAGS] as string,
    ...(named === null ? {} : { names: named }),
    ...vectors,
  }
  return { block, index }
}

function numberAt(values: Values, place: number): number {
  return values[place] as number
}
