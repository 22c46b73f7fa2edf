import type {
  ClockReading,
  NewOperation,
  OperationFilter,
  OperationRecord,
} from '../../ports/store/transaction.ts'
import { codecOf } from '../../store/codec.ts'
import { operations } from '../../store/tables.ts'
import type { Values } from '../connection/driver.ts'
import { type ScopedConnection, statement } from '../connection/scoped-connection.ts'

const RECORD = codecOf(operations)
const COLUMNS = 'operation, at, hours, actor, session, block_ids, summary, reason, before, tokens, scope, run'

/** Under which entry the changes of an entry's transaction are kept: the next one that has some, unless it begins later. */
const KEPT = `(SELECT CASE WHEN first_id <= operations.id THEN operation_id END FROM operation_changes
  WHERE operation_id >= operations.id ORDER BY operation_id LIMIT 1) AS kept`

const NEWEST = 'operations WHERE id = (SELECT max(id) FROM operations)'

/** Hours and time of the newest entry: no row in an empty store. */
export const SELECT_CLOCK = `SELECT hours, at FROM ${NEWEST}`

/**
 * The scope that all blocks an entry names have in common, in its list or anywhere in what was before. Without any scope
 * in the store one look into an index says so.
 */
const commonScope = (
  blockIds: string,
  before: string,
) => `CASE WHEN EXISTS (SELECT 1 FROM blocks WHERE scope <> '' AND scope > '') THEN (
  SELECT CASE WHEN min(scope) = max(scope) THEN min(scope) END FROM (
    SELECT coalesce(blocks.scope, '') AS scope
    FROM json_each(${blockIds}) AS listed LEFT JOIN blocks ON blocks.id = listed.value
    UNION ALL
    SELECT blocks.scope FROM json_tree(${before}) AS told CROSS JOIN blocks ON blocks.id = told.atom
    WHERE told.type = 'text'
  )
) END`

const INSERT_OPERATION = `INSERT INTO operations (${COLUMNS})
VALUES (?1, ?2, max(?3, coalesce((SELECT hours FROM ${NEWEST}), ?3)), ?4, ?5, ?6, ?7, ?8, ?9, ?10,
  coalesce(?11, ${commonScope('?6', '?9')}, ''), ?12) RETURNING id`

/** The newest entry is read once, before the first is inserted. */
const INSERT_OPERATIONS = `INSERT INTO operations (${COLUMNS})
SELECT logged.value ->> 0, logged.value ->> 1, max(logged.value ->> 2, coalesce((SELECT hours FROM ${NEWEST}), logged.value ->> 2)),
  logged.value ->> 3, logged.value ->> 4, logged.value ->> 5, logged.value ->> 6, logged.value ->> 7, logged.value ->> 8, logged.value ->> 9,
  coalesce(logged.value ->> 10, ${commonScope('logged.value ->> 5', 'logged.value ->> 8')}, ''), logged.value ->> 11
FROM json_each(?1) AS logged ORDER BY logged.key`

/** The innermost query finds the newest entry to remove: the one right behind the kept ones. */
const TRIM = statement(
  ({ own }) => `DELETE FROM operations WHERE id IN (
  SELECT id FROM operations
  WHERE id <= (SELECT id FROM operations WHERE id > 0${own('operations')} ORDER BY id DESC LIMIT 1 OFFSET ?1)
    ${own('operations')}
  ORDER BY id LIMIT ?2
)`,
)

/** The memory's clock as the newest entry left it. */
export function readClock(connection: ScopedConnection): ClockReading {
  const row = connection.get<{ hours: number; at: string }>(SELECT_CLOCK)
  return row === undefined ? { hours: 0 } : { hours: row.hours, wallMs: Date.parse(row.at) }
}

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

/** Appends an entry, whose hours never fall behind the entry before; returns its number. */
export function logOperation(connection: ScopedConnection, record: NewOperation): number {
  const row = connection.get<{ id: number }>(INSERT_OPERATION, ...operationValues(connection, record)) as {
    id: number
  }
  return row.id
}

/** Appends entries in their order; hours never fall from one to the next. */
export function logOperations(connection: ScopedConnection, records: readonly NewOperation[]): void {
  if (records.length === 0) return
  let newest = Number.NEGATIVE_INFINITY
  const rows = records.map((record) => {
    newest = Math.max(newest, record.hours)
    return operationValues(connection, { ...record, hours: newest })
  })
  connection.run(INSERT_OPERATIONS, JSON.stringify(rows))
}

/** Removes the oldest entries but the newest; the very newest always stays, because it is the memory's clock. */
export function trimOperations(connection: ScopedConnection, keep: number, most: number): number {
  return connection.run(TRIM, Math.max(1, keep), Math.max(0, most))
}

/** In the order of `COLUMNS`. */
function operationValues({ scope }: ScopedConnection, record: NewOperation): (string | number | null)[] {
  return [
    record.operation,
    record.at,
    record.hours,
    record.actor,
    record.session ?? null,
    JSON.stringify(record.blockIds),
    record.summary,
    record.reason ?? null,
    record.before === undefined ? null : JSON.stringify(record.before),
    record.tokens === undefined ? null : JSON.stringify(record.tokens),
    scope ?? null,
    record.run ?? null,
  ]
}

function operationOf(values: Values): OperationRecord {
  const kept = values[RECORD.names.length]
  return { ...RECORD.decode(values), ...(typeof kept === 'number' ? { kept } : {}) }
}
