import { expect, test } from 'vitest'
import type { Memory } from '../../../src/engine/memory.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { createPlacedEmbedder } from '../../helpers/placed-embedder.ts'

/** The first word of a text decides what it is similar to, so these have nothing in common but a name. */
const FERRY = 'ferry to the island: it is run by Maartje Dekker'

const GARAGE = 'garage of Maartje Dekker, where two cars stand'

const QUESTION = 'ferry to the island, who runs it?'

const OTHERS = [
  'lemons are pickled every spring',
  'choirs sing on weekdays',
  'shoes stand in the hall',
  'clocks are set on Sundays',
  'paint dries within the hour',
  'kites need wind',
]

/** In a store of fewer than 50 blocks no name leads on. */
const FILLER = Array.from({ length: 50 }, (_, i) => `filler ${i} of no use`)

async function openNamed(...texts: readonly string[]) {
  const opened = await openTestMemory({ embedder: createPlacedEmbedder() })
  return { ...opened, ids: await opened.learn(FERRY, ...OTHERS, ...FILLER, ...texts) }
}

/** Returns the fields of each block in an answer of five. */
async function answer(memory: Memory, query = QUESTION, given: object = {}) {
  const { blocks } = await memory.recall({
    ...{ query, topK: 5, minStrength: 0, reinforce: false, explain: true },
    ...given,
  })
  return blocks
}

const contents = (blocks: readonly { readonly content: string }[]) => blocks.map(({ content }) => content)

/** Returns the rule that a name brought a block. */
const ruleOf = (block?: Awaited<ReturnType<typeof answer>>[number]) =>
  block?.explanation?.rules?.find(({ rule }) => rule === 'name')

const brought = (blocks: Awaited<ReturnType<typeof answer>>) =>
  contents(blocks.filter((block) => ruleOf(block) !== undefined))

test('recall brings a block that shares only a name with the best match, and says which', async () => {
  const { memory, ids } = await openNamed(GARAGE)
  const [first, second] = await answer(memory)
  expect([first?.content, second?.content]).toEqual([FERRY, GARAGE])
  expect(ruleOf(second)).toEqual({ rule: 'name', block: ids[0] })
  expect(ruleOf(first)).toBeUndefined()
})

test('recall follows no name that the question gives', async () => {
  const { memory } = await openNamed(GARAGE)
  const blocks = await answer(memory, 'ferry to the island of Maartje Dekker')
  expect(blocks[0]?.content).toBe(FERRY)
  expect(brought(blocks)).toEqual([])
})

test('recall follows no name across a filter or a scope', async () => {
  const { memory } = await openTestMemory({ embedder: createPlacedEmbedder() })
  for (const content of [...OTHERS, ...FILLER]) await memory.remember({ content, tags: ['shown'] })
  await memory.remember({ content: FERRY, tags: ['shown'] })
  await memory.remember({ content: GARAGE })
  await memory.remember({ content: 'boats belong to Maartje Dekker', scope: 'other' })
  await memory.dream()
  expect(brought(await answer(memory, QUESTION, { tags: ['shown'] }))).toEqual([])
  expect(brought(await answer(memory, QUESTION, { scope: 'other' }))).toEqual([])
  expect(brought(await answer(memory))).toContain(GARAGE)
})

test('recall follows names of and to waiting blocks', async () => {
  const { memory } = await openNamed()
  await memory.remember({ content: GARAGE })
  expect(brought(await answer(memory))).toEqual([GARAGE])
  expect(brought(await answer(memory, 'garage with cars'))).toEqual([FERRY])
})
