import type { ScopedConnection } from '../connection/scoped-connection.ts'
import { NO_SCOPE } from './rows.ts'

/** Jumps from tag to tag, so that a tag of a thousand blocks costs what a tag of one does. */
const jumping = (first: string, next: string): string => `WITH RECURSIVE found (tag) AS (
  SELECT (${first})
  UNION ALL
  SELECT (${next}) FROM found WHERE found.tag IS NOT NULL
)
SELECT tag FROM found WHERE tag IS NOT NULL LIMIT ?1`

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
    scope === undefined || scope === NO_SCOPE
      ? connection.values(SELECT_WITHOUT, most)
      : connection.values(SELECT_IN_SCOPE, most, scope)
  return rows.map(([tag]) => tag as string)
}
