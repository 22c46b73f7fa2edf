import { expect, test } from 'vitest'
import { createTestClock } from '../helpers/clock.ts'
import { openTestMemory } from '../helpers/memory.ts'

const [NINE, TEN, NOON] = ['The boat leaves at nine.', 'The boat leaves at ten.', 'The boat leaves at noon.']

/** A block that was remembered, edited twice, whose last edit was undone and whose undo was undone, an hour between each. */
async function reworded() {
  const clock = createTestClock('2026-03-02T09:00:00Z')
  const opened = await openTestMemory({ clock, settings: { memory: { autoDream: 'off' } } })
  const { memory } = opened
  const later = () => clock.advance({ hours: 1 })
  const first = await memory.remember({ content: NINE })
  const { blockId } = first
  later()
  await memory.edit({ blockId, content: TEN })
  later()
  const noon = await memory.edit({ blockId, content: NOON })
  later()
  await memory.edit({ blockId, tags: ['boat'] })
  later()
  const back = await memory.undo({ operationId: noon.operationId! })
  later()
  const again = await memory.undo({ operationId: back.operationId! })
  return { ...opened, clock, later, blockId, first, noon, again }
}

test('each entry of the log shows the words as it left them, whatever became of them since', async () => {
  const { memory } = await reworded()
  const { operations } = await memory.history()
  expect(operations.map(({ operation, first }) => [operation, first])).toEqual([
    ['remember', NINE],
    ['edit', TEN],
    ['edit', NOON],
    ['edit', NOON],
    ['undo', TEN],
    ['undo', NOON],
  ])
})

test('a page of the log that begins after an edit shows the words before a later one', async () => {
  const { memory, blockId, again } = await reworded()
  await memory.undo({ operationId: again.operationId! })
  const { operations } = await memory.history({ limit: 2, blockId })
  expect(operations.map(({ first }) => first)).toEqual([NOON, TEN])
})

test('an entry whose block was taken away shows the words of then, and so does what took it away', async () => {
  const { memory } = await openTestMemory({ settings: { memory: { autoDream: 'off' } } })
  const { operationId } = await memory.remember({ content: NINE })
  await memory.undo({ operationId: operationId! })
  const { operations } = await memory.history()
  expect(operations.map(({ operation, first }) => [operation, first])).toEqual([
    ['remember', NINE],
    ['undo', NINE],
  ])
})

test('what changed between two times is told in the words of that time', async () => {
  const { memory } = await reworded()
  const { learned, edited } = await memory.diff({ from: '2026-03-02T09:00', to: '2026-03-02T10:30' })
  expect(learned.map(({ preview }) => preview)).toEqual([NINE])
  expect(edited.map(({ preview }) => preview)).toEqual([TEN])
})

test('words that were erased are not told, neither at their entry nor at a later one', async () => {
  const { memory } = await reworded()
  await memory.erase({ query: 'nine', yes: true })
  const { operations } = await memory.history()
  expect(operations[0]).toMatchObject({ operation: 'remember' })
  expect(operations[0]?.first).toBeUndefined()
  expect(JSON.stringify(operations)).not.toContain('nine')
})

test('what one entry changed names its blocks by the words of then', async () => {
  const { memory, learn } = await openTestMemory({ settings: { memory: { autoDream: 'off' } } })
  const [boat = '', pier = ''] = await learn(NINE, 'The pier is at the north end.')
  const { operationId } = await memory.connect({ source: boat, target: pier, relation: 'supports' })
  await memory.edit({ blockId: boat, content: TEN })
  const [entry] = (await memory.history({ id: operationId!, changes: true })).operations
  expect(entry?.changes?.flatMap(({ words }) => words)).toContain(NINE)
})
