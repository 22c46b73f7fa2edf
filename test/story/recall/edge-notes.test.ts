import { expect, test } from 'vitest'
import type { Memory } from '../../../src/engine/memory.ts'
import { openTestMemory, type TestMemoryOptions } from '../../helpers/memory.ts'

const CRANE = 'The crane at the north quay was painted green'
const ROPES = 'Twelve ropes hang in the shed behind the office'
const OTHERS = ['Grandmother pickles lemons every spring', 'The choir sings on Tuesday evenings']
const NOTE = 'Both were bought at the Zeebrugge auction'

async function openJoined(options: TestMemoryOptions = {}) {
  const opened = await openTestMemory(options)
  const [source = '', target = ''] = await opened.learn(CRANE, ROPES, ...OTHERS)
  await opened.memory.connect({ source, target, relation: 'relates', note: NOTE })
  return { ...opened, source, target }
}

/** Contents of the blocks that the words of a question find. */
async function foundByWords(memory: Memory, query = 'what is from Zeebrugge?'): Promise<string[]> {
  const { blocks } = await memory.recall({ query, reinforce: false, minStrength: 0, topK: 9, explain: true })
  return blocks
    .filter(({ explanation }) => (explanation?.match?.lexical ?? 0) > 0)
    .map(({ content }) => content)
    .sort()
}

test('recall finds both blocks of an edge by the words of its note', async () => {
  const { memory } = await openJoined()
  expect(await foundByWords(memory)).toEqual([CRANE, ROPES])
  const { blocks } = await memory.recall({ query: 'the Zeebrugge auction', topK: 3, explain: true })
  const byNote = blocks.map(
    ({ explanation }) => explanation?.rules?.some(({ rule }) => rule === 'note') ?? false,
  )
  expect(byNote).toEqual([true, true, false])
})

test('recall finds by a note no longer once its edge or an end is gone, and again once it is back', async () => {
  const { memory, source, target } = await openJoined()
  await memory.disconnect({ source, target })
  expect(await foundByWords(memory)).toEqual([])
  await memory.undo()
  expect(await foundByWords(memory)).toEqual([CRANE, ROPES])
  await memory.forget({ blockId: source })
  expect(await foundByWords(memory)).toEqual([])
  await memory.restore({ blockId: source })
  expect(await foundByWords(memory)).toEqual([CRANE, ROPES])
})
