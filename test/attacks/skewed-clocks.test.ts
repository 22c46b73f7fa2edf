import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { type Memory, openMemory } from '../../src/memory.ts'
import type { Clock } from '../../src/ports/clock.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { temporaryFolder } from '../helpers/memory.ts'

const MINUTE = 60_000
const START = Date.parse('2026-03-02T09:00:00Z')

/** True time, and wall clocks that are off by so many minutes. */
function machine() {
  let passed = 0
  const clockOff = (minutes: number): Clock => ({ now: () => START + passed + minutes * MINUTE })
  const monotonicOff = (minutes: number): Clock => ({ ...clockOff(minutes), monotonic: () => passed })
  return { clockOff, monotonicOff, pass: (milliseconds: number) => (passed += milliseconds) }
}

const open = (path: string, clock: Clock, sessionMode: 'own' | 'resume' = 'own'): Promise<Memory> =>
  openMemory(path, { clock, sessionMode, embedder: createHashingEmbedder() })

async function hoursOf(path: string): Promise<number> {
  const store = await openSqliteStore(path)
  const { hours } = await store.read((tx) => tx.clock())
  await store.close()
  return hours
}

test.each(['clockOff', 'monotonicOff'] as const)(
  'two processes with clocks 20 minutes apart count the time that passed and archive nothing (%s)',
  async (kind) => {
    const path = join(temporaryFolder(), 'memory.db')
    const { pass, ...clocks } = machine()
    const [one, other] = [await open(path, clocks[kind](0)), await open(path, clocks[kind](20))]
    for (let i = 1; i <= 13; i += 1) await one.remember({ content: `The crane ${i} lifts ${i * 3} tons` })
    await one.dream()
    for (let i = 0; i < 100; i += 1) {
      pass(1_000)
      await one.remember({ content: `Shift ${i} began` })
      pass(1_000)
      await other.remember({ content: `Shift ${i} ended` })
    }
    await other.curate()
    expect((await one.ls({ status: 'archived' })).blocks).toEqual([])
    await one.close()
    await other.close()
    expect(await hoursOf(path)).toBeLessThanOrEqual(200 / 3_600 + 1e-9)
    expect(await hoursOf(path)).toBeGreaterThan(0)
  },
)

test('commands whose clocks are 20 minutes apart gain one pause at most, however often they take turns', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const { pass, clockOff } = machine()
  for (let i = 0; i < 40; i += 1) {
    pass(10_000)
    const memory = await open(path, clockOff(i % 2 === 0 ? 0 : 20), 'resume')
    await memory.remember({ content: `Command ${i} ran` })
    await memory.close()
  }
  expect(await hoursOf(path)).toBeLessThanOrEqual(400 / 3_600 + 15 / 60 + 1e-9)
})

test('a clock that comes in rarely, ahead of the others, gains one pause at most', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  const { pass, clockOff } = machine()
  for (let i = 0; i < 120; i += 1) {
    pass(10_000)
    const memory = await open(path, clockOff(i % 10 === 9 ? 20 : 0), 'resume')
    await memory.remember({ content: `Command ${i} ran` })
    await memory.close()
  }
  expect(await hoursOf(path)).toBeLessThanOrEqual(1_200 / 3_600 + 15 / 60 + 1e-9)
})

test('a wall clock that is set ahead by days while a process runs ages the memory by no more than what passed', async () => {
  const path = join(temporaryFolder(), 'memory.db')
  let [passed, ahead] = [0, 0]
  const clock: Clock = { now: () => START + passed + ahead, monotonic: () => passed }
  const memory = await open(path, clock)
  for (let i = 0; i < 50; i += 1) {
    passed += 1_000
    ahead += 24 * 60 * MINUTE
    await memory.remember({ content: `Day ${i} came early` })
  }
  await memory.close()
  expect(await hoursOf(path)).toBeLessThanOrEqual(50 / 3_600 + 1e-9)
})
