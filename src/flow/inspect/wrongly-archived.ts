import type { Block } from '../../domain/block/block.ts'
import { isSameText } from '../../domain/text/same-text.ts'
import { count } from '../../domain/text/text.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { nextTurn } from '../engine/engine.ts'
import { mutate } from '../engine/mutate.ts'
import { bringBack } from '../graph/bring-back.ts'
import { type Check, ok, trouble } from './check.ts'

const READ_AT_ONCE = 500
/** Blocks a transaction; each takes some ten statements. */
const RESTORED_AT_ONCE = 64
/** Ids that the message names. */
const NAMED_MOST = 10

/**
 * Blocks that a dream archived as duplicates, by a looser rule of before, though they say something else than the block
 * that stayed, and that nobody said again: with their words the fact is gone. Oldest first. Reads all archived blocks,
 * four statements for 500.
 */
export async function wronglyArchived(tx: StoreReader): Promise<readonly Block[]> {
  const found: Block[] = []
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const given = cursor === undefined ? {} : { cursor }
    const page = await tx.page({ status: 'archived', order: 'arrival', limit: READ_AT_ONCE, ...given })
    found.push(...(await misjudgedAmong(tx, page.blocks)))
    cursor = page.cursor
  }
  return found
}

async function misjudgedAmong(tx: StoreReader, archived: readonly Block[]): Promise<readonly Block[]> {
  const replaced = archived.filter(
    ({ archiveReason, supersededBy }) => archiveReason === 'superseded' && supersededBy,
  )
  if (replaced.length === 0) return []
  const stayed = new Map(
    (await tx.blocks(replaced.map(({ supersededBy }) => supersededBy as string))).map((block) => [
      block.id,
      block,
    ]),
  )
  const others = replaced.filter(({ content, supersededBy = '' }) => {
    const by = stayed.get(supersededBy)
    return by !== undefined && !isSameText(by.content, content)
  })
  if (others.length === 0) return []
  // What was ever active has a vector: it was archived by somebody's decision, not by a dream on its way in.
  const wasActive = await tx.vectors(others.map(({ id }) => id))
  const living = await tx.sameTexts(others)
  return others.filter(
    (block) =>
      !wasActive.has(block.id) &&
      !living.some(({ content, scope }) => scope === block.scope && isSameText(content, block.content)),
  )
}

/** The check that names, by id, what was archived wrongly. */
export function checkArchive(wrong: readonly Block[]): Check {
  if (wrong.length === 0)
    return ok('archive', 'What dreams archived as duplicates says the same as what stayed.')
  const named = wrong.slice(0, NAMED_MOST).map(({ id }) => id.slice(0, 8))
  const more = wrong.length > named.length ? ` and ${wrong.length - named.length} more` : ''
  const found = trouble(
    'warn',
    'archive',
    `${count(wrong.length, 'block')} archived as duplicates by an older rule, though they say something else: ${named.join(', ')}${more}.`,
    'Call doctor() with bringBack: they wait for the next dream, which keeps them; undo() archives them again.',
  )
  return { ...found, fixable: 'bringBack' }
}

/** Brings what was archived wrongly back to the inbox, 64 in a transaction, which undo takes back; returns the ids. */
export async function bringAllBack(engine: Engine, context: CallContext): Promise<readonly string[]> {
  const wrong = await engine.store.read(wronglyArchived)
  for (let at = 0; at < wrong.length; at += RESTORED_AT_ONCE) {
    const ids = wrong.slice(at, at + RESTORED_AT_ONCE).map(({ id }) => id)
    await mutate(engine, context, async (mutation) => {
      const blocks = await mutation.tx.blocks(ids)
      for (const block of blocks) if (block.status === 'archived') await bringBack(engine, mutation, block)
    })
    await nextTurn()
  }
  return wrong.map(({ id }) => id)
}
