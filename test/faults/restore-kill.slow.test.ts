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

test('a memory whose restoring from a backup is killed at any moment is the old or the new one, whole', async () => {
  const folder = temporaryFolder()
  const [old, backup] = [join(folder, 'old.db'), join(folder, 'backup.db')]
  const { memory, learn } = await openTestMemory()
  const texts = (what: string) => Array.from({ length: BLOCKS }, (_, i) => `The ${what} has number ${i}`)
  await learn(...texts('barrel'))
  await memory.backup({ path: backup })
  await learn(...texts('crate'))
  await memory.backup({ path: old })
  const [before, after] = [contentsOf(old), contentsOf(backup)]
  expect(before).not.toBe(after)
  const whole = join(folder, 'whole.db')
  // The first one compiles what the others find compiled.
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
