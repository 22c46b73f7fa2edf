import type { Block } from '../../domain/block/block.ts'
import type { Ends } from '../../domain/graph/edge.ts'
import type { JudgementCounts, PendingJudgementFilter, UnlabelledPair } from '../../ports/store/judging.ts'
import { type ScopedConnection, statement } from '../connection/scoped-connection.ts'
import { BLOCK, columnsOf, jsonList, sharedScope } from '../queries/rows.ts'
import { orderedPairs } from './edges.ts'

const COLUMNS = columnsOf('blocks', BLOCK.names)

/** A block of none of the categories with none of the tags. */
const NOT_EXCLUDED = `category NOT IN (SELECT value FROM json_each(?2))
  AND NOT EXISTS (SELECT 1 FROM json_each(blocks.tags) AS tag WHERE tag.value IN (SELECT value FROM json_each(?3)))`

const SELECT_MARKED_PENDING = statement(
  ({ own }) => `SELECT ${COLUMNS} FROM blocks
WHERE status = 'active' AND judgement_pending = 1 AND arrival > 0${own('blocks')} ORDER BY arrival LIMIT ?1`,
)

const SELECT_UNJUDGED_OR_STALE = statement(
  ({ own }) => `SELECT ${COLUMNS} FROM blocks
WHERE status = 'active' AND coalesce(scored_at, '') < ?4 AND judgement_pending = 0 AND ${NOT_EXCLUDED}${own('blocks')}
ORDER BY coalesce(scored_at, ''), arrival LIMIT ?1`,
)

const COUNT_PENDING_JUDGEMENTS = statement(
  ({ own }) => `SELECT
  (SELECT count(*) FROM blocks WHERE status = 'active' AND judgement_pending = 1 AND arrival > 0${own('blocks')}) AS pending,
  (SELECT count(*) FROM blocks WHERE status = 'active' AND coalesce(scored_at, '') = ''${own('blocks')}) AS unjudged,
  (SELECT count(*) FROM blocks WHERE status = 'active' AND coalesce(scored_at, '') > ''
    AND coalesce(scored_at, '') < ?1${own('blocks')}) AS stale`,
)

const SELECT_UNLABELLED = statement(
  ({ own }) => `SELECT from_id, to_id, cosine FROM unlabelled_pairs
WHERE arrival > 0 AND (SELECT status FROM blocks WHERE id = from_id) = 'active'
  AND (SELECT status FROM blocks WHERE id = to_id) = 'active'${own('unlabelled_pairs')}
ORDER BY arrival LIMIT ?1`,
)

const QUEUE = statement(
  ({ isOwn }) => `INSERT INTO unlabelled_pairs (from_id, to_id, cosine, scope)
SELECT one.id, other.id, incoming.value ->> 2, ${sharedScope('one', 'other')}
FROM json_each(?1) AS incoming
CROSS JOIN blocks AS one ON one.id = incoming.value ->> 0${isOwn('one')}
CROSS JOIN blocks AS other ON other.id = incoming.value ->> 1${isOwn('other')}
WHERE true ORDER BY incoming.key
ON CONFLICT (from_id, to_id) DO NOTHING`,
)

/** The innermost query finds the first to drop: the one right behind the kept ones. */
const TRIM = statement(
  ({ own }) => `DELETE FROM unlabelled_pairs WHERE arrival <= (
  SELECT arrival FROM unlabelled_pairs WHERE arrival > 0${own('unlabelled_pairs')} ORDER BY arrival DESC LIMIT 1 OFFSET ?1
)${own('unlabelled_pairs')}`,
)

const REMOVE = statement(
  ({ isOwn }) => `DELETE FROM unlabelled_pairs WHERE (from_id, to_id) IN (
  SELECT value ->> 0, value ->> 1 FROM json_each(?1)
)${isOwn('unlabelled_pairs')}`,
)

const REMOVE_OF = `DELETE FROM unlabelled_pairs
WHERE from_id IN (SELECT value FROM json_each(?1)) OR to_id IN (SELECT value FROM json_each(?1))`

/** Active blocks that want a judgement: the pending, then the never judged, then those judged longest ago. */
export function readPendingJudgements(connection: ScopedConnection, filter: PendingJudgementFilter): Block[] {
  const limit = Math.max(0, filter.limit)
  const pending = connection.values(SELECT_MARKED_PENDING, limit).map(BLOCK.decode)
  const room = limit - pending.length
  if (filter.pendingOnly || room === 0) return pending
  const excluded = [jsonList(filter.excludeCategories), jsonList(filter.excludeTags)] as const
  const others = connection.values(SELECT_UNJUDGED_OR_STALE, room, ...excluded, filter.judgedBefore)
  return [...pending, ...others.map(BLOCK.decode)]
}

/** How many active blocks want a judgement; counts entries of indexes. */
export function readJudgementCounts(connection: ScopedConnection, judgedBefore: string): JudgementCounts {
  return connection.get<{ pending: number; unjudged: number; stale: number }>(
    COUNT_PENDING_JUDGEMENTS,
    judgedBefore,
  ) as JudgementCounts
}

/** Pairs of active blocks without a label, oldest first. */
export function readUnlabelled(connection: ScopedConnection, limit: number): UnlabelledPair[] {
  const rows = connection.all<{ from_id: string; to_id: string; cosine: number }>(
    SELECT_UNLABELLED,
    Math.max(0, limit),
  )
  return rows.map(({ from_id, to_id, cosine }) => ({ from: from_id, to: to_id, cosine }))
}

/** Appends pairs and drops the oldest beyond `keep`. */
export function queueUnlabelled(
  connection: ScopedConnection,
  pairs: readonly UnlabelledPair[],
  keep: number,
): void {
  const queued = pairs.filter(({ from, to }) => from !== to)
  if (queued.length === 0) return
  const values = queued.map(({ from, to, cosine }) => (from < to ? [from, to, cosine] : [to, from, cosine]))
  connection.run(QUEUE, JSON.stringify(values))
  connection.run(TRIM, Math.max(0, keep))
}

/** Takes pairs off the list. */
export function removeUnlabelled(connection: ScopedConnection, pairs: readonly Ends[]): void {
  const ends = orderedPairs(pairs)
  if (ends.length > 0) connection.run(REMOVE, JSON.stringify(ends))
}

/** Takes the pairs with an end among the blocks off the list. */
export function removeUnlabelledOf(connection: ScopedConnection, ids: readonly string[]): void {
  connection.run(REMOVE_OF, jsonList(ids))
}
