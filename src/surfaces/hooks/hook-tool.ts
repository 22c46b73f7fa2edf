import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import { ElfmemError } from '../../errors.ts'

/** The name of the tool that hooks of a client call. */
export const HOOK_TOOL_NAME = 'elfmem_hook'

/** Answers the events of a coding agent; `{}` where there is nothing to say, and never an error. */
export interface HookFront {
  handle(client: string, payload: unknown): Promise<object>
}

/** The tool as a server with hooks lists it, last of all. A model has no use for it, and every prompt pays for a word of it. */
export const HOOK_TOOL: Tool = {
  name: HOOK_TOOL_NAME,
  description: 'For hooks of the client, not for you.',
  inputSchema: { type: 'object' },
  annotations: { openWorldHint: false, destructiveHint: false },
}

/** The client whose hooks these are, where a call does not say. */
const USUAL_CLIENT = 'claude-code'

/** Claude Code tells the servers that it starts whether a person sits at it: `cli`, or `sdk-cli` where a program does. */
const ENTRY = 'CLAUDE_CODE_ENTRYPOINT'

/** Answers a call of the tool: what the client is to do, as JSON. */
export async function callHookTool(front: HookFront, given: unknown): Promise<CallToolResult> {
  const { client = USUAL_CLIENT } = Object(given) as { readonly client?: unknown }
  const isAttended = process.env[ENTRY] === 'cli'
  return textOf(
    await front.handle(typeof client === 'string' ? client : '', { ...Object(given), isAttended }),
  )
}

/** The answer where there is nothing to say. */
export function nothingToSay(): CallToolResult {
  return textOf({})
}

function textOf(answer: object): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(answer) }] }
}

/** The refusal of the tool by a server without hooks. */
export function hooksNotServed(): ElfmemError {
  return new ElfmemError('TOOL_NOT_LISTED', `"${HOOK_TOOL_NAME}" is not served here.`, {
    recovery: 'Nothing was done. The owner can start with --hooks: elfmem serve --hooks.',
    details: { tool: HOOK_TOOL_NAME, tools: 'hooks' },
  })
}
