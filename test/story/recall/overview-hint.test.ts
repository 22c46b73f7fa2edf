import { expect, test } from 'vitest'
import { createLanguage } from '../../../src/language/question.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { connectClient } from '../../surfaces/helpers/roads.ts'

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
  ['Please tell me all about Larder', 'Larder'],
  ['What are the main themes?', ''],
  ['Was weißt du über Larder?', 'Larder'],
  ['Gib mir einen Überblick', ''],
  ['Que sais-tu de Larder ?', 'Larder'],
  ['¿Qué sabes de Larder?', 'Larder'],
  ['O que você sabe sobre Larder?', 'Larder'],
  ['Chi è Tomasz?', 'Tomasz'],
  ['Wat weet je over Larder?', 'Larder'],
  ['Что ты знаешь о Larder?', 'Larder'],
])('subjectOf finds what a broad question is about: %s', (question, subject) => {
  expect(createLanguage('auto').subjectOf(question)).toBe(subject)
})

test.each([
  'Which port does Larder use?',
  'Where is Larder?',
  'What do you know about Larder in 2024?',
  'What do you know about order H0041?',
  'What do you know about Anna and Ben?',
  'Tell me about Larder and its shelves',
  'Larder',
  'Who are you?',
  'Welchen Port nutzt Larder?',
  'Larderについて教えて',
])('subjectOf finds no subject in a question that asks for more: %s', (question) => {
  expect(createLanguage('auto').subjectOf(question)).toBeUndefined()
})

test('recall of a broad question hints at the overview, with the numbers of notes that have the name', async () => {
  const { memory } = await shop()
  const { hint, blocks, note } = await memory.recall({ query: 'What do you know about Larder?', limit: 3 })
  const overview = await memory.overview({ about: 'Larder' })
  expect(overview.named).toBe(12)
  const here = blocks.filter(({ content }) => content.includes('Larder')).length
  expect(hint).toBe(
    `${here} of 12 notes that name Larder are here; overview({ about: 'Larder' }) has the whole.`,
  )
  expect(note ?? '').not.toContain('overview')
  expect((await memory.recall({ query: 'Give me an overview' })).hint).toContain('15 notes')
})

test('recall gives no hint where an overview has hardly more, cannot have the same, or is not asked for', async () => {
  const { memory } = await shop()
  const broad = 'What do you know about Larder?'
  for (const asked of [
    { query: 'Who is Tomasz?' },
    { query: 'Which shelf of Larder has a-goods?' },
    { query: broad, limit: 12, minStrength: 0 },
    { query: broad, category: 'knowledge' },
    { query: broad, tags: ['shop'] },
    { query: broad, frame: 'task' as const },
    { query: broad, asOf: '2030-01-01' },
    { frame: 'self' as const },
  ])
    expect((await memory.recall(asked)).hint, JSON.stringify(asked)).toBeUndefined()
})

test('recall over MCP names the tool of the overview, and says nothing where the tool is not listed', async () => {
  const { memory } = await shop()
  const ask = async (tools: 'verbs' | 'agent') => {
    const client = await connectClient(memory, { tools })
    const asked = { name: 'elfmem_recall', arguments: { query: 'What do you know about Larder?' } }
    const { content, structuredContent } = await client.callTool(asked)
    return JSON.stringify([content, structuredContent])
  }
  expect(await ask('agent')).toContain("elfmem_overview({ about: 'Larder' }) has the whole")
  expect(await ask('verbs')).not.toContain('overview')
})

test('recall keeps a name in the hint on one line, and in one text', async () => {
  const { memory } = await openTestMemory()
  await memory.rememberMany({
    blocks: Array.from({ length: 9 }, (_, i) => ({ content: `note ${i} of O'Brien` })),
  })
  const { hint } = await memory.recall({ query: "What do you know about O'Brien?", limit: 2 })
  expect(hint).toContain("about: 'O’Brien' }")
})
