import type { Block } from '../../domain/block/block.ts'
import { isLessTrusted, type SourceClass, sourceClassOf } from '../../domain/block/source-class.ts'
import { type CallContext, callerOf, type Engine, mayDo, type OwnersWay } from '../engine/engine.ts'
import { ownerOnly } from './owner-only.ts'

interface Claim extends Pick<Block, 'category' | 'tags'> {
  readonly source?: string | undefined
  readonly sourceClass?: SourceClass | undefined
}

/** Who speaks in what a caller brings, as far as this caller may say so. */
export function claimedClass(
  engine: Pick<Engine, 'settings' | 'principal'>,
  context: CallContext,
  { source, sourceClass, category, tags }: Claim,
): SourceClass {
  const { agentName } = engine.settings.project
  const said = { category, tags, declared: sourceClass, ...(source === undefined ? {} : { source }) }
  return sourceClassOf(said, { agentName, highest: highestFor(engine, context) })
}

/** True if a source means the owner and only labels the words, because somebody else calls. */
export function isLabelOnly(
  engine: Pick<Engine, 'principal'>,
  context: CallContext,
  { source, sourceClass }: Pick<Claim, 'source' | 'sourceClass'>,
): boolean {
  if (source === undefined || sourceClass !== undefined || mayAuthorise(engine, context)) return false
  const said = { source, category: '', tags: [] }
  return sourceClassOf(said, { agentName: '', highest: 'user' }) === 'user'
}

/** Returns the most trusted class the caller may claim: `user` if it is the owner, else `agent`. */
export function highestFor(engine: Pick<Engine, 'principal'>, context: CallContext): SourceClass {
  return mayDo(callerOf(engine, context), 'owner') ? 'user' : 'agent'
}

/** True if the caller may raise the trust of the words of others. */
function mayAuthorise(engine: Pick<Engine, 'principal'>, context: CallContext): boolean {
  return highestFor(engine, context) === 'user'
}

/** An act of a caller on a block. */
interface Act {
  /** The act on it, as a participle: `edited`. */
  readonly done: string
  /** How the owner does it; absent if `otherwise` says it. */
  readonly way?: OwnersWay
  /** The other way that the caller may take, as a sentence. */
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
    ...(way === undefined ? {} : { way }),
    ...(otherwise === undefined ? {} : { otherwise }),
    details: { blockId: block.id },
  })
}
