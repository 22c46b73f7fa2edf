import { readFileSync } from 'node:fs'
import type { Tool } from '@modelcontextprotocol/server'
import { attempt } from '../../errors.ts'
import type { ToolSet } from '../../operations/tool-choice.ts'
import type { Listing } from './tool-names.ts'

/** Returns where the build keeps the list of a set for a capability. */
export const keptToolList = ({ tools, capability }: Listing & { readonly tools: ToolSet }): URL =>
  new URL(`./tools.${tools}.${capability}.json`, import.meta.url)

const lists = new Map<string, Tool[]>()

/**
 * The operations that a caller may call by a set, as a client lists them: read from what the build kept, since every client
 * asks for it first and all operations are loaded to make it; made where nothing was built, with output schemas, and for tools
 * that were chosen one by one.
 */
export async function listTools(listing: Listing): Promise<Tool[]> {
  const key = `${listing.tools} ${listing.capability} ${listing.outputSchemas}`
  const known = lists.get(key)
  if (known !== undefined) return known
  const { tools: set, outputSchemas } = listing
  const kept =
    outputSchemas || typeof set !== 'string'
      ? undefined
      : attempt(() => readFileSync(keptToolList({ ...listing, tools: set }), 'utf8'))
  const tools =
    kept === undefined
      ? (await import('./make-tool-list.ts')).makeToolList(listing)
      : (JSON.parse(kept) as Tool[])
  lists.set(key, tools)
  return tools
}
