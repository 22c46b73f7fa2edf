import type { OutcomeRecord, QueuedOutcome } from '../../ports/store/transaction.ts'
import { type ScopedConnection, type Statement, statement } from '../connection/scoped-connection.ts'
import { columnsOf, jsonList, jsonTable } from './rows.ts'

const QUEUE_COLUMNS = ['block_id', 'signal', 'weight', 'source'] as const
const OUTCOME_COLUMNS = [...QUEUE_COLUMNS, 'confidence_before', 'confidence_after', 'at'] as const

interface QueueRow {
  readonly id: number
  readonly block_id: string
  readonly signal: number
  readonly weight: number
  readonly source: string
}

interface OutcomeRow extends QueueRow {
  readonly confidence_before: number
  readonly confidence_after: number
  readonly at: string
}

const SELECT_OUTCOMES = statement(
  ({ ofOwn }) => `SELECT id, ${OUTCOME_COLUMNS.join(', ')}
FROM block_outcomes WHERE block_id = ?1${ofOwn('?1')} ORDER BY id DESC LIMIT ?2`,
)

const APPEND_OUTCOMES = appendTo('block_outcomes', OUTCOME_COLUMNS)
const QUEUE_OUTCOMES = appendTo('queued_outcomes', QUEUE_COLUMNS)

const TRIM_OUTCOMES = trimOf('block_outcomes')
const TRIM_QUEUED = trimOf('queued_outcomes')

const TAKE_QUEUED = statement(
  ({ ofOwn }) => `DELETE FROM queued_outcomes
WHERE block_id IN (SELECT value FROM json_each(?1))${ofOwn('block_id')}
RETURNING id, ${QUEUE_COLUMNS.join(', ')}`,
)

/** Applied outcomes of a block, newest first. */
export function readOutcomes(connection: ScopedConnection, blockId: string, limit: number): OutcomeRecord[] {
  const rows = connection.all<OutcomeRow>(SELECT_OUTCOMES, blockId, Math.max(0, limit))
  return rows.map((row) => ({
    ...queuedOf(row),
    confidenceBefore: row.confidence_before,
    confidenceAfter: row.confidence_after,
    at: row.at,
  }))
}

/** Appends applied outcomes of existing blocks and removes what is beyond the newest of each. */
export function appendOutcomes(
  connection: ScopedConnection,
  records: readonly OutcomeRecord[],
  keep: number,
): void {
  if (records.length === 0) return
  const values = records.map((record) => [
    ...queueValues(record),
    record.confidenceBefore,
    record.confidenceAfter,
    record.at,
  ])
  connection.run(APPEND_OUTCOMES, JSON.stringify(values))
  trim(connection, TRIM_OUTCOMES, records, keep)
}

/** The same for outcomes that wait for `takeQueuedOutcomes`. */
export function queueOutcomes(
  connection: ScopedConnection,
  outcomes: readonly QueuedOutcome[],
  keep: number,
): void {
  if (outcomes.length === 0) return
  connection.run(QUEUE_OUTCOMES, JSON.stringify(outcomes.map(queueValues)))
  trim(connection, TRIM_QUEUED, outcomes, keep)
}

function trim(
  connection: ScopedConnection,
  oldest: Statement,
  about: readonly QueuedOutcome[],
  keep: number,
): void {
  connection.run(oldest, jsonList([...new Set(about.map(({ blockId }) => blockId))]), Math.max(0, keep))
}

/** Removes and returns what was queued for the blocks, oldest first. */
export function takeQueuedOutcomes(
  connection: ScopedConnection,
  blockIds: readonly string[],
): QueuedOutcome[] {
  if (blockIds.length === 0) return []
  const rows = connection.all<QueueRow>(TAKE_QUEUED, jsonList(blockIds))
  return rows.sort((one, other) => one.id - other.id).map(queuedOf)
}

function appendTo(table: string, columns: readonly string[]): Statement {
  return statement(
    ({ isOwn }) => `INSERT INTO ${table} (${columns.join(', ')})
SELECT ${columnsOf('incoming', columns)}
FROM ${jsonTable(columns)} AS incoming CROSS JOIN blocks ON blocks.id = incoming.block_id${isOwn('blocks')}
ORDER BY incoming.ordinal`,
  )
}

/** The innermost query finds the newest to remove of a block: the one right behind the kept ones. */
function trimOf(table: string): Statement {
  return statement(
    ({ ofOwn }) => `DELETE FROM ${table} WHERE id IN (
  SELECT old.id FROM json_each(?1) AS about CROSS JOIN ${table} AS old
  ON old.block_id = about.value AND old.id <= (
    SELECT id FROM ${table} WHERE block_id = about.value ORDER BY id DESC LIMIT 1 OFFSET ?2
  )${ofOwn('about.value')}
)`,
  )
}

function queueValues(outcome: QueuedOutcome): (string | number)[] {
  return [outcome.blockId, outcome.signal, outcome.weight, outcome.source]
}

function queuedOf(row: QueueRow): QueuedOutcome {
  return { blockId: row.block_id, signal: row.signal, weight: row.weight, source: row.source }
}
