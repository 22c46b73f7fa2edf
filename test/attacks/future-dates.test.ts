import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'

const BEFORE = 'The deploy port of Atlas is 4210.'
const AFTER = 'The deploy port of Atlas is 9000.'
const QUERY = 'What is the deploy port of Atlas?'
const AHEAD = ['9999-01-01', '2026-12-24']
const SPEAKERS = [
  ['an agent', 'the owner', {}, { source: 'owner' }],
  ['a page', 'the owner', { source: 'web page' }, { source: 'owner' }],
  ['a page', 'an agent', { source: 'web page' }, {}],
  ['the owner', 'the owner', { source: 'owner' }, { source: 'owner' }],
  ['an agent', 'an agent', {}, {}],
  ['a page', 'the same page', { source: 'web page' }, { source: 'web page' }],
] as const

const cases = SPEAKERS.flatMap(([early, late, first, second]) =>
  AHEAD.flatMap((ahead) =>
    [undefined, '2020-01-01', '2026-01-01', '9999-02-02'].map(
      (at) => [early, ahead, late, at ?? 'no date', { first, second, ahead, at }] as const,
    ),
  ),
)

test.each(cases)('what %s dated %s hides nothing that %s says later with %s', async (...[, , , , said]) => {
  const { first, second, ahead, at } = said
  const { memory, clock } = await openTestMemory({ kind: 'memory' })
  const { blockId: before } = await memory.remember({ content: BEFORE, at: ahead, ...first })
  await memory.dream()
  clock.advance({ hours: 2 })
  const { blockId: after } = await memory.remember({ content: AFTER, ...(at ? { at } : {}), ...second })
  for (const tie of ['none', 'dreamt', 'contradicts'] as const) {
    if (tie === 'dreamt') await memory.dream()
    if (tie === 'contradicts')
      await memory.connect({ source: after, target: before, relation: 'contradicts', ifExists: 'update' })
    const { blockIds, text } = await memory.recall({ query: QUERY, reinforce: false, minStrength: 0 })
    expect(blockIds).toContain(after)
    expect(text).toContain('4210')
  }
})

test('who supersedes what is dated ahead is shown in its place', async () => {
  const { memory, clock } = await openTestMemory()
  const { blockId: before } = await memory.remember({ content: BEFORE, at: '9999-01-01' })
  await memory.dream()
  clock.advance({ hours: 2 })
  const given = { content: AFTER, at: '2020-01-01', supersedes: before }
  const { blockId: after, datedBefore } = await memory.remember(given)
  expect(datedBefore).toBeUndefined()
  await memory.dream()
  expect((await memory.recall({ query: QUERY })).blockIds).toEqual([after])
  const { kept } = await memory.resolve({ a: before, b: after, keep: 'merge' })
  expect(kept).toEqual([after])
})

test('a plan keeps its date, is found by it, and a later plan takes its place', async () => {
  const { memory, clock } = await openTestMemory()
  const plan = { content: 'The launch of Atlas is on 1 March.', at: '2027-03-01' }
  const { blockId: first } = await memory.remember(plan)
  await memory.dream()
  clock.advance({ hours: 72 })
  const { blockId: second } = await memory.remember({
    ...{ content: 'The launch of Atlas is on 1 February.', at: '2027-02-01', supersedes: first },
  })
  await memory.dream()
  const { text, blockIds } = await memory.recall({ query: 'When is the launch of Atlas?' })
  expect(blockIds).toEqual([second])
  expect(text).toContain('(2027-02-01)')
  expect(text).toContain('1 March')
  expect(text).not.toContain('until 2027')
})
