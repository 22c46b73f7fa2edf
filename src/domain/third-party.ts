import type { Block } from './block.ts'
import { tagNamespace } from './tags.ts'

/** Sources that are the agent or its owner; a text without a source is what the agent itself remembered. */
const OWN_SOURCES: ReadonlySet<string> = new Set([
  'user',
  'human',
  'owner',
  'me',
  'self',
  'agent',
  'assistant',
  'api',
  'cli',
  'mcp',
])

/** What says of a block where it comes from. */
type Origin = Pick<Block, 'source' | 'category' | 'tags'>

/** Whether somebody else wrote a block: a speaker, a tool, a file, a peer. Its words may describe others, never the agent. */
export function isThirdParty({ source, category, tags }: Origin, agentName: string): boolean {
  if (category === 'message' || tags.some((tag) => tagNamespace(tag) === 'peer')) return true
  const said = source?.trim().toLowerCase()
  return said !== undefined && !OWN_SOURCES.has(said) && said !== agentName.trim().toLowerCase()
}
