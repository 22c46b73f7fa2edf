import { expect, test } from 'vitest'
import { openTestMemory } from '../helpers/memory.ts'

const FACT = 'The spare key of the boathouse hangs behind the blue lantern.'
const sentenceOf = (i: number) => `Paragraph ${i} tells of barge number ${i * 7} and of its cargo of timber.`
/** A note of so many sentences with the fact at a place. */
const note = (length: number, at: number) =>
  Array.from({ length }, (_, i) => (i === at ? FACT : sentenceOf(i))).join(' ')

const QUESTION = 'Where does the spare key of the boathouse hang?'

test('a fact in the 40th sentence of a note that is longer than the budget stands in the text', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(note(60, 39))
  const { text, blocks, budgetUsed, budgetTotal } = await memory.recall({
    query: QUESTION,
    tokenBudget: 300,
  })
  expect(text).toContain(`… ${FACT} Paragraph 40`)
  expect(text).not.toContain('Paragraph 0 ')
  expect(blocks).toMatchObject([{ cut: true }])
  expect(budgetUsed).toBeLessThanOrEqual(budgetTotal)
})

test('a small budget shows the fact rather than how its note begins', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(note(50, 39))
  const { text } = await memory.recall({ query: QUESTION, tokenBudget: 60 })
  expect(text).toContain(FACT)
})

test('a fact in the last sentence stands at the end, with what is before it', async () => {
  const { memory, learn } = await openTestMemory()
  await learn(note(50, 49))
  const { text } = await memory.recall({ query: QUESTION, tokenBudget: 100 })
  expect(text).toMatch(/… .*Paragraph 48 .* behind the blue lantern\. \(\d{4}-/)
})

test('a note that is shown from its middle is known when it is pasted back, in the whole answer or alone', async () => {
  for (const at of [150, 199]) {
    const { memory, learn } = await openTestMemory()
    const [id] = await learn(note(200, at))
    const { text } = await memory.recall({ query: QUESTION, ids: true })
    const [, entry = ''] = text.split('\n')
    for (const content of [text, entry, entry.replace('[1] ', '')])
      expect(await memory.remember({ content })).toMatchObject({ status: 'duplicate', blockId: id })
  }
})
