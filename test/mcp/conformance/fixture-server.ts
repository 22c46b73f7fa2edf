import { randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { ProtocolError, type Server, type ServerContext } from '@modelcontextprotocol/server'
import { onTestFinished } from 'vitest'
import { limitSettings } from '../../../src/config/limit-settings.ts'
import type { Memory } from '../../../src/memory.ts'
import { Endpoints } from '../../../src/surfaces/mcp/http/endpoints.ts'
import { givenHolder } from '../../../src/surfaces/mcp/http/holders.ts'
import { listenHttp } from '../../../src/surfaces/mcp/http/http-server.ts'
import { ResourceWatch } from '../../../src/surfaces/mcp/resources/watch.ts'
import { createMcpServer } from '../../../src/surfaces/mcp/server.ts'
import { CALLS, contentOf, PROMPTS, promptOf, RESOURCES, TOOLS } from './fixtures.ts'

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
  const endpoints = new Endpoints({
    serverFor: ({ capability, tools }, { caller, era }) =>
      withFixtures(
        createMcpServer(Promise.resolve(memory), {
          ...{ version: '0.0.0-test', as: capability, tools, caller },
          ...(era === 'modern' ? { changes: 'stream' as const } : {}),
        }),
      ),
    watchFor: (_, changed) => new ResourceWatch({ sequence: async () => 0, read: async () => '', changed }),
    limits,
    now: () => performance.now(),
    onerror: () => undefined,
  })
  const server = await listenHttp(
    { host: '127.0.0.1', port: 0 },
    {
      listening: { host: '127.0.0.1', isRemote: false, machine: hostname() },
      holders: { all: () => [holder] },
      ...{ endpoints, limits, onerror: () => undefined },
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
  const instead = (
    method: string,
    answer: (params: Params, context: ServerContext) => Promise<object | undefined>,
  ) => {
    const handle = ours(method)
    handlers.set(method, async (request, context) => {
      const { params = {} } = request as { params?: Params }
      const result = await answer(params, context)
      return (result ?? (await handle(request, context))) as Readonly<Record<string, unknown>>
    })
  }
  instead('tools/call', async ({ name = '' }, context) => {
    const call = CALLS[name]
    if (call === undefined) return undefined
    try {
      return { content: await call(context) }
    } catch (error) {
      if (error instanceof ProtocolError) throw error
      return { isError: true, content: [{ type: 'text', text: (error as Error).message }] }
    }
  })
  instead('prompts/get', async ({ name = '', arguments: given = {} }) => promptOf(name, given))
  instead('resources/read', async ({ uri = '' }) => {
    const content = contentOf(uri)
    return content && { contents: [content] }
  })
  return server
}

interface Params {
  readonly name?: string
  readonly uri?: string
  readonly arguments?: Readonly<Record<string, string>>
}
