import { statSync } from 'node:fs'
import type { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { refusal } from '../helpers/memory.ts'
import { closedMemory, open, sql } from './files.ts'

/** Statements that make the file larger than 8 MB, so that a thread works on it. */
const GROW = [
  'CREATE TABLE filler (bytes BLOB)',
  'INSERT INTO filler VALUES (zeroblob(9000000))',
  'DROP TABLE filler',
]

test('a thread checks, copies and restores a memory over 8 MB, and brings its refusals back', async () => {
  let answers = 0
  const counting = (thread: Worker) =>
    thread.once('message', () => {
      answers += 1
    })
  process.on('worker', counting)
  onTestFinished(() => void process.off('worker', counting))
  const path = await closedMemory()
  sql(path, ...GROW)
  expect(statSync(path).size).toBeGreaterThan(8 << 20)
  const memory = await open(path)
  onTestFinished(() => memory.close())
  const checked = await memory.doctor({})
  expect(checked.checks.filter(({ outcome }) => outcome === 'fail')).toEqual([])
  expect(answers).toBe(1)
  const { name, blocks } = await memory.backup()
  expect([name.endsWith('.db'), blocks]).toEqual([true, 3])
  await memory.restoreBackup({ name })
  expect(answers).toBeGreaterThan(3)
  const broken = await closedMemory('other')
  sql(broken, ...GROW, "UPDATE blocks SET created_at = 'yesterday' WHERE arrival = 3")
  expect((await refusal(memory.restoreBackup({ path: broken }))).code).toBe('STORE_CORRUPT')
})
