import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, test } from 'vitest'
import { readVectors } from '../../src/store/blocks.ts'
import { openTestMemory } from '../helpers/memory.ts'

const child = join(import.meta.dirname, 'children/reembed.ts')
const BLOCKS = 200

/** Starts a change of embedder and kills it after so many lines; returns the lines. */
async function changeAndDie(path: string, lines: number): Promise<string[]> {
  const running = spawn(process.execPath, ['--no-warnings', child, path])
  const said: string[] = []
  const reader = createInterface({ input: running.stdout })
  reader.on('line', (line) => {
    said.push(line)
    if (said.length === lines) running.kill('SIGKILL')
  })
  await Promise.all([once(running, 'exit'), once(reader, 'close')])
  return said
}

test('a change of embedder killed again and again goes on where it was, and the old vectors serve meanwhile', async () => {
  const { memory, path, learn, store } = await openTestMemory()
  const ids = await learn(...Array.from({ length: BLOCKS }, (_, i) => `Kettle number ${i} is blue`))
  const old = await store.read((tx) => readVectors(tx, ids))
  let before = 0
  for (const lines of [2, 3, 5, 9]) {
    const reached = Number((await changeAndDie(path, lines)).at(-1))
    expect(reached).toBeGreaterThan(before)
    before = reached
    expect(await store.read((tx) => readVectors(tx, ids))).toEqual(old)
    expect((await memory.recall({ query: 'kettle 7', reinforce: false })).note).not.toContain('words alone')
  }
  const said = await changeAndDie(path, Number.POSITIVE_INFINITY)
  expect(Number(said[0])).toBeGreaterThanOrEqual(before)
  expect(said.at(-1)).toBe(`embedded ${BLOCKS - Number(said[0])}`)
  const changed = await store.read((tx) => readVectors(tx, ids))
  expect([...changed.values()].filter(({ vector }) => vector.length === 48)).toHaveLength(BLOCKS)
})
