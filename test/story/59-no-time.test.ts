import { expect, test } from 'vitest'
import { createTestClock } from '../helpers/clock.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'

const day = (date: string) => `${date}T00:00:00.000Z`

/** A permit and the one that took its place in June. */
async function permits(first: { readonly validFrom?: string; readonly validUntil?: string } = {}) {
  const opened = await openTestMemory({
    clock: createTestClock('2026-03-01T09:00:00Z'),
    settings: { session: { gapCapMinutes: 15 } },
  })
  const { memory } = opened
  const old = { content: 'The crane permit number is KX-4471', at: '2025-01-01', ...first }
  const { blockId: a } = await memory.remember(old)
  const next = { content: 'The crane permit number is KX-9020', at: '2025-06-01', supersedes: a }
  const { blockId: b } = await memory.remember(next)
  await memory.dream()
  const datesOf = async (blockId: string) => {
    const { validFrom, validUntil } = (await memory.show({ blockId })).block
    return [validFrom, validUntil]
  }
  /** The edit is refused, and both blocks hold when they held. */
  const refuses = async (edit: Parameters<typeof memory.edit>[0]) => {
    const before = [await datesOf(a), await datesOf(b)]
    expect((await refusal(memory.edit(edit))).code).toBe('INVALID_INPUT')
    expect([await datesOf(a), await datesOf(b)]).toEqual(before)
  }
  return { ...opened, a, b, datesOf, refuses }
}

test('no edit lets a block begin after its end, whether that was given or came from what took its place', async () => {
  const { memory, a, refuses, datesOf } = await permits()
  await refuses({ blockId: a, validFrom: '2025-08-01' })
  await refuses({ blockId: a, validFrom: '2025-08-01', validUntil: '2025-12-01' })
  await refuses({ blockId: a, content: 'The crane permit number is KX-4471 since August 2025' })
  await memory.edit({ blockId: a, validFrom: '2025-02-01' })
  expect(await datesOf(a)).toEqual([day('2025-02-01'), day('2025-06-01')])
  await memory.edit({ blockId: a, validFrom: '2025-08-01', validUntil: '' })
  expect(await datesOf(a)).toEqual([day('2025-08-01'), undefined])

  const given = await permits({ validUntil: '2025-03-01' })
  await given.refuses({ blockId: given.a, validFrom: '2025-04-01' })
})

test('nor do the same words again, with a date of when they begin', async () => {
  const { memory, a, datesOf } = await permits()
  const again = { content: 'The crane permit number is KX-4471', validFrom: '2025-08-01' }
  expect((await refusal(memory.remember(again))).code).toBe('INVALID_INPUT')
  const { message } = await refusal(memory.rememberMany({ blocks: [{ content: 'Gate C is shut' }, again] }))
  expect(message).toContain('blocks[1]')
  expect(await datesOf(a)).toEqual([undefined, day('2025-06-01')])
})

test.each([{ validFrom: '2025-02-01' }, {}])(
  'what took a place does not begin before the other did, or was said: %o',
  async (first) => {
    const { memory, a, b, refuses, datesOf } = await permits(first)
    await refuses({ blockId: b, validFrom: '2024-06-01' })
    await memory.edit({ blockId: b, validFrom: '2025-03-01' })
    expect((await datesOf(a))[1]).toBe(day('2025-03-01'))
    await memory.resolve({ a, b, keep: 'b' })
    await refuses({ blockId: b, validFrom: '2024-06-01' })
    const again = { content: 'The crane permit number is KX-9020', validFrom: '2024-06-01' }
    expect((await refusal(memory.remember(again))).code).toBe('INVALID_INPUT')
  },
)
