import type { OutcomeRecord, QueuedOutcome } from '../../ports/store/transaction.ts'
import { codecOf } from '../../store/codec.ts'
import { outcomes, queuedOutcomes } from '../../store/tables.ts'
import { type ScopedConnection, type Statement, statement } from '../connection/scoped-connection.ts'
import { columnsOf, jsonList, jsonTable } from './rows.ts'

const QUEUED = codecOf(queuedOutcomes, ['blockId', 'signal', 'weight', 'source'])
const OUTCOME = codecOf(outcomes, [
  ...(['blockId', 'signal', 'weight', 'source', 'confidenceBefore', 'confidenceAfter', 'at'] as const),
])

const SELECT_OUTCOMES = statement(
  ({ ofOwn }) => `SELECT ${OUTCOME.names.join(', ')}
FROM block_outcomes WHERE block_id = ?1${ofOwn('?1')} ORDER BY id DESC LIMIT ?2`,
)

const APPEND_OUTCOMES = appendTo('block_outcomes', OUTCOME.names)
const QUEUE_OUTCOMES = appendTo('queued_outcomes', QUEUED.names)

const TRIM_OUTCOMES = trimOf('block_outcomes')
const TRIM_QUEUED = trimOf('queued_outcomes')

const TAKE_QUEUED = statement(
  ({ ofOwn }) => `DELETE FROM queued_outcomes
WHERE block_id IN (SELECT value FROM json_each(?1))${ofOwn('block_id')}
RETURNING ${QUEUED.names.join(', ')}, id`,
)

/** Applied outcomes of a block, newest first. */
export function readOutcomes(connection: ScopedConnection, blockId: string, limit: number): OutcomeRecord[] {
  return connection.values(SELECT_OUTCOMES, blockId, Math.max(0, limit)).map(OUTCOME.decode)
}

/** Appends applied outcomes of existing blocks and removes what is beyond the newest of each. */
export function appendOutcomes(
  connection: ScopedConnection,
  records: readonly OutcomeRecord[],
  keep: number,
): void {
  if (records.length === 0) return
  connection.run(APPEND_OUTCOMES, JSON.stringify(records.map(OUTCOME.encode)))
  trim(connection, TRIM_OUTCOMES, records, keep)
}

/** The same for outcomes that wait for `takeQueuedOutcomes`. */
export function queueOutcomes(
  connection: ScopedConnection,
  queued: readonly QueuedOutcome[],
  keep: number,
): void {
  if (queued.length === 0) return
  connection.run(QUEUE_OUTCOMES, JSON.stringify(queued.map(QUEUED.encode)))
  trim(connection, TRIM_QUEUED, queued, keep)
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
  const id = QUEUED.names.length
  const rows = connection.values(TAKE_QUEUED, jsonList(blockIds))
  return rows.sort((one, other) => Number(one[id]) - Number(other[id])).map(QUEUED.decode)
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
