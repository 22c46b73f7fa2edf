import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Block, BlockIndex } from '../block/block.ts'
import type { BlockPair } from '../graph/edge.ts'
import { contentVectors } from '../store/blocks.ts'
import type {
  Cells,
  Changes,
  ClockReading,
  IndexedBlock,
  OperationFilter,
  OperationRecord,
  Queries,
  State,
  Strengths,
} from '../store/database.ts'
import { LISTED_AT_ONCE } from '../store/derived.ts'
import { codecOf } from '../store/description.ts'
import { BLOCK, blocks as BLOCKS, MEMORY_ID, operations, PAIR } from '../store/tables.ts'
import {
  prefixEnd,
  readCounts,
  readDays,
  readJudgementCounts,
  readMissingShadow,
  readPage,
  readPendingJudgements,
  readScopes,
  readUnlabelled,
  readVectorTotals,
} from './blocks.ts'
import type { SqlLife, Values } from './connection.ts'
import { ROW_CHECKS } from './row-checks.ts'
import {
  type Bind,
  columnsOf,
  compared,
  type Form,
  HAS_SHADOW,
  type ScopedConnection,
  SELECT_GENERATION,
  SELECT_SET,
  type Statement,
  statement,
  unique,
} from './statement.ts'

const { names, decode } = codecOf(BLOCK)

/** Hours and time of the newest entry of the log: no row in an empty store. */
const SELECT_CLOCK = 'SELECT hours, at FROM operations WHERE id = (SELECT max(id) FROM operations)'

/** The newest number of a change. */
const NEWEST = 'SELECT max(sequence) FROM blocks WHERE sequence IS NOT NULL'

/** The block whose words arrived last, and when: no row in an empty store. */
const SELECT_NEWEST = `SELECT id, session, coalesce(last_told_at, created_at) AS at FROM blocks
  WHERE coalesce(last_told_at, created_at) > '' ORDER BY coalesce(last_told_at, created_at) DESC, arrival DESC LIMIT 1`

const SELECT_STATE = statement(
  () => `SELECT clock.hours, clock.at, newest.id, newest.session, newest.at AS told_at, (${NEWEST}) AS sequence, ${SELECT_GENERATION} AS generation,
  EXISTS (SELECT 1 FROM blocks WHERE scope <> '' AND scope > '') AS scoped, ${SELECT_SET} AS vector_set, ${HAS_SHADOW} AS shadow,
  (SELECT value FROM meta WHERE key = '${MEMORY_ID}') AS memory_id
FROM (SELECT 1 AS one) AS one LEFT JOIN (${SELECT_CLOCK}) AS clock ON true LEFT JOIN (${SELECT_NEWEST}) AS newest ON true`,
)

/** The counts of the memory as a whole, and the random name that separates a file's memory from every other. */
export async function readState(connection: ScopedConnection): Promise<{
  readonly state: State
  readonly memoryId: unknown
}> {
  const [row = []] = await connection.values(SELECT_STATE)
  const [hours, at, newestId, newestSession, newestAt, sequence, generation, ...others] = row
  const [scoped, vectorSet, shadow, memoryId] = others
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

/** Columns after those of a block in a row; the last four are filled in the head alone. */
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
  'predicted',
] as const
const [SEQUENCE, ARRIVAL, TERMS, FLAGS, NAMES, VECTOR, PASSAGES, KNOWN, HOURS, AT, GENERATION, PREDICTED] =
  MORE_COLUMNS.map((_, index) => names.length + index) as [
    ...[number, number, number, number, number, number],
    ...[number, number, number, number, number, number],
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
  predicted: 'EXISTS (SELECT 1 FROM predictions)',
})

/** Joins the vector in use. */
const IN_USE = `block_vectors.arrival = blocks.arrival AND block_vectors.set_number = ${SELECT_SET}`

/** The columns recall ranks by, NULL where the reader has them already. */
const INDEX_SINCE = ['terms', 'flags', 'names']
  .map((column) => `CASE WHEN block_index.sequence > ?1 THEN ${column} END`)
  .join(', ')

/**
 * The first row is the head: clock, newest sequence, generation and if there are predictions. The others are not sorted here, because SQLite
 * would sort them with their vectors, which costs more than reading them.
 */
function selectChanges(condition: string): Statement {
  return statement(
    ({ own }) => `SELECT ${HEAD}
FROM (SELECT 1 AS one) AS one LEFT JOIN (${SELECT_CLOCK}) AS clock ON true
UNION ALL
SELECT ${columnsOf(BLOCK, 'blocks')}, blocks.sequence, blocks.arrival,
  ${INDEX_SINCE}, vector, passages, block_index.sequence <= ?1, NULL, NULL, NULL, NULL
FROM blocks LEFT JOIN block_index ON block_index.arrival = blocks.arrival
  LEFT JOIN block_vectors ON ${IN_USE}
    AND (block_index.sequence > ?1 OR blocks.status = 'inbox')
WHERE ${condition}${own('blocks')}`,
  )
}

const FIRST_CHANGES = selectChanges(`blocks.sequence > ?1 AND status <> 'archived'`)
/** A range with both ends is planned as one of few rows, a range with one end as one of many. */
const LATER_CHANGES = selectChanges(`blocks.sequence > ?1 AND blocks.sequence <= ${Number.MAX_SAFE_INTEGER}`)

/** The statements that select living blocks, one for each status, because each has an index of its own. */
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

/** Visits all blocks that wait or are active in two statements, a batch at a time. */
async function visitLiving(
  connection: ScopedConnection,
  visit: (batch: readonly IndexedBlock[]) => void,
): Promise<void> {
  for (const asked of LIVING_BLOCKS)
    for await (const rows of connection.batches(asked, BATCH)) {
      visit(rows.map(indexedOf))
      await nextTurn()
    }
}

/** Reads the changes after `since` in one statement. */
async function readChanges(connection: ScopedConnection, since: number): Promise<Changes> {
  const [head, ...changed] = await connection.values(since === 0 ? FIRST_CHANGES : LATER_CHANGES, since)
  const known = headOf(head as Values)
  changed.sort(
    (one, other) =>
      numberAt(one, SEQUENCE) - numberAt(other, SEQUENCE) ||
      numberAt(one, ARRIVAL) - numberAt(other, ARRIVAL),
  )
  return { ...known, blocks: changed.map(indexedOf) }
}

function headOf(values: Values): Omit<Changes, 'blocks'> {
  const sequence = (values[SEQUENCE] as number | null) ?? 0
  const generation = (values[GENERATION] as number | null) ?? 0
  const at = values[AT] as string | null
  const clock: ClockReading =
    at === null ? { hours: 0 } : { hours: numberAt(values, HOURS), wallMs: Date.parse(at) }
  return { clock, sequence, generation, hasPredictions: values[PREDICTED] === 1 }
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

/** The kinds of the values of a key of two texts. */
const TEXTS = ['text', 'text'] as const

const SELECT_BY_PREFIX = statement(
  ({ sql, own }) => `SELECT prefix, first,
  (SELECT min(id) FROM blocks WHERE id > first AND id < past${own('blocks')}) AS second
FROM (
  SELECT ${sql.at('begun', 0, TEXTS)} AS prefix, ${sql.at('begun', 1, TEXTS)} AS past,
    (SELECT min(id) FROM blocks WHERE id >= ${sql.at('begun', 0, TEXTS)} AND id < ${sql.at('begun', 1, TEXTS)}${own('blocks')}) AS first
  FROM ${sql.list('begun', TEXTS)}
) AS found`,
)

const USE_BLOCKS = statement(
  ({ sql, isOwn }) => `UPDATE blocks
SET reinforcement_count = reinforcement_count + 1, last_reinforced_at = ?2, sequence = ?3
WHERE ${sql.in('id', '?1')} AND status = 'active'${isOwn('blocks')} RETURNING id`,
)

const NUMBER_BLOCKS = statement(
  ({ sql }) => `UPDATE blocks SET sequence = ?2 WHERE ${sql.in('arrival', '?1', 'integer')}`,
)

const ROW = codecOf(BLOCKS)
const SELECT_ROWS = statement(
  ({ sql }) => `SELECT ${ROW.names.join(', ')} FROM blocks WHERE ${sql.in('id', '?1')} ORDER BY arrival`,
)

const sameText = ({ at }: Form['sql']) =>
  `blocks.text_key = ${at('wanted', 0, TEXTS)} AND blocks.scope = ${at('wanted', 1, TEXTS)} AND blocks.status <> 'archived'`

const SELECT_SAME = statement(
  ({ sql }) => `SELECT ${columnsOf(BLOCK, 'blocks')}
FROM ${sql.list('wanted', TEXTS)} ${sql.join('blocks', 'blocks', sameText(sql))}
ORDER BY wanted.key, blocks.arrival`,
)

/** Selects the blocks with the same text as one text, which nearly every write asks. */
const SELECT_SAME_AS_ONE = statement(
  () => `SELECT ${columnsOf(BLOCK, 'blocks')}
FROM blocks WHERE text_key = ?1 AND scope = ?2 AND status <> 'archived' ORDER BY arrival`,
)

const SELECT_REPLACING = statement(({ sql, isOwn }) => {
  const where = `blocks.status <> 'archived'${isOwn('blocks')}`
  const chain = sql.walk('chain', 'blocks', [
    ['blocks.id', `blocks.supersedes = chain.id AND ${where}`],
    ['blocks.supersedes', `blocks.id = chain.id AND blocks.supersedes IS NOT NULL AND ${where}`],
  ])
  return `WITH RECURSIVE ${chain}
SELECT ${columnsOf(BLOCK, 'blocks')}
FROM chain ${sql.join('blocks', 'blocks', `blocks.supersedes = chain.id AND ${where}`)}
ORDER BY blocks.arrival`
})

/**
 * Blocks in the inbox or active that are to take the place of one of these or of one that such blocks join with them, at
 * most `limit` blocks with these, by arrival. One statement.
 */
async function readReplacing(
  connection: ScopedConnection,
  ids: readonly string[],
  limit: number,
): Promise<Block[]> {
  return (await connection.values(SELECT_REPLACING, unique(ids), Math.max(0, limit))).map(decode)
}

/** Blocks in the inbox or active whose texts have one of the keys in a scope, by key, then by arrival. One statement. */
async function readBlocksByText(
  connection: ScopedConnection,
  keys: readonly (readonly [string, string])[],
): Promise<Block[]> {
  const [only] = keys
  const found =
    keys.length === 1 && only !== undefined
      ? connection.values(SELECT_SAME_AS_ONE, ...only)
      : connection.values(SELECT_SAME, ...connection.keys(keys, 2))
  return (await found).map(decode)
}

/** Reads at most two ids for each prefix, and an exact match alone: it is always the smallest id with the prefix. */
async function readIdsByPrefix(
  connection: ScopedConnection,
  prefixes: readonly string[],
): Promise<Map<string, readonly string[]>> {
  const ranges = unique(prefixes).map((prefix) => [prefix, prefixEnd(prefix)])
  const rows = await connection.values(SELECT_BY_PREFIX, ...connection.keys(ranges, 2))
  return new Map(
    (rows as [string, string | null, string | null][]).map(([prefix, first, second]) => [
      prefix,
      matches(prefix, first, second),
    ]),
  )
}

/** Counts a use of the active ones among the blocks; returns their ids. */
async function useBlocks(
  connection: ScopedConnection,
  ids: readonly string[],
  { hours, sequence }: { readonly hours: number; readonly sequence: number },
): Promise<string[]> {
  const wanted = unique(ids)
  const { changed } = connection
  const rows = async (): Promise<readonly Cells[]> =>
    changed === undefined ? [] : connection.values(SELECT_ROWS, wanted)
  const before = await rows()
  const used = await connection.values(USE_BLOCKS, wanted, hours, sequence)
  for (const [i, is] of (await rows()).entries()) changed?.(BLOCKS, before[i], is)
  return used.map(([id]) => id as string)
}

/** Gives blocks the number of a change. */
async function numberBlocks(
  connection: ScopedConnection,
  arrivals: readonly number[],
  sequence: number,
): Promise<void> {
  await connection.change(NUMBER_BLOCKS, arrivals, sequence)
}

function matches(prefix: string, first: string | null, second: string | null): string[] {
  if (first === null) return []
  return second === null || first === prefix ? [first] : [first, second]
}

/** Strengths are kept in whole billionths. */
const BILLION = 1e9

/** The walk is made once: as a list. */
const SELECT_GROUPED = statement(({ sql, isOwn }) => {
  const where = `resolved = 0 AND kind IN ('supersession', 'near_duplicate')${isOwn('pairs')}`
  const grouped = sql.walk('grouped', 'pairs', [
    ['pairs.b', `pairs.a = grouped.id AND ${where}`],
    ['pairs.a', `pairs.b = grouped.id AND ${where}`],
  ])
  return `WITH RECURSIVE ${grouped}, reached (ids) AS MATERIALIZED (SELECT ${sql.gather}(id) FROM grouped)
SELECT ${columnsOf(PAIR, 'pairs')} FROM reached CROSS JOIN ${sql.touching('pairs', 'pairs', 'a', 'ids')}
  AND resolved = 0 AND ${sql.in('pairs.b', 'ids', 'text', 'reached')}${isOwn('pairs')}
ORDER BY a, b`
})

const SELECT_STRENGTHS = statement(
  ({ sql, isOwn, strengths }) => `SELECT block_id, strength, degree
FROM ${strengths} WHERE ${sql.in('block_id', '?1')}${isOwn(strengths)}`,
)

const SELECT_STRONGEST = statement(
  ({ sql, own, strengths }) => `SELECT * FROM (
  SELECT block_id AS id, strength
  FROM ${strengths} WHERE true${own(strengths)} ORDER BY strength DESC, block_id LIMIT ${sql.plus}?1
) AS strongest
UNION ALL
SELECT NULL, coalesce((SELECT strength FROM ${strengths}
  WHERE true${own(strengths)} ORDER BY strength DESC, block_id LIMIT 1 OFFSET ?2), 0)`,
)

/** Open pairs among some blocks and those that supersessions and near-duplicates join with them, at most `limit` blocks. */
async function readGroupedPairs(
  connection: ScopedConnection,
  ids: readonly string[],
  limit: number,
): Promise<BlockPair[]> {
  const rows = await connection.values(SELECT_GROUPED, unique(ids), Math.max(0, limit))
  return rows.map(codecOf(PAIR).decode)
}

/** Reads how strongly blocks are joined and how often. */
async function readStrengths(
  connection: ScopedConnection,
  ids: readonly string[],
): Promise<Map<string, { readonly strength: number; readonly degree: number }>> {
  const rows = (await connection.values(SELECT_STRENGTHS, unique(ids))) as unknown as [
    string,
    number,
    number,
  ][]
  return new Map(rows.map(([id, strength, degree]) => [id, { strength: strength / BILLION, degree }]))
}

/** The best joined blocks and the strength at a rank. */
async function readStrongest(connection: ScopedConnection, limit: number, rank: number): Promise<Strengths> {
  const rows = await connection.values(SELECT_STRONGEST, Math.max(0, limit), Math.max(0, rank - 1))
  const atRank = Number(rows.pop()?.[1] ?? 0) / BILLION
  return {
    strongest: rows.map(([id, strength]) => ({ id: id as string, strength: Number(strength) / BILLION })),
    atRank,
  }
}

const RECORD = codecOf(operations)

/**
 * The expression for the entry under which the changes of an entry's transaction are kept: the next one that has some, unless it
 * begins later.
 */
const keptOf = (
  id: string,
) => `(SELECT CASE WHEN first_id <= ${id} THEN operation_id END FROM operation_changes
  WHERE operation_id >= ${id} ORDER BY operation_id LIMIT 1)`

const KEPT = keptOf('operations.id')

/** Selects the recalls that are not listed yet. Few of their lists are parsed: those with the characters of the id. */
const selectRecent = (
  { sql }: Form,
  id: string,
  asJson: string,
) => `SELECT recent.id FROM operations AS recent
  WHERE recent.id > (SELECT max(id) / ${LISTED_AT_ONCE} * ${LISTED_AT_ONCE} FROM operations)
    AND recent.operation = 'recall' AND ${sql.indexOf}(recent.block_ids, ${asJson}) > 0
    AND EXISTS (SELECT 1 FROM ${sql.texts('recent.block_ids', 'named')} WHERE named.value = ${id})`

const SUM_BYTES = statement(
  () => 'SELECT coalesce(sum(octet_length(changes)), 0) AS bytes FROM operation_changes',
)

const SELECT_OVER = statement(
  () => `SELECT max(operation_id) AS dropped FROM (
  SELECT operation_id, sum(octet_length(changes)) OVER (ORDER BY operation_id DESC) AS bytes FROM operation_changes
) AS kept WHERE bytes > ?1`,
)

const DELETE_CHANGES = statement(() => 'DELETE FROM operation_changes WHERE operation_id <= ?1')

/** Operations the filter lets through, newest first, or oldest first after one. */
async function readOperations(
  connection: ScopedConnection,
  filter: OperationFilter,
): Promise<OperationRecord[]> {
  const isByBlock = filter.blockId !== undefined || filter.changing !== undefined
  const order = filter.after === undefined ? 'DESC' : 'ASC'
  const rows = await connection.made((form, bind) => {
    const { sql, own, isOwn } = form
    const entries = filter.runs ? `, ${entriesOfRun(isOwn('part'))}` : ''
    const conditions = [
      ...namingConditions(filter, form, bind),
      ...plainConditions(filter, form, bind),
      ...(filter.runs ? [newestOfRun(isOwn('newest'))] : []),
    ]
    return `SELECT ${RECORD.names.join(', ')}, ${KEPT} AS kept${entries} FROM operations
WHERE ${conditions.join(' AND ')}${isByBlock ? isOwn('operations') : own('operations')}
ORDER BY id ${order} LIMIT ${sql.plus}${bind(Math.max(0, filter.limit))}`
  })
  return rows.map(operationOf)
}

/** The conditions on the blocks that entries name. */
function namingConditions(
  { blockId, changing, operation = 'recall', after = 0 }: OperationFilter,
  form: Form,
  bind: Bind,
): string[] {
  const { sql } = form
  const queries: string[] = []
  if (blockId !== undefined) {
    const id = bind(blockId)
    const recent =
      operation === 'recall' ? ` UNION ALL ${selectRecent(form, id, bind(JSON.stringify(blockId)))}` : ''
    queries.push(`SELECT operation_id FROM operation_blocks WHERE block_id = ${id}${recent}`)
  }
  if (changing !== undefined)
    queries.push(`SELECT ${keptOf('named.operation_id')} FROM operation_blocks AS named
  WHERE ${sql.in('named.block_id', bind(unique(changing)))} AND named.operation_id > ${bind(after)}`)
  return queries.map((query) => sql.inQuery('id', query))
}

/** The conditions on the columns of entries. */
function plainConditions(filter: OperationFilter, { sql }: Form, bind: Bind): string[] {
  return [
    'id > 0',
    ...(filter.isKept ? [`${KEPT} IS NOT NULL`] : []),
    ...compared(bind, [
      ['operations.operation =', filter.operation],
      ['operations.run =', filter.run],
      [`${sql.plus}operations.actor =`, filter.actor],
      [`${sql.plus}operations.at >=`, filter.since],
      [`${sql.plus}operations.at <`, filter.until],
      ['operations.id <', filter.before],
      ['operations.id >', filter.after],
    ]),
  ]
}

/** @param own narrows the entries `newest` to those that are seen */
function newestOfRun(own: string): string {
  return `(operations.run IS NULL OR operations.id = (
  SELECT max(newest.id) FROM operations AS newest WHERE newest.run = operations.run${own}))`
}

function entriesOfRun(own: string): string {
  return `(SELECT count(*) FROM operations AS part WHERE part.run = operations.run${own}) AS entries`
}

function operationOf(values: Values): OperationRecord {
  const [kept, entries] = values.slice(RECORD.names.length)
  return {
    ...RECORD.decode(values),
    ...(typeof kept === 'number' ? { kept } : {}),
    ...(typeof entries === 'number' && entries > 0 ? { entries } : {}),
  }
}

/** Drops the oldest images beyond so many bytes of all; the newest entry whose image went, or 0. */
async function trimChanges({ whole }: ScopedConnection, bytes: number): Promise<number> {
  const [[held] = []] = await whole.values(SUM_BYTES)
  if (Number(held) <= bytes) return 0
  const [[newest] = []] = await whole.values(SELECT_OVER, bytes)
  const dropped = Number(newest ?? 0)
  await whole.change(DELETE_CHANGES, dropped)
  return dropped
}

const QUERIES: Functions<Queries> = {
  changes: readChanges,
  livingBlocks: visitLiving,
  use: useBlocks,
  number: numberBlocks,
  blocksByText: readBlocksByText,
  replacing: readReplacing,
  idsByPrefix: readIdsByPrefix,
  page: readPage,
  scopes: readScopes,
  counts: readCounts,
  days: readDays,
  operations: readOperations,
  trimChanges,
  groupedPairs: readGroupedPairs,
  strengths: readStrengths,
  strongest: readStrongest,
  pendingJudgements: readPendingJudgements,
  judgementCounts: readJudgementCounts,
  unlabelledPairs: readUnlabelled,
  vectorTotals: readVectorTotals,
  missingShadow: readMissingShadow,
  ...ROW_CHECKS,
}

/** Functions that do what the methods of an interface promise, each given a connection before its own arguments. */
type Functions<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (...args: infer Args) => Promise<infer Answer>
    ? (connection: ScopedConnection, ...args: Args) => Promise<Answer>
    : never
}

/** The queries to a database, each run within the life of a transaction. */
class BoundQueries {
  readonly life: SqlLife
  readonly connection: ScopedConnection

  constructor(life: SqlLife, connection: ScopedConnection) {
    this.life = life
    this.connection = connection
  }
}

for (const [name, work] of Object.entries<(...args: never[]) => Promise<unknown>>(QUERIES))
  Object.defineProperty(BoundQueries.prototype, name, {
    value(this: BoundQueries, ...args: unknown[]) {
      return this.life.run(() => work(...([this.connection, ...args] as never[])))
    },
  })

/** Returns the queries of a transaction. */
export function queriesOf(life: SqlLife, connection: ScopedConnection): Queries {
  return new BoundQueries(life, connection) as unknown as Queries
}
