import { expect, test } from 'vitest'
import { createLanguage } from '../../../src/language/question.ts'
import { openTestMemory } from '../../helpers/memory.ts'

/** Twelve notes that name a shop, and three that do not. */
const NOTES = [
  ...Array.from({ length: 12 }, (_, i) => `The shop Larder has shelf ${i} for ${'abcdefghijkl'[i]}-goods`),
  ...['Tomasz plays chess', 'It rains in spring', 'The ferry leaves at nine'],
]

async function shop() {
  const opened = await openTestMemory()
  await opened.learn(...NOTES)
  return opened
}

test.each([
  ['What do you know about Larder?', 'Larder'],
  ['who is Anna Berg', 'Anna Berg'],
  ['What are the main themes?', ''],
  ['Was weißt du über Larder?', 'Larder'],
  ['Que sais-tu de Larder ?', 'Larder'],
  ['Chi è Tomasz?', 'Tomasz'],
  ['Что ты знаешь о Larder?', 'Larder'],
])('subjectOf finds what a broad question is about: %s', (question, subject) => {
  expect(createLanguage('auto').subjectOf(question)).toBe(subject)
})

test.each([
  'Which port does Larder use?',
  'What do you know about Larder in 2024?',
  'What do you know about Anna and Ben?',
  'Larder',
  'Who are you?',
  'Welchen Port nutzt Larder?',
  'Larderについて教えて',
])('subjectOf finds no subject in a question that asks for more: %s', (question) => {
  expect(createLanguage('auto').subjectOf(question)).toBeUndefined()
})

test('recall answers a broad question with the overview, too, within the tokens that its text leaves', async () => {
  const { memory } = await shop()
  const query = 'What do you know about Larder?'
  const { overview, text, blocks } = await memory.recall({ query, limit: 3 })
  expect(overview).toBe((await memory.overview({ about: 'Larder' })).text)
  expect(blocks.length).toBeLessThanOrEqual(3)
  expect(text).not.toContain('stand for')
  expect((await memory.recall({ query: 'Give me an overview' })).overview).toContain('15 notes')
  const small = (await memory.recall({ query, limit: 3, tokenBudget: 250 })).overview ?? ''
  expect(small.length / 4).toBeLessThan(250)
})

test('recall adds no overview where that has hardly more, cannot have the same, or is not asked for', async () => {
  const { memory } = await shop()
  const broad = 'What do you know about Larder?'
  for (const asked of [
    { query: 'Who is Tomasz?' },
    { query: 'Which shelf of Larder has a-goods?' },
    { query: broad, limit: 12, minStrength: 0 },
    { query: broad, category: 'knowledge' },
    { query: broad, tags: ['shop'] },
    { query: broad, classes: ['user' as const] },
    { query: broad, frame: 'task' as const },
    { query: broad, asOf: '2030-01-01' },
    { query: broad, tokenBudget: 32 },
    { frame: 'self' as const },
  ])
    expect((await memory.recall(asked)).overview, JSON.stringify(asked)).toBeUndefined()
})
