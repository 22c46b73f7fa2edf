import type { OperationFilter, OperationRecord } from '../../ports/store/transaction.ts'
import { codecOf } from '../../store/codec.ts'
import { operations } from '../../store/log-tables.ts'
import type { Values } from '../connection/driver.ts'
import { type ScopedConnection, statement } from '../connection/scoped-connection.ts'

const RECORD = codecOf(operations)

/** Under which entry the changes of an entry's transaction are kept: the next one that has some, unless it begins later. */
const KEPT = `(SELECT CASE WHEN first_id <= operations.id THEN operation_id END FROM operation_changes
  WHERE operation_id >= operations.id ORDER BY operation_id LIMIT 1) AS kept`

const SUM_BYTES = 'SELECT coalesce(sum(octet_length(changes)), 0) AS bytes FROM operation_changes'

const SELECT_OVER = `SELECT max(operation_id) AS dropped FROM (
  SELECT operation_id, sum(octet_length(changes)) OVER (ORDER BY operation_id DESC) AS bytes FROM operation_changes
) WHERE bytes > ?1`

/** Operations the filter lets through, newest first. */
export function readOperations(connection: ScopedConnection, filter: OperationFilter): OperationRecord[] {
  const parameters: (string | number)[] = []
  const conditions: string[] = []
  if (filter.blockId !== undefined) {
    parameters.push(filter.blockId)
    conditions.push(
      `id IN (SELECT operation_id FROM operation_blocks WHERE block_id = ?${parameters.length})`,
    )
  }
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
  const asked = statement(
    ({ own, isOwn }) =>
      `SELECT ${RECORD.names.join(', ')}, ${KEPT} FROM operations
WHERE ${where}${filter.blockId === undefined ? own('operations') : isOwn('operations')} ORDER BY id DESC LIMIT ?${parameters.length + 1}`,
  )
  return connection.values(asked, ...parameters, Math.max(0, filter.limit)).map(operationOf)
}

function operationOf(values: Values): OperationRecord {
  const kept = values[RECORD.names.length]
  return { ...RECORD.decode(values), ...(typeof kept === 'number' ? { kept } : {}) }
}

/** Drops the oldest images beyond so many bytes of all; the newest entry whose image went, or 0. */
export function trimChanges({ whole }: ScopedConnection, bytes: number): number {
  if ((whole.get<{ bytes: number }>(SUM_BYTES)?.bytes ?? 0) <= bytes) return 0
  const dropped = whole.get<{ dropped: number | null }>(SELECT_OVER, bytes)?.dropped ?? 0
  whole.run('DELETE FROM operation_changes WHERE operation_id <= ?1', dropped)
  return dropped
}
