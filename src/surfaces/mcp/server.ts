import { Server } from '@modelcontextprotocol/server'
import type { Capability } from '../../engine/engine.ts'
import type { Memory } from '../../engine/memory.ts'
import type { CallableMemory } from '../../engine/open-memory.ts'
import { type ToolChoice, USUAL_TOOL_SET } from '../../operations/tool-choice.ts'
import { callHookTool, HOOK_TOOL, HOOK_TOOL_NAME, type HookFront, nothingToSay } from '../hooks/hook-tool.ts'
import { Caller, type KnownCaller } from './caller.ts'
import { instructionsFor } from './instructions.ts'
import { serveResources, serveSubscriptions } from './resources/serve-resources.ts'
import type { Served } from './tool-names.ts'

/** The version, clock, rights and tools of a server. */
export interface McpServerOptions {
  /** The version of this package, which clients show. */
  readonly version: string
  /** Milliseconds by which calls are counted; only differences count. A clock of the process unless given. */
  readonly now?: () => number
  /** The capability of clients; `agent` unless given. */
  readonly as?: Capability | undefined
  /** The set of tools that is listed, and called, or the names of operations; `agent` unless given. */
  readonly tools?: ToolChoice | undefined
  /** True lists the schemas of answers, too, which cost a client more than the tools. False unless given. */
  readonly outputSchemas?: boolean | undefined
  /** The caller, if it is known without the client; else the client names itself, and has a rate of its own. */
  readonly caller?: KnownCaller | undefined
  /** Answers hooks of the client, by a tool that is listed with the others; no such tool unless given. */
  readonly hooks?: HookFront | undefined
  /**
   * The way in which changes of resources get to a client: over its connection, or over a stream that somebody serves. Absent:
   * none.
   */
  readonly changes?: 'connection' | 'stream' | undefined
}

/** Tools change only with the version of the package, and with what their server or token was made for. */
const TOOL_LIST_TTL_MS = 3_600_000

/**
 * An MCP server with one tool for each operation, not yet connected.
 *
 * It answers the handshake at once, before any operation is loaded; a call waits for the memory, and reports why when
 * it could not be opened.
 */
export function createMcpServer(
  opening: Promise<Memory | CallableMemory>,
  options: McpServerOptions,
): Server {
  const { version, as = 'agent', tools = USUAL_TOOL_SET, outputSchemas = false, changes, hooks } = options
  // Every memory is one: a program's has its methods besides.
  const memory = opening as Promise<CallableMemory>
  // Awaited by each call; until the first one a failed opening is nobody's unhandled rejection.
  memory.catch(() => undefined)
  const served = { capability: as, tools, token: options.caller }
  const now = options.now ?? (() => performance.now())
  const caller = new Caller(memory, served, { now, known: options.caller })
  const server = new Server(
    { name: 'elfmem', title: 'elfmem', version },
    {
      capabilities: {
        tools: {},
        prompts: {},
        resources: { subscribe: changes !== undefined },
        completions: {},
      },
      instructions: instructionsFor(served),
      // Each caller has the list of its own rights, so nobody in between may hand it to another.
      cacheHints: { 'tools/list': { ttlMs: TOOL_LIST_TTL_MS, cacheScope: 'private' } },
    },
  )
  const serving = { memory, served, caller }
  serveTools(server, serving, { outputSchemas, hooks })
  servePrompts(server, serving)
  serveResources(server, serving)
  if (changes === 'connection') serveSubscriptions(server, serving)
  return server
}

/** Calls that a list of the tools counts as: it is 8 to 35 kB by the set, and clients ask for it once. */
const LIST_CALLS = 20

/** The memory a server serves, for whom, and who asks. */
interface Serving {
  readonly memory: Promise<CallableMemory>
  readonly served: Served
  readonly caller: Caller
}

function serveTools(
  server: Server,
  { memory, served, caller }: Serving,
  { outputSchemas, hooks }: { readonly outputSchemas: boolean; readonly hooks: HookFront | undefined },
): void {
  server.setRequestHandler('tools/list', () =>
    caller.ask(
      () => LIST_CALLS,
      async () => {
        const listed = await (await import('./tool-list.ts')).listTools({ ...served, outputSchemas })
        return { tools: hooks === undefined ? listed : [...listed, HOOK_TOOL] }
      },
    ),
  )
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    if (hooks !== undefined && params.name === HOOK_TOOL_NAME)
      return (
        caller
          .ask(
            () => 1,
            () => callHookTool(hooks, params.arguments),
          )
          // One call too many: no hook fails its client.
          .catch(() => nothingToSay())
      )
    const { callTool } = await import('./tools.ts')
    const call = {
      name: params.name,
      arguments: params.arguments,
      context: await caller.context(server, context),
    }
    return callTool(memory, served, call)
  })
}

function servePrompts(server: Server, { memory, served, caller }: Serving): void {
  server.setRequestHandler('prompts/list', () =>
    caller.ask(
      () => 1,
      async () => ({ prompts: await (await import('./prompts.ts')).promptsOf(served) }),
    ),
  )
  server.setRequestHandler('prompts/get', ({ params }, context) =>
    caller.ask(
      () => 1,
      async () => {
        const { getPrompt } = await import('./prompts.ts')
        return getPrompt(await memory, served, {
          ...params,
          context: await caller.uncounted(server, context),
        })
      },
    ),
  )
}
