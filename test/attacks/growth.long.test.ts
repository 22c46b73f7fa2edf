import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/engine/memory.ts'
import type { Operation } from '../../src/operations/operation.ts'
import { operations } from '../../src/operations/table.ts'
import { hostileText, SHAPES } from './texts/shapes.ts'
import { textPlaces } from './walk.ts'

/** Four times the text may take this many times as long; linear work takes four. */
const GROWTH_MOST = 6
/** A text of the largest size that takes less processor time attacks nothing, and its growth cannot be measured. */
const MEASURABLE_MS = 50
const ROUNDS = 3

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
  readonly operation: Operation
  readonly path: string
}

const OPERATIONS = operations.filter(({ name }) => !LEFT_OUT.has(name))

let folder = ''
let memory: Memory
let ids: readonly string[] = []

// Each operation has a memory of its own, because texts of others would hide how the time grows.
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

type Call = (input: unknown) => Promise<unknown>

/** Measures the processor time of a call, and of what its text meets in a dream. */
async function cost({ operation, path }: Argument, text: string): Promise<number> {
  const place = textPlaces(operation, ids[0] ?? '').find((each) => each.path === path)
  const call = memory[operation.name as 'remember'] as unknown as Call
  const begun = process.cpuUsage()
  const refused = await call.call(memory, place?.input(text)).then(
    () => undefined,
    (error: unknown) => error as { code?: string },
  )
  if (refused !== undefined) expect(refused.code, String(refused)).toMatch(/^[A-Z_]+$/)
  if (operation.name === 'remember' && path === 'content') {
    await call.call(memory, place?.input(`${text} 5`)).catch(() => undefined)
    await memory.dream()
  }
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1_000
}

let made = 0

/** Measures the best of some rounds. Each text has another end, so that none is a known text. */
async function bestCost(argument: Argument, shape: string, bytes: number): Promise<number> {
  const costs: number[] = []
  for (let round = 0; round < ROUNDS && (costs[0] ?? MEASURABLE_MS) >= MEASURABLE_MS; round++) {
    made += 1
    const end = made.toString(2).replaceAll('0', 'q').replaceAll('1', 'r')
    costs.push(await cost(argument, `${hostileText(shape, bytes - 24)} ${end}`))
  }
  return Math.min(...costs)
}

async function growthOf(argument: Argument, shape: string, bytes: number): Promise<number> {
  const long = await bestCost(argument, shape, bytes)
  if (long < MEASURABLE_MS) return 1
  return long / (await bestCost(argument, shape, Math.floor(bytes / 4)))
}

test.each(OPERATIONS)('four times any text of $name takes at most six times as long', async (operation) => {
  for (const { path } of textPlaces(operation, ids[0] ?? '')) {
    const name = path.split(/[^A-Za-z]+/).findLast((part) => part !== '') ?? ''
    const bytes = SIZES[name] ?? NAME_BYTES
    for (const shape of Object.keys(SHAPES)) {
      let growth = await growthOf({ operation, path }, shape, bytes)
      if (growth > GROWTH_MOST) growth = await growthOf({ operation, path }, shape, bytes)
      expect([path, shape, growth > GROWTH_MOST]).toEqual([path, shape, false])
    }
  }
})
