import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/engine/memory.ts'
import { ElfmemError } from '../../src/errors.ts'
import { differences, dumpOf, problemsBeside } from '../faults/dump.ts'
import { prepare, quickFolder } from '../faults/prepared.ts'
import { createTestClock } from '../helpers/clock.ts'
import { tryFor } from './bound.ts'
import { hostileKey } from './hostile.ts'

const fieldValue = fc.oneof(
  fc.constantFrom<unknown>(null, true, '', 'a\0b', '\ud83d', -1, 0, 1.5, 2 ** 53, 1e300, [], {}, ['a']),
  fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-13-01T00:00:00Z', 'active', 'archived', 'AAAA'),
  fc.jsonValue({ maxDepth: 2 }),
)

/** One change to the lines of an export; places are taken modulo the number of lines or fields. */
interface Change {
  readonly how: 'drop' | 'repeat' | 'field' | 'key'
  readonly at: number
  readonly other: number
  readonly key: string
  readonly value: unknown
}

const change: fc.Arbitrary<Change> = fc.record({
  how: fc.constantFrom('drop', 'repeat', 'field', 'field', 'field', 'key'),
  at: fc.nat(10_000),
  other: fc.nat(10_000),
  key: hostileKey,
  value: fieldValue,
})

const tampering = fc.record({
  changes: fc.array(change, { minLength: 1, maxLength: 4 }),
  /** At this part of a million the bytes end, or one byte is no UTF-8. */
  cutAt: fc.option(fc.nat(1_000_000), { nil: undefined, freq: 6 }),
  badByteAt: fc.option(fc.nat(1_000_000), { nil: undefined, freq: 6 }),
  /** The head counts the lines that are there, so that a dropped one is looked at for itself. */
  recounted: fc.boolean(),
  trusted: fc.boolean(),
})
type Tampering = typeof tampering extends fc.Arbitrary<infer T> ? T : never

/** Takes in changed exports. */
export async function tryImportFiles(): Promise<void> {
  const folder = quickFolder()
  const { path } = await prepare(folder)
  const whole = await withMemory(path, (memory) => exported(memory, join(folder, 'whole.jsonl')))
  let cases = 0
  await tryFor(tampering, async (done) => {
    cases += 1
    const here = join(folder, `case-${cases}`)
    mkdirSync(here)
    writeFileSync(join(here, 'given.jsonl'), tampered(whole, done))
    try {
      await expectAllOrNothing(here, done.trusted)
    } finally {
      rmSync(here, { recursive: true, force: true })
    }
  })
}

/** Expects that an import takes all or nothing, and that its export imports again without a change. */
async function expectAllOrNothing(here: string, trusted: boolean): Promise<void> {
  const first = await takenBy(join(here, 'first.db'), join(here, 'given.jsonl'), trusted)
  if (first === undefined) return
  const second = await takenBy(join(here, 'second.db'), join(here, 'first.db.out'), true)
  expect(second).toBe(first)
}

/** The problems that an import looks for; it does not compare its tables with each other. */
const HELD = /^(?:\{|vectors of two lengths|a session that is not there|a clock that fell)/

/** The export of the memory after the import; undefined when it refused, and then nothing has changed. */
async function takenBy(path: string, file: string, trusted: boolean): Promise<string | undefined> {
  return withMemory(path, async (memory) => {
    const before = dumpOf(path)
    const refused: unknown = await memory.import({ path: file, trusted }).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (refused !== undefined) {
      expectRefusal(refused)
      expect(differences(before, dumpOf(path))).toEqual([])
      return undefined
    }
    expect(problemsBeside(path).filter((problem) => HELD.test(problem))).toEqual([])
    return exported(memory, `${path}.out`)
  })
}

function expectRefusal(error: unknown): void {
  if (!ElfmemError.is(error)) throw new Error('the import failed with no error of ours', { cause: error })
  expect(['STORE_FAILED', 'STORE_CORRUPT']).not.toContain(error.code)
  expect(error.recovery.trim()).not.toBe('')
  if (error.code === 'INVALID_INPUT') expect(error.message).toMatch(/\bLine \d+\b/)
}

async function withMemory<T>(path: string, work: (memory: Memory) => Promise<T>): Promise<T> {
  const embedder = createHashingEmbedder()
  const memory = await openMemory(path, { embedder, clock: createTestClock(), as: 'owner' })
  try {
    return await work(memory)
  } finally {
    await memory.close()
  }
}

async function exported(memory: Memory, path: string): Promise<string> {
  await memory.export({ path })
  return readFileSync(path, 'utf8')
}

function tampered(whole: string, { changes, cutAt, badByteAt, recounted }: Tampering): Buffer {
  const lines = whole.trimEnd().split('\n')
  for (const each of changes) changeLines(lines, each)
  if (recounted) recount(lines)
  const bytes = Buffer.from(`${lines.join('\n')}\n`)
  const place = (part: number) => Math.floor((part / 1_000_000) * (bytes.length - 1))
  if (badByteAt !== undefined) bytes[place(badByteAt)] = 0xff
  return cutAt === undefined ? bytes : bytes.subarray(0, place(cutAt))
}

function changeLines(lines: string[], { how, at, other, key, value }: Change): void {
  const place = at % Math.max(1, lines.length)
  const line = lines[place]
  if (line === undefined) return
  if (how === 'drop') lines.splice(place, 1)
  else if (how === 'repeat') lines.splice(place, 0, line)
  else {
    const row = JSON.parse(line) as Record<string, unknown>
    const keys = Object.keys(row)
    const name = how === 'key' ? key : (keys[other % keys.length] ?? key)
    lines[place] = JSON.stringify(Object.defineProperty(row, name, { value, enumerable: true }))
  }
}

function recount(lines: string[]): void {
  const [head = '{}', ...rows] = lines
  const counts: Record<string, number> = {}
  for (const row of rows) {
    const table = String((JSON.parse(row) as { readonly table?: unknown }).table)
    counts[table] = (counts[table] ?? 0) + 1
  }
  lines[0] = JSON.stringify({ ...JSON.parse(head), counts })
}
