import { expect, test } from 'vitest'
import { openTestMemory } from '../../helpers/memory.ts'

test('remember by an agent does not change the dates of words of the owner', async () => {
  const { memory } = await openTestMemory()
  const content = 'The pool is open'
  const { blockId } = await memory.remember({ content, sourceClass: 'user', validFrom: '2026-05-01' })
  const dates = { validFrom: '2026-06-01', validUntil: '2026-09-30' }
  const again = await memory.remember({ content, sourceClass: 'agent', ...dates })
  expect(again).toMatchObject({ blockId, status: 'duplicate', refused: ['dates'] })
  expect((await memory.show({ blockId })).block).toMatchObject({ validFrom: '2026-05-01T00:00:00.000Z' })
  const same = await memory.remember({ content, sourceClass: 'agent', validFrom: '2026-05-01' })
  expect(same.refused).toBeUndefined()
  expect((await memory.remember({ content, sourceClass: 'user', ...dates })).refused).toBeUndefined()
})
