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

test('recall marks an end only when its time has come', async () => {
  const { memory, clock } = await openTestMemory()
  await memory.remember({ content: 'The pool is open', validUntil: '2026-03-03' })
  const shown = async () => (await memory.recall({ query: 'is the pool open' })).text
  expect(await shown()).not.toContain('until')
  clock.advance({ hours: 24 })
  expect(await shown()).toContain('until 2026-03-03')
})

test('remember reads an end from the text, and a given end replaces it until undo', async () => {
  const { memory } = await openTestMemory()
  const content = 'Ana leads the team until 2 Feb 2026.'
  const told = await memory.remember({ content })
  expect(told).toMatchObject({ validUntil: day('2026-02-02'), readFromText: ['validUntil'] })
  const by = async () => (await memory.show({ blockId: told.blockId })).block.untilBy
  expect(await by()).toBe('text')
  const given = await memory.remember({ content, validUntil: '2026-02-09' })
  expect(given).toMatchObject({ status: 'duplicate', mergedValidity: true, validUntil: day('2026-02-09') })
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

test.each([
  ['with validFrom ends the older block then', {}, { validFrom: '2026-05-01' }, day('2026-05-01')],
  [
    'leaves an earlier end',
    { validUntil: '2026-03-02T09:30:00Z' },
    { at: '2026-03-04' },
    '2026-03-02T09:30:00.000Z',
  ],
  ['by a tool ends no block of the user', { sourceClass: 'user' }, { source: 'tool' }, undefined],
])('remember with supersedes %s', async (_, older, newer, validUntil) => {
  const { block } = await replaced(older, newer)
  expect((await block()).validUntil).toBe(validUntil)
})

test('edit of a beginning moves the end of the block before it, and undo takes both back', async () => {
  const { memory, old, fresh, block } = await replaced()
  const told = await memory.edit({ blockId: fresh, validFrom: '2026-03-20' })
  expect(told.movedEnd).toEqual({ blockId: old, validUntil: day('2026-03-20') })
  expect((await block()).validUntil).toBe(day('2026-03-20'))
  await memory.undo()
  expect((await block()).validUntil).toBe('2026-03-02T10:00:00.000Z')
  expect((await memory.show({ blockId: fresh })).block).not.toHaveProperty('validFrom')
})

test('edit refuses a beginning after the end of a block', async () => {
  const { memory, old, block } = await replaced()
  const late = { blockId: old, validFrom: '2026-08-01' }
  const words = { blockId: old, content: 'The office is in Berlin since August 2026' }
  for (const edit of [late, { ...late, validUntil: '2026-12-01' }, words])
    expect((await refusal(memory.edit(edit))).code).toBe('INVALID_INPUT')
  expect(await block()).not.toHaveProperty('validFrom')
  await memory.edit({ ...late, validUntil: '' })
  expect(await block()).toMatchObject({ validFrom: day('2026-08-01') })
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
