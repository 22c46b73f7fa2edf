import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { onTestFinished } from 'vitest'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { kebabCase, snakeCase } from '../../../src/adapters/project/spelling.ts'
import { openMemory as openAtService } from '../../../src/client/index.ts'
import type { Capability } from '../../../src/engine/engine.ts'
import { type Memory, openMemory } from '../../../src/engine/memory.ts'
import type { OpenMemory } from '../../../src/engine/open-memory.ts'
import { ElfmemError } from '../../../src/errors.ts'
import { operations } from '../../../src/operations/table.ts'
import type { ToolChoice } from '../../../src/operations/tool-choice.ts'
import { createMcpServer } from '../../../src/surfaces/mcp/server.ts'
import { wireOf } from '../../../src/surfaces/wire.ts'
import { oneMemory, startService } from '../../service/helpers/service.ts'
import { elfmem, temporaryDirectory } from './cli.ts'

/** The result or the code of a call, as the wire spells them. */
export interface Answer {
  readonly result?: Readonly<Record<string, unknown>>
  readonly code?: string
}

/** One way to one fresh memory. Input in camelCase, as the library takes it. */
export type Road = (name: string, input: Readonly<Record<string, unknown>>) => Promise<Answer>

export async function openTestMemory(path = ':memory:'): Promise<Memory> {
  // Like a command, which is over too soon to dream by itself.
  const config = { memory: { autoDream: 'off' as const } }
  const memory = await openMemory(path, { embedder: createHashingEmbedder(), config, as: 'owner' })
  onTestFinished(() => memory.close())
  return memory
}

export async function libraryRoad(): Promise<Road> {
  return roadOf(await openTestMemory(`${temporaryDirectory()}/memory.db`))
}

/** The library over the address of a service. */
export async function clientRoad(): Promise<Road> {
  const kept = await openTestMemory(`${temporaryDirectory()}/memory.db`)
  const service = await startService({}, { memories: oneMemory(kept as unknown as OpenMemory) })
  const token = service.token('ann', { capability: 'owner' })
  const memory = await openAtService(service.url, { token })
  onTestFinished(() => memory.close())
  return roadOf(memory)
}

function roadOf(memory: Memory): Road {
  return async (name, input) => {
    const method = (memory as unknown as Record<string, (given: unknown) => Promise<unknown>>)[name]!
    try {
      return { result: wireOf(operations.find((each) => each.name === name)!).toOutput(await method(input)) }
    } catch (error) {
      if (!ElfmemError.is(error)) throw error
      return { code: error.code }
    }
  }
}

export async function cliRoad(): Promise<Road> {
  const home = temporaryDirectory()
  return async (name, input) => {
    const flags = Object.entries(input).flatMap(([key, value]) => flagOf(key, value))
    const { out } = await elfmem([kebabCase(name), ...flags, '--json'], { home })
    return answerOf(JSON.parse(out))
  }
}

export async function mcpRoad(): Promise<Road> {
  const client = await connectClient(await openTestMemory(`${temporaryDirectory()}/memory.db`), {
    as: 'owner',
  })
  return async (name, input) => {
    const args = Object.fromEntries(Object.entries(input).map(([key, value]) => [snakeCase(key), value]))
    const { structuredContent } = await client.callTool({
      name: `elfmem_${snakeCase(name)}`,
      arguments: args,
    })
    return answerOf(structuredContent as Record<string, unknown>)
  }
}

/** The official client, connected to a server over the memory that lists all tools and their answers unless another is asked for. */
export async function connectClient(
  memory: Memory,
  {
    name = 'test client',
    as,
    tools = 'all',
    outputSchemas = true,
  }: {
    readonly name?: string
    readonly as?: Capability
    readonly tools?: ToolChoice
    readonly outputSchemas?: boolean
  } = {},
): Promise<Client> {
  const server = createMcpServer(Promise.resolve(memory), {
    version: '0.0.0-test',
    ...{ as, tools, outputSchemas },
  })
  const client = new Client({ name, version: '1.0.0' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(far), client.connect(near)])
  onTestFinished(() => client.close())
  // From here on the client checks every result against the schema the server declared.
  await client.listTools()
  return client
}

function flagOf(key: string, value: unknown): string[] {
  const flag = `--${kebabCase(key)}`
  if (key === 'expect')
    return Object.entries(value as object).flatMap(([part, each]) => flagOf(`${key}-${part}`, each))
  if (typeof value === 'boolean') return [value ? flag : `--no-${kebabCase(key)}`]
  const isList = Array.isArray(value) && value.every((each) => typeof each !== 'object')
  if (isList) return value.flatMap((each) => [flag, String(each)])
  return [`${flag}=${typeof value === 'object' ? JSON.stringify(value) : String(value)}`]
}

function answerOf(data: Record<string, unknown>): Answer {
  return 'error' in data && 'code' in data ? { code: String(data.code) } : { result: data }
}
