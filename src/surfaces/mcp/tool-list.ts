import { readFileSync } from 'node:fs'
import type { Tool } from '@modelcontextprotocol/server'
import { attempt } from '../../errors.ts'
import type { Capability } from '../../flow/guard/accept-caller.ts'

/** Returns where the build keeps the list that a capability may see. */
export const keptToolList = (capability: Capability): URL =>
  new URL(`./tools.${capability}.json`, import.meta.url)

const lists = new Map<Capability, Tool[]>()

/**
 * Every operation that a caller may call as a client lists it: read from what the build kept, since every client asks for
 * it first and all operations are loaded to make it; made where nothing was built.
 */
export async function listTools(capability: Capability): Promise<Tool[]> {
  const known = lists.get(capability)
  if (known !== undefined) return known
  const kept = attempt(() => readFileSync(keptToolList(capability), 'utf8'))
  const tools =
    kept === undefined
      ? (await import('./make-tool-list.ts')).makeToolList(capability)
      : (JSON.parse(kept) as Tool[])
  lists.set(capability, tools)
  return tools
}
