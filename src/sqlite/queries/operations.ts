import type { OperationFilter, OperationRecord } from '../../ports/store/queries.ts'
import type { Cells } from '../../ports/store/rows.ts'
import { codecOf } from '../../store/codec.ts'
import { operations } from '../../store/log-tables.ts'
import {
  type Connection,
  jsonList,
  type ScopedConnection,
  statement,
  type Values,
} from '../connection/connection.ts'
import { LISTED_AT_ONCE } from '../schema-tables.ts'

const RECORD = codecOf(operations)

/** Under which entry the changes of an entry's transaction are kept: the next one that has some, unless it begins later. */
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
) WHERE bytes > ?1`

/** Operations the filter lets through, newest first, or oldest first after one. */
export function readOperations(connection: ScopedConnection, filter: OperationFilter): OperationRecord[] {
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

/** Drops the oldest images beyond so many bytes of all; the newest entry whose image went, or 0. */
export function trimChanges({ whole }: ScopedConnection, bytes: number): number {
  if ((whole.get<{ bytes: number }>(SUM_BYTES)?.bytes ?? 0) <= bytes) return 0
  const dropped = whole.get<{ dropped: number | null }>(SELECT_OVER, bytes)?.dropped ?? 0
  whole.run('DELETE FROM operation_changes WHERE operation_id <= ?1', dropped)
  return dropped
}
