import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { ProtocolError, type Server, type ServerContext } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import { limitSettings } from '../../../src/config/limit-settings.ts'
import type { Memory } from '../../../src/memory.ts'
import { Endpoints } from '../../../src/surfaces/mcp/http/endpoints.ts'
import { givenHolder, type Holder } from '../../../src/surfaces/mcp/http/holders.ts'
import { listenHttp } from '../../../src/surfaces/mcp/http/http-server.ts'
import { ResourceWatch } from '../../../src/surfaces/mcp/resources/watch.ts'
import { createMcpServer, type McpServerOptions } from '../../../src/surfaces/mcp/server.ts'
import { CALLS, contentOf, PROMPTS, promptOf, RESOURCES, TOOLS } from './fixtures.ts'
import { ASKING_PROMPT, askingPrompt, QUESTIONS } from './questions.ts'
import { Sessions } from './sessions.ts'

type Handle = (request: object, context: ServerContext) => Promise<Readonly<Record<string, unknown>>>

/**
 * Serves a memory as `elfmem serve --http` does, and adds the tools, prompts and resources that only the conformance suite has a
 * use for. Gate, bridge, endpoints and everything that is not added are ours.
 */
export async function serveFixtures(
  memory: Memory,
): Promise<{ readonly url: string; readonly token: string }> {
  const token = randomBytes(32).toString('base64url')
  const holder = givenHolder(token, { capability: 'agent', tools: 'agent' })
  const limits = () => limitSettings.parse({})
  const serverFor = (
    { capability, tools }: Holder,
    how: Pick<McpServerOptions, 'caller' | 'changes'>,
  ): Server =>
    withFixtures(
      createMcpServer(Promise.resolve(memory), { version: '0.0.0-test', as: capability, tools, ...how }),
    )
  const endpoints = new Endpoints({
    serverFor: (of, { caller }) => serverFor(of, { caller, changes: 'stream' }),
    watchFor: (_, changed) =>
      new ResourceWatch({ onLook: () => () => undefined, read: async () => '', changed }),
    limits,
    now: () => performance.now(),
    onerror: () => undefined,
  })
  const server = await listenHttp(
    { host: '127.0.0.1', port: 0 },
    {
      listening: { host: '127.0.0.1', isRemote: false, machine: hostname() },
      holders: { all: () => [holder] },
      endpoints: new Sessions(endpoints, (of) => serverFor(of, { changes: 'connection' })),
      ...{ limits, onerror: () => undefined },
    },
  )
  onTestFinished(() => server.close())
  return { url: `http://127.0.0.1:${server.port}/mcp`, token }
}

function withFixtures(server: Server): Server {
  // What is ours answers whatever is not added.
  const { _requestHandlers: handlers } = server as unknown as { _requestHandlers: Map<string, Handle> }
  const ours = (method: string) => handlers.get(method) as Handle
  const add = (method: string, key: string, more: readonly object[]) => {
    const handle = ours(method)
    handlers.set(method, async (request, context) => {
      const result = await handle(request, context)
      return { ...result, [key]: [...(result[key] as object[]), ...more] }
    })
  }
  add('tools/list', 'tools', TOOLS)
  add('prompts/list', 'prompts', PROMPTS)
  add('resources/list', 'resources', RESOURCES)
  add('resources/templates/list', 'resourceTemplates', [
    { uriTemplate: 'test://template/{id}/data', name: 'template', description: 'Of the conformance suite.' },
  ])
  // Set as ours are, so that a question to the client takes the same way as any answer.
  const instead = (
    method: Replaced,
    answer: (params: Params, context: ServerContext) => Promise<object | undefined>,
  ) => {
    const handle = ours(method)
    server.setRequestHandler(method, async (request: { params?: object }, context: ServerContext) => {
      const result = await answer((request.params ?? {}) as Params, context)
      return (result ?? (await handle(request, context))) as never
    })
  }
  instead('tools/call', async ({ name = '', arguments: given = {} }, context) => {
    const call = CALLS[name] ?? QUESTIONS[name]
    if (call === undefined) return undefined
    try {
      const answer = await call(context, given)
      return Array.isArray(answer) ? { content: answer } : answer
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      return { isError: true, content: [{ type: 'text', text: (error as Error).message }] }
    }
  })
  instead('prompts/get', async ({ name = '', arguments: given = {} }, context) =>
    name === ASKING_PROMPT ? askingPrompt(context) : promptOf(name, given),
  )
  instead('resources/read', async ({ uri = '' }) => {
    const content = contentOf(uri)
    return content && { contents: [content] }
  })
  for (const method of ['resources/subscribe', 'resources/unsubscribe'] as const)
    if (handlers.has(method))
      instead(method, async ({ uri = '' }) => (uri === 'test://watched-resource' ? {} : undefined))
  server.registerCapabilities({ logging: {} })
  return server
}

type Replaced =
  | 'tools/call'
  | 'prompts/get'
  | 'resources/read'
  | 'resources/subscribe'
  | 'resources/unsubscribe'

interface Params {
  readonly name?: string
  readonly uri?: string
  readonly arguments?: Readonly<Record<string, string>>
}
