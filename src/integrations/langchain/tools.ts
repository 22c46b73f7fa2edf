import { type StructuredTool, tool } from '@langchain/core/tools'
import type { Memory } from '../../engine/memory.ts'
import { type MemoryTool, memoryToolsOf, type ToolOptions } from '../shared/tools.ts'

/**
 * Returns the operations of a memory as tools for an agent of LangChain or a `ToolNode` of LangGraph. The model reads the text of an
 * answer, and the fields of the operation are the artifact of the `ToolMessage`. A refusal is thrown with code and recovery, which the
 * agent gives to the model. What a model does is logged as `library:langchain`, and it may do what an agent may.
 *
 * @throws ElfmemError `INVALID_INPUT` for a choice that there is not
 */
export function langchainTools(memory: Memory, options: ToolOptions = {}): StructuredTool[] {
  return memoryToolsOf(memory, 'langchain', options).map(asLangchainTool)
}

function asLangchainTool({ name, description, inputSchema, run }: MemoryTool): StructuredTool {
  const call = async (input: unknown, { signal }: { readonly signal?: AbortSignal }) => {
    const { text, structured } = await run(input, { signal })
    return [text, structured]
  }
  const schema = inputSchema as unknown as Parameters<typeof tool>[1]['schema'] & object
  return tool(call, { name, description, schema, responseFormat: 'content_and_artifact' }) as StructuredTool
}
