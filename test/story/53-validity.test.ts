import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../helpers/memory.ts'

const day = (date: string) => `${date}T00:00:00.000Z`

test('a block keeps the dates between which it holds, and recall marks what has ended or not begun', async () => {
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({
    content: 'The pool is open on Sundays',
    validFrom: '2026-01-01',
    validUntil: '2026-02-01T12:30:00+01:00',
  })
  await memory.remember({ content: 'The pool costs three euros', validFrom: '2026-04-01' })
  const { text, blocks } = await memory.recall({ query: 'the pool on Sundays, what it costs' })
  expect(text).toContain('The pool is open on Sundays (2026-03-02, until 2026-02-01 11:30, waiting)')
  expect(text).toContain('The pool costs three euros (2026-03-02, from 2026-04-01, waiting)')
  expect(blocks.find(({ id }) => id === blockId)).toMatchObject({
    validFrom: day('2026-01-01'),
    validUntil: '2026-02-01T11:30:00.000Z',
    ended: true,
  })
  expect(blocks.filter(({ ended }) => ended)).toHaveLength(1)
  expect((await memory.show({ blockId })).block).toMatchObject({ fromBy: 'given', untilBy: 'given' })
  const { blocks: listed } = await memory.ls({ status: 'inbox', sort: 'oldest' })
  expect(listed[0]).toMatchObject({ validFrom: day('2026-01-01'), validUntil: '2026-02-01T11:30:00.000Z' })
})

test('what ends in the future is marked only when the time has come', async () => {
  const { memory, clock } = await openTestMemory()
  await memory.remember({ content: 'The pool is open', validUntil: '2026-03-03' })
  const shown = async () => (await memory.recall({ query: 'is the pool open' })).text
  expect(await shown()).not.toContain('until')
  clock.advance({ hours: 24 })
  expect(await shown()).toContain('until 2026-03-03')
})

test('dates that an agent gives for words of the owner are not taken, and the answer says so', async () => {
  const { memory } = await openTestMemory()
  const content = 'The pool is open'
  const { blockId } = await memory.remember({ content, sourceClass: 'user', validFrom: '2026-05-01' })
  const dates = { validFrom: '2026-06-01', validUntil: '2026-09-30' }
  const again = await memory.remember({ content, sourceClass: 'agent', ...dates })
  expect(again).toMatchObject({ blockId, status: 'duplicate', refusedValidity: true })
  expect(again.summary).toContain('Your dates were not taken')
  expect((await memory.show({ blockId })).block).toMatchObject({ validFrom: '2026-05-01T00:00:00.000Z' })
  const same = await memory.remember({ content, sourceClass: 'agent', validFrom: '2026-05-01' })
  expect(same.refusedValidity).toBeUndefined()
  expect((await memory.remember({ content, sourceClass: 'user', ...dates })).refusedValidity).toBeUndefined()
})

test('dates are read from the text where none are given, and it is said that they are a reading', async () => {
  const { memory } = await openTestMemory()
  const content = 'Ana leads the team until 2 Feb 2026.'
  const told = await memory.remember({ content })
  expect(told).toMatchObject({ validUntil: day('2026-02-02'), readFromText: ['validUntil'] })
  expect(told.summary).toContain('as its text says')
  const shown = await memory.show({ blockId: told.blockId })
  expect(shown.block).toMatchObject({ validUntil: day('2026-02-02'), untilBy: 'text' })
  expect(shown.summary).toContain('until 2026-02-02 (read from its text)')
  const given = await memory.remember({ content, validUntil: '2026-02-09' })
  expect(given).toMatchObject({ status: 'duplicate', mergedValidity: true, validUntil: day('2026-02-09') })
  expect((await memory.show({ blockId: told.blockId })).block.untilBy).toBe('given')
  await memory.undo()
  expect((await memory.show({ blockId: told.blockId })).block.untilBy).toBe('text')
})

test.each(['remember', 'rememberMany', 'connect', 'edit'] as const)(
  '%s refuses what would end before it begins or as it does, and dates that are none',
  async (way) => {
    const { memory, learn } = await openTestMemory()
    const [source = '', target = ''] = await learn('The pool is open', 'Tea is at four')
    const call = (dates: { validFrom: string; validUntil: string }) => {
      if (way === 'connect') return memory.connect({ source, target, ...dates })
      if (way === 'edit') return memory.edit({ blockId: source, ...dates })
      const thing = { content: 'The kettle is blue', ...dates }
      return way === 'remember' ? memory.remember(thing) : memory.rememberMany({ blocks: [thing] })
    }
    const wrong = await refusal(call({ validFrom: '2026-02-02', validUntil: '2026-02-01' }))
    expect(wrong.code).toBe('INVALID_INPUT')
    expect(wrong.message).toContain('end before')
    expect(wrong.recovery).toContain('validUntil')
    const never = await refusal(call({ validFrom: '2026-02-02', validUntil: '2026-02-02' }))
    expect(never.message).toContain('hold at no time')
    expect(never.recovery).toContain('the day after')
    const none = await refusal(call({ validFrom: '2026-02-02', validUntil: 'tomorrow' }))
    expect(none.code).toBe('INVALID_INPUT')
    expect(await memory.ls({ status: 'inbox' })).toMatchObject({ blocks: [] })
  },
)

test('a block ends when the one that takes its place begins, and goes on when that is undone', async () => {
  const { memory, learn, clock } = await openTestMemory()
  const [old = ''] = await learn('The office is in Berlin')
  const until = async () => (await memory.show({ blockId: old })).block
  clock.advance({ hours: 1 })
  await memory.remember({ content: 'The office is in Bonn', supersedes: old })
  expect(await until()).toMatchObject({ validUntil: '2026-03-02T10:00:00.000Z', untilBy: 'superseded' })
  await memory.undo()
  expect(await until()).not.toHaveProperty('validUntil')
  await memory.remember({ content: 'The office is in Bonn', supersedes: old, validFrom: '2026-05-01' })
  expect(await until()).toMatchObject({ validUntil: day('2026-05-01'), untilBy: 'superseded' })
})

test('an end of its own that is earlier stays when another takes the place', async () => {
  const { memory, clock } = await openTestMemory()
  const { blockId } = await memory.remember({ content: 'The office is in Berlin', validUntil: '2026-03-03' })
  clock.advance({ hours: 240 })
  await memory.remember({ content: 'The office is in Bonn', supersedes: blockId })
  expect((await memory.show({ blockId })).block).toMatchObject({
    validUntil: day('2026-03-03'),
    untilBy: 'given',
  })
})

test('what only proposes to take the place of what is trusted more ends nothing', async () => {
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({ content: 'The office is in Berlin', sourceClass: 'user' })
  await memory.remember({ content: 'The office is in Bonn', supersedes: blockId, source: 'tool' })
  expect((await memory.show({ blockId })).block).not.toHaveProperty('validUntil')
})

/** A block and the one that took its place, both active. */
async function replaced() {
  const opened = await openTestMemory()
  const [old = ''] = await opened.learn('The office is in Berlin')
  opened.clock.advance({ hours: 1 })
  const { blockId: fresh } = await opened.memory.remember({
    content: 'Moved: the office is now in Bonn',
    supersedes: old,
  })
  await opened.memory.dream()
  return { ...opened, old, fresh, block: async () => (await opened.memory.show({ blockId: old })).block }
}

test('a block goes on when both are kept, when the other is forgotten, and when it is restored', async () => {
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
  expect(await restored.block()).toMatchObject({
    status: 'archived',
    validUntil: '2026-03-02T10:00:00.000Z',
    archivedAt: '2026-03-02T11:00:00.000Z',
  })
  await restored.memory.restore({ blockId: restored.old })
  expect(await restored.block()).not.toHaveProperty('validUntil')
  expect(await restored.block()).not.toHaveProperty('archivedAt')
})

test('what has ended stands under what took its place, and hides nothing that only reads like it', async () => {
  const { memory, learn, clock } = await openTestMemory()
  await learn('The blue kettle is in the kitchen')
  clock.advance({ hours: 1 })
  const content = 'The blue kettle is in the kitchen now'
  const { blockId } = await memory.remember({ content, validUntil: '2026-03-03' })
  await memory.dream()
  const entries = async () =>
    (await memory.recall({ query: 'the blue kettle in the kitchen' })).blocks.map(({ id, versions = [] }) => [
      id === blockId,
      versions.length,
    ])
  expect(await entries()).toEqual([[true, 1]])
  clock.advance({ hours: 24 })
  expect((await entries()).toSorted()).toEqual([
    [false, 0],
    [true, 0],
  ])
})

test('what is to take a place only later stands beside what holds until then', async () => {
  const { memory, learn, clock } = await openTestMemory()
  const [old = ''] = await learn('The office is in Berlin')
  const content = 'The office is in Bonn'
  const { blockId: fresh } = await memory.remember({ content, supersedes: old, validFrom: '2026-05-01' })
  await memory.dream()
  const entries = async () =>
    (await memory.recall({ query: 'where is the office' })).blocks.map(({ id }) => id)
  expect(new Set(await entries())).toEqual(new Set([old, fresh]))
  clock.advance({ hours: 24 * 90 })
  expect(await entries()).toEqual([fresh])
})

test('edit says when a fact ended, takes that away again, and reads corrected words anew', async () => {
  const { memory } = await openTestMemory()
  const { blockId } = await memory.remember({ content: 'Ana leads the team until 2 Feb 2026' })
  const block = async () => (await memory.show({ blockId })).block
  expect((await memory.edit({ blockId, validUntil: '2026-02-05' })).changed).toEqual(['validUntil'])
  expect(await block()).toMatchObject({ validUntil: day('2026-02-05'), untilBy: 'given' })
  await memory.edit({ blockId, content: 'Ana leads the team until 3 Feb 2026' })
  expect(await block()).toMatchObject({ validUntil: day('2026-02-05'), untilBy: 'given' })
  await memory.edit({ blockId, validUntil: '' })
  expect(await block()).not.toHaveProperty('validUntil')

  const { blockId: read } = await memory.remember({ content: 'Bob leads the team until 2 Feb 2026' })
  const told = await memory.edit({ blockId: read, content: 'Bob leads the team until 3 Feb 2026' })
  expect(told.changed).toEqual(['content', 'validUntil'])
  expect((await memory.show({ blockId: read })).block).toMatchObject({
    validUntil: day('2026-02-03'),
    untilBy: 'text',
  })
})

test('an edge keeps the dates between which it holds, given or in its note, also while it waits for room', async () => {
  const { memory, learn } = await openTestMemory({ settings: { memory: { edgeDegreeCap: 1 } } })
  const [a = '', b = '', c = ''] = await learn('The kettle is blue', 'Roses need sun', 'Tea is at four')
  const told = await memory.connect({ source: a, target: b, relation: 'supports', validFrom: '2026-01-01' })
  expect(told).toMatchObject({ action: 'created', validFrom: day('2026-01-01') })
  const { edges } = await memory.graph()
  expect(edges).toMatchObject([{ relation: 'supports', validFrom: day('2026-01-01') }])
  const note = 'true until 2 Feb 2026'
  expect(await memory.connect({ source: a, target: c, note })).toMatchObject({ action: 'deferred' })
  await memory.disconnect({ source: a, target: b })
  await memory.curate()
  expect((await memory.show({ blockId: c })).edges).toMatchObject([
    { other: a, validUntil: day('2026-02-02') },
  ])
})

test('an export takes the dates along', async () => {
  const { memory, path } = await openTestMemory()
  const { blockId } = await memory.remember({
    content: 'The pool is open',
    validFrom: '2026-01-01',
    validUntil: '2026-02-01',
  })
  const file = `${path}.jsonl`
  await memory.export({ path: file })
  const { memory: other } = await openTestMemory()
  await other.import({ path: file, trusted: true })
  expect((await other.show({ blockId })).block).toMatchObject({
    validFrom: day('2026-01-01'),
    validUntil: day('2026-02-01'),
  })
})

test.each([
  ['2026-02-01T10:00Z', '2026-02-01T10:00:00.000Z'],
  ['2026-02-01T10:00+02:00', '2026-02-01T08:00:00.000Z'],
  ['2026-02-01T10:00:00+0200', '2026-02-01T08:00:00.000Z'],
  ['2026-02-01T10:00:00.5-05', '2026-02-01T15:00:00.500Z'],
  ['2026-02-01t10:00:00z', '2026-02-01T10:00:00.000Z'],
  ['2026-02-01T10:00', '2026-02-01T10:00:00.000Z'],
])('%s is a date-time of ISO 8601', async (validFrom, expected) => {
  const { memory } = await openTestMemory()
  expect((await memory.remember({ content: 'The pool is open', validFrom })).validFrom).toBe(expected)
})
