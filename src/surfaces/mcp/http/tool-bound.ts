import { operationNames } from '../../../operations/load.ts'
import { TOOL_SETS, type ToolChoice } from '../../../operations/tool-choice.ts'
import { listTools } from '../tool-list.ts'
import { toolName } from '../tool-names.ts'
import type { ToolBound } from './holders.ts'

/** The tools beyond which no token goes; undefined where nobody named any. The lists of the sets are read. */
export async function toolBound(choice: ToolChoice | undefined): Promise<ToolBound | undefined> {
  if (choice === undefined) return undefined
  const sets = new Map<ToolChoice, readonly string[]>()
  for (const tools of TOOL_SETS) {
    const listed = new Set((await listTools({ capability: 'owner', tools })).map(({ name }) => name))
    sets.set(
      tools,
      operationNames.filter((name) => listed.has(toolName(name))),
    )
  }
  return { choice, namesOf: (given) => sets.get(given) ?? [...given] }
}
