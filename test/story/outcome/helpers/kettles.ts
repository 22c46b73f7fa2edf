import { openTestMemory } from '../../../helpers/memory.ts'
import { nextTurn } from '../../../helpers/timer.ts'

export const KETTLES = [
  'The red kettle boils slowly.',
  'The red kettle boils quickly.',
  'A red kettle whistles in the kitchen.',
]

export const BOILS = 'which red kettle boils'

/** A memory with three kettles, and a recall that found them. */
export async function asked(query = BOILS) {
  const opened = await openTestMemory()
  await opened.learn(...KETTLES)
  const { recallId = '', blockIds } = await opened.memory.recall({ query, topK: 3 })
  await nextTurn()
  const [first = '', second = '', third = ''] = blockIds
  return { ...opened, recallId, blockIds, first, second, third }
}
