import { type StructuredTool, tool } from '@langchain/core/tools'
import type { Memory } from '../../engine/memory.ts'
import { type MemoryTool, memoryToolsOf, type ToolOptions } from '../shared/tools.ts'
import { type Configurable, scopeOf } from './user-scope.ts'

/**
 * Returns the operations of a memory as tools for an agent of LangChain or a `ToolNode` of LangGraph. The model reads the text of an
 * answer, and the fields of the operation are the artifact of the `ToolMessage`. A refusal is thrown with code and recovery, which the
 * agent gives to the model. A run that names its user (`configurable.user_id`) stays in the scope of that user. What a model does is logged as `library:langchain`, and it may do what an agent may.
 *
 * @throws ElfmemError `INVALID_INPUT` for a choice that there is not
 */
export function langchainTools(memory: Memory, options: ToolOptions = {}): StructuredTool[] {
  const scopeIn = (configurable?: Configurable) => scopeOf(memory, options.scope, configurable)
  return memoryToolsOf(memory, 'langchain', options).map((each) => asLangchainTool(each, scopeIn))
}

function asLangchainTool(
  { name, description, inputSchema, run }: MemoryTool,
  scopeIn: (configurable?: Configurable) => string | undefined,
): StructuredTool {
  const call = async (
    input: unknown,
    { signal, configurable }: { readonly signal?: AbortSignal; readonly configurable?: Configurable },
  ) => {
    const { text, structured } = await run(input, { signal, scope: scopeIn(configurable) })
    return [text, structured]
  }
  const schema = inputSchema as unknown as Parameters<typeof tool>[1]['schema'] & object
  return tool(call, { name, description, schema, responseFormat: 'content_and_artifact' }) as StructuredTool
}
