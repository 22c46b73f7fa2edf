import { expect, test } from 'vitest'
import type { Store } from '../../src/ports/store/store.ts'
import { openSqliteStore } from '../../src/sqlite/store.ts'
import { openTestMemory } from '../helpers/memory.ts'

/** A memory that tells how often a past was read, and how many of these are open. */
async function counted() {
  const store = await openSqliteStore(':memory:')
  const seen = { read: 0, open: 0 }
  const past: Store['past'] = async (moment) => {
    const { store: then, ...known } = await store.past(moment)
    seen.read++
    seen.open++
    const close = () => {
      seen.open--
      return then.close()
    }
    return { store: { ...then, close }, ...known }
  }
  const opened = await openTestMemory({ store: { ...store, past } })
  await opened.memory.remember({ content: 'The depot is in Kiel.', at: '2026-01-05' })
  await opened.memory.dream()
  return { ...opened, seen }
}

const ASK = { query: 'Where is the depot?', asOf: '2026-02-01' }

test('the next question about the same time reads the past no second time', async () => {
  const { memory, seen } = await counted()
  const first = await memory.recall(ASK)
  const second = await memory.recall({ ...ASK, query: 'depot' })
  await memory.ls({ asOf: '2026-02-01' })
  expect([first.blockIds, seen.read]).toEqual([second.blockIds, 1])
})

test('what was written since is in the next answer about the past', async () => {
  const { memory, seen } = await counted()
  await memory.recall(ASK)
  await memory.remember({ content: 'The depot of ferries is in Turku.', at: '2026-01-06' })
  await memory.dream()
  const { blocks } = await memory.recall({ query: 'depot of ferries', asOf: '2026-02-01' })
  expect(blocks.map(({ content }) => content)).toContain('The depot of ferries is in Turku.')
  expect(seen.read).toBe(2)
})

test('of pasts that are looked at in turn one stays open, and each answer is about its own time', async () => {
  const { memory, seen } = await counted()
  const times = ['2025-12-01', '2026-02-01', '2025-12-01', '2026-02-01']
  const answers = await Promise.all(times.map((asOf) => memory.recall({ ...ASK, asOf })))
  const before = await memory.ls({ asOf: '2025-12-01' })
  expect(answers.map(({ blockIds }) => blockIds.length)).toEqual([0, 1, 0, 1])
  expect([before.blocks.length, seen.open]).toEqual([0, 1])
})
