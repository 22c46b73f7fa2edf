import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import * as z from 'zod'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { settingsSchema } from '../../src/config/settings.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import { operations } from '../../src/operations/table.ts'
import { argumentOfExample } from '../../src/surfaces/example.ts'
import { hostileText, SHAPES } from './texts/shapes.ts'

/** Four times the text may take this many times as long; linear work takes four. */
const GROWTH_MOST = 6
/** A text of the largest size that takes less processor time attacks nothing, and its growth cannot be measured. */
const MEASURABLE_MS = 50
const ROUNDS = 5

/** The largest text that is tried, in bytes; of a document a part of what is taken, because all is proportional. */
const SIZES: Readonly<Record<string, number>> = {
  text: 200_000,
  content: 32_000,
  query: 20_000,
  sourceQuery: 20_000,
  targetQuery: 20_000,
  reason: 16_000,
  note: 16_000,
  summary: 16_000,
}
const NAME_BYTES = 1_024
/** These would leave the memory, or name a place on the machine. */
const LEFT_OUT: ReadonlySet<string> = new Set(['restoreBackup', 'backup', 'export', 'import', 'reembed'])

/** One text argument of one operation, within lists and records too. */
interface Argument {
  readonly operation: string
  readonly path: readonly (string | number)[]
}

interface JsonSchema {
  readonly type?: string
  readonly enum?: unknown
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly additionalProperties?: JsonSchema | boolean
  readonly anyOf?: readonly JsonSchema[]
}

function* textsIn(
  schema: JsonSchema,
  path: readonly (string | number)[],
): Generator<readonly (string | number)[]> {
  if (schema.type === 'string' && schema.enum === undefined) yield path
  for (const [name, each] of Object.entries(schema.properties ?? {})) yield* textsIn(each, [...path, name])
  if (schema.items) yield* textsIn(schema.items, [...path, 0])
  if (typeof schema.additionalProperties === 'object')
    yield* textsIn(schema.additionalProperties, [...path, 'key'])
  for (const each of schema.anyOf ?? []) yield* textsIn(each, path)
}

const ARGUMENTS: readonly Argument[] = operations
  .filter(({ name }) => !LEFT_OUT.has(name))
  .flatMap(({ name, input }) => {
    const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as JsonSchema
    return [...textsIn(schema, [])].map((path) => ({ operation: name, path }))
  })

let folder = ''
let memory: Memory
let ids: readonly string[] = []

// A memory of its own for each argument: what others left there would hide how the time grows.
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'elfmem-growth-'))
  memory = await openMemory(join(folder, 'memory.db'), {
    as: 'owner',
    config: { memory: { autoDream: 'off', secrets: 'redact' } },
    embedder: createHashingEmbedder(),
  })
  const facts = ['The gate opens at six in the morning', 'The tea of the harbour is kept in a blue tin']
  for (const content of facts) await memory.remember({ content })
  await memory.dream()
  ids = (await memory.recall({ query: 'gate tea harbour' })).blockIds
})

afterEach(async () => {
  await memory.close()
  rmSync(folder, { recursive: true, force: true })
})

/** The call that the guide shows, about blocks that are there. */
async function exampleOf(name: string): Promise<Record<string, unknown>> {
  const operation = operations.find((each) => each.name === name)
  const example = (await argumentOfExample(operation?.guide.example ?? '')) ?? {}
  const said = JSON.stringify(example)
    .replaceAll('3f2a9c1e', ids[0] ?? '')
    .replaceAll('b7d041aa', ids[1] ?? '')
  return JSON.parse(said) as Record<string, unknown>
}

function withText(input: unknown, [at, ...rest]: readonly (string | number)[], text: string): unknown {
  if (at === undefined) return text
  const inside =
    typeof input === 'object' && input !== null ? (input as Record<string | number, unknown>)[at] : undefined
  const value = withText(inside, rest, text)
  if (typeof at === 'number') return [value]
  return { ...(input as object), [at]: value }
}

type Call = (input: unknown) => Promise<unknown>

/** Measures the processor time of a call, and of what its text meets in a dream. */
async function cost({ operation, path }: Argument, text: string): Promise<number> {
  const input = withText(await exampleOf(operation), path, text)
  const call = memory[operation as 'remember'] as unknown as Call
  const begun = process.cpuUsage()
  const refused = await call.call(memory, input).then(
    () => undefined,
    (error: unknown) => error as { code?: string },
  )
  if (refused !== undefined) expect(refused.code, String(refused)).toMatch(/^[A-Z_]+$/)
  if (operation === 'remember' && path[0] === 'content') {
    await call.call(memory, withText(input, path, `${text} 5`)).catch(() => undefined)
    await memory.dream()
  }
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1_000
}

/** Measures until a time is good enough; each text has another end, so that none is known. */
async function bestCost(
  argument: Argument,
  { shape, bytes, enough }: { shape: string; bytes: number; enough: number },
): Promise<number> {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS && best > enough; round++) {
    const text = `${hostileText(shape, bytes - 12)} ${letters()}`
    best = Math.min(best, await cost(argument, text))
  }
  return best
}

let made = 0
function letters(): string {
  made += 1
  return made.toString(26).replaceAll(/\d/g, (digit) => 'qrstuvwxyz'.charAt(Number(digit)))
}

async function growthOf(argument: Argument, shape: string, bytes: number): Promise<number> {
  const once = await bestCost(argument, { shape, bytes, enough: Number.POSITIVE_INFINITY })
  if (once < MEASURABLE_MS) return 1
  const short = await bestCost(argument, { shape, bytes: Math.floor(bytes / 4), enough: MEASURABLE_MS })
  // The long text takes a while: the first time that is short enough answers the question.
  const enough = Math.max(short * GROWTH_MOST, MEASURABLE_MS)
  const long = once <= enough ? once : await bestCost(argument, { shape, bytes, enough })
  return long < MEASURABLE_MS ? 1 : long / short
}

test.each(
  ARGUMENTS.map((argument) => ({ name: `${argument.operation}.${argument.path.join('.')}`, argument })),
)('four times the text takes at most six times as long: $name', async ({ argument }) => {
  const name = String(argument.path.findLast((part) => typeof part === 'string'))
  const bytes = SIZES[name] ?? NAME_BYTES
  for (const shape of Object.keys(SHAPES)) {
    let growth = await growthOf(argument, shape, bytes)
    if (growth > GROWTH_MOST) growth = await growthOf(argument, shape, bytes)
    expect(
      growth,
      `${shape}: four times the text took ${growth.toFixed(1)} times as long`,
    ).toBeLessThanOrEqual(GROWTH_MOST)
  }
})

test('learnDocument takes a text of the largest size of any shape', async () => {
  const { documentBytes } = settingsSchema.parse({}).limits
  for (const shape of [
    'underscores',
    'nested quotes',
    'nested lists',
    'blanks',
    'brackets',
    'one long word',
    'Chinese',
    'unsorted marks',
  ]) {
    const text = hostileText(shape, documentBytes)
    const { chunksTotal } = await memory.learnDocument({ text, source: shape })
    expect(chunksTotal, shape).toBeGreaterThan(0)
  }
})
