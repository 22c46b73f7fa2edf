import { isLessTrusted, type SourceClass } from '../../domain/block/source-class.ts'
import type { Ends } from '../../domain/graph/edge.ts'
import type { Reverted } from '../../ports/store/undo.ts'
import { type ScopedConnection, statement } from '../connection/scoped-connection.ts'
import { refreshTextKeys } from '../migrations/text-keys.ts'
import { NEXT_SEQUENCE } from '../queries/blocks.ts'
import { noteRemoval } from '../queries/removed.ts'
import { conflict, endsOf, keyOf, planOf, type TablePlan, wasSeen } from './check.ts'
import type { Cell, Image, ImageRow, TableImage } from './image.ts'
import { UNDO_TABLES } from './tables.ts'

/** A view takes back only what was all its own: the entries of a dream over the whole store follow each other. */
const SELECT_IMAGE = statement(
  ({ isOwn }) => `SELECT changes FROM operation_changes WHERE operation_id = ?1 AND NOT EXISTS (
  SELECT 1 FROM operations WHERE id BETWEEN first_id AND operation_id AND NOT (true${isOwn('operations')})
)`,
)

const SELECT_KNOWN = 'SELECT id FROM blocks WHERE id IN (SELECT value FROM json_each(?1))'

/** Rows that would go with a removed block, though nobody took them back. */
const SELECT_HELD = UNDO_TABLES.filter(
  ({ name, ends, whenChanged }) => name !== 'blocks' && ends.length > 0 && whenChanged === 'refuse',
)
  .flatMap(({ name, ends }) =>
    ends.map((end) => `SELECT ${end} AS id FROM ${name} WHERE ${end} IN (SELECT value FROM json_each(?1))`),
  )
  .join('\nUNION\n')

const NUMBER_BLOCKS = `UPDATE blocks SET sequence = ${NEXT_SEQUENCE}
WHERE arrival IN (SELECT value FROM json_each(?1)) AND (sequence IS NOT NULL OR status <> 'archived')`

const NUMBER_INDEX = `UPDATE block_index
SET sequence = coalesce((SELECT sequence FROM blocks WHERE blocks.arrival = block_index.arrival), 0)
WHERE arrival IN (SELECT value FROM json_each(?1))`

/** Takes back what the transaction that ended with an entry of the log changed. */
export function revert(
  own: ScopedConnection,
  kept: number,
  except: readonly number[] = [],
): Reverted | undefined {
  const row = own.get<{ changes: string }>(SELECT_IMAGE, kept)
  if (row === undefined) return undefined
  const connection = own.whole
  const image = JSON.parse(row.changes) as Image
  const plans = UNDO_TABLES.flatMap((table) => {
    const changes = image[table.name]
    if (changes === undefined) return []
    return [planOf(connection, table, changes, { after: kept, except })]
  })
  apply(connection, withKnownBlocks(connection, plans))
  const of = (name: string) => plans.find(({ table }) => table.name === name)
  const [edges, vectors] = [of('edges'), of('block_vectors')]
  const moved = image.blocks?.changed ?? []
  return {
    blockIds: [...new Set(plans.flatMap(({ blockIds }) => blockIds))],
    edgesBack: edges?.inserted.map(endsOfEdge) ?? [],
    edgesDropped: edges?.dropped.map(endsOfEdge) ?? [],
    trustBack: moved.some(isTrustBack),
    standingBack: moved.some(({ was }) => was.tags !== undefined || was.source_class !== undefined),
    vectorsBack: (vectors?.inserted.length ?? 0) + (vectors?.updated.length ?? 0) > 0,
  }
}

function isTrustBack({ was, is }: TableImage['changed'][number]): boolean {
  return (
    was.source_class !== undefined &&
    was.content === undefined &&
    isLessTrusted(is.source_class as SourceClass, was.source_class as SourceClass)
  )
}

function endsOfEdge(edge: ImageRow): Ends {
  return [String(edge.from_id), String(edge.to_id)]
}

/** Leaves out rows whose block is gone; throws `CONFLICT` unless use goes on changing their table. */
function withKnownBlocks(connection: ScopedConnection, plans: readonly TablePlan[]): TablePlan[] {
  const named = [...new Set(plans.flatMap(({ table, inserted }) => endsOf(table, inserted)))]
  if (named.length === 0) return [...plans]
  const known = new Set(
    connection.all<{ id: string }>(SELECT_KNOWN, JSON.stringify(named)).map(({ id }) => id),
  )
  for (const { table, inserted } of plans)
    if (table.name === 'blocks') for (const id of endsOf(table, inserted)) known.add(id)
  return plans.map((plan) => {
    const { table, inserted } = plan
    const homeless = inserted.filter((row) => endsOf(table, [row]).some((id) => !known.has(id)))
    if (homeless.length > 0 && table.whenChanged === 'refuse') throw conflict(endsOf(table, homeless))
    return { ...plan, inserted: inserted.filter((row) => !homeless.includes(row)) }
  })
}

/** Blocks go last and come first, because other rows name them. */
function apply(connection: ScopedConnection, plans: readonly TablePlan[]): void {
  const [blocks] = plans.filter(({ table }) => table.name === 'blocks')
  const others = plans.filter((plan) => plan !== blocks)
  for (const plan of others) remove(connection, plan)
  if (blocks !== undefined && blocks.lost.length > 0) {
    const held = connection.all<{ id: string }>(
      SELECT_HELD,
      JSON.stringify(endsOf(blocks.table, blocks.lost)),
    )
    if (held.length > 0) throw conflict(held.map(({ id }) => id))
    remove(connection, blocks)
    const seen = blocks.lost.filter(wasSeen)
    if (seen.length > 0) noteRemoval(connection, endsOf(blocks.table, seen))
  }
  for (const plan of plans) {
    insert(connection, plan)
    update(connection, plan)
  }
  number(connection, plans)
}

function remove(connection: ScopedConnection, { table, removed }: TablePlan): void {
  if (removed.length === 0) return
  const places = table.key.map((_, i) => `value ->> ${i}`).join(', ')
  connection.run(
    `DELETE FROM ${table.name} WHERE (${table.key.join(', ')}) IN (SELECT ${places} FROM json_each(?1))`,
    JSON.stringify(removed),
  )
}

function insert(connection: ScopedConnection, { table, inserted }: TablePlan): void {
  if (inserted.length === 0) return
  const { name, columns } = table
  const values = inserted.map((row) => columns.map((column) => plain(row[column] ?? null)))
  connection.run(
    `INSERT INTO ${name} (${columns.join(', ')})
SELECT ${columns.map((column, i) => valueAt(column, i)).join(', ')} FROM json_each(?1) AS wanted ORDER BY wanted.key`,
    JSON.stringify(values),
  )
}

/** One statement for all rows of which the same columns change. */
function update(connection: ScopedConnection, { table, updated }: TablePlan): void {
  const alike = Map.groupBy(updated, ({ row }) => Object.keys(row).join(' '))
  for (const rows of alike.values()) {
    const columns = Object.keys(rows[0]?.row ?? {})
    const after = table.key.length
    const keyed = table.key.map((column, i) => `${table.name}.${column} = wanted.value ->> ${i}`)
    connection.run(
      `UPDATE ${table.name} SET ${columns.map((column, i) => `${column} = ${valueAt(column, after + i)}`).join(', ')}
FROM json_each(?1) AS wanted WHERE ${keyed.join(' AND ')}`,
      JSON.stringify(
        rows.map(({ key, row }) => [...key, ...columns.map((each) => plain(row[each] ?? null))]),
      ),
    )
  }
}

/** Readers of changes are to see what came back as changed. */
function number(connection: ScopedConnection, plans: readonly TablePlan[]): void {
  const arrivals = plans
    .filter(({ table }) => NUMBERED.has(table.name))
    .flatMap(({ table, inserted, updated, removed }) => [
      ...inserted.map((row) => keyOf(table, row)[0]),
      ...updated.map(({ key }) => key[0]),
      ...removed.map(([arrival]) => arrival),
    ])
  if (arrivals.length === 0) return
  const all = JSON.stringify([...new Set(arrivals)])
  refreshTextKeys(connection, [...new Set(arrivals)])
  connection.run(NUMBER_BLOCKS, all)
  connection.run(NUMBER_INDEX, all)
}

const NUMBERED: ReadonlySet<string> = new Set(['blocks', 'block_index', 'block_vectors'])

/** Bytes are kept as hexadecimal. */
function plain(cell: Cell): string | number | null {
  return typeof cell === 'object' && cell !== null ? cell.hex : cell
}

function valueAt(column: string, place: number): string {
  return column === 'vector' ? `unhex(wanted.value ->> ${place})` : `wanted.value ->> ${place}`
}
