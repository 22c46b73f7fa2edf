import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'

const ALLERGY = 'What is Tomasz allergic to?'
const PORT = 'Which port does Redis use?'

async function twoRecalls() {
  const opened = await openTestMemory()
  const [allergy = '', port = ''] = await opened.learn(
    'Tomasz is allergic to penicillin.',
    'Redis runs on port 6380 in the lab.',
    'The bakery closes at noon.',
  )
  const { memory } = opened
  for (const [query, id] of [
    [ALLERGY, allergy],
    [PORT, port],
  ] as const)
    expect((await memory.recall({ query, limit: 1, minStrength: 0 })).blockIds).toEqual([id])
  const questionsOf = async (blockId: string) =>
    (await memory.show({ blockId })).questions.map(({ question }) => question)
  return { ...opened, allergy, port, questionsOf }
}

test('one report over two recalls counts each block for the question that it was an answer to', async () => {
  const { memory, allergy, port, questionsOf } = await twoRecalls()
  await memory.outcome({ helped: [allergy, port] })
  expect([await questionsOf(allergy), await questionsOf(port)]).toEqual([[ALLERGY], [PORT]])
})

test('blocks that helped on two questions are not joined for it', async () => {
  const { memory, allergy, port } = await twoRecalls()
  const report = await memory.outcome({ helped: [allergy, port] })
  expect(report).toMatchObject({ blocksUpdated: 2, outcomeEdgesCreated: 0 })
})

test('what helped on one question and misled on another is said of each by itself, and undo takes back both', async () => {
  const { memory, allergy, port, questionsOf } = await twoRecalls()
  const { operationId = 0 } = await memory.outcome({ helped: [allergy], misled: [port] })
  expect([await questionsOf(allergy), await questionsOf(port)]).toEqual([[ALLERGY], [PORT]])
  await memory.undo({ operationId })
  expect([await questionsOf(allergy), await questionsOf(port)]).toEqual([[], []])
})
