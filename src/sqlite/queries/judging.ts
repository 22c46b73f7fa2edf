import type { Block } from '../../domain/block/block.ts'
import type { JudgementCounts, PendingJudgementFilter, UnlabelledPair } from '../../ports/store/queries.ts'
import { codecOf } from '../../store/codec.ts'
import { BLOCK } from '../../store/views.ts'
import { columnsOf, jsonList, type ScopedConnection, statement } from '../connection/connection.ts'

const COLUMNS = columnsOf(BLOCK, 'blocks')
const { decode } = codecOf(BLOCK)

/** A block of none of the categories with none of the tags. */
const NOT_EXCLUDED = `category NOT IN (SELECT value FROM json_each(?2))
  AND NOT EXISTS (SELECT 1 FROM json_each(blocks.tags) AS tag WHERE tag.value IN (SELECT value FROM json_each(?3)))`

const SELECT_MARKED_PENDING = statement(
  ({ own }) => `SELECT ${COLUMNS} FROM blocks
WHERE status = 'active' AND judgement_pending = 1 AND arrival > 0${own('blocks')} ORDER BY arrival LIMIT +?1`,
)

const SELECT_UNJUDGED_OR_STALE = statement(
  ({ own }) => `SELECT ${COLUMNS} FROM blocks
WHERE status = 'active' AND coalesce(scored_at, '') < ?4 AND judgement_pending = 0 AND ${NOT_EXCLUDED}${own('blocks')}
ORDER BY coalesce(scored_at, ''), arrival LIMIT +?1`,
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
ORDER BY arrival LIMIT +?1`,
)

/** Active blocks that want a judgement: the pending, then the never judged, then those judged longest ago. */
export function readPendingJudgements(connection: ScopedConnection, filter: PendingJudgementFilter): Block[] {
  const limit = Math.max(0, filter.limit)
  const pending = connection.values(SELECT_MARKED_PENDING, limit).map(decode)
  const room = limit - pending.length
  if (filter.pendingOnly || room === 0) return pending
  const excluded = [jsonList(filter.excludeCategories), jsonList(filter.excludeTags)] as const
  const others = connection.values(SELECT_UNJUDGED_OR_STALE, room, ...excluded, filter.judgedBefore)
  return [...pending, ...others.map(decode)]
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
