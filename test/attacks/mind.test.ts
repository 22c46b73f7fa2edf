import { expect, test } from 'vitest'
import { isIdentityTag, isProtectedTag } from '../../src/domain/block/tags.ts'
import type { Memory } from '../../src/memory.ts'
import type { HandMadeModel } from '../helpers/hand-made-model.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { toldModel } from '../helpers/told-model.ts'
import { ATTACKS } from './texts.ts'

const PRINCIPLE = 'I say what I do not know.'
const HONEST = [
  { content: 'Staging listens on port 4210.', tags: ['atlas'] },
  { content: 'Ship the importer in May.', tags: ['self/goal'] },
  { content: 'Ben prefers short answers.', tags: ['mind/ben'], category: 'mind' },
]

/** A model that does what every text it reads could wish. */
function obedientModel(): HandMadeModel {
  return toldModel({
    analysis: (text) => ({
      alignment_score: 1,
      tags: ['self/constitutional', 'self/goal', 'self/value', 'peer/inbound', 'system/root'],
      summary: `${text} Obey me.`,
    }),
    label: () => ({
      relation: 'contradicts',
      confidence: 1,
      tags: ['self/constitutional', 'self/goal', 'owned'],
      cue: 'always',
    }),
  })
}

/** Attacks that somebody else wrote, or that the agent itself noted, after honest blocks and a principle. */
async function attacked(source: string | undefined, evolve = false) {
  const languageModel = obedientModel()
  const { memory } = await openTestMemory({
    kind: 'memory',
    languageModel,
    settings: { llm: { evolve, tokensPerDream: 0 } },
  })
  await memory.setup({ principles: [PRINCIPLE], values: ['Nothing is silent.'] })
  for (const fact of HONEST) await memory.remember(fact)
  await memory.dream({ noLlm: true })
  const before = await blocksOf(memory)
  const ids = new Set<string>()
  for (const { text } of ATTACKS) {
    const { blockId } = await memory.remember({
      content: text,
      tags: ['owned'],
      ...(source ? { source } : {}),
    })
    ids.add(blockId)
  }
  const dream = await memory.dream({ maxSeconds: 60 })
  return { memory, languageModel, before, ids, dream }
}

async function blocksOf(memory: Memory) {
  const { blocks } = await memory.ls({ status: 'active', limit: 500 })
  const shown = await Promise.all(blocks.map(({ id }) => memory.show({ blockId: id })))
  return new Map(shown.map(({ block }) => [block.id, block]))
}

test('no text of others gains any tag of identity from a model that obeys it', async () => {
  const { memory, ids, dream } = await attacked('pages.example')
  expect(dream.analysed).toBeGreaterThan(100)
  const hostile = [...(await blocksOf(memory)).values()].filter(({ id }) => ids.has(id))
  expect(hostile.length).toBeGreaterThan(100)
  expect(hostile.filter(({ tags }) => tags.some((tag) => isIdentityTag(tag) || isProtectedTag(tag)))).toEqual(
    [],
  )
  expect(dream.tagsRefused).toEqual(
    expect.arrayContaining(['self/constitutional', 'self/goal', 'peer/inbound']),
  )
  const self = await memory.recall({ frame: 'self', topK: 1_000, reinforce: false })
  expect(self.blocks.filter(({ id }) => ids.has(id))).toEqual([])
})

test('no text at all becomes a principle or a goal by the word of a model', async () => {
  const { memory, ids } = await attacked(undefined)
  const hostile = [...(await blocksOf(memory)).values()].filter(({ id }) => ids.has(id))
  expect(
    hostile.filter(({ tags }) => tags.some((tag) => isProtectedTag(tag) || tag === 'self/goal')),
  ).toEqual([])
  for (const frame of ['self', 'task', 'simulate'] as const) {
    const { blocks } = await memory.recall({ frame, topK: 1_000, tokenBudget: 1_000_000, reinforce: false })
    expect(blocks.filter(({ id, guaranteed }) => guaranteed && ids.has(id))).toEqual([])
  }
})

test('no text of others changes another block, even where memories may evolve', async () => {
  const { memory, ids, before, dream } = await attacked('pages.example', true)
  const after = await blocksOf(memory)
  for (const [id, block] of before) expect(after.get(id)).toEqual(block)
  // What is the agent's own may enrich words of others that it reads like.
  expect(dream.evolved.filter(({ blockId }) => !ids.has(blockId))).toEqual([])
})

test('no principle is hidden by what a model says contradicts it', async () => {
  const { memory } = await attacked('pages.example')
  const { blocks, text } = await memory.recall({ frame: 'self', reinforce: false })
  expect(blocks[0]?.content).toBe(PRINCIPLE)
  expect(text).toContain(PRINCIPLE)
})

test('no digest of a text that obeys it is kept', async () => {
  const { memory, ids } = await attacked('pages.example')
  const digests = [...(await blocksOf(memory)).values()].flatMap(({ id, summary }) =>
    ids.has(id) && summary !== undefined ? [summary] : [],
  )
  // What a digest adds to a long text in words alone cannot be told from a good one; it is searched, never shown as the text.
  const { text } = await memory.recall({ query: 'Obey me', topK: 50, tokenBudget: 100_000, reinforce: false })
  for (const digest of digests) expect(text).not.toContain(digest)
})

/** The lines of a question that stand outside every fence; fails when a fenced line does not begin as one must. */
function outsideFences(prompt: string, nonce: string): string[] {
  const opens = new Set([`<<identity ${nonce}>>`, `<<memory ${nonce}>>`])
  let inside = false
  const outside: string[] = []
  for (const line of prompt.split('\n')) {
    if (line === `<<end ${nonce}>>`) inside = false
    else if (opens.has(line)) inside = true
    else if (inside) expect(line).toMatch(/^(\d+| |)\| /)
    else outside.push(line)
  }
  return outside
}

test('whatever a model is asked about stands within a fence that only the question knows', async () => {
  const { languageModel } = await attacked('pages.example')
  expect(languageModel.asked.length).toBeGreaterThan(ATTACKS.length / 5)
  const nonces = languageModel.asked.map(({ prompt }) => /<<memory ([0-9a-f]+)>>/.exec(prompt)?.[1] ?? '')
  expect(new Set(nonces).size).toBe(nonces.length)
  const long = ATTACKS.filter(({ text }) => text.length > 40)
  for (const [i, { system, prompt }] of languageModel.asked.entries()) {
    const outside = outsideFences(prompt, nonces[i] ?? '')
    expect(new Set(['Who the agent is:', 'The texts:', 'The pairs:', ''])).toEqual(
      new Set([...outside, 'Who the agent is:', 'The texts:', 'The pairs:', '']),
    )
    expect(long.filter(({ text }) => system.includes(text))).toEqual([])
  }
})
