import { expect, test } from 'vitest'
import { createTestClock } from '../../helpers/clock.ts'
import { openTestMemory } from '../../helpers/memory.ts'

const OLDER = 'The staging database of the ledger lives at pg-stage-03, user ledger, port 5432.'
const NEWER = 'The staging database of the ledger lives at pg-stage-07, user ledger, port 5432.'
const OTHERS = [
  'Grandma takes her pills at eight.',
  'The cat is allergic to fish.',
  'Releases go out on Tuesdays.',
  'Ana prefers short meetings.',
]

/** Opens a memory with some notes, one of which changes a day later. */
async function dayAfter(older: Readonly<Record<string, unknown>> = {}) {
  const opened = await openTestMemory({ clock: createTestClock() })
  const { memory, clock, learn } = opened
  await learn(...OTHERS)
  const { blockId: olderId } = await memory.remember({ content: OLDER, ...older })
  await memory.dream()
  clock.advance({ hours: 24 })
  return { ...opened, olderId }
}

test('remember names the earlier note that a new one may replace, with the call that does it', async () => {
  const { memory, olderId } = await dayAfter()
  const { blockId, mayReplace, summary } = await memory.remember({ content: NEWER })
  const call = { a: olderId, b: blockId, keep: 'b' }
  expect(mayReplace).toMatchObject([{ id: olderId, content: OLDER, resolve: call }])
  expect(summary).toContain(`resolve({ a: '${olderId.slice(0, 8)}'`)
  expect(await memory.resolve(mayReplace![0]!.resolve)).toMatchObject({ kept: [blockId], archived: olderId })
  expect((await memory.show({ blockId })).block.supersedes).toBe(olderId)
})

test('dream names it, and keeps the guess open without hiding either note', async () => {
  const { memory, olderId } = await dayAfter()
  const { blockId } = await memory.remember({ content: NEWER })
  const { mayReplace, decisionsWaiting } = await memory.dream()
  const call = { a: olderId, b: blockId, keep: 'b' }
  expect(mayReplace).toMatchObject([{ id: blockId, older: olderId, content: OLDER, resolve: call }])
  expect(decisionsWaiting).toBe(0)
  const { openPairs } = await memory.inbox({ openPairs: 5 })
  expect(openPairs).toMatchObject([{ kind: 'perhaps_newer', foundBy: 'score', newer: { id: blockId } }])
  const { blocks } = await memory.recall({ query: 'Where does the staging database of the ledger live?' })
  expect(blocks.map(({ id }) => id)).toEqual(expect.arrayContaining([olderId, blockId]))
  expect(blocks.flatMap(({ versions = [] }) => versions)).toEqual([])
})

test.each([
  ['another scope of the newer one', {}, { scope: 'other' }],
  ['another scope of the older one', { scope: 'other' }, {}],
  ['a speaker of the older one', { source: 'Ben', sourceClass: 'agent' }, {}],
  ['a speaker of the newer one', {}, { source: 'Ben', sourceClass: 'agent' }],
  ['less trust in the newer one', { sourceClass: 'user' }, { sourceClass: 'tool' }],
  ['an earlier date of the newer one', {}, { at: '2020-01-01' }],
  ['supersedes', {}, { supersedes: 'older' }],
] as const)('neither remember nor dream names a note to replace with %s', async (_why, older, newer) => {
  const { memory, olderId } = await dayAfter(older)
  const given = 'supersedes' in newer ? { supersedes: olderId } : newer
  expect((await memory.remember({ content: NEWER, ...given })).mayReplace).toBeUndefined()
  expect((await memory.dream()).mayReplace).toEqual([])
})

test('remember and dream name nothing for notes about other things', async () => {
  const { memory, clock } = await dayAfter()
  for (const content of ['Grandma drinks her tea at four.', 'The ledger is audited in May.']) {
    clock.advance({ hours: 1 })
    expect((await memory.remember({ content })).mayReplace).toBeUndefined()
  }
  expect((await memory.dream()).mayReplace).toEqual([])
})

test.each([
  ['unrelated', undefined],
  ['elaborates', undefined],
  ['supersedes', 'supersession'],
  ['contradicts', 'contradiction'],
] as const)('the label %s of a host settles a guess', async (relation, kind) => {
  const { memory, olderId } = await dayAfter()
  const { blockId } = await memory.remember({ content: NEWER })
  await memory.dream()
  const { pairs } = await memory.inbox({ pairs: 20 })
  expect(pairs).toContainEqual(
    expect.objectContaining({
      newer: expect.objectContaining({ id: blockId }),
      older: expect.objectContaining({ id: olderId }),
    }),
  )
  await memory.dream({ edgeLabels: [{ a: olderId, b: blockId, relation, confidence: 0.9 }] })
  const { openPairs = [] } = await memory.inbox({ openPairs: 5 })
  expect(openPairs.map((pair) => pair.kind)).toEqual(kind === undefined ? [] : [kind])
})
