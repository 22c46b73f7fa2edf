import { readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import { refusal, temporaryFolder } from '../helpers/memory.ts'

const open = (path: string): Promise<Memory> =>
  openMemory(path, { embedder: createHashingEmbedder(), as: 'owner' })

const FACT = 'Acknowledged fact on rye and mills.'

/** An open memory that acknowledged a fact, which is in its log. */
async function memoryWithLog() {
  const path = join(temporaryFolder(), 'memory.db')
  const memory = await open(path)
  await memory.remember({ content: FACT })
  return { path, memory }
}

function contentsIn(path: string): string[] {
  const raw = new DatabaseSync(path, { readOnly: true })
  const rows = raw.prepare('SELECT content FROM blocks ORDER BY arrival').all()
  raw.close()
  return rows.map(({ content }) => String(content))
}

test.each(['-wal', '-shm'])(
  'a memory that lost its %s is not opened again by its process, and what it acknowledged is saved when it closes',
  async (ending) => {
    const { path, memory } = await memoryWithLog()
    rmSync(`${path}${ending}`)
    for (let i = 0; i < 2; i += 1) expect((await refusal(open(path))).code).toBe('STORE_MOVED')
    await memory.close()
    const again = await open(path)
    await again.close()
    expect(contentsIn(path)).toEqual([FACT])
  },
)

test('a memory whose log is gone before its first call is not opened again by its process', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const memory = await open(path)
  rmSync(`${path}-wal`)
  expect((await refusal(open(path))).code).toBe('STORE_MOVED')
  await memory.close()
  await (await open(path)).close()
})

test('a memory that was moved while it is open is opened at its new path only when it is closed', async () => {
  const { path, memory } = await memoryWithLog()
  renameSync(path, `${path}.moved`)
  expect((await refusal(open(`${path}.moved`))).code).toBe('STORE_MOVED')
  await memory.close()
  const again = await open(`${path}.moved`)
  await again.close()
  expect(contentsIn(`${path}.moved`)).toEqual([FACT])
})

test.each([
  ['emptied', (log: string) => truncateSync(log, 0)],
  ['written over with noise', (log: string) => writeFileSync(log, Buffer.alloc(30_000, 7))],
])('a memory whose log was %s is not opened again by its process, which changes nothing', async (_, harm) => {
  const { path, memory } = await memoryWithLog()
  harm(`${path}-wal`)
  const before = ['', '-wal'].map((ending) => readFileSync(`${path}${ending}`))
  expect((await refusal(open(path))).code).toBe('STORE_MOVED')
  expect(['', '-wal'].map((ending) => readFileSync(`${path}${ending}`))).toEqual(before)
  await memory.close()
})

test('a memory that lost nothing is opened again by its process', async () => {
  const { path, memory } = await memoryWithLog()
  const second = await open(path)
  await second.remember({ content: 'Said by the second.' })
  await memory.close()
  const third = await open(path)
  await third.close()
  await second.close()
  expect(contentsIn(path)).toEqual([FACT, 'Said by the second.'])
})
