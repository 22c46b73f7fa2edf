import type { Block } from '../../domain/block/block.ts'
import { type SourceClass, sourceClassOf } from '../../domain/block/source-class.ts'
import type { CallContext, Engine } from '../engine/engine.ts'

/** The surface through which agents call; whoever calls through it cannot speak as the owner. */
const AGENTS_SURFACE = /^mcp(:|$)/

interface Claim extends Pick<Block, 'category' | 'tags'> {
  readonly source?: string | undefined
  readonly sourceClass?: SourceClass | undefined
}

/** Who speaks in what a caller brings, as far as this caller may say so. */
export function claimedClass(
  engine: Pick<Engine, 'settings' | 'actor'>,
  context: CallContext,
  { source, sourceClass, category, tags }: Claim,
): SourceClass {
  const { agentName } = engine.settings.project
  const said = { category, tags, declared: sourceClass, ...(source === undefined ? {} : { source }) }
  return sourceClassOf(said, { agentName, highest: highestFor(engine, context) })
}

/** Returns the most trusted class the caller may claim: `user` on the owner's surfaces, `agent` on MCP. */
export function highestFor(engine: Pick<Engine, 'actor'>, context: CallContext): SourceClass {
  return AGENTS_SURFACE.test(context.actor ?? engine.actor) ? 'agent' : 'user'
}

/** True if the caller may raise the trust of the words of others. */
export function mayAuthorise(engine: Pick<Engine, 'actor'>, context: CallContext): boolean {
  return highestFor(engine, context) === 'user'
}
