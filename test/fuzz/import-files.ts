import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { ElfmemError } from '../../src/errors.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import { differences, dumpOf, problemsBeside } from '../faults/dump.ts'
import { copyOf, type Prepared, prepare, quickFolder } from '../faults/prepared.ts'
import { createTestClock } from '../helpers/clock.ts'
import { type Bound, tryFor } from './bound.ts'
import { damaged, damages } from './damage.ts'
import { hostileKey } from './hostile.ts'

/** Something done to the lines of an export. */
type Change =
  | { readonly how: 'drop' | 'repeat' | 'recount'; readonly at: number }
  | { readonly how: 'swap'; readonly at: number; readonly other: number }
  | { readonly how: 'field'; readonly at: number; readonly other: number; readonly value: unknown }
  | { readonly how: 'key'; readonly at: number; readonly key: string }

const at = fc.nat(10_000)
/** Values a field of a table may hold by its type, though not by its meaning, and others. */
const fieldValue = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    ' ',
    '\0',
    'a\0b',
    '\ud83d',
    -1,
    0,
    1,
    1.5,
    2 ** 53,
    1e300,
    [],
    {},
    ['a'],
  ),
  fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-13-01T00:00:00Z', 'active', 'archived', 'random', 'AAAA'),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.jsonValue({ maxDepth: 2 }),
)
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ how: fc.constantFrom('drop' as const, 'repeat' as const, 'recount' as const), at }),
  fc.record({ how: fc.constant('swap' as const), at, other: at }),
  {
    weight: 4,
    arbitrary: fc.record({ how: fc.constant('field' as const), at, other: at, value: fieldValue }),
  },
  fc.record({ how: fc.constant('key' as const), at, key: hostileKey }),
)

/** What becomes of an export before somebody imports it. */
interface Tampering {
  readonly changes: readonly Change[]
  readonly damages: Parameters<typeof damaged>[1]
  /** A byte that is no UTF-8, at this part of a million. */
  readonly badByte: number | undefined
  readonly trusted: boolean
  /** Into a memory that has something already, too. */
  readonly merged: boolean
  readonly recounted: boolean
}

const tampering: fc.Arbitrary<Tampering> = fc.record({
  changes: fc.array(change, { minLength: 1, maxLength: 4 }),
  damages: fc.oneof({ weight: 4, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: damages }),
  badByte: fc.oneof(
    { weight: 9, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.nat(1_000_000) },
  ),
  trusted: fc.boolean(),
  merged: fc.boolean(),
  recounted: fc.boolean(),
})

/** Whatever an export became: refused by its line with nothing taken, or taken so that it can be told on unchanged. */
export async function tryImportFiles(bound: Bound): Promise<void> {
  const folder = quickFolder()
  const prepared = await prepare(folder)
  const whole = await exportOf(prepared, folder)
  let cases = 0
  await tryFor(bound, tampering, async (done) => {
    cases += 1
    const here = join(folder, `case-${cases}`)
    mkdirSync(here)
    try {
      await expectAllOrNothing(tampered(whole, done), { here, prepared, ...done })
    } finally {
      rmSync(here, { recursive: true, force: true })
    }
  })
}

interface Place {
  readonly here: string
  readonly prepared: Prepared
  readonly trusted: boolean
  readonly merged: boolean
}

async function expectAllOrNothing(text: Buffer, { here, prepared, trusted, merged }: Place): Promise<void> {
  const file = join(here, 'given.jsonl')
  writeFileSync(file, text)
  const taken = await takenBy(join(here, 'empty.db'), file, trusted)
  if (merged) await takenBy(copyOf(prepared), file, trusted)
  if (taken === undefined) return
  const again = join(here, 'again.db')
  const second = await withMemory(again, async (memory) => {
    await memory.import({ path: join(here, 'empty.db.out'), trusted: true })
    return exported(memory, join(here, 'again.out'))
  })
  expect(second).toBe(taken)
  if (trusted) expect(recordsOf(taken)).toEqual(recordsOf(text.toString()))
}

/**
 * What an import holds of a file it took in: the file itself, its references, the log and what triggers keep. That the
 * tables agree in what they claim (evidence with reports, an id with its content) it does not look at.
 */
const HELD =
  /^(?:\{|vectors of two lengths|a session that is not there|a clock that fell|edges counted|a degree)/

/** Words alone have nothing to agree with; that two say the same is for a dream to see. */
const HELD_OF_WORDS = /^(?!the same words|a block that no entry)/

/** What a memory tells after the import; undefined when it refused, and then it is what it was. */
async function takenBy(path: string, file: string, trusted: boolean): Promise<string | undefined> {
  return withMemory(path, async (memory) => {
    const before = dumpOf(path)
    try {
      await memory.import({ path: file, trusted })
    } catch (error) {
      expectRefusal(error)
      expect(differences(before, dumpOf(path))).toEqual([])
      return undefined
    }
    const held = trusted ? HELD : HELD_OF_WORDS
    expect(problemsBeside(path).filter((each) => held.test(each))).toEqual([])
    const { checks } = await memory.doctor()
    expect(checks.filter(({ outcome }) => outcome === 'fail')).toEqual([])
    return exported(memory, `${path}.out`)
  })
}

function expectRefusal(error: unknown): void {
  if (!ElfmemError.is(error)) throw new Error('the import failed with no error of ours', { cause: error })
  if (error.code === 'STORE_FAILED' || error.code === 'STORE_CORRUPT')
    throw new Error('the import let an error of the store through', { cause: error })
  expect(error.recovery.trim()).not.toBe('')
  if (error.code === 'INVALID_INPUT') expect(error.message).toMatch(/\bLine \d+\b/)
}

async function withMemory<T>(path: string, work: (memory: Memory) => Promise<T>): Promise<T> {
  const memory = await openMemory(path, {
    embedder: createHashingEmbedder(),
    clock: createTestClock(),
    as: 'owner',
  })
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

async function exportOf({ path }: Prepared, folder: string): Promise<string> {
  return withMemory(path, (memory) => exported(memory, join(folder, 'whole.jsonl')))
}

/** What lines say, in whichever order of lines and fields, without the head and what elfmem makes anew from the rest. */
function recordsOf(text: string): string[] {
  return text
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .filter(({ table, key }) => table !== 'block_index' && key !== 'terms_made_by')
    .map((row) => JSON.stringify(inOrder(row)))
    .sort()
}

function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1))
  return Object.fromEntries(entries.map(([key, each]) => [key, inOrder(each)]))
}

function tampered(whole: string, { changes, damages: done, badByte, recounted }: Tampering): Buffer {
  const lines = whole.trimEnd().split('\n')
  for (const each of changes) changeLine(lines, each)
  if (recounted) recount(lines)
  const bytes = Buffer.from(damaged(`${lines.join('\n')}\n`, done))
  if (badByte !== undefined) bytes[Math.floor((badByte / 1_000_000) * (bytes.length - 1))] = 0xff
  return bytes
}

function changeLine(lines: string[], change: Change): void {
  const place = change.at % Math.max(1, lines.length)
  const line = lines[place]
  if (line === undefined) return
  if (change.how === 'drop') lines.splice(place, 1)
  else if (change.how === 'repeat') lines.splice(place, 0, line)
  else if (change.how === 'recount') recount(lines)
  else if (change.how === 'swap') {
    const other = change.other % lines.length
    lines[place] = lines[other] ?? line
    lines[other] = line
  } else lines[place] = changedFields(line, change)
}

function changedFields(line: string, change: Change): string {
  const row = objectOr(line)
  if (row === undefined) return line
  if (change.how === 'key')
    return JSON.stringify(Object.defineProperty(row, change.key, { value: 1, enumerable: true }))
  if (change.how !== 'field') return line
  const keys = Object.keys(row)
  const key = keys[change.other % Math.max(1, keys.length)] ?? 'table'
  return JSON.stringify({ ...row, [key]: change.value })
}

function objectOr(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

/** Makes the head tell the truth again, so that what was dropped or repeated is looked at for itself. */
function recount(lines: string[]): void {
  const head = objectOr(lines[0] ?? '')
  if (head === undefined) return
  const counts: Record<string, number> = {}
  for (const line of lines.slice(1)) {
    const table = String(objectOr(line)?.table)
    counts[table] = (counts[table] ?? 0) + 1
  }
  lines[0] = JSON.stringify({ ...head, counts })
}
