import type { Block } from '../../domain/block/block.ts'
import { isLessTrusted } from '../../domain/block/source-class.ts'
import type { OwnersWay } from '../../domain/safety/principal.ts'
import { type CallContext, callerOf, type Engine } from '../engine/engine.ts'
import { highestFor } from './claimed-class.ts'
import { ownerOnly } from './owner-only.ts'

/** What a caller is about to do to a block. */
interface Act {
  /** What would happen to it, as a participle: `edited`. */
  readonly done: string
  /** How the owner does it. */
  readonly way: OwnersWay
  /** What the caller may do instead, as a sentence. */
  readonly otherwise?: string
}

/** True if the words of a block are trusted more than any the caller may say. */
export function isAbove(
  engine: Pick<Engine, 'principal'>,
  context: CallContext,
  { sourceClass }: Pick<Block, 'sourceClass'>,
): boolean {
  return isLessTrusted(highestFor(engine, context), sourceClass)
}

/** Throws `OWNER_ONLY` if a block is trusted more than the caller, who then may not do this to it. */
export function mustNotBeAbove(
  engine: Pick<Engine, 'principal'>,
  context: CallContext,
  { block, done, way, otherwise }: Act & { readonly block: Pick<Block, 'id' | 'sourceClass'> },
): void {
  if (!isAbove(engine, context, block)) return
  throw ownerOnly(callerOf(engine, context), {
    what: `Block ${block.id} holds the owner's words and is ${done} by the owner alone`,
    way,
    ...(otherwise === undefined ? {} : { otherwise }),
    details: { blockId: block.id },
  })
}
