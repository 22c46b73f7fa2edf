import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import { miniLm } from '../helpers/minilm.ts'

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
  return { ...opened, say, first, second, third }
}

test('of a chain that is resolved from its newer end only the newest stays, with all that it took the place of', async () => {
  const { memory, first, second, third } = await movedTwice()
  const resolved = await memory.resolve({ a: second, b: third, keep: 'b' })
  expect(resolved).toMatchObject({ kept: [third], archived: second, archivedBefore: [first] })
  const { text, blocks, note } = await memory.recall({ query: 'where is the depot' })
  expect(blocks.map(({ id }) => id)).toEqual([third])
  expect(text).toMatch(/before, until .*Kiel[\s\S]*before, until .*Malmö/)
  expect(note ?? '').not.toContain('contradict')
})

test('undo of such a resolve brings the whole chain back', async () => {
  const { memory, first, second, third } = await movedTwice()
  await memory.resolve({ a: second, b: third, keep: 'b' })
  await memory.undo()
  for (const blockId of [first, second, third])
    expect((await memory.show({ blockId })).block.status).toBe('active')
})

test('a pair that a rule noted keeps what was so before under what stays', async () => {
  const { memory, clock } = await openTestMemory()
  const { blockId: a } = await memory.remember({ content: 'The ferry leaves from pier 3.' })
  clock.advance({ hours: 24 })
  const { blockId: b } = await memory.remember({ content: 'The ferry now leaves from pier 8.' })
  const { conflicts } = await memory.dream()
  expect(conflicts).toMatchObject([{ kind: 'supersession' }])
  await memory.resolve({ a, b, keep: 'b' })
  const { text } = await memory.recall({ query: 'which pier does the ferry leave from' })
  expect(text).toMatch(/↳ before, until 2026-03-03: The ferry leaves from pier 3\./)
})

test('what begins later is accepted without ending today what holds until then', async () => {
  const { memory, clock } = await openTestMemory()
  const { blockId: a } = await memory.remember({ content: 'The rent is 900 euros' })
  const newer = { content: 'The rent is 980 euros', validFrom: '2026-06-01', supersedes: a }
  const { blockId: b } = await memory.remember(newer)
  await memory.dream()
  const resolved = await memory.resolve({ a, b, keep: 'b' })
  expect(resolved).toMatchObject({ kept: [b, a], endsAt: '2026-06-01T00:00:00.000Z' })
  expect(resolved.archived).toBeUndefined()
  const shown = async () => (await memory.recall({ query: 'how much is the rent' })).blocks
  expect((await shown())[0]?.id).toBe(a)
  expect((await shown()).flatMap(({ versions = [] }) => versions)).toEqual([])
  clock.advance({ hours: 24 * 100 })
  const [later] = await shown()
  expect(later?.id).toBe(b)
  expect(later?.versions?.map(({ id }) => id)).toEqual([a])
})

test('a block dated before what it is to replace ends nothing until somebody decides', async () => {
  const { memory, clock } = await openTestMemory()
  clock.advance({ hours: 24 * 60 })
  const { blockId: a } = await memory.remember({ content: 'The depot is in Malmö', at: '2026-04-10' })
  const told = await memory.remember({ content: 'The depot is in Kiel', at: '2026-02-01', supersedes: a })
  expect(told.datedBefore).toBe(true)
  await memory.dream()
  const { text } = await memory.recall({ query: 'where is the depot' })
  expect(text).toContain('[1] The depot is in Malmö (2026-04-10)\n')
  expect((await memory.show({ blockId: a })).block.validUntil).toBeUndefined()
})

test.each(['a', 'b'] as const)(
  'of a chain the oldest may stay after all (keep %s), and goes on',
  async (keep) => {
    const { memory, first, second, third } = await movedTwice()
    const ends = keep === 'a' ? { a: first, b: third } : { a: third, b: first }
    const resolved = await memory.resolve({ ...ends, keep })
    expect(resolved).toMatchObject({ kept: [first], archived: third })
    expect(resolved.archivedBefore).toBeUndefined()
    const { block } = await memory.show({ blockId: first })
    expect([block.status, block.validUntil]).toEqual(['active', undefined])
    expect((await memory.show({ blockId: second })).block.status).toBe('active')
    expect((await memory.doctor({})).checks.filter(({ outcome }) => outcome === 'fail')).toEqual([])
  },
)

test('after a dream that noted the change by rule a question about the past still brings what was before', async () => {
  const { memory, clock } = await openTestMemory({
    embedder: miniLm(),
    settings: { session: { gapCapMinutes: 15 } },
  })
  for (const phone of ['4410', '4477']) {
    await memory.remember({ content: `The ward phone is ${phone}.`, session: phone })
    clock.advance({ hours: 24 * 30 })
    await memory.dream()
  }
  const { text } = await memory.recall({ query: 'What was the ward phone before?' })
  expect(text).toMatch(
    /\[1\] The ward phone is 4410\.[\s\S]*↳ later, from 2026-04-01: The ward phone is 4477\./,
  )
  const { blocks } = await memory.recall({ query: 'What is the ward phone?' })
  expect(blocks[0]).toMatchObject({ content: 'The ward phone is 4477.', versions: [{ why: 'earlier' }] })
})

test('what was replaced stands under what took its place, though that is trusted less, as the owner agreed to it', async () => {
  const { memory, clock } = await openTestMemory()
  const own = { content: 'The harbour opens at six', sourceClass: 'user' } as const
  const { blockId: a } = await memory.remember(own)
  clock.advance({ hours: 24 })
  const other = { content: 'The harbour opens at seven', sourceClass: 'document', supersedes: a } as const
  const { blockId: b } = await memory.remember(other)
  await memory.dream()
  await memory.resolve({ a, b, keep: 'b' })
  const { blocks } = await memory.recall({ query: 'when does the harbour open' })
  expect(blocks.map(({ id, versions = [] }) => [id, versions.length])).toEqual([[b, 1]])
})
