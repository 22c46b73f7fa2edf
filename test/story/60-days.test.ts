import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createTestClock } from '../helpers/clock.ts'
import { openTestMemory, type TestMemory, temporaryFolder } from '../helpers/memory.ts'
import { statements } from '../helpers/words.ts'

const NOTHING = { takenIn: 0, recalled: 0, reported: 0, archived: 0 }

/** A memory of the evening of the first of March. */
const opened = (more: Parameters<typeof openTestMemory>[0] = {}) =>
  openTestMemory({ clock: createTestClock('2026-03-01T22:00:00Z'), ...more })

const daysOf = async ({ memory }: Pick<TestMemory, 'memory'>, days = 2) =>
  (await memory.status({ days })).activity

/** One day of use, over midnight: five taken in, one of them a duplicate, two recalls, a report, one forgotten. */
async function lived(more: Parameters<typeof openTestMemory>[0] = {}) {
  const memory = await opened(more)
  const ids = await memory.learn(...statements(3), 'The kettle is blue.', 'The  kettle is blue.')
  await memory.memory.recall({ query: 'which kettle is blue' })
  memory.clock.advance({ hours: 4 })
  await memory.memory.recall({ query: 'apple' })
  await memory.memory.outcome({ helped: [ids[0]!] })
  await memory.memory.forget({ blockId: ids[1]! })
  return { ...memory, ids }
}

const LIVED = [
  { day: '2026-03-01', takenIn: 4, recalled: 1, reported: 0, archived: 0 },
  { day: '2026-03-02', takenIn: 0, recalled: 1, reported: 1, archived: 1 },
]

test('status counts what was done on each UTC day, the days on which nothing was among them', async () => {
  const memory = await lived()
  expect(await daysOf(memory, 3)).toEqual([{ day: '2026-02-28', ...NOTHING }, ...LIVED])
  expect(await daysOf(memory, 1)).toEqual(LIVED.slice(1))
  expect((await memory.memory.status()).activity).toBeUndefined()
})

test('a look counts as no recall', async () => {
  const memory = await lived()
  await memory.memory.recall({ query: 'apple', reinforce: false })
  expect(await daysOf(memory)).toEqual(LIVED)
})

test('days stay when the log is trimmed, and when what was done is undone or erased', async () => {
  const memory = await lived({ settings: { memory: { keepOperations: 100 } } })
  await memory.store.write(async (tx) => void (await tx.removeLogged(await tx.loggedBeyond(1))))
  const { operations } = await memory.memory.history({ limit: 100 })
  expect(operations.length).toBeLessThan(5)
  expect(await daysOf(memory)).toEqual(LIVED)
  await memory.memory.undo()
  expect(await daysOf(memory)).toEqual(LIVED)
  await memory.memory.erase({ blockIds: [memory.ids[2]!], yes: true })
  expect((await daysOf(memory))?.map(({ takenIn }) => takenIn)).toEqual([4, 0])
})

test('a scope has days of its own, and the whole memory those of all scopes', async () => {
  const memory = await lived()
  await memory.memory.remember({ content: 'Over there it rains.', scope: 'there' })
  await memory.memory.recall({ query: 'rain', scope: 'there' })
  const there = (await memory.memory.status({ days: 2, scope: 'there' })).activity
  const today = { day: '2026-03-02', takenIn: 1, recalled: 1, reported: 0, archived: 0 }
  expect(there).toEqual([{ day: '2026-03-01', ...NOTHING }, today])
  const [first, second] = LIVED
  expect(await daysOf(memory)).toEqual([first, { ...second, takenIn: 1, recalled: 2 }])
  expect((await memory.memory.status({ days: 1, scope: 'nowhere' })).activity).toEqual([
    { day: '2026-03-02', ...NOTHING },
  ])
})

test('an export takes the days to an empty memory, and to another only what is new counts', async () => {
  const memory = await lived()
  const path = join(temporaryFolder(), 'export.jsonl')
  await memory.memory.export({ path })
  const empty = await opened({ clock: memory.clock })
  await empty.memory.import({ path, trusted: true })
  expect(await daysOf(empty)).toEqual(LIVED)
  const other = await opened({ clock: memory.clock })
  await other.memory.remember({ content: 'I was here before.' })
  await other.memory.import({ path, trusted: true })
  const today = { day: '2026-03-02', takenIn: 5, recalled: 0, reported: 0, archived: 0 }
  expect(await daysOf(other)).toEqual([{ day: '2026-03-01', ...NOTHING }, today])
})
