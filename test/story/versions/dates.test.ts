import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../../helpers/memory.ts'

const day = (date: string) => `${date}T00:00:00.000Z`

test('recall, show and ls give the dates between which a block holds', async () => {
  const { memory } = await openTestMemory()
  const until = '2026-02-01T12:30:00+01:00'
  const pool = { content: 'The pool is open on Sundays', validFrom: '2026-01-01', validUntil: until }
  const { blockId } = await memory.remember(pool)
  await memory.remember({ content: 'The pool costs three euros', validFrom: '2026-04-01' })
  const { text, blocks } = await memory.recall({ query: 'the pool on Sundays, what it costs' })
  expect(text).toContain('until 2026-02-01 11:30')
  expect(text).toContain('from 2026-04-01')
  const dates = { validFrom: day('2026-01-01'), validUntil: '2026-02-01T11:30:00.000Z' }
  expect(blocks.filter(({ ended }) => ended)).toMatchObject([{ id: blockId, ...dates }])
  expect((await memory.show({ blockId })).block).toMatchObject({ fromBy: 'given', untilBy: 'given' })
  expect((await memory.ls({ status: 'inbox', sort: 'oldest' })).blocks[0]).toMatchObject(dates)
})

test('recall says since when a block holds, if it was said on another day', async () => {
  const { memory } = await openTestMemory()
  await memory.remember({ content: 'The pool is open on Sundays', validFrom: '2026-01-01' })
  await memory.remember({ content: 'The pool costs three euros', validFrom: '2026-03-02' })
  const { text } = await memory.recall({ query: 'the pool on Sundays, what it costs' })
  expect(text).toContain('The pool is open on Sundays (2026-03-02, since 2026-01-01')
  expect(text).toContain('The pool costs three euros (2026-03-02')
  expect(text).not.toContain('since 2026-03-02')
})

test('remember reads an end from the text, and a given end replaces it until undo', async () => {
  const { memory } = await openTestMemory()
  const content = 'Ana leads the team until 2 Feb 2026.'
  const told = await memory.remember({ content })
  expect(told).toMatchObject({ validUntil: day('2026-02-02') })
  const by = async () => (await memory.show({ blockId: told.blockId })).block.untilBy
  expect(await by()).toBe('text')
  const given = await memory.remember({ content, validUntil: '2026-02-09' })
  expect(given).toMatchObject({ status: 'duplicate', validUntil: day('2026-02-09') })
  expect(await by()).toBe('given')
  await memory.undo()
  expect(await by()).toBe('text')
})

test.each(['remember', 'rememberMany', 'connect', 'edit'] as const)(
  '%s refuses an end at or before the beginning, and dates that are none',
  async (way) => {
    const { memory, learn } = await openTestMemory()
    const [source = '', target = ''] = await learn('The pool is open', 'Tea is at four')
    const call = (validUntil: string) => {
      const dates = { validFrom: '2026-02-02', validUntil }
      if (way === 'connect') return memory.connect({ source, target, ...dates })
      if (way === 'edit') return memory.edit({ blockId: source, ...dates })
      const thing = { content: 'The kettle is blue', ...dates }
      return way === 'remember' ? memory.remember(thing) : memory.rememberMany({ blocks: [thing] })
    }
    for (const validUntil of ['2026-02-01', '2026-02-02', 'tomorrow'])
      expect((await refusal(call(validUntil))).code).toBe('INVALID_INPUT')
    expect(await memory.ls({ status: 'inbox' })).toMatchObject({ blocks: [] })
  },
)

/** Opens a memory with a block and the one that takes its place an hour later. */
async function replaced(older: object = {}, newer: object = {}) {
  const opened = await openTestMemory()
  const { memory, clock } = opened
  const { blockId: old } = await memory.remember({ content: 'The office is in Berlin', ...older })
  await memory.dream()
  clock.advance({ hours: 1 })
  const next = { content: 'The office is in Bonn', supersedes: old, ...newer }
  const { blockId: fresh } = await memory.remember(next)
  return { ...opened, old, fresh, block: async () => (await memory.show({ blockId: old })).block }
}

test('remember with supersedes ends the older block, and undo takes that end away', async () => {
  const { memory, block } = await replaced()
  expect(await block()).toMatchObject({ validUntil: '2026-03-02T10:00:00.000Z', untilBy: 'superseded' })
  await memory.undo()
  expect(await block()).not.toHaveProperty('validUntil')
})

const EARLY = '2026-03-02T09:30:00.000Z'

test.each([
  ['with validFrom ends the older block then', {}, { validFrom: '2026-05-01' }, day('2026-05-01')],
  ['leaves an earlier end', { validUntil: EARLY }, { at: '2026-03-04' }, EARLY],
  ['by a tool ends no block of the user', { sourceClass: 'user' }, { source: 'tool' }, undefined],
])('remember with supersedes %s', async (_, older, newer, validUntil) => {
  const { block } = await replaced(older, newer)
  expect((await block()).validUntil).toBe(validUntil)
})

test('resolve with both, forget and restore let a superseded block hold on', async () => {
  const both = await replaced()
  await both.memory.resolve({ a: both.old, b: both.fresh, keep: 'both' })
  expect(await both.block()).not.toHaveProperty('validUntil')

  const forgotten = await replaced()
  await forgotten.memory.forget({ blockId: forgotten.fresh })
  expect(await forgotten.block()).not.toHaveProperty('validUntil')
  await forgotten.memory.restore({ blockId: forgotten.fresh })
  expect(await forgotten.block()).toMatchObject({ untilBy: 'superseded' })

  const restored = await replaced()
  restored.clock.advance({ hours: 1 })
  await restored.memory.resolve({ a: restored.old, b: restored.fresh, keep: 'b' })
  const dates = { validUntil: '2026-03-02T10:00:00.000Z', archivedAt: '2026-03-02T11:00:00.000Z' }
  expect(await restored.block()).toMatchObject({ status: 'archived', ...dates })
  await restored.memory.restore({ blockId: restored.old })
  expect(await restored.block()).not.toHaveProperty('validUntil')
})

test('recall shows both blocks while the superseding one has not begun', async () => {
  const { memory, clock, old, fresh } = await replaced({}, { validFrom: '2026-05-01' })
  await memory.dream()
  const entries = async () => new Set((await memory.recall({ query: 'where is the office' })).blockIds)
  expect(await entries()).toEqual(new Set([old, fresh]))
  clock.advance({ hours: 24 * 90 })
  expect(await entries()).toEqual(new Set([fresh]))
})

test('edit of a beginning moves the end of the block before it, and undo takes both back', async () => {
  const { memory, fresh, block } = await replaced()
  await memory.edit({ blockId: fresh, validFrom: '2026-03-20' })
  expect((await block()).validUntil).toBe(day('2026-03-20'))
  await memory.undo()
  expect((await block()).validUntil).toBe('2026-03-02T10:00:00.000Z')
  expect((await memory.show({ blockId: fresh })).block).not.toHaveProperty('validFrom')
})

test('edit sets an end, takes it away, and reads the dates of new words', async () => {
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({ content: 'Ana leads the team' })
  const block = async () => (await memory.show({ blockId })).block
  expect((await memory.edit({ blockId, validUntil: '2026-02-05' })).changed).toEqual(['validUntil'])
  expect(await block()).toMatchObject({ validUntil: day('2026-02-05'), untilBy: 'given' })
  await memory.edit({ blockId, validUntil: '' })
  expect(await block()).not.toHaveProperty('validUntil')
  const told = await memory.edit({ blockId, content: 'Bob leads the team until 3 Feb 2026' })
  expect(told.changed).toEqual(['content', 'validUntil'])
  expect(await block()).toMatchObject({ validUntil: day('2026-02-03'), untilBy: 'text' })
})

test('connect keeps the dates of an edge, also while it waits for room', async () => {
  const { memory, learn } = await openTestMemory({ settings: { memory: { edgeDegreeCap: 1 } } })
  const [a = '', b = '', c = ''] = await learn('The kettle is blue', 'Roses need sun', 'Tea is at four')
  const told = await memory.connect({ source: a, target: b, relation: 'supports', validFrom: '2026-01-01' })
  expect(told).toMatchObject({ action: 'created', validFrom: day('2026-01-01') })
  expect((await memory.graph()).edges).toMatchObject([{ validFrom: day('2026-01-01') }])
  const waiting = await memory.connect({ source: a, target: c, note: 'true until 2 Feb 2026' })
  expect(waiting.action).toBe('deferred')
  await memory.disconnect({ source: a, target: b })
  await memory.curate()
  const { edges } = await memory.show({ blockId: c })
  expect(edges).toMatchObject([{ other: a, validUntil: day('2026-02-02') }])
})
