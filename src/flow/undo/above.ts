import type { Block } from '../../domain/block/block.ts'
import type { OperationRecord, StoreReader } from '../../ports/store/transaction.ts'
import type { Engine } from '../engine/engine.ts'
import { ownerOnly } from '../guard/owner-only.ts'
import { isAbove } from '../guard/rank.ts'
import type { Undoer } from './whose.ts'

/** A block that entries of the log name, as it is; absent if it is not there. */
interface Named {
  readonly id: string
  readonly block: Block | undefined
}

/** Reads the blocks that entries of the log name. */
export async function readNamed(
  tx: StoreReader,
  entries: readonly Pick<OperationRecord, 'blockIds'>[],
): Promise<readonly Named[]> {
  const ids = [...new Set(entries.flatMap(({ blockIds }) => blockIds))]
  const blocks = new Map((await tx.blocks(ids)).map((block) => [block.id, block]))
  return ids.map((id) => ({ id, block: blocks.get(id) }))
}

interface Above {
  readonly asked: OperationRecord
  /** As they were before anything was taken back. */
  readonly named: readonly Named[]
  readonly caller: Undoer
}

/**
 * Throws `OWNER_ONLY` when what was taken back in an open transaction changes words that are trusted more than the caller,
 * as an edit or a `forget` by the same caller could not. What a dream or a curation did by rule is nobody's act.
 */
export async function refuseAbove(
  engine: Engine,
  tx: StoreReader,
  { asked, named, caller }: Above,
): Promise<void> {
  if (named.length === 0 || asked.run !== undefined) return
  const now = new Map((await tx.blocks(named.map(({ id }) => id))).map((block) => [block.id, block]))
  const changed = named.find(({ id, block: was }) => {
    const is = now.get(id)
    const isHigh = [was, is].some(
      (block) => block !== undefined && isAbove(engine, { principal: caller }, block),
    )
    return isHigh && wordsOf(was) !== wordsOf(is)
  })
  if (changed === undefined) return
  throw ownerOnly(caller, {
    what: `Operation ${asked.id} (${asked.operation}) changed the owner's words in block ${changed.id} and is taken back by the owner alone`,
    way: caller.wayTo(asked.id),
    details: { operationId: asked.id, blockId: changed.id },
  })
}

/** The fields of a block that only those may change who are trusted as much. */
function wordsOf(block: Block | undefined): string {
  if (block === undefined) return ''
  const { content, cue, tags, category, sourceClass, status } = block
  return JSON.stringify([content, cue, tags, category, sourceClass, status === 'archived'])
}
