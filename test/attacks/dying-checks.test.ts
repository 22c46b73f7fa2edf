import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openMemory } from '../../src/memory.ts'
import { checkFile } from '../../src/sqlite/maintenance/check-file.ts'
import { refusal } from '../helpers/memory.ts'
import { wholeMemories } from './whole-memories.ts'

const memoryFile = wholeMemories()

/** Options of Node for the processes that a test starts. */
function startWith(options: string): void {
  const before = process.env.NODE_OPTIONS
  process.env.NODE_OPTIONS = `${before ?? ''} ${options}`
  onTestFinished(() => {
    if (before === undefined) delete process.env.NODE_OPTIONS
    else process.env.NODE_OPTIONS = before
  })
}

const DYING = `--import=${join(import.meta.dirname, 'children', 'dying.ts')}`
const NONE = '--import=/nowhere.mjs'
const verify = (path: string) =>
  ({ does: 'verify', path, least: { blocks: 0, newest: 0 }, isToServe: false }) as const

test('a file at which the process that checks it dies is refused, and never checked in this one', async () => {
  startWith(DYING)
  const refused = await refusal(checkFile(verify(memoryFile()), { isForeign: true }))
  expect(refused).toMatchObject({
    code: 'STORE_CORRUPT',
    message: expect.stringContaining('without an answer'),
  })
})

test('a backup at which the process that checks it dies is not restored', async () => {
  const memory = await openMemory(memoryFile(), {
    as: 'owner',
    config: { embeddings: { provider: 'hashing' } },
  })
  startWith(DYING)
  expect((await refusal(memory.restoreBackup({ path: memoryFile() }))).code).toBe('STORE_CORRUPT')
  expect((await memory.status()).activeCount).toBe(12)
  await memory.close()
})

test('where no process can be started a file of somebody else is refused, and one of our own is checked here', async () => {
  startWith(NONE)
  const path = memoryFile()
  expect((await refusal(checkFile(verify(path), { isForeign: true }))).code).toBe('STORE_FAILED')
  // Large enough to be worth a process: a log in which nothing is.
  writeFileSync(`${path}-wal`, '')
  truncateSync(`${path}-wal`, 9 << 20)
  expect(await checkFile(verify(path))).toMatchObject({ blocks: 12 })
})
