import { expect, test } from 'vitest'
import { openTestMemory, refusal } from '../../helpers/memory.ts'

test('resolve by an agent archives no words of the owner', async () => {
  const { memory, path, clock } = await openTestMemory()
  const { blockId: a } = await memory.remember({
    content: 'Releases go out on Mondays.',
    sourceClass: 'user',
  })
  await memory.dream()
  clock.advance({ hours: 1 })
  const { memory: agent } = await openTestMemory({ path, clock, as: 'agent' })
  const proposal = { content: 'Releases go out on Tuesdays.', supersedes: a }
  const { blockId: b, proposed } = await agent.remember(proposal)
  expect(proposed).toBe(true)
  await agent.dream()
  for (const keep of ['b', 'merge', 'both'] as const)
    expect((await refusal(agent.resolve({ a, b, keep }))).code).toBe('OWNER_ONLY')
  expect((await agent.show({ blockId: a })).block).toMatchObject({ status: 'active' })
  expect((await agent.recall({ query: 'When do releases go out?' })).blockIds.toSorted()).toEqual(
    [a, b].sort(),
  )
  expect((await memory.resolve({ a, b, keep: 'b' })).archived).toBe(a)
})

test('remember by an agent does not change the dates of words of the owner', async () => {
  const { memory } = await openTestMemory()
  const content = 'The pool is open'
  const { blockId } = await memory.remember({ content, sourceClass: 'user', validFrom: '2026-05-01' })
  const dates = { validFrom: '2026-06-01', validUntil: '2026-09-30' }
  const again = await memory.remember({ content, sourceClass: 'agent', ...dates })
  expect(again).toMatchObject({ blockId, status: 'duplicate', refusedValidity: true })
  expect((await memory.show({ blockId })).block).toMatchObject({ validFrom: '2026-05-01T00:00:00.000Z' })
  const same = await memory.remember({ content, sourceClass: 'agent', validFrom: '2026-05-01' })
  expect(same.refusedValidity).toBeUndefined()
  expect((await memory.remember({ content, sourceClass: 'user', ...dates })).refusedValidity).toBeUndefined()
})
