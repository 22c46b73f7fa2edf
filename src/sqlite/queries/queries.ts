import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Block, BlockIndex } from '../../block/block.ts'
import type { BlockPair } from '../../graph/edge.ts'
import { contentVectors } from '../../store/blocks.ts'
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
} from '../../store/database.ts'
import { codecOf } from '../../store/description.ts'
import { BLOCK, blocks as BLOCKS, MEMORY_ID, operations, PAIR } from '../../store/tables.ts'
import {
  type Connection,
  columnsOf,
  jsonList,
  type Life,
  type ScopedConnection,
  type Statement,
  statement,
  type Values,
} from '../connection/connection.ts'
import { HAS_SHADOW, LISTED_AT_ONCE, SELECT_GENERATION, SELECT_SET } from '../schema.ts'
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
import { ROW_CHECKS } from './row-checks.ts'

const { names, decode } = codecOf(BLOCK)

/** Hours and time of the newest entry of the log: no row in an empty store. */
const SELECT_CLOCK = 'SELECT hours, at FROM operations WHERE id = (SELECT max(id) FROM operations)'

/** The newest number of a change. */
const NEWEST = 'SELECT max(sequence) FROM blocks WHERE sequence IS NOT NULL'

/** The block whose words arrived last, and when: no row in an empty store. */
const SELECT_NEWEST = `SELECT id, session, coalesce(last_told_at, created_at) AS at FROM blocks
  WHERE coalesce(last_told_at, created_at) > '' ORDER BY coalesce(last_told_at, created_at) DESC, arrival DESC LIMIT 1`

const SELECT_STATE = `SELECT clock.hours, clock.at, newest.id, newest.session, newest.at, (${NEWEST}) AS sequence, ${SELECT_GENERATION} AS generation,
  EXISTS (SELECT 1 FROM blocks WHERE scope <> '' AND scope > '') AS scoped, ${SELECT_SET} AS vector_set, ${HAS_SHADOW} AS shadow,
  (SELECT value FROM meta WHERE key = '${MEMORY_ID}') AS memory_id
FROM (SELECT 1 AS one) AS one LEFT JOIN (${SELECT_CLOCK}) AS clock ON true LEFT JOIN (${SELECT_NEWEST}) AS newest ON true`

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
FROM (SELECT 1 AS one) AS one LEFT JOIN (${SELECT_CLOCK}) AS clock ON true
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
    for (const rows of connection.batches(asked, BATCH)) {
      visit(rows.map(indexedOf))
      await nextTurn()
    }
}

/** The clock, the newest sequence, the generation and the blocks changed after `since`, in one statement. */
function readChanges(connection: ScopedConnection, since: number): Changes {
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

const SELECT_BY_PREFIX = statement(
  ({ own }) => `SELECT prefix, first,
  (SELECT min(id) FROM blocks WHERE id > first AND id < past${own('blocks')}) AS second
FROM (
  SELECT value ->> 0 AS prefix, value ->> 1 AS past,
    (SELECT min(id) FROM blocks WHERE id >= value ->> 0 AND id < value ->> 1${own('blocks')}) AS first
  FROM json_each(?1)
) AS begun`,
)

const USE_BLOCK = statement(
  ({ isOwn }) => `UPDATE blocks
SET reinforcement_count = reinforcement_count + 1, last_reinforced_at = ?2, sequence = ?3
WHERE id = ?1 AND status = 'active'${isOwn('blocks')}`,
)

const NUMBER_BLOCKS = 'UPDATE blocks SET sequence = ?2 WHERE arrival IN (SELECT value FROM json_each(?1))'

const ROW = codecOf(BLOCKS)
const SELECT_ROWS = `SELECT ${ROW.names.join(', ')} FROM blocks
WHERE id IN (SELECT value FROM json_each(?1)) ORDER BY arrival`

const SELECT_SAME = `SELECT ${columnsOf(BLOCK, 'blocks')}
FROM json_each(?1) AS wanted CROSS JOIN blocks
  ON blocks.text_key = wanted.value ->> 0 AND blocks.scope = wanted.value ->> 1 AND blocks.status <> 'archived'
ORDER BY wanted.key, blocks.arrival`

/** Selects the blocks with the same text as one text, which nearly every write asks. */
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
function readReplacing(connection: ScopedConnection, ids: readonly string[], limit: number): Block[] {
  const wanted = JSON.stringify([...new Set(ids)])
  return connection.values(SELECT_REPLACING, wanted, Math.max(0, limit)).map(decode)
}

/** Blocks in the inbox or active whose texts have one of the keys in a scope, by key, then by arrival. One statement. */
function readBlocksByText(
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

/** Reads at most two ids for each prefix, and an exact match alone: it is always the smallest id with the prefix. */
function readIdsByPrefix(
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
function useBlocks(
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
function numberBlocks(connection: ScopedConnection, arrivals: readonly number[], sequence: number): void {
  connection.run(NUMBER_BLOCKS, JSON.stringify(arrivals), sequence)
}

function matches(prefix: string, first: string | null, second: string | null): string[] {
  if (first === null) return []
  return second === null || first === prefix ? [first] : [first, second]
}

/** Strengths are kept in whole billionths. */
const BILLION = 1e9

/**
 * The queue of the walk is first in, first out, so that the nearest are kept where the limit ends it. The walk is made once: as a
 * list.
 */
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
) AS strongest
UNION ALL
SELECT NULL, coalesce((SELECT strength FROM ${strengths}
  WHERE true${own(strengths)} ORDER BY strength DESC, block_id LIMIT 1 OFFSET ?2), 0)`,
)

/** Open pairs among some blocks and those that supersessions and near-duplicates join with them, at most `limit` blocks. */
function readGroupedPairs(connection: ScopedConnection, ids: readonly string[], limit: number): BlockPair[] {
  return connection.values(SELECT_GROUPED, jsonList(ids), Math.max(0, limit)).map(codecOf(PAIR).decode)
}

/** Reads how strongly blocks are joined and how often, as the triggers on `edges` keep it. */
function readStrengths(
  connection: ScopedConnection,
  ids: readonly string[],
): Map<string, { readonly strength: number; readonly degree: number }> {
  const rows = connection.values(SELECT_STRENGTHS, jsonList(ids)) as [string, number, number][]
  return new Map(rows.map(([id, strength, degree]) => [id, { strength: strength / BILLION, degree }]))
}

/** The best joined blocks and the strength at a rank. */
function readStrongest(connection: ScopedConnection, limit: number, rank: number): Strengths {
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

const RECORD = codecOf(operations)

/**
 * The expression for the entry under which the changes of an entry's transaction are kept: the next one that has some, unless it
 * begins later.
 */
const keptOf = (
  id: string,
) => `(SELECT CASE WHEN first_id <= ${id} THEN operation_id END FROM operation_changes
  WHERE operation_id >= ${id} ORDER BY operation_id LIMIT 1)`

const KEPT = `${keptOf('operations.id')} AS kept`

const [ID, BLOCK_IDS] = ['id', 'block_ids'].map((column) => RECORD.names.indexOf(column)) as [number, number]

const UNLIST = `DELETE FROM operation_blocks WHERE (block_id, operation_id) IN (
  SELECT named.value, entry.value ->> 0 FROM json_each(?) AS entry CROSS JOIN json_each(entry.value ->> 1) AS named
)`

/** Recalls that are not listed yet. Few of their lists are parsed: those with the characters of the id. */
const UNION_RECENT = ` UNION ALL
  SELECT recent.id FROM operations AS recent
  WHERE recent.id > (SELECT max(id) / ${LISTED_AT_ONCE} * ${LISTED_AT_ONCE} FROM operations)
    AND recent.operation = 'recall' AND instr(recent.block_ids, ?2) > 0
    AND EXISTS (SELECT 1 FROM json_each(recent.block_ids) WHERE value = ?1)`

const SUM_BYTES = 'SELECT coalesce(sum(octet_length(changes)), 0) AS bytes FROM operation_changes'

const SELECT_OVER = `SELECT max(operation_id) AS dropped FROM (
  SELECT operation_id, sum(octet_length(changes)) OVER (ORDER BY operation_id DESC) AS bytes FROM operation_changes
) AS kept WHERE bytes > ?1`

/** Operations the filter lets through, newest first, or oldest first after one. */
function readOperations(connection: ScopedConnection, filter: OperationFilter): OperationRecord[] {
  const parameters: (string | number)[] = []
  const conditions: string[] = []
  if (filter.blockId !== undefined) {
    const isOfRecalls = (filter.operation ?? 'recall') === 'recall'
    parameters.push(filter.blockId, ...(isOfRecalls ? [JSON.stringify(filter.blockId)] : []))
    const listed = 'id IN (SELECT operation_id FROM operation_blocks WHERE block_id = ?1'
    conditions.push(`${listed}${isOfRecalls ? UNION_RECENT : ''})`)
  }
  if (filter.changing !== undefined) {
    parameters.push(jsonList(filter.changing), filter.after ?? 0)
    conditions.push(changing(parameters.length - 1, parameters.length))
  }
  if (filter.isKept) conditions.push('kept IS NOT NULL')
  for (const [value, condition] of [
    [filter.operation, 'operations.operation ='],
    [filter.run, 'operations.run ='],
    [filter.actor, '+operations.actor ='],
    [filter.since, '+operations.at >='],
    [filter.until, '+operations.at <'],
    [filter.before, 'operations.id <'],
    [filter.after, 'operations.id >'],
  ] as const) {
    if (value === undefined) continue
    parameters.push(value)
    conditions.push(`${condition} ?${parameters.length}`)
  }
  const where = ['id > 0', ...conditions].join(' AND ')
  const isByBlock = filter.blockId !== undefined || filter.changing !== undefined
  const order = filter.after === undefined ? 'DESC' : 'ASC'
  const asked = statement(
    ({ own, isOwn }) =>
      `SELECT ${RECORD.names.join(', ')}, ${KEPT}${filter.runs ? `, ${entriesOfRun(isOwn('part'))}` : ''} FROM operations
WHERE ${where}${filter.runs ? ` AND ${newestOfRun(isOwn('newest'))}` : ''}${isByBlock ? isOwn('operations') : own('operations')}
ORDER BY id ${order} LIMIT +?${parameters.length + 1}`,
  )
  return connection.values(asked, ...parameters, Math.max(0, filter.limit)).map(operationOf)
}

/** @param ids number of the parameter with blocks; @param after of that with the entry before the first */
function changing(ids: number, after: number): string {
  return `id IN (SELECT ${keptOf('named.operation_id')} FROM operation_blocks AS named
  WHERE named.block_id IN (SELECT value FROM json_each(?${ids})) AND named.operation_id > ?${after})`
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

/** Takes entries that were removed out of the index by blocks, in its order. */
export function unlist(connection: Connection, entries: readonly Cells[]): void {
  const named = entries.map((cells) => [cells[ID], cells[BLOCK_IDS]])
  connection.change(UNLIST, [JSON.stringify(named)])
}

/** Takes a changed entry out of the index by the blocks that it does not name any more. */
export function unlistChanged(connection: Connection, was: Cells, is: Cells): void {
  const [before, now] = [was, is].map((cells) => JSON.parse(String(cells[BLOCK_IDS])) as string[])
  const gone = before?.filter((id) => !now?.includes(id))
  unlist(connection, [was.with(BLOCK_IDS, JSON.stringify(gone))])
}

/** Drops the oldest images beyond so many bytes of all; the newest entry whose image went, or 0. */
function trimChanges({ whole }: ScopedConnection, bytes: number): number {
  if ((whole.get<{ bytes: number }>(SUM_BYTES)?.bytes ?? 0) <= bytes) return 0
  const dropped = whole.get<{ dropped: number | null }>(SELECT_OVER, bytes)?.dropped ?? 0
  whole.run('DELETE FROM operation_changes WHERE operation_id <= ?1', dropped)
  return dropped
}

const QUERIES: Functions<Queries, ScopedConnection> = {
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

/** The questions to a database, each asked within the life of a transaction. */
export const BoundQueries = boundTo<Queries, { readonly life: Life; readonly connection: ScopedConnection }>(
  QUERIES as never,
  ({ life, connection }, work, args) => life.run(() => work(connection, ...args)),
)

/** Functions that do what the methods of an interface promise, each given something before its own arguments. */
type Functions<Methods, Given> = {
  readonly [Name in keyof Methods]: Methods[Name] extends (...args: infer Args) => Promise<infer Answer>
    ? (given: Given, ...args: Args) => Answer | Promise<Answer>
    : never
}

/**
 * Returns a class whose methods call the functions, so that nobody writes a line for each.
 *
 * @param call calls a function with what the class was made with
 */
function boundTo<Methods extends object, Given>(
  functions: Functions<Methods, Given>,
  call: (given: Given, work: (...args: unknown[]) => unknown, args: readonly unknown[]) => unknown = (
    given,
    work,
    args,
  ) => work(given, ...args),
): new (
  given: Given,
) => Methods {
  class Bound {
    readonly given: Given
    constructor(given: Given) {
      this.given = given
    }
  }
  for (const [name, work] of Object.entries(functions)) {
    const method = function (this: Bound, ...args: unknown[]) {
      return call(this.given, work as (...args: unknown[]) => unknown, args)
    }
    Object.defineProperty(Bound.prototype, name, { value: method })
  }
  return Bound as unknown as new (
    given: Given,
  ) => Methods
}
