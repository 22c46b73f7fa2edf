import type { Cells } from '../store/database.ts'
import {
  blockStrengths,
  blockTags,
  DERIVED,
  edgeCounts,
  LISTED_AT_ONCE,
  operationBlocks,
  scopeStrengths,
} from '../store/derived.ts'
import { type Cell, listIn, type Table } from '../store/description.ts'
import { blocks, edges, operations } from '../store/tables.ts'
import type { Asked, SqlConnection } from './connection.ts'
import type { Dialect } from './dialect.ts'
import { insertInto, planOf, textOf } from './table-statements.ts'

/** A row that a call inserted, changed or removed: its values before and after. */
export interface RowChange {
  readonly was: Cells | undefined
  readonly is: Cells | undefined
}

/** A part is a row of a derived table, or what a row adds to the sums of one. */
type Part = readonly [of: Table, cells: Cells]

/** A source gives the parts that follow from a row, and the places of its columns that they depend on. */
interface Source {
  readonly by: readonly number[]
  readonly partsOf: (cells: Cells) => readonly Part[]
}

const BLOCK = placesIn(blocks)
const EDGE = placesIn(edges)
const ENTRY = placesIn(operations)

const SOURCES: ReadonlyMap<Table, Source> = new Map<Table, Source>([
  [blocks, { by: [BLOCK.tags], partsOf: partsOfBlock }],
  [edges, { by: [EDGE.weight, EDGE.reinforcementCount, EDGE.relation, EDGE.origin], partsOf: partsOfEdge }],
  [operations, { by: [ENTRY.blockIds], partsOf: partsOfEntry }],
])

function placesIn<T extends Table>({ properties }: T): Record<keyof T['columns'], number> {
  return Object.fromEntries(properties.map((each, place) => [each, place])) as never
}

function partsOfBlock(cells: Cells): Part[] {
  return textsIn(cells[BLOCK.tags]).map((tag) => [
    blockTags,
    [tag, at(cells, BLOCK.id), at(cells, BLOCK.scope)],
  ])
}

function partsOfEdge(cells: Cells): Part[] {
  const [scope, from, to] = [at(cells, EDGE.scope), at(cells, EDGE.from), at(cells, EDGE.to)]
  const strength = strengthOf(Number(cells[EDGE.weight]), Number(cells[EDGE.reinforcementCount]))
  const parts: Part[] = [
    [blockStrengths, [from, strength, 1]],
    [blockStrengths, [to, strength, 1]],
    [edgeCounts, [scope, at(cells, EDGE.relation), at(cells, EDGE.origin), 1]],
  ]
  if (scope !== '')
    parts.push([scopeStrengths, [from, scope, strength, 1]], [scopeStrengths, [to, scope, strength, 1]])
  return parts
}

/** Returns the weight of an edge with its use (`effectiveEdgeWeight`), in whole billionths. */
function strengthOf(weight: number, uses: number): number {
  return Math.round((weight + 0.1 * Math.log(1 + uses)) * 1e9)
}

function partsOfEntry(cells: Cells): Part[] {
  return textsIn(cells[ENTRY.blockIds]).map((id) => [operationBlocks, [id, at(cells, ENTRY.id)]])
}

function at(cells: Cells, place: number): Cell {
  return cells[place] as Cell
}

/** Returns each text of a list once. */
function textsIn(list: Cell | undefined): readonly string[] {
  return list === '[]' ? [] : [...new Set(listIn(String(list)) as string[])]
}

/** Returns what brings the derived tables up to date with rows that one call writes: a few statements, whatever the number of rows. */
export function derivedFrom(sql: Dialect, table: Table, changes: readonly RowChange[]): Asked[] {
  const source = SOURCES.get(table)
  if (source === undefined || changes.length === 0) return []
  const gains: Gains = new Map()
  for (const { was, is } of table === operations ? changes.filter(({ was }) => was !== undefined) : changes) {
    if (was && is && source.by.every((place) => was[place] === is[place])) continue
    if (was) add(gains, source.partsOf(was), -1)
    if (is) add(gains, source.partsOf(is), 1)
  }
  return [
    ...(table === blocks ? activatedNumbers(sql, changes) : []),
    ...(table === operations ? newEntries(sql, changes) : []),
    ...[...gains].flatMap(([of, byKey]) => changesOf(sql, of, [...byKey.values()])),
  ]
}

/** Gives the index of blocks that became active the numbers of their changes. */
function activatedNumbers(sql: Dialect, changes: readonly RowChange[]): Asked[] {
  const make = () => 'UPDATE block_index SET sequence = ? WHERE arrival = ?'
  return changes.flatMap(({ was, is }): Asked[] =>
    was !== undefined && was[BLOCK.status] !== 'active' && is?.[BLOCK.status] === 'active'
      ? [[textOf(sql, blocks, 'number index', make), [at(is, BLOCK.sequence), at(is, BLOCK.arrival)]]]
      : [],
  )
}

/** Lists new entries of the log; a recall only once there is an entry with the next full number. */
function newEntries(sql: Dialect, changes: readonly RowChange[]): Asked[] {
  const fresh = changes.flatMap(({ was, is }) => (was === undefined && is ? [is[ENTRY.id]] : []))
  if (fresh.length === 0) return []
  const isNumbered = fresh[0] == null
  const numbers = fresh.map(Number)
  const values = isNumbered ? [fresh.length] : [numbers.reduce(lesser), numbers.reduce(greater)]
  return [[textOf(sql, operations, `list ${isNumbered}`, () => listEntries(sql, isNumbered)), values]]
}

function listEntries(sql: Dialect, isNumbered: boolean): string {
  const fresh = isNumbered
    ? 'SELECT top, top - CAST(? AS BIGINT) AS below FROM (SELECT id AS top FROM operations ORDER BY id DESC LIMIT 1) AS newest'
    : 'SELECT CAST(?2 AS BIGINT) AS top, coalesce((SELECT max(id) FROM operations WHERE id < ?1), 0) AS below'
  const full = (number: string) => `${number} / ${LISTED_AT_ONCE} * ${LISTED_AT_ONCE}`
  const first = `CASE WHEN ${full('fresh.top')} > fresh.below THEN ${full('fresh.below')} ELSE fresh.below END`
  const isListed = `CASE WHEN entry.operation = 'recall' THEN entry.id <= ${full('fresh.top')} ELSE entry.id > fresh.below END`
  return `INSERT INTO operation_blocks (block_id, operation_id)
SELECT listed.value, entry.id FROM (${fresh}) AS fresh
${sql.join('operations', 'entry', `entry.id > ${first} AND entry.id <= fresh.top AND ${isListed}`)}, ${sql.texts('entry.block_ids', 'listed')}
WHERE true ON CONFLICT DO NOTHING`
}

const lesser = (one: number, other: number) => Math.min(one, other)
const greater = (one: number, other: number) => Math.max(one, other)

/** The parts that a row of a derived table gains or loses, as one: its key, the difference of its sums, and their number. */
interface Gain {
  readonly cells: Cell[]
  parts: number
}

/** Gains by table, then by key. */
type Gains = Map<Table, Map<string, Gain>>

/** The places of the sums in each derived table; the last of them counts parts. */
const SUMS: ReadonlyMap<Table, readonly number[]> = new Map(
  DERIVED.map(({ table, key, properties }) => {
    const isSum = (each: string) => table.columns[each]?.kind === 'integer' && !key.includes(each)
    return [table, properties.filter(isSum).map((each) => properties.indexOf(each))]
  }),
)

function sumsOf(table: Table): readonly number[] {
  return SUMS.get(table) ?? []
}

function add(gains: Gains, parts: readonly Part[], sign: 1 | -1): void {
  for (const [of, cells] of parts) {
    const byKey = gains.get(of) ?? new Map<string, Gain>()
    gains.set(of, byKey)
    const key = planOf(of)
      .keyPlaces.map((place) => cells[place])
      .join('\n')
    const sums = sumsOf(of)
    const gain = byKey.get(key) ?? {
      cells: cells.map((each, place) => (sums.includes(place) ? 0 : each)),
      parts: 0,
    }
    byKey.set(key, gain)
    gain.parts += sign
    for (const place of sums) gain.cells[place] = Number(gain.cells[place]) + sign * Number(cells[place])
  }
}

/** Returns the changes of one derived table. A row of sums goes with its last part. */
function changesOf(sql: Dialect, of: Table, gains: readonly Gain[]): Asked[] {
  const { keyPlaces } = planOf(of)
  const sums = sumsOf(of)
  const isMore = ({ cells, parts }: Gain) =>
    sums.length > 0 ? sums.some((place) => cells[place] !== 0) : parts > 0
  const more = sql.rows(gains.filter(isMore).map(({ cells }) => cells))
  const keys = gains.flatMap(({ cells, parts }) =>
    parts < 0 ? [keyPlaces.map((place) => at(cells, place))] : [],
  )
  const gain = textOf(sql, of, 'gain', () => insertOrAdd(sql, of))
  const lose = textOf(sql, of, 'lose', () => deleteLost(of))
  return [...more.map((row): Asked => [gain, row]), ...keys.map((key): Asked => [lose, key])]
}

/** Inserts rows, or adds their sums to those of the rows with the same keys. */
function insertOrAdd(dialect: Dialect, of: Table): string {
  const { key, names } = planOf(of)
  const adds = sumsOf(of).map(
    (place) => `${names[place]} = ${of.name}.${names[place]} + excluded.${names[place]}`,
  )
  const conflict = dialect.conflict(key.map(([name]) => name))
  return `${insertInto(dialect, of, true)} ON CONFLICT (${conflict}) DO ${adds.length === 0 ? 'NOTHING' : `UPDATE SET ${adds.join(', ')}`}`
}

/** Deletes the row with a key, if it has no parts left. */
function deleteLost(of: Table): string {
  const { key, names } = planOf(of)
  const isEmpty = sumsOf(of)
    .slice(-1)
    .map((place) => `${names[place]} = 0`)
  return `DELETE FROM ${of.name} WHERE ${[...key.map(([name]) => `${name} = ?`), ...isEmpty].join(' AND ')}`
}

const BATCH = 1_000

/** Makes the rows of all derived tables anew. */
export async function remakeDerived(connection: SqlConnection): Promise<void> {
  for (const { name } of DERIVED) await connection.change(`DELETE FROM ${name}`, [])
  for (const table of SOURCES.keys()) {
    const { name, names, key } = planOf(table)
    const rows = `SELECT ${names.join(', ')} FROM ${name} ORDER BY ${key.map(([column]) => column).join(', ')}`
    for await (const batch of connection.batches(rows, BATCH, [])) {
      const changes = batch.map((is) => ({ was: undefined, is }))
      await connection.each(derivedFrom(connection.dialect, table, changes))
    }
  }
}
