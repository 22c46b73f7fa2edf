import { type StructuredTool, tool } from '@langchain/core/tools'
import type { Memory } from '../../engine/memory.ts'
import { type MemoryTool, memoryToolsOf, type ToolOptions } from '../shared/tools.ts'

/** The part of the configuration of a run that names whose run it is. */
export interface Configurable {
  readonly thread_id?: string | undefined
  readonly user_id?: unknown
}

/**
 * Returns the scope of a run: the given one; else, in a memory that has none, the user that the run names as
 * `configurable.user_id`, so that users who share a memory do not see what others said.
 */
export function scopeOf(
  { scope: bound }: { readonly scope?: string | undefined },
  given: string | undefined,
  { user_id: user }: Configurable = {},
): string | undefined {
  return given ?? (bound === undefined && typeof user === 'string' && user !== '' ? user : undefined)
}

/**
 * Returns the operations of a memory as tools for an agent of LangChain or a `ToolNode` of LangGraph. The model reads the text of an
 * answer, and the fields of the operation are the artifact of the `ToolMessage`. A refusal is thrown with code and recovery, which the
 * agent gives to the model. A run that names its user (`configurable.user_id`) stays in the scope of that user. What a model does is
 * logged as `library:langchain`, and it may do what an agent may.
 *
 * @throws ElfmemError `INVALID_INPUT` for a choice that there is not
 */
export function langchainTools(memory: Memory, options: ToolOptions = {}): StructuredTool[] {
  const scopeIn = (configurable?: Configurable) => scopeOf(memory, options.scope, configurable)
  const tools = memoryToolsOf(memory, { actor: 'langchain', maker: 'langchainTools' }, options)
  return tools.map((each) => asLangchainTool(each, scopeIn))
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
