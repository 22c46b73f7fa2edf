import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'
import { miniLm } from '../helpers/minilm.ts'

test.each([
  ['Backups run at 2 am.', 'Backups no longer run at 2 am but at 4 am.', 'When do backups run?'],
  [
    'Oskar drinks black tea.',
    'Oskar no longer drinks black tea; he drinks coffee.',
    'What does Oskar drink?',
  ],
])('in one session, too, %s is earlier than %s', async (older, newer, query) => {
  const { memory, clock } = await openTestMemory({ embedder: miniLm() })
  const session = 'one'
  const { blockId: before } = await memory.remember({ content: older, session })
  await memory.dream()
  clock.advance({ hours: 1 })
  const { mayReplace } = await memory.remember({ content: newer, session })
  expect(mayReplace?.map(({ id }) => id)).toEqual([before])
  await memory.dream()
  const { blocks } = await memory.recall({ query })
  expect(blocks[0]).toMatchObject({ content: newer, versions: [{ id: before, why: 'earlier' }] })
})
