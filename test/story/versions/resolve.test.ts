import { expect, test } from 'vitest'
import { savePairs } from '../../../src/store/graph.ts'
import { openTestMemory, refusal, type TestMemory } from '../../helpers/memory.ts'
import { statements } from '../../helpers/words.ts'

const NO_SIMILARITY = { memory: { similarityEdgesPerBlock: 0 } }

/** Flags two blocks as near-duplicates, as a dream does. */
async function flag({ store }: TestMemory, one: string, other: string): Promise<void> {
  const [a = '', b = ''] = [one, other].sort()
  const createdAt = '2026-03-02T09:00:00.000Z'
  await store.write((tx) =>
    savePairs(tx, [{ a, b, kind: 'near_duplicate', score: 0.93, resolved: false, createdAt }]),
  )
}

/** Two flagged near-duplicates: the older with a tag and a cue, the newer with another tag. */
async function twins() {
  const opened = await openTestMemory({ settings: NO_SIMILARITY })
  const { memory } = opened
  const apple = { content: 'one apple', tags: ['fruit'], cue: 'shopping', at: '2025-01-01' }
  const { blockId: old } = await memory.remember(apple)
  const { blockId: young } = await memory.remember({
    content: 'two pears',
    tags: ['green'],
    at: '2025-06-01',
  })
  await memory.dream()
  await flag(opened, old, young)
  return { ...opened, old, young }
}

test('resolve with both keeps both, and the pair can be decided no second time', async () => {
  const { memory, young: a, old: b } = await twins()
  expect((await memory.show({ blockId: a })).openPairs).toMatchObject([{ other: b, preview: 'one apple' }])
  expect(await memory.resolve({ a, b, keep: 'keep_both' })).toMatchObject({ kept: [a, b] })
  expect(await memory.status()).toMatchObject({ graph: { openPairs: 0 } })
  expect(await memory.resolve({ a, b, keep: 'both' })).toMatchObject({ kept: [a, b] })
  expect((await refusal(memory.resolve({ a, b, keep: 'a' }))).code).toBe('NOT_FOUND')
})

test('resolve with one side archives the other, and never a principle', async () => {
  const opened = await openTestMemory({ settings: NO_SIMILARITY })
  const { memory, learn } = opened
  const [a = '', b = ''] = await learn(...statements(2))
  const principle = (await memory.setup({ principles: ['Never delete data.'] })).blockIds[0] as string
  await memory.dream()
  await flag(opened, a, b)
  await flag(opened, a, principle)
  expect((await refusal(memory.resolve({ a, b: principle, keep: 'a' }))).code).toBe('PROTECTED')
  expect((await memory.show({ blockId: principle })).openPairs).toHaveLength(1)
  expect(await memory.resolve({ a, b, keep: 'b' })).toMatchObject({ kept: [b], archived: a })
})

/** A depot that moved twice, each newer note with what it takes the place of. */
async function movedTwice() {
  const opened = await openTestMemory()
  const { memory, clock } = opened
  const say = async (content: string, more: object = {}) => {
    clock.advance({ hours: 24 })
    return (await memory.remember({ content, ...more })).blockId
  }
  const first = await say('The depot is in Malmö')
  const second = await say('The depot is in Kiel', { supersedes: first })
  const third = await say('The depot is in Gdynia', { supersedes: second })
  await memory.dream()
  return { ...opened, first, second, third }
}

test('resolve of the newer end of a chain archives the whole chain before it, and undo brings it back', async () => {
  const { memory, first, second, third } = await movedTwice()
  const resolved = await memory.resolve({ a: second, b: third, keep: 'b' })
  expect(resolved).toMatchObject({ kept: [third], archived: second })
  const { text, blocks } = await memory.recall({ query: 'where is the depot' })
  expect(blocks.map(({ id }) => id)).toEqual([third])
  expect(text).toMatch(/Kiel[\s\S]*Malmö/)
  await memory.undo()
  for (const blockId of [first, second, third])
    expect((await memory.show({ blockId })).block.status).toBe('active')
})

test('resolve for the oldest of a chain takes its end away', async () => {
  const { memory, first, second, third } = await movedTwice()
  const resolved = await memory.resolve({ a: third, b: first, keep: 'b' })
  expect(resolved).toMatchObject({ kept: [first], archived: third })
  const { block } = await memory.show({ blockId: first })
  expect([block.status, block.validUntil]).toEqual(['active', undefined])
  expect((await memory.show({ blockId: second })).block.status).toBe('active')
})

test('resolve for a block that begins later lets the older hold until then', async () => {
  const { memory, clock } = await openTestMemory()
  const { blockId: a } = await memory.remember({ content: 'The rent is 900 euros' })
  const newer = { content: 'The rent is 980 euros', validFrom: '2026-06-01', supersedes: a }
  const { blockId: b } = await memory.remember(newer)
  await memory.dream()
  const resolved = await memory.resolve({ a, b, keep: 'b' })
  expect(resolved).toMatchObject({ kept: [b, a] })
  const shown = async () => (await memory.recall({ query: 'how much is the rent' })).blocks[0]
  expect((await shown())?.id).toBe(a)
  clock.advance({ hours: 24 * 100 })
  expect(await shown()).toMatchObject({ id: b, versions: [{ id: a }] })
})

test('resolve by the owner puts words of the user under those of a document', async () => {
  const { memory, clock } = await openTestMemory()
  const own = { content: 'The harbour opens at six', sourceClass: 'user' } as const
  const { blockId: a } = await memory.remember(own)
  clock.advance({ hours: 24 })
  const other = { content: 'The harbour opens at seven', sourceClass: 'document', supersedes: a } as const
  const { blockId: b } = await memory.remember(other)
  await memory.dream()
  await memory.resolve({ a, b, keep: 'b' })
  const { blocks } = await memory.recall({ query: 'when does the harbour open' })
  expect(blocks).toMatchObject([{ id: b, versions: [{ id: a }] }])
})

test('resolve with both ends a contradicts edge, leaves other relations, and undo brings the edge back', async () => {
  const { memory, learn } = await openTestMemory({ settings: NO_SIMILARITY })
  const [a = '', b = ''] = await learn('The ferry leaves at ten.', 'The ferry leaves at eleven.')
  await memory.connect({ source: a, target: b, relation: 'contradicts' })
  const relations = async () => (await memory.show({ blockId: a })).edges.map(({ relation }) => relation)
  const done = await memory.resolve({ a, b, keep: 'both' })
  expect(done).toMatchObject({ kept: [a, b] })
  expect([await relations(), (await memory.show({ blockId: a })).openPairs]).toEqual([[], []])
  await memory.undo({})
  expect(await relations()).toEqual(['contradicts'])
  await memory.connect({ source: a, target: b, relation: 'elaborates', ifExists: 'update' })
  await memory.resolve({ a, b, keep: 'both' })
  expect(await relations()).toEqual(['elaborates'])
})
