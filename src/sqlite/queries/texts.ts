import type { Block } from '../../domain/block/block.ts'
import { undressed } from '../../domain/text/same-text.ts'
import type { SaidText } from '../../ports/store/transaction.ts'
import type { ScopedConnection } from '../connection/scoped-connection.ts'
import { textKey } from '../migrations/text-keys.ts'
import { BLOCK_COLUMNS, blockOf, columnsOf, NO_SCOPE } from './rows.ts'

const SELECT_SAME = `SELECT ${columnsOf('blocks', BLOCK_COLUMNS)}
FROM json_each(?1) AS wanted CROSS JOIN blocks
  ON blocks.text_key = wanted.value ->> 0 AND blocks.scope = wanted.value ->> 1 AND blocks.status <> 'archived'
ORDER BY wanted.key, blocks.arrival`

/** Blocks in the inbox or active that say the same as a text in its scope, by text, then by arrival. One statement. */
export function readSameTexts(connection: ScopedConnection, texts: readonly SaidText[]): Block[] {
  const visible = texts.filter(({ scope }) => connection.scope === undefined || scope === connection.scope)
  if (visible.length === 0) return []
  const wanted = visible.map(({ content, scope = NO_SCOPE }) => [textKey(content), scope] as const)
  const unique = new Map(wanted.map((each) => [each.join(' '), each]))
  const found = connection.whole.values(SELECT_SAME, JSON.stringify([...unique.values()])).map(blockOf)
  const said = new Set(visible.map(({ content }) => undressed(content)))
  return found.filter(({ content }) => said.has(undressed(content)))
}
