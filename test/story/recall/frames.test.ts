import { expect, test } from 'vitest'
import { openTestMemory, type TestMemory } from '../../helpers/memory.ts'
import { createPlacedEmbedder } from '../../helpers/placed-embedder.ts'
import { statements } from '../../helpers/words.ts'

const SESSION = { settings: { session: { gapCapMinutes: 10_000_000 } } }

/** Opens a memory in a session that begins after three blocks were learned. */
async function openLater(): Promise<TestMemory & { readonly old: string[] }> {
  const first = await openTestMemory({ embedder: createPlacedEmbedder(), ...SESSION })
  const old = await first.learn('cake @0 is sweet', 'tea @0 is green', 'jam @0 is red')
  await first.memory.close()
  const { clock, path } = first
  clock.advance({ hours: 3 })
  return { ...(await openTestMemory({ embedder: createPlacedEmbedder(), clock, path, ...SESSION })), old }
}

test('recall of the self frame holds every principle, whatever their age, topK and question', async () => {
  const { memory, clock, learn } = await openTestMemory()
  await memory.setup({ seed: true })
  await memory.dream()
  await learn(...statements(10))
  clock.advance({ hours: 2000 })
  await memory.remember({ content: 'So that time has passed.' })
  const self = await memory.recall({ frame: 'self', query: 'anything', topK: 1 })
  const principles = self.blocks.filter(({ tags }) => tags.includes('self/constitutional'))
  expect(principles).toHaveLength(10)
  expect(principles.every(({ guaranteed }) => guaranteed)).toBe(true)
  expect(self.text).toContain('10. ')
  expect(self.budgetUsed).toBeLessThanOrEqual(self.budgetTotal)
})

test('recall of the self frame drops the principles that the budget has no room for, and names them', async () => {
  const { memory } = await openTestMemory({ settings: { frames: { self: { tokenBudget: 120 } } } })
  await memory.setup({ seed: true })
  await memory.dream()
  const self = await memory.recall({ frame: 'self' })
  expect(self.blocks.length).toBeGreaterThan(0)
  expect(self.dropped.filter(({ reason }) => reason === 'token_budget')).toHaveLength(10 - self.blocks.length)
  expect(self.budgetUsed).toBeLessThanOrEqual(120)
  expect(self.note).toContain('beyond the budget')
})

test('recall of the task frame always holds the goals, of the attention frame no principle', async () => {
  const { memory } = await openTestMemory()
  await memory.setup({ seed: true })
  await memory.remember({ content: 'Ship the release by June.', tags: ['self/goal'] })
  await memory.remember({ content: 'The red kettle boils.' })
  await memory.dream()
  const task = await memory.recall({ frame: 'task', query: 'red kettle', topK: 1 })
  expect(task.text).toContain('Ship the release by June.')
  expect(task.text).toContain('The red kettle boils.')
  const attention = await memory.recall({ query: 'red kettle curiosity principles', topK: 50 })
  expect(attention.blocks.some(({ tags }) => tags.includes('self/constitutional'))).toBe(false)
})

test('recall of the simulate frame sorts its entries into identity, minds, decisions and context', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'Ana fears long meetings.', category: 'mind', tags: ['mind/ana'] })
  await memory.remember({ content: 'We meet only on Mondays.', category: 'decision' })
  await memory.remember({ content: 'I value brevity in meetings.', tags: ['self/value'] })
  await memory.remember({ content: 'The meeting room has a window.' })
  await memory.dream()
  const { text } = await memory.recall({ frame: 'simulate', query: 'meetings', limit: 4 })
  const headings = text.split('\n').filter((line) => line.startsWith('## '))
  expect(headings).toHaveLength(4)
  const place = (content: string) => text.indexOf(content)
  expect(place('I value brevity')).toBeLessThan(place('Ana fears'))
  expect(place('Ana fears')).toBeLessThan(place('We meet only'))
  expect(place('We meet only')).toBeLessThan(place('The meeting room'))
})

test('recall of the short_term frame holds what this session learned and used, newest first', async () => {
  const { memory, clock, learn, old } = await openLater()
  const [tea = ''] = (await memory.recall({ query: 'tea @0', limit: 1 })).blockIds
  clock.advance({ minutes: 1 })
  const [pie = '', milk = ''] = await learn('pie @0 is hot', 'milk @0 is cold')
  const { blockIds, text } = await memory.recall({ frame: 'short_term' })
  expect(blockIds).toEqual([milk, pie, tea])
  expect(old).toContain(tea)
  expect(text).toMatch(/^## /)
  await memory.recall({ frame: 'short_term', query: 'tea' })
  expect((await memory.recall({ frame: 'short_term', topK: 2 })).blockIds).toEqual([milk, pie])
})

test('recall of the world frame holds everything but who the agent is', async () => {
  const { memory } = await openTestMemory()
  const told = [
    { content: 'The kettle boils fast', tags: ['self/style'] },
    { content: 'The kettle is red' },
    { content: 'The kettle was a gift', source: 'Ana' },
  ]
  const ids: string[] = []
  for (const each of told) ids.push((await memory.remember(each)).blockId)
  await memory.setup({ principles: ['A kettle is never left alone'] })
  await memory.dream()
  for (const query of ['kettle', undefined]) {
    const { blockIds } = await memory.recall({ frame: 'world', ...(query ? { query } : {}), topK: 9 })
    expect(blockIds.toSorted()).toEqual(ids.slice(1).toSorted())
  }
})

test('recall without a question refreshes identity and goals alone', async () => {
  const { memory, clock, learn } = await openTestMemory({ embedder: createPlacedEmbedder() })
  const value = await memory.remember({ content: 'cake @0 is what I value', tags: ['self/value'] })
  const goal = await memory.remember({ content: 'tea @0 is the goal', tags: ['self/goal'] })
  const [plain = ''] = await learn('jam @0 is in the cellar')
  clock.advance({ hours: 50 })
  const freshness = async (blockId: string) => (await memory.show({ blockId })).block.lastReinforcedAt
  const before = await Promise.all([value.blockId, goal.blockId, plain].map(freshness))
  await memory.recall({ frame: 'self' })
  await memory.recall({ frame: 'task' })
  const after = await Promise.all([value.blockId, goal.blockId, plain].map(freshness))
  expect(after[0]).toBeGreaterThan(before[0] as number)
  expect(after[1]).toBeGreaterThan(before[1] as number)
  expect(after[2]).toBe(before[2])
})

test('recall without a question holds what waits, and guarantees none of it', async () => {
  const { memory } = await openTestMemory()
  await memory.setup({ principles: ['Say what is true.'] })
  await memory.remember({ content: 'Staging listens on port 4210.' })
  const { blocks } = await memory.recall({})
  expect(blocks.map(({ content }) => content)).toContain('Staging listens on port 4210.')
  expect(blocks.every(({ guaranteed }) => !guaranteed)).toBe(true)
  await memory.dream()
  const self = await memory.recall({ frame: 'self' })
  expect(self.blocks).toMatchObject([{ content: 'Say what is true.', guaranteed: true }])
})

test.each(['self', 'attention', 'task', 'simulate', 'world', 'short_term'] as const)(
  'recall of the frame %s answers the same text when it is asked again',
  async (frame) => {
    const { memory, learn } = await openTestMemory()
    await memory.setup({ seed: true })
    await memory.remember({ content: 'Ship the release by June.', tags: ['self/goal'] })
    await learn('The red kettle boils.', 'A red kettle whistles.', ...statements(10))
    for (const asked of [{ frame }, { frame, query: 'red kettle' }]) {
      const { text } = await memory.recall(asked)
      expect(text).not.toBe('')
      for (let time = 0; time < 3; time++) expect((await memory.recall(asked)).text).toBe(text)
    }
  },
)
