import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { openTestMemory, temporaryFolder } from '../helpers/memory.ts'
import { createDice } from './dice.ts'
import { runAndDie } from './run-and-die.ts'
import { problemsIn } from './whole.ts'

const ROUNDS = Number(process.env.FAULT_ROUNDS ?? 24) / 2
const SEED = Number(process.env.FAULT_SEED ?? 20_261_122)
const BLOCKS = 200

const child = join(import.meta.dirname, 'children/restore-backup.ts')

function contentsOf(path: string): string {
  const database = new DatabaseSync(path)
  const rows = database
    .prepare(
      'SELECT content, status, length(vector) AS bytes FROM blocks LEFT JOIN block_vectors USING (arrival) ORDER BY id',
    )
    .all()
  database.close()
  return JSON.stringify(rows)
}

test('restoreBackup killed at any moment leaves the old memory or the new one, whole', async () => {
  const folder = temporaryFolder()
  const [old, backup] = [join(folder, 'old.db'), join(folder, 'backup.db')]
  const { memory } = await openTestMemory()
  const learn = async (what: string) => {
    const contents = Array.from({ length: BLOCKS }, (_, i) => `The ${what} has number ${i}`)
    await memory.rememberMany({ blocks: contents.map((content) => ({ content })) })
    await memory.dream()
  }
  await learn('barrel')
  await memory.backup({ path: backup })
  await learn('crate')
  await memory.backup({ path: old })
  const [before, after] = [contentsOf(old), contentsOf(backup)]
  expect(before).not.toBe(after)
  const whole = join(folder, 'whole.db')
  // The first run compiles the code that the others find compiled.
  let took = 0
  for (let time = 0; time < 2; time++) {
    copyFileSync(old, whole)
    took = (await runAndDie(child, [whole, backup], Number.POSITIVE_INFINITY)).took
    expect(contentsOf(whole)).toBe(after)
  }
  const dice = createDice(SEED)
  const ends = new Set<string>()
  for (let round = 0; round < ROUNDS; round++) {
    const killed = join(folder, `${round}.db`)
    copyFileSync(old, killed)
    const { said } = await runAndDie(child, [killed, backup], dice() * took * 1.2)
    const contents = contentsOf(killed)
    const end = contents === before ? 'old' : contents === after ? 'new' : 'neither'
    ends.add(end)
    expect([round, said.includes('done') ? 'new' : end, problemsIn(killed)]).toEqual([round, end, []])
  }
  expect([...ends].sort()).toEqual(['new', 'old'])
  const again = await openTestMemory({ path: join(folder, '0.db') })
  expect((await again.memory.recall({ query: 'barrel number 7' })).blocks.length).toBeGreaterThan(0)
})
