import type { FunctionTool } from '@openai/agents'
import type { Memory } from '../../engine/memory.ts'
import { type MemoryTool, memoryToolsOf, type ToolOptions, ToolRefusal } from '../shared/tools.ts'

/**
 * Returns the operations of a memory as tools for agents of the OpenAI Agents SDK. The model reads the text of an answer. A
 * refusal is an answer, too, with its code and what to do next. What a model does is logged as `library:openai-agents`, and it
 * may do what an agent may.
 *
 * @throws ElfmemError `INVALID_INPUT` for a choice that there is not
 */
export function agentTools(memory: Memory, options: ToolOptions = {}): FunctionTool[] {
  return memoryToolsOf(memory, { actor: 'openai-agents', maker: 'agentTools' }, options).map(asAgentTool)
}

/** Returns a tool made by hand, so that nothing of the package is loaded and no two versions of it meet. */
function asAgentTool({ name, description, inputSchema, run }: MemoryTool): FunctionTool {
  return {
    ...{ type: 'function', name, description, strict: false },
    parameters: inputSchema as unknown as FunctionTool['parameters'],
    needsApproval: async () => false,
    isEnabled: async () => true,
    invoke: async (_context, input, details) => {
      const signal = details?.signal
      try {
        return (await run(inputOf(input), { signal })).text
      } catch (error) {
        if (!(error instanceof ToolRefusal) || signal?.aborted === true) throw error
        return error.message
      }
    },
  }
}

/** The arguments of a call; what is no JSON stays a text, which the operation refuses. */
function inputOf(input: string): unknown {
  try {
    return input === '' ? {} : JSON.parse(input)
  } catch {
    return input
  }
}
