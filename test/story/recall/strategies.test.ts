import { expect, test } from 'vitest'
import { openTestMemory, type TestMemory } from '../../helpers/memory.ts'
import { openOn } from '../../helpers/scoped.ts'
import { cliRoad, libraryRoad, mcpRoad } from '../../surfaces/helpers/roads.ts'

const SITUATION = 'the staging deploy fails with a timeout'
const STRATEGY = `When ${SITUATION}, restart the cache proxy and warm it.`
const OTHERS = [
  'The staging deploy fails with a timeout on most Mondays.',
  'The cache proxy listens on port 8080.',
  'The office dog is called Biscuit.',
]
const HEADING = '## What worked before\n[1] When the staging'

/** A memory with a strategy, the notes around it, and reports on it after one question each. */
async function withStrategy(...signals: readonly ('helped' | 'misled')[]) {
  const opened = await openTestMemory()
  const { memory, learn } = opened
  const { blockId } = await memory.remember({ content: STRATEGY, category: 'strategy' })
  await learn(...OTHERS)
  for (const [n, signal] of signals.entries()) {
    const { recallId } = await memory.recall({ query: `${SITUATION} ${n}`, frame: 'task' })
    await memory.outcome({ recallId, [signal]: [blockId] })
  }
  return { ...opened, blockId }
}

const textFor = async (
  { memory }: Pick<TestMemory, 'memory'>,
  query: string,
  frame: 'task' | 'attention' = 'task',
) => (await memory.recall({ query, frame, reinforce: false })).text

test('the task frame shows a strategy first once it helped, and the same text again while nothing changes', async () => {
  const unproven = await withStrategy()
  expect(await textFor(unproven, SITUATION)).not.toContain('What worked before')
  const proven = await withStrategy('helped')
  const text = await textFor(proven, SITUATION)
  expect(text.startsWith(HEADING)).toBe(true)
  expect(text.match(/When the staging/g)).toHaveLength(1)
  expect(await textFor(proven, SITUATION)).toBe(text)
  expect(await textFor(proven, SITUATION, 'attention')).not.toContain('What worked before')
  const { blockIds } = await proven.memory.recall({ query: SITUATION, frame: 'task' })
  expect(blockIds[0]).toBe(proven.blockId)
})

test('a strategy that misled more than it helped loses its place, and undo gives it back', async () => {
  const opened = await withStrategy('helped')
  const { memory, blockId } = opened
  const { recallId } = await memory.recall({ query: `${SITUATION} again`, frame: 'task' })
  const { operationId } = await memory.outcome({ recallId, misled: [blockId] })
  expect(await textFor(opened, SITUATION)).not.toContain('What worked before')
  await memory.undo({ operationId: operationId as number })
  expect((await textFor(opened, SITUATION)).startsWith(HEADING)).toBe(true)
})

test.each([
  ['other things', 'what is the office dog called?'],
  ['what it says to do', 'restart the cache proxy'],
])('a proven strategy does not stand first for a question about %s', async (_, query) => {
  expect(await textFor(await withStrategy('helped'), query)).not.toContain('What worked before')
})

test('a cue is the situation of a strategy as well as its first clause', async () => {
  const opened = await withStrategy('helped')
  await opened.memory.edit({ blockId: opened.blockId, cue: 'restart the cache proxy' })
  expect(await textFor(opened, 'restart the cache proxy')).toContain(HEADING)
})

test.each(['tool', 'document', 'peer'] as const)(
  'the words of a %s are never a proven strategy',
  async (sourceClass) => {
    const { memory, learn } = await openTestMemory()
    const { blockId } = await memory.remember({ content: STRATEGY, category: 'strategy', sourceClass })
    await learn(...OTHERS)
    const { recallId } = await memory.recall({ query: SITUATION, frame: 'task' })
    await memory.outcome({ recallId, helped: [blockId] })
    const { text } = await memory.recall({ query: SITUATION, frame: 'task' })
    expect(text).toContain('restart the cache proxy')
    expect(text).not.toContain('What worked before')
  },
)

test('a proven strategy stands in the frames of its scope alone', async () => {
  const { store, clock } = await openTestMemory()
  const [atlas, other] = [
    await openOn(store, { scope: 'atlas', clock }),
    await openOn(store, { scope: 'other', clock }),
  ]
  for (const memory of [atlas, other])
    await memory.rememberMany({ blocks: OTHERS.map((content) => ({ content })) })
  const { blockId } = await atlas.remember({ content: STRATEGY, category: 'strategy' })
  for (const memory of [atlas, other]) await memory.dream()
  const { recallId } = await atlas.recall({ query: SITUATION, frame: 'task' })
  await atlas.outcome({ recallId, helped: [blockId] })
  expect(await textFor({ memory: atlas }, SITUATION)).toContain(HEADING)
  expect(await textFor({ memory: other }, SITUATION)).not.toContain('When the staging')
})

test('strategies that would take more than half of the budget stay where they were', async () => {
  const opened = await withStrategy('helped')
  const { text } = await opened.memory.recall({ query: SITUATION, frame: 'task', tokenBudget: 36 })
  expect(text).not.toContain('What worked before')
})

test.each([
  ['library', libraryRoad],
  ['command line', cliRoad],
  ['MCP', mcpRoad],
] as const)('a strategy is remembered, proven and shown first through the %s', async (_, open) => {
  const road = await open()
  const kept = await road('remember', { content: STRATEGY, category: 'strategy' })
  await road('dream', {})
  const asked = { query: SITUATION, frame: 'task' }
  const { result } = await road('recall', asked)
  await road('outcome', { recallId: result?.recall_id, helped: [kept.result?.block_id] })
  expect((await road('recall', asked)).result).toMatchObject({ text: expect.stringContaining(HEADING) })
})
