import type { Block, BlockStatus } from '../../domain/block/block.ts'
import { CONSTITUTIONAL_TAG, isConstitutional } from '../../domain/block/tags.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { type CallContext, callerOf, type Engine } from '../engine/engine.ts'
import { isOwner, ownerOnly } from '../guard/owner-only.ts'

/** True if the memory, or the scope, holds a principle or held one: archived ones count. */
async function hasPrinciple(tx: StoreReader, { scope }: Pick<Engine, 'scope'>): Promise<boolean> {
  const isOne = (block: Block) => block.scope === scope && isConstitutional(block.tags)
  for (const status of ['active', 'inbox', 'archived'] satisfies BlockStatus[]) {
    const filter = { status, tag: CONSTITUTIONAL_TAG, order: 'arrival', limit: 100 } as const
    for (let page = await tx.page(filter); ; page = await tx.page({ ...filter, cursor: page.cursor })) {
      if (page.blocks.some(isOne)) return true
      if (page.cursor === undefined) break
    }
  }
  return false
}

/** Holds what others than the owner write of the built-in principles and templates to memories without a principle. */
export interface BuiltIn {
  /** Throws `OWNER_ONLY` when a built-in text is new in a memory that has principles. */
  mustBeFree(isNew: boolean): void
}

/** Looks once, before anything is written, whether the caller may write built-in texts. */
export async function builtInFor(
  engine: Engine,
  context: CallContext,
  tx: StoreReader,
  { seed, template }: { readonly seed: boolean; readonly template?: string | undefined },
): Promise<BuiltIn> {
  const isFree =
    isOwner(engine, context) || !(seed || template !== undefined) || !(await hasPrinciple(tx, engine))
  return {
    mustBeFree(isNew) {
      if (isFree || !isNew) return
      throw ownerOnly(callerOf(engine, context), {
        what: 'This memory has principles, and to add built-in ones is for the owner',
        command: `elfmem setup${seed ? ' --seed' : ''}${template === undefined ? '' : ` --template ${template}`}`,
        otherwise: 'Leave seed and template out to write identity and values.',
      })
    },
  }
}
