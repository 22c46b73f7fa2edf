import type { Block } from '../../domain/block/block.ts'
import { undressed } from '../../domain/text/same-text.ts'
import type { SaidText } from '../../ports/store/transaction.ts'
import { type ScopedConnection, statement } from '../connection/scoped-connection.ts'
import { textKey } from '../migrations/text-keys.ts'
import { BLOCK, columnsOf, NO_SCOPE } from './rows.ts'

const SELECT_SAME = `SELECT ${columnsOf('blocks', BLOCK.names)}
FROM json_each(?1) AS wanted CROSS JOIN blocks
  ON blocks.text_key = wanted.value ->> 0 AND blocks.scope = wanted.value ->> 1 AND blocks.status <> 'archived'
ORDER BY wanted.key, blocks.arrival`

/** The queue of the walk is first in, first out, so that the nearest are kept where the limit ends it. */
const SELECT_REPLACING = statement(
  ({ isOwn }) => `WITH RECURSIVE chain (id) AS (
  SELECT value FROM json_each(?1)
  UNION
  SELECT blocks.id FROM chain CROSS JOIN blocks ON blocks.supersedes = chain.id
  WHERE blocks.status <> 'archived'${isOwn('blocks')}
  UNION
  SELECT blocks.supersedes FROM chain CROSS JOIN blocks ON blocks.id = chain.id
  WHERE blocks.supersedes IS NOT NULL AND blocks.status <> 'archived'${isOwn('blocks')}
  LIMIT ?2
)
SELECT ${columnsOf('blocks', BLOCK.names)}
FROM chain CROSS JOIN blocks
  ON blocks.supersedes = chain.id AND blocks.status <> 'archived'${isOwn('blocks')}
ORDER BY blocks.arrival`,
)

/**
 * Blocks in the inbox or active that are to take the place of one of these or of one that such blocks join with them, at
 * most `limit` blocks with these, by arrival. One statement.
 */
export function readReplacing(connection: ScopedConnection, ids: readonly string[], limit: number): Block[] {
  const wanted = JSON.stringify([...new Set(ids)])
  return connection.values(SELECT_REPLACING, wanted, Math.max(0, limit)).map(BLOCK.decode)
}

/** Blocks in the inbox or active that say the same as a text in its scope, by text, then by arrival. One statement. */
export function readSameTexts(connection: ScopedConnection, texts: readonly SaidText[]): Block[] {
  const visible = texts.filter(({ scope }) => connection.scope === undefined || scope === connection.scope)
  if (visible.length === 0) return []
  const wanted = visible.map(({ content, scope = NO_SCOPE }) => [textKey(content), scope] as const)
  const unique = new Map(wanted.map((each) => [each.join(' '), each]))
  const found = connection.whole.values(SELECT_SAME, JSON.stringify([...unique.values()])).map(BLOCK.decode)
  const said = new Set(visible.map(({ content }) => undressed(content)))
  return found.filter(({ content }) => said.has(undressed(content)))
}
