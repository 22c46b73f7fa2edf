import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../../helpers/memory.ts'
import { statements } from '../../helpers/words.ts'

test('history lists operations and their actors, oldest first', async () => {
  const { memory, learn } = await openTestMemory({ actor: 'tea bot' })
  const [id = ''] = await learn('one apple')
  await memory.outcome({ helped: [id] })
  const { operations } = await memory.history()
  expect(operations.map(({ operation }) => operation)).toEqual(['remember', 'promote', 'dream', 'outcome'])
  expect(new Set(operations.map(({ actor }) => actor))).toEqual(new Set(['library:tea+bot as owner']))
  expect((await memory.history({ lastN: 1 })).operations).toMatchObject([
    { operation: 'outcome', blockIds: [id] },
  ])
  for (const lastN of [0, -1, 1_001, 1.5])
    expect((await refusal(memory.history({ lastN }))).code).toBe('INVALID_INPUT')
})

test('history of a block lists what touched it', async () => {
  const { memory, learn } = await openTestMemory()
  const [a = '', b = ''] = await learn(...statements(2))
  await memory.recordUse({ blockIds: [a] })
  await memory.forget({ blockId: b })
  const { operations } = await memory.history({ blockId: b.slice(0, 8), lastN: 100 })
  expect(operations.map(({ operation }) => operation)).toEqual(['remember', 'promote', 'dream', 'forget'])
})

test('history takes an actor, times and a cursor', async () => {
  const { memory, clock } = await openTestMemory({
    as: 'agent',
    settings: { memory: { curateIntervalHours: 1_000 } },
  })
  await memory.remember({ content: 'Tea is at four' })
  clock.advance({ hours: 48 })
  const then = new Date(clock.now()).toISOString()
  await memory.remember({ content: 'Staging listens on port 8443' })
  await memory.dream()
  const told = async (input: Parameters<typeof memory.history>[0]) =>
    (await memory.history(input)).operations.map(({ operation }) => operation)
  expect(await told({ until: then })).toEqual(['remember'])
  expect(await told({ actor: 'library' })).toEqual(['remember', 'remember', 'promote', 'promote', 'dream'])
  expect(await told({ actor: 'cli' })).toEqual([])
  const { operations, cursor } = await memory.history({ lastN: 2 })
  expect(operations.map(({ operation }) => operation)).toEqual(['promote', 'dream'])
  expect(await told({ lastN: 9, cursor: cursor! })).toEqual(['remember', 'remember', 'promote'])
})

test('history lists every recall that showed a block until curate drops old entries', async () => {
  const { memory, learn } = await openTestMemory({ settings: { memory: { keepOperations: 5 } } })
  const [blockId = ''] = await learn('The kettle in the kitchen is blue.')
  const recalls = async () =>
    (await memory.history({ blockId, operation: 'recall', limit: 500 })).operations.length
  for (let at = 0; at < 40; at++) await memory.recall({ query: 'which kettle is blue' })
  expect(await recalls()).toBe(40)
  await memory.curate()
  expect(await recalls()).toBeLessThanOrEqual(5)
  const { checks } = await memory.doctor()
  expect(checks.find(({ name }) => name === 'orphans')).toMatchObject({ outcome: 'ok' })
})
