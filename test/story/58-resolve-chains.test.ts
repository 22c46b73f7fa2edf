import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'

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
