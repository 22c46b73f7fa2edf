import type { ClockReading, OperationFilter, OperationRecord } from '../../ports/store.ts'
import type { Connection } from './driver.ts'

interface OperationRow {
  readonly id: number
  readonly operation: string
  readonly at: string
  readonly hours: number
  readonly actor: string
  readonly session: string | null
  readonly block_ids: string
  readonly summary: string
  readonly reason: string | null
  readonly before: string | null
}

const COLUMNS = 'operation, at, hours, actor, session, block_ids, summary, reason, before'

const NEWEST = 'operations WHERE id = (SELECT max(id) FROM operations)'

/** Hours and time of the newest entry: no row in an empty store. */
export const SELECT_CLOCK = `SELECT hours, at FROM ${NEWEST}`

const INSERT_OPERATION = `INSERT INTO operations (${COLUMNS})
VALUES (?1, ?2, max(?3, coalesce((SELECT hours FROM ${NEWEST}), ?3)), ?4, ?5, ?6, ?7, ?8, ?9) RETURNING id`

/** The newest entry is read once, before the first is inserted. */
const INSERT_OPERATIONS = `INSERT INTO operations (${COLUMNS})
SELECT value ->> 0, value ->> 1, max(value ->> 2, coalesce((SELECT hours FROM ${NEWEST}), value ->> 2)),
  value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8
FROM json_each(?1) ORDER BY key`

/** The innermost query finds the newest entry to remove: the one right behind the kept ones. */
const TRIM = `DELETE FROM operations WHERE id IN (
  SELECT id FROM operations
  WHERE id <= (SELECT id FROM operations WHERE id > 0 ORDER BY id DESC LIMIT 1 OFFSET ?1)
  ORDER BY id LIMIT ?2
)`

/** The memory's clock as the newest entry left it. */
export function readClock(connection: Connection): ClockReading {
  const row = connection.get<{ hours: number; at: string }>(SELECT_CLOCK)
  return row === undefined ? { hours: 0 } : { hours: row.hours, wallMs: Date.parse(row.at) }
}

/** Operations the filter lets through, newest first. */
export function readOperations(connection: Connection, filter: OperationFilter): OperationRecord[] {
  const parameters: (string | number)[] = []
  const conditions: string[] = []
  if (filter.blockId !== undefined) {
    parameters.push(filter.blockId)
    conditions.push(
      `id IN (SELECT operation_id FROM operation_blocks WHERE block_id = ?${parameters.length})`,
    )
  }
  if (filter.operation !== undefined) {
    parameters.push(filter.operation)
    conditions.push(`operation = ?${parameters.length}`)
  }
  const where = conditions.length === 0 ? 'id > 0' : conditions.join(' AND ')
  const sql = `SELECT id, ${COLUMNS} FROM operations WHERE ${where} ORDER BY id DESC LIMIT ?${parameters.length + 1}`
  return connection.all<OperationRow>(sql, ...parameters, Math.max(0, filter.limit)).map(operationOf)
}

/** Appends an entry, whose hours never fall behind the entry before; returns its number. */
export function logOperation(connection: Connection, record: Omit<OperationRecord, 'id'>): number {
  const row = connection.get<{ id: number }>(INSERT_OPERATION, ...operationValues(record)) as { id: number }
  return row.id
}

/** Appends entries in their order; hours never fall from one to the next. */
export function logOperations(connection: Connection, records: readonly Omit<OperationRecord, 'id'>[]): void {
  if (records.length === 0) return
  let newest = Number.NEGATIVE_INFINITY
  const rows = records.map((record) => {
    newest = Math.max(newest, record.hours)
    return operationValues({ ...record, hours: newest })
  })
  connection.run(INSERT_OPERATIONS, JSON.stringify(rows))
}

/** Removes the oldest entries but the newest; the very newest always stays, because it is the memory's clock. */
export function trimOperations(connection: Connection, keep: number, most: number): number {
  return connection.run(TRIM, Math.max(1, keep), Math.max(0, most))
}

/** In the order of `COLUMNS`. */
function operationValues(record: Omit<OperationRecord, 'id'>): (string | number | null)[] {
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
  ]
}

function operationOf(row: OperationRow): OperationRecord {
  return {
    id: row.id,
    operation: row.operation,
    at: row.at,
    hours: row.hours,
    actor: row.actor,
    ...(row.session === null ? {} : { session: row.session }),
    blockIds: JSON.parse(row.block_ids) as string[],
    summary: row.summary,
    ...(row.reason === null ? {} : { reason: row.reason }),
    ...(row.before === null ? {} : { before: JSON.parse(row.before) as unknown }),
  }
}
