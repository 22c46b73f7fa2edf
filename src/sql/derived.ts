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
import type { SqlConnection } from './connection.ts'
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

/** Brings the derived tables up to date with rows that one call wrote: a few statements, whatever the number of rows. */
export async function writeDerived(
  connection: SqlConnection,
  table: Table,
  changes: readonly RowChange[],
): Promise<void> {
  const source = SOURCES.get(table)
  if (source === undefined) return
  if (table === blocks) await numberActivated(connection, changes)
  const isListedLater = ({ was, is }: RowChange) => was === undefined && is?.[ENTRY.operation] === 'recall'
  const now = table === operations ? changes.filter((each) => !isListedLater(each)) : changes
  const recalls = table === operations ? await recallsToList(connection, changes) : []
  const gains: Gains = new Map()
  for (const { was, is } of [...now, ...recalls.map((is) => ({ was: undefined, is }))]) {
    if (was && is && source.by.every((place) => was[place] === is[place])) continue
    if (was) add(gains, source.partsOf(was), -1)
    if (is) add(gains, source.partsOf(is), 1)
  }
  for (const [of, byKey] of gains) await write(connection, of, [...byKey.values()])
}

/** Gives the index of blocks that became active the numbers of their changes. */
async function numberActivated(connection: SqlConnection, changes: readonly RowChange[]): Promise<void> {
  const activated = changes.flatMap(({ was, is }) =>
    was !== undefined && was[BLOCK.status] !== 'active' && is?.[BLOCK.status] === 'active'
      ? [[at(is, BLOCK.sequence), at(is, BLOCK.arrival)]]
      : [],
  )
  if (activated.length === 0) return
  const make = () => 'UPDATE block_index SET sequence = ? WHERE arrival = ?'
  await connection.each(textOf(connection.dialect, blocks, 'number index', make), activated)
}

/** Reads the recalls that are listed now: those up to a full number, and behind the last one before the new entries. */
async function recallsToList(
  connection: SqlConnection,
  changes: readonly RowChange[],
): Promise<readonly Cells[]> {
  const fresh = changes.flatMap(({ was, is }) => (was === undefined && is ? [Number(is[ENTRY.id])] : []))
  const [least = 0, most = least] = fresh.length > 1 ? [fresh.reduce(lesser), fresh.reduce(greater)] : fresh
  const until = most - (most % LISTED_AT_ONCE)
  if (fresh.length === 0 || (least === most && most !== until)) return []
  const text = textOf(
    connection.dialect,
    operations,
    'recalls to list',
    () => `SELECT ${planOf(operations).names.join(', ')} FROM operations
WHERE operation = 'recall' AND id <= ? AND id > (
  SELECT coalesce(max(id), 0) / ${LISTED_AT_ONCE} * ${LISTED_AT_ONCE} FROM operations WHERE id < ?
) ORDER BY id`,
  )
  return connection.values(text, [until, least])
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

/** Writes one derived table. A row of sums goes with its last part. */
async function write(connection: SqlConnection, of: Table, gains: readonly Gain[]): Promise<void> {
  const { dialect } = connection
  const { keyPlaces } = planOf(of)
  const sums = sumsOf(of)
  const isMore = ({ cells, parts }: Gain) =>
    sums.length > 0 ? sums.some((place) => cells[place] !== 0) : parts > 0
  const more = gains.filter(isMore).map(({ cells }) => cells)
  const fewer = gains.filter(({ parts }) => parts < 0)
  const keys = fewer.map(({ cells }) => keyPlaces.map((place) => at(cells, place)))
  const gain = textOf(dialect, of, 'gain', () => insertOrAdd(dialect, of))
  const lose = textOf(dialect, of, 'lose', () => deleteLost(of))
  if (more.length > 0) await connection.each(gain, dialect.rows(more))
  if (keys.length > 0) await connection.each(lose, keys)
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
      await writeDerived(connection, table, changes)
    }
  }
}
