import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'

const BEFORE = 'The staging server of Atlas listens on port 4210'
const SINCE = 'The staging server of Atlas listens on port 4300'

/** A memory in which one fact took the place of another. */
async function moved({ dreamt }: { readonly dreamt: boolean }) {
  const opened = await openTestMemory()
  const { memory, clock } = opened
  const { blockId: before } = await memory.remember({
    content: BEFORE,
    tags: ['atlas'],
    cue: 'before a deploy',
  })
  if (dreamt) await memory.dream()
  clock.advance({ hours: 1 })
  const { blockId: since } = await memory.remember({ content: SINCE, supersedes: before })
  if (dreamt) await memory.dream()
  clock.advance({ hours: 1 })
  return { ...opened, before, since }
}

test.each([true, false])(
  'what is said again after it was superseded is answered with what took its place and how to go back, dreamt: %s',
  async (dreamt) => {
    const { memory, before, since } = await moved({ dreamt })
    const told = await memory.remember({ content: BEFORE })
    expect(told).toMatchObject({ status: 'duplicate', blockId: before, supersededBy: since })
    expect(told.summary).toContain(`supersedes: '${since.slice(0, 8)}'`)
    const { results } = await memory.rememberMany({ blocks: [{ content: BEFORE }, { content: SINCE }] })
    expect(results.map(({ supersededBy }) => supersededBy)).toEqual([since, undefined])
  },
)

test.each(['remember', 'rememberMany'] as const)(
  'by %s an old value becomes the newest again, with its tags and its cue, and the one between no longer is an entry',
  async (way) => {
    const { memory, before, since } = await moved({ dreamt: true })
    const given = { content: BEFORE, supersedes: since }
    const told =
      way === 'remember'
        ? await memory.remember(given)
        : (await memory.rememberMany({ blocks: [given] })).results[0]!
    expect(told).toMatchObject({ status: 'created', supersedes: since })
    expect(told.blockId).not.toBe(before)
    await memory.dream()
    const { blocks } = await memory.recall({ query: 'Where does staging listen?', minStrength: 0 })
    expect(blocks.map(({ id }) => id)).toEqual([told.blockId])
    expect((await memory.show({ blockId: told.blockId })).block).toMatchObject({
      tags: ['atlas'],
      cue: 'before a deploy',
    })
    const old = (await memory.show({ blockId: before })).block
    expect(old).toMatchObject({ status: 'archived', supersededBy: told.blockId })
    expect(await memory.remember({ content: BEFORE })).not.toHaveProperty('supersededBy')
  },
)

test('going back and forth keeps every step, and an undo takes the last one back', async () => {
  const { memory, clock, before, since } = await moved({ dreamt: false })
  const { blockId: again } = await memory.remember({ content: BEFORE, supersedes: since })
  clock.advance({ hours: 1 })
  const third = await memory.remember({ content: SINCE, supersedes: again })
  expect(third).toMatchObject({ status: 'created', supersedes: again })
  expect(new Set([before, since, again, third.blockId]).size).toBe(4)
  await memory.undo()
  expect((await memory.show({ blockId: since })).block.status).toBe('inbox')
  expect((await memory.remember({ content: SINCE })).blockId).toBe(since)
})

test('a document does not archive what the agent said itself by going back', async () => {
  const { memory, before, since } = await moved({ dreamt: true })
  const told = await memory.remember({ content: BEFORE, supersedes: since, sourceClass: 'document' })
  expect(told).toMatchObject({ status: 'duplicate', blockId: before, supersededBy: since })
})

test('what is restored beside the block whose place it had has that place again, in recall as in show', async () => {
  const { memory, before: a, since: b } = await moved({ dreamt: true })
  await memory.resolve({ a, b, keep: 'b' })
  await memory.forget({ blockId: b })
  await memory.restore({ blockId: a })
  await memory.restore({ blockId: b })
  const query = 'Where does the staging server of Atlas listen?'
  const entries = async () =>
    (await memory.recall({ query, minStrength: 0, reinforce: false })).blocks.map(({ id, versions = [] }) => [
      id,
      ...versions.map((each) => each.id),
    ])
  expect(await entries()).toEqual([[b, a]])
  expect((await memory.show({ blockId: a })).block).toMatchObject({ status: 'active', untilBy: 'superseded' })
  expect((await memory.inbox({ openPairs: 5 })).openPairs).toMatchObject([{ kind: 'supersession' }])
  await memory.undo()
  expect(await entries()).toEqual([[a]])
  await memory.restore({ blockId: b })
  await memory.resolve({ a, b, keep: 'b' })
  expect((await memory.show({ blockId: a })).block).toMatchObject({ status: 'archived', supersededBy: b })
  expect(await entries()).toEqual([[b, a]])
})

test('show says of a block that it takes the place of another just while it does', async () => {
  const { memory, before: a, since: b } = await moved({ dreamt: true })
  const supersedes = async () => (await memory.show({ blockId: b })).block.supersedes
  expect(await supersedes()).toBe(a)
  await memory.resolve({ a, b, keep: 'both' })
  expect(await supersedes()).toBeUndefined()
  await memory.forget({ blockId: b })
  await memory.restore({ blockId: b })
  expect((await memory.show({ blockId: a })).block).not.toHaveProperty('validUntil')
  for (let done = 0; done < 3; done++) await memory.undo()
  expect(await supersedes()).toBe(a)
  await memory.resolve({ a, b, keep: 'a' })
  expect((await memory.show({ blockId: b })).block).toMatchObject({ supersededBy: a })
  expect(await supersedes()).toBeUndefined()
  await memory.undo()
  await memory.resolve({ a, b, keep: 'b' })
  expect(await supersedes()).toBe(a)
  await memory.restore({ blockId: a })
  expect(await supersedes()).toBeUndefined()
})
