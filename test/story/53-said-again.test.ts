import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'

const BEFORE = 'The ferry terminal is at pier 2.'
const SINCE = 'The ferry terminal is at pier 7.'
const QUERY = 'Where is the ferry terminal?'

test('a text that is said again after another value was noted names that one, and how it holds again', async () => {
  const { memory, clock } = await openTestMemory()
  const first = await memory.remember({ content: BEFORE, session: 'one' })
  await memory.dream()
  clock.advance({ hours: 1 })
  const second = await memory.remember({ content: SINCE, session: 'two' })
  await memory.dream()
  clock.advance({ hours: 1 })
  const again = await memory.remember({ content: BEFORE, session: 'three' })
  expect(again).toMatchObject({
    status: 'duplicate',
    blockId: first.blockId,
    mayReplace: [{ id: second.blockId, content: SINCE, why: 'other_value' }],
  })
  expect(again.summary).toContain(`remember it with supersedes: '${second.blockId.slice(0, 8)}'`)
  clock.advance({ hours: 1 })
  await memory.remember({ content: BEFORE, session: 'four', supersedes: second.blockId })
  await memory.dream()
  expect(
    (await memory.recall({ query: QUERY, reinforce: false })).blocks.map(({ content }) => content),
  ).toEqual([BEFORE])
})

test('a text that is said again names nothing that came before it', async () => {
  const { memory, clock } = await openTestMemory()
  await memory.remember({ content: BEFORE, session: 'one' })
  await memory.dream()
  clock.advance({ hours: 1 })
  await memory.remember({ content: SINCE, session: 'two' })
  await memory.dream()
  clock.advance({ hours: 1 })
  expect((await memory.remember({ content: SINCE, session: 'three' })).mayReplace).toBeUndefined()
})
