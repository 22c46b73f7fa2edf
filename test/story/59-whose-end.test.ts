import { expect, test } from 'vitest'
import { createTestClock } from '../helpers/clock.ts'
import { openTestMemory } from '../helpers/memory.ts'

const day = (date: string) => `${date}T00:00:00.000Z`

/** A gym that opens at 6 from January on, and later at 7. */
async function gym(more: { readonly validFrom?: string; readonly sourceClass?: 'user' | 'tool' } = {}) {
  const opened = await openTestMemory({
    clock: createTestClock('2026-01-05T09:00:00Z'),
    settings: { session: { gapCapMinutes: 15 } },
  })
  const { memory, clock } = opened
  const { blockId: six } = await memory.remember({ content: 'The gym opens at 6.' })
  await memory.dream()
  clock.advance({ hours: 24 * 10 })
  const newer = { content: 'The gym opens at 7.', supersedes: six, ...more }
  const { blockId: seven } = await memory.remember(newer)
  await memory.dream()
  clock.advance({ hours: 24 * 10 })
  const endOf = async (blockId: string) => (await memory.show({ blockId })).block.validUntil
  /** The day that the lines under the first entry give as the end of a version, by its words. */
  const told = async () => {
    const { text } = await memory.recall({ query: 'When does the gym open?', reinforce: false })
    return new Map(
      [...text.matchAll(/^↳ before(?:, until (\S+))?: (.+?) \(/gm)].map(([, end, words]) => [words, end]),
    )
  }
  /** The line says what show says, and asOf goes by. */
  const agrees = async (blockId: string) => {
    const { content, validUntil } = (await memory.show({ blockId })).block
    const lines = await told()
    expect(lines.has(content)).toBe(true)
    expect(lines.get(content)).toBe(validUntil?.slice(0, 10))
    if (validUntil === undefined) return
    const heldAt = async (time: number) => {
      const { blocks } = await memory.ls({ asOf: new Date(time).toISOString(), status: 'active' })
      return blocks.some(({ id }) => id === blockId)
    }
    expect(await heldAt(Date.parse(validUntil) - 1)).toBe(true)
    expect(await heldAt(Date.parse(validUntil))).toBe(false)
  }
  return { ...opened, six, seven, endOf, told, agrees }
}

test('the line of what was before gives the end that show has and asOf goes by, after resolve', async () => {
  const { memory, six, seven, agrees, endOf } = await gym({ validFrom: '2026-01-10' })
  await memory.resolve({ a: six, b: seven, keep: 'b' })
  expect(await endOf(six)).toBe(day('2026-01-10'))
  await agrees(six)
})

test('the same after two blocks took the place of one, and after one of them was forgotten and restored', async () => {
  const { memory, six, seven, agrees, endOf } = await gym()
  const { blockId: eight } = await memory.remember({ content: 'The gym opens at 8.', supersedes: six })
  await memory.dream()
  expect(await endOf(six)).toBe('2026-01-15T09:00:00.000Z')
  await agrees(six)
  await memory.forget({ blockId: seven })
  expect(await endOf(six)).toBe('2026-01-25T09:00:00.000Z')
  await agrees(six)
  await memory.restore({ blockId: seven })
  expect(await endOf(six)).toBe('2026-01-15T09:00:00.000Z')
  await memory.resolve({ a: seven, b: eight, keep: 'b' })
  await agrees(six)
  await agrees(seven)
})

test('the same after the older was forgotten and restored, and after its end was taken away', async () => {
  const { memory, six, agrees, endOf } = await gym()
  await memory.forget({ blockId: six })
  await memory.restore({ blockId: six })
  expect(await endOf(six)).toBe('2026-01-15T09:00:00.000Z')
  await agrees(six)
  await memory.edit({ blockId: six, validUntil: '' })
  expect(await endOf(six)).toBeUndefined()
  await agrees(six)
})

test.each(['before', 'after'] as const)(
  'the end that a block has from its successor moves with its beginning, edited %s resolve, and undo takes both back',
  async (when) => {
    const { memory, six, seven, endOf, agrees } = await gym()
    if (when === 'after') await memory.resolve({ a: six, b: seven, keep: 'b' })
    const told = await memory.edit({ blockId: seven, validFrom: '2026-01-20' })
    expect(told.movedEnd).toEqual({ blockId: six, validUntil: day('2026-01-20') })
    expect(told.summary).toContain('holds until 2026-01-20 now')
    expect(await endOf(six)).toBe(day('2026-01-20'))
    await agrees(six)
    await memory.edit({ blockId: seven, validFrom: '' })
    expect(await endOf(six)).toBe('2026-01-15T09:00:00.000Z')
    await memory.undo()
    expect(await endOf(six)).toBe(day('2026-01-20'))
    expect((await memory.show({ blockId: seven })).block.validFrom).toBe(day('2026-01-20'))
    await memory.undo()
    expect(await endOf(six)).toBe('2026-01-15T09:00:00.000Z')
    expect((await memory.show({ blockId: seven })).block).not.toHaveProperty('validFrom')
  },
)

test('an end that somebody gave, and one that a third block made, do not move', async () => {
  const given = await gym()
  await given.memory.edit({ blockId: given.six, validUntil: '2026-01-12' })
  const { movedEnd } = await given.memory.edit({ blockId: given.seven, validFrom: '2026-01-20' })
  expect(await given.endOf(given.six)).toBe(day('2026-01-12'))
  expect(movedEnd).toBeUndefined()

  const third = await gym()
  const { blockId: eight } = await third.memory.remember({
    content: 'The gym opens at 8.',
    supersedes: third.six,
  })
  await third.memory.edit({ blockId: eight, validFrom: '2026-03-01' })
  expect(await third.endOf(third.six)).toBe('2026-01-15T09:00:00.000Z')
  // The later of both ends it when the earlier begins after it.
  await third.memory.edit({ blockId: third.seven, validFrom: '2026-04-01' })
  expect(await third.endOf(third.six)).toBe(day('2026-03-01'))
})

test('an end that the owner took away does not come back when the successor is edited', async () => {
  const { memory, six, seven, endOf } = await gym()
  await memory.edit({ blockId: six, validUntil: '' })
  const { movedEnd } = await memory.edit({ blockId: seven, validFrom: '2026-01-20' })
  expect([await endOf(six), movedEnd]).toEqual([undefined, undefined])
})

test('dates that come with the same words again, alone or in a list, move the end, too', async () => {
  const { memory, six, endOf } = await gym()
  await memory.remember({ content: 'The gym opens at 7.', validFrom: '2026-01-20' })
  expect(await endOf(six)).toBe(day('2026-01-20'))
  await memory.rememberMany({ blocks: [{ content: 'The gym opens at 7.', validFrom: '2026-01-18' }] })
  expect(await endOf(six)).toBe(day('2026-01-18'))
})

test('forgetting what took a place names the block that had it, and the call that brings it back', async () => {
  const { memory, six, seven } = await gym()
  await memory.resolve({ a: six, b: seven, keep: 'b' })
  const told = await memory.forget({ blockId: seven })
  expect(told.hadReplaced).toEqual({ id: six, content: 'The gym opens at 6.', status: 'archived' })
  expect(told.summary).toContain(`stays archived: restore() ${six.slice(0, 8)} brings that back`)
  expect((await memory.recall({ query: 'When does the gym open?' })).blocks).toEqual([])
  await memory.restore({ blockId: six })
  const { blocks } = await memory.recall({ query: 'When does the gym open?' })
  expect(blocks).toMatchObject([{ id: six }])
  expect(blocks[0]).not.toHaveProperty('ended')
})

test('before resolve the block holds again, and it is said; where another has its place nothing is', async () => {
  const { memory, six, seven } = await gym()
  const told = await memory.forget({ blockId: seven })
  expect(told.hadReplaced).toMatchObject({ id: six, status: 'holds_again' })
  expect(told.summary).toContain('holds again')
  await memory.undo()
  await memory.resolve({ a: six, b: seven, keep: 'b' })
  await memory.remember({ content: 'The gym opens at 8.', supersedes: seven })
  expect(await memory.forget({ blockId: seven })).not.toHaveProperty('hadReplaced')
})
