import { copyFileSync, existsSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { ElfmemError } from '../../src/errors.ts'
import { openMemory } from '../../src/memory.ts'
import { createDice } from './dice.ts'
import { quickFolder } from './prepared.ts'
import { problemsIn } from './whole.ts'

const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 1_000)
const SEED = Number(process.env.FAULT_SEED ?? 20_261_122)
const WRITES = 60
const PARTS = ['', '-wal', '-shm', '-index'] as const

type Wound = (path: string, dice: () => number) => void

const WOUNDS: Readonly<Record<string, Wound>> = {
  'cut short': (path, dice) => truncateSync(path, Math.floor(dice() * statSync(path).size)),
  'with bytes flipped': (path, dice) => {
    const bytes = readFileSync(path)
    for (let i = 0; i < 8; i++) {
      const at = Math.floor(dice() * bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ 0xff
    }
    writeFileSync(path, bytes)
  },
  'with a page of noise': (path, dice) => {
    const bytes = readFileSync(path)
    const at = Math.floor((dice() * bytes.length) / 4096) * 4096
    bytes.fill(0xa5, at, Math.min(at + 4096, bytes.length))
    writeFileSync(path, bytes)
  },
}

/** A memory whose newest writes are in its log alone, as a power failure leaves them, with a packed index. */
async function leftOpen(folder: string): Promise<string> {
  const path = join(folder, 'whole.db')
  const first = await openMemory(path, { as: 'owner', embedder: createHashingEmbedder() })
  const blocks = Array.from({ length: 1_000 }, (_, i) => ({ content: `The harbour keeps record ${i}` }))
  await first.rememberMany({ blocks })
  await first.dream()
  await first.close()
  const memory = await openMemory(path, { as: 'owner', embedder: createHashingEmbedder() })
  for (let i = 0; i < WRITES; i++) await memory.remember({ content: `late ${String(i).padStart(3, '0')}` })
  const copy = join(folder, 'left.db')
  for (const part of PARTS) if (existsSync(path + part)) copyFileSync(path + part, copy + part)
  await memory.close()
  return copy
}

/** Opens and uses what is left; how that ended. What a damaged file says itself has no checksum to tell it by. */
async function use(path: string, isFileWhole: boolean): Promise<'works' | 'refused'> {
  try {
    const memory = await openMemory(path, { as: 'owner', embedder: createHashingEmbedder() })
    try {
      const { blocks } = await memory.recall({ query: 'record 77 of the harbour', reinforce: false })
      if (isFileWhole)
        for (const { content } of blocks)
          expect(content).toMatch(/^(The harbour keeps record \d+|late \d{3})$/)
      await memory.remember({ content: 'After the storm' })
      await memory.dream()
    } finally {
      await memory.close()
    }
    return 'works'
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    // A schema with another letter in it reads like one of somebody else.
    expect(['STORE_CORRUPT', 'STORE_FAILED', 'STORE_FOREIGN']).toContain(error.code)
    expect(error.recovery.length).toBeGreaterThan(10)
    return 'refused'
  }
}

/** The late writes that are there, in the order in which they were made. */
function lateIn(path: string): string[] {
  const database = new DatabaseSync(path)
  const rows = database
    .prepare(`SELECT content FROM blocks WHERE content LIKE 'late %' ORDER BY arrival`)
    .all()
  database.close()
  return rows.map(({ content }) => String(content))
}

const late = Array.from({ length: WRITES }, (_, i) => `late ${String(i).padStart(3, '0')}`)

test(
  `a torn log, shared memory or packed index costs at most the newest writes, a torn file is refused or works, ${ROUNDS} times`,
  async () => {
    const folder = quickFolder()
    const source = await leftOpen(folder)
    const dice = createDice(SEED)
    const counts = new Map<string, number>()
    for (let round = 0; round < ROUNDS; round++) {
      const part = PARTS[round % PARTS.length] ?? ''
      const [how, wound] = Object.entries(WOUNDS)[Math.floor(dice() * 3)] as [string, Wound]
      const path = join(folder, `${round}.db`)
      for (const each of PARTS) copyFileSync(source + each, path + each)
      wound(path + part, dice)
      const end = await use(path, part !== '')
      const what = `${part === '' ? 'file' : part} ${how}: ${end}`
      counts.set(what, (counts.get(what) ?? 0) + 1)
      // Only the file itself has no copy of what it says.
      if (part === '') continue
      expect([round, what]).toEqual([round, `${part} ${how}: works`])
      const found = lateIn(path)
      expect([round, ...found]).toEqual([round, ...late.slice(0, found.length)])
      if (part !== '-wal') expect([round, part, found.length]).toEqual([round, part, WRITES])
      expect([round, ...problemsIn(path)]).toEqual([round])
    }
    process.stdout.write(
      `${[...counts]
        .map(([what, many]) => `${what} ${many}`)
        .sort()
        .join(', ')}\n`,
    )
  },
  60_000 + ROUNDS * 5_000,
)
