import type { JsonSchema } from '../../adapters/project/spelling.ts'
import type { Memory } from '../../engine/memory.ts'
import { type MemoryTool, memoryToolsOf, type ToolOptions } from '../shared/tools.ts'

/** The answer of a tool: the fields of the operation, in snake_case, and as `text` what the model reads. */
export interface AiSdkToolOutput {
  readonly text: string
  readonly [field: string]: unknown
}

/** A schema in the common form of schema libraries, which also has what the AI SDK looks for first. */
export interface AiSdkToolSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'elfmem'
    readonly validate: (value: unknown) => { readonly value: Record<string, unknown> }
  }
  readonly jsonSchema: JsonSchema
}

/** A tool of the AI SDK 6 or 7. */
export interface AiSdkTool {
  readonly description: string
  readonly inputSchema: AiSdkToolSchema
  readonly execute: (
    input: Record<string, unknown>,
    options: { readonly abortSignal?: AbortSignal | undefined },
  ) => Promise<AiSdkToolOutput>
  readonly toModelOutput: (result: { readonly output: AiSdkToolOutput }) => {
    type: 'text'
    value: string
  }
}

/**
 * Returns the operations of a memory as tools for `generateText`, `streamText` and agents of the AI SDK, by name. The model reads
 * the text of an answer, the program has its fields, too. A refusal is thrown with code and recovery, which the model reads. What
 * a model does is logged as `library:ai-sdk`, and it may do what an agent may.
 *
 * @throws ElfmemError `INVALID_INPUT` for a choice that there is not
 */
export function memoryTools(memory: Memory, options: ToolOptions = {}): Record<string, AiSdkTool> {
  const tools = memoryToolsOf(memory, { actor: 'ai-sdk', maker: 'memoryTools' }, options)
  return Object.fromEntries(tools.map((tool) => [tool.name, asAiSdkTool(tool)]))
}

/** Returns a tool made by hand, so that nothing of the package `ai` is loaded and no two versions of it meet. */
function asAiSdkTool({ description, inputSchema: jsonSchema, run }: MemoryTool): AiSdkTool {
  // Any value passes here, because the operation itself checks its input.
  const validate = (value: unknown) => ({ value: value as Record<string, unknown> })
  const inputSchema = {
    ...{ [Symbol.for('vercel.ai.schema')]: true, validate: undefined, jsonSchema },
    '~standard': { version: 1, vendor: 'elfmem', validate },
  } as const
  return {
    ...{ description, inputSchema },
    execute: async (input, { abortSignal }) => {
      const { text, structured } = await run(input, { signal: abortSignal })
      return { ...structured, text }
    },
    // Only `output` comes back from a conversation that a program kept, so the text is in it.
    toModelOutput: ({ output: { text } }) => ({ type: 'text', value: text }),
  }
}
