import type { Counts, ScopeCounts } from '../../ports/store/queries.ts'
import { type Form, type ScopedConnection, statement } from '../connection/connection.ts'

interface CountsRow extends Omit<Counts, 'edgesByRelation' | 'edgesByOrigin'> {
  readonly edgesByRelation: string
  readonly edgesByOrigin: string
}

/** How many blocks of a status have an edge. Those of the active ones follow from this and the number of all that have one. */
function joinedOf(status: 'inbox' | 'archived', own: Form['own'], strengths: Form['strengths']): string {
  return `SELECT count(*) FROM blocks WHERE status = '${status}'${own('blocks')}
    AND EXISTS (SELECT 1 FROM ${strengths} WHERE block_id = blocks.id)`
}

const SELECT_COUNTS = statement(
  ({ own, ofOwn, strengths }) => `SELECT
  (SELECT count(*) FROM blocks WHERE status = 'inbox'${own('blocks')}) AS inbox,
  (SELECT count(*) FROM blocks WHERE status = 'active'${own('blocks')}) AS active,
  (SELECT count(*) FROM blocks WHERE status = 'archived'${own('blocks')}) AS archived,
  (SELECT coalesce(sum(total), 0) FROM edge_counts WHERE true${own('edge_counts')}) AS edges,
  (SELECT json_group_object(relation, totals)
    FROM (SELECT relation, sum(total) AS totals FROM edge_counts WHERE true${own('edge_counts')} GROUP BY relation)) AS edgesByRelation,
  (SELECT json_group_object(origin, totals)
    FROM (SELECT origin, sum(total) AS totals FROM edge_counts WHERE true${own('edge_counts')} GROUP BY origin)) AS edgesByOrigin,
  (SELECT count(*) FROM blocks WHERE status = 'active'${own('blocks')})
    - (SELECT count(*) FROM ${strengths} WHERE true${own(strengths)})
    + (${joinedOf('inbox', own, strengths)})
    + (${joinedOf('archived', own, strengths)}) AS isolated,
  (SELECT count(*) FROM pairs WHERE resolved = 0${own('pairs')}) AS openPairs,
  (SELECT count(*) FROM co_retrieval_staging WHERE true${own('co_retrieval_staging')}) AS stagedPairs,
  (SELECT count(*) FROM pending_connections WHERE true${own('pending_connections')}) AS pendingConnections,
  (SELECT count(*) FROM queued_outcomes WHERE true${ofOwn('block_id')}) AS queuedOutcomes`,
)

/** Without the bound scope when the whole store is asked; the index of scopes holds all it needs. */
const SELECT_SCOPES = statement(
  ({ own }) => `SELECT scope,
  sum(status = 'inbox') AS inbox, sum(status = 'active') AS active, sum(status = 'archived') AS archived
FROM blocks WHERE scope <> ''${own('blocks')}
GROUP BY scope ORDER BY active + inbox DESC, scope LIMIT +?1`,
)

/** Everything `status` counts, in one statement. It walks the blocks; edges are counted as they come and go. */
export function readCounts(connection: ScopedConnection): Counts {
  const row = connection.get<CountsRow>(SELECT_COUNTS) as CountsRow
  return {
    ...row,
    edgesByRelation: JSON.parse(row.edgesByRelation) as Record<string, number>,
    edgesByOrigin: JSON.parse(row.edgesByOrigin) as Record<string, number>,
  }
}

/** The scopes that have most blocks that are not archived. */
export function readScopes(connection: ScopedConnection, limit: number): ScopeCounts[] {
  return connection.values(SELECT_SCOPES, Math.max(0, limit)).map(([scope, inbox, active, archived]) => ({
    scope: scope as string,
    inbox: inbox as number,
    active: active as number,
    archived: archived as number,
  }))
}

/** Jumps from tag to tag, so that a tag of a thousand blocks costs what a tag of one does. */
const jumping = (first: string, next: string): string => `WITH RECURSIVE found (tag) AS (
  SELECT (${first})
  UNION ALL
  SELECT (${next}) FROM found WHERE found.tag IS NOT NULL
)
SELECT tag FROM found WHERE tag IS NOT NULL LIMIT +?1`

const IN_SCOPE = `SELECT min(tag) FROM block_tags WHERE scope = ?2 AND scope <> ''`
const SELECT_IN_SCOPE = jumping(IN_SCOPE, `${IN_SCOPE} AND block_tags.tag > found.tag`)

/** Among the tags of blocks with a scope, those of the others are met in the order of the table. */
const NEXT_WITHOUT = `SELECT tag FROM block_tags WHERE block_tags.tag > found.tag AND scope = '' ORDER BY tag LIMIT 1`
const SELECT_WITHOUT = jumping(
  `SELECT tag FROM block_tags WHERE tag > '' AND scope = '' ORDER BY tag LIMIT 1`,
  NEXT_WITHOUT,
)

/** Different tags of the blocks of a scope, or of those without one; a view sees its own alone. */
export function readTags(connection: ScopedConnection, scope: string | undefined, limit: number): string[] {
  if (connection.scope !== undefined && connection.scope !== scope) return []
  const most = Math.max(0, limit)
  const rows =
    scope === undefined || scope === ''
      ? connection.values(SELECT_WITHOUT, most)
      : connection.values(SELECT_IN_SCOPE, most, scope)
  return rows.map(([tag]) => tag as string)
}
