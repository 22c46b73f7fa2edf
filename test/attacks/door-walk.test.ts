import { expect, onTestFinished, test } from 'vitest'
import type { JsonSchema } from '../../src/adapters/project/spelling.ts'
import { kebabCase, snakeCase } from '../../src/adapters/project/spelling.ts'
import { CAPABILITIES, type Capability, mayDo } from '../../src/engine/engine.ts'
import { ElfmemError } from '../../src/errors.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { operations } from '../../src/operations/table.ts'
import { inputJsonSchema } from '../../src/surfaces/wire.ts'
import { openTestMemory, temporaryFolder } from '../helpers/memory.ts'
import { elfmem } from '../surfaces/helpers/cli.ts'
import { connectClient } from '../surfaces/helpers/roads.ts'
import { type Input, isPath, ownersCalls, shortestCall } from './walk.ts'

/** Calls an operation; resolves to the code it was refused with, or `ok`. */
type Call = (operation: Operation, input: Input) => Promise<string>

/** A caller of each capability by each way in, each in a memory of its own. */
const SURFACES: Readonly<Record<string, (as: Capability) => Promise<Call>>> = {
  library: async (as) => {
    const { memory } = await openTestMemory({ as })
    return async ({ name }, input) => {
      const method = (memory as unknown as Record<string, (given: Input) => Promise<unknown>>)[name]
      return codeOf(method?.(input))
    }
  },
  'command line': async (as) => {
    const home = temporaryFolder()
    return async ({ name }, input) => {
      const flags = Object.entries(input).flatMap(([key, value]) => flagsOf(key, value))
      const { out } = await elfmem([kebabCase(name), ...flags, '--json', '--as', as], { home, cwd: home })
      return codeIn(JSON.parse(out.slice(out.lastIndexOf('\n{') + 1)))
    }
  },
  MCP: async (as) => {
    const { memory } = await openTestMemory({ as: 'owner' })
    const client = await connectClient(memory, { as })
    return async ({ name }, input) => {
      const args = JSON.parse(JSON.stringify(input), (_key, value) =>
        typeof value === 'object' && value !== null && !Array.isArray(value) ? snake(value) : value,
      ) as Input
      const { structuredContent } = await client.callTool({
        name: `elfmem_${snakeCase(name)}`,
        arguments: args,
      })
      return codeIn(structuredContent)
    }
  },
}

const snake = (value: object) =>
  Object.fromEntries(Object.entries(value).map(([key, each]) => [snakeCase(key), each]))

function flagsOf(key: string, value: unknown): string[] {
  const flag = `--${kebabCase(key)}`
  if (typeof value === 'boolean') return [value ? flag : `--no-${kebabCase(key)}`]
  return [`${flag}=${typeof value === 'object' ? JSON.stringify(snakeDeep(value)) : String(value)}`]
}

function snakeDeep(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeDeep)
  return typeof value === 'object' && value !== null ? snake(value) : value
}

function codeIn(answer: unknown): string {
  const { code, error } = answer as { readonly code?: unknown; readonly error?: unknown }
  return typeof code === 'string' && typeof error === 'string' ? code : 'ok'
}

async function codeOf(call: Promise<unknown> | undefined): Promise<string> {
  try {
    await call
    return 'ok'
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    return error.code
  }
}

/** True of a refusal: only the owner may, or the server has no such tool. */
function isRefusal(code: string, { tools }: Operation, as: Capability): boolean {
  return code === 'OWNER_ONLY' || (tools === 'none' && code === 'TOOL_NOT_LISTED' && as !== 'owner')
}

const WAYS = Object.keys(SURFACES).flatMap((surface) => CAPABILITIES.map((as) => [surface, as] as const))

test.each(WAYS)(
  'every operation that needs more is refused over the %s to a caller that is %s',
  async (surface, as) => {
    const call = await SURFACES[surface]!(as)
    for (const operation of operations) {
      const isRefused = isRefusal(await call(operation, shortestCall(operation)), operation, as)
      expect([operation.name, isRefused]).toEqual([
        operation.name,
        !mayDo({ capability: as }, operation.needs),
      ])
    }
  },
)

test.each(WAYS)(
  'every argument of the owner is refused over the %s to a caller that is %s, unless that is the owner',
  async (surface, as) => {
    const call = await SURFACES[surface]!(as)
    const walked: string[] = []
    for (const operation of operations)
      for (const [path, input] of ownersCalls(operation)) {
        const isRefused = isRefusal(await call(operation, input), operation, as)
        expect([operation.name, path, isRefused]).toEqual([operation.name, path, as !== 'owner'])
        walked.push(`${operation.name}.${path}`)
      }
    expect(walked).toEqual(
      expect.arrayContaining(['remember.sourceClass', 'rememberMany.blocks.sourceClass', 'import.trusted']),
    )
  },
)

const claimsOwner = (schema: JsonSchema) => schema.enum?.includes('user') === true

/** Paths of the arguments of which `wanted` holds. */
function argumentsOf(
  schema: JsonSchema,
  wanted: (schema: JsonSchema, name: string) => boolean,
  path = '',
): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, each]) => {
    const here = path === '' ? name : `${path}.${name}`
    return [...(wanted(each, name) ? [here] : []), ...argumentsOf(each.items ?? each, wanted, here)]
  })
}

test('ownersCalls has every argument that names a file, claims the class user, trusts or allows', () => {
  const wanted = (schema: JsonSchema, name: string) =>
    isPath(schema) || claimsOwner(schema) || /^(trusted|allow\w+)$/.test(name)
  let found = 0
  for (const operation of operations) {
    const owners = ownersCalls(operation).map(([path]) => path)
    for (const path of argumentsOf(inputJsonSchema(operation), wanted)) {
      found += 1
      // Asking for blocks of a class is no claim, nor is a proposal, which the owner decides about.
      if (operation.effect !== 'read' && operation.name !== 'propose')
        expect(owners, `${operation.name}.${path}`).toContain(path)
    }
  }
  expect(found).toBeGreaterThan(8)
})

test.each(CAPABILITIES)(
  'tools/list offers a caller that is %s no value that would be refused',
  async (as) => {
    const { memory } = await openTestMemory({ as: 'owner' })
    onTestFinished(() => memory.close())
    const client = await connectClient(memory, { as })
    const { tools } = await client.listTools()
    const acting = tools.filter(({ name }) => name !== 'elfmem_propose')
    const text = JSON.stringify(acting.map(({ inputSchema }) => inputSchema))
    const offers = ['"path"', '"trusted"', '"allow_constitutional"', '"principles"', '"user"'].filter(
      (each) => text.includes(each),
    )
    expect(offers).toHaveLength(as === 'owner' ? 5 : 0)
  },
)
