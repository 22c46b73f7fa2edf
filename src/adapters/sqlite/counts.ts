import type { Counts } from '../../ports/store.ts'
import type { Connection } from './driver.ts'

interface CountsRow extends Omit<Counts, 'edgesByRelation' | 'edgesByOrigin'> {
  readonly edgesByRelation: string
  readonly edgesByOrigin: string
}

const SELECT_COUNTS = `SELECT
  (SELECT count(*) FROM blocks WHERE status = 'inbox') AS inbox,
  (SELECT count(*) FROM blocks WHERE status = 'active') AS active,
  (SELECT count(*) FROM blocks WHERE status = 'archived') AS archived,
  (SELECT coalesce(sum(total), 0) FROM edge_counts) AS edges,
  (SELECT json_group_object(relation, totals)
    FROM (SELECT relation, sum(total) AS totals FROM edge_counts GROUP BY relation)) AS edgesByRelation,
  (SELECT json_group_object(origin, totals)
    FROM (SELECT origin, sum(total) AS totals FROM edge_counts GROUP BY origin)) AS edgesByOrigin,
  (SELECT count(*) FROM blocks WHERE status = 'active'
    AND NOT EXISTS (SELECT 1 FROM block_strengths WHERE block_id = blocks.id)) AS isolated,
  (SELECT count(*) FROM pairs WHERE resolved = 0) AS openPairs,
  (SELECT count(*) FROM co_retrieval_staging) AS stagedPairs,
  (SELECT count(*) FROM pending_connections) AS pendingConnections,
  (SELECT count(*) FROM queued_outcomes) AS queuedOutcomes`

const SELECT_WAITING = `SELECT count(*) AS waiting FROM blocks WHERE status = 'inbox'`

/** Everything `status` counts, in one statement. It walks the blocks; edges are counted as they come and go. */
export function readCounts(connection: Connection): Counts {
  const row = connection.get<CountsRow>(SELECT_COUNTS) as CountsRow
  return {
    ...row,
    edgesByRelation: JSON.parse(row.edgesByRelation) as Record<string, number>,
    edgesByOrigin: JSON.parse(row.edgesByOrigin) as Record<string, number>,
  }
}

/** Blocks in the inbox, from the index of statuses alone. */
export function readWaiting(connection: Connection): number {
  return (connection.get<{ waiting: number }>(SELECT_WAITING) as { waiting: number }).waiting
}
