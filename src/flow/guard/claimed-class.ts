import type { Block } from '../../domain/block/block.ts'
import { type SourceClass, sourceClassOf } from '../../domain/block/source-class.ts'
import { mayDo } from '../../domain/safety/principal.ts'
import { type CallContext, callerOf, type Engine } from '../engine/engine.ts'

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
