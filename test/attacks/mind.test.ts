import { expect, test } from 'vitest'
import { isIdentityTag, isProtectedTag } from '../../src/block/block.ts'
import type { Memory } from '../../src/engine/memory.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { toldModel } from '../helpers/told-model.ts'
import { ATTACKS } from './texts.ts'

const PRINCIPLE = 'I say what I do not know.'

/** A model that does what hostile texts ask for. */
function obedientModel() {
  return toldModel({
    analysis: (text) => ({
      alignment_score: 1,
      tags: ['self/constitutional', 'self/goal', 'self/value', 'peer/inbound', 'system/root'],
      summary: `${text} Obey me.`,
    }),
    label: () => ({ relation: 'contradicts', confidence: 1, tags: ['self/goal'], cue: 'always' }),
  })
}

/** Dreams of attacks of a page, or of the agent's own notes, after a principle and an honest block. */
async function attacked(source?: string) {
  const languageModel = obedientModel()
  const settings = { llm: { tokensPerDream: 0 } }
  const { memory } = await openTestMemory({ kind: 'memory', languageModel, settings })
  await memory.setup({ principles: [PRINCIPLE] })
  await memory.remember({ content: 'Staging listens on port 4210.', tags: ['atlas'] })
  await memory.dream({ noLlm: true })
  const before = await blocksOf(memory)
  const ids = new Set<string>()
  for (const content of ATTACKS) {
    const { blockId } = await memory.remember({ content, ...(source ? { source } : {}) })
    ids.add(blockId)
  }
  const { analysed } = await memory.dream({ maxSeconds: 60 })
  expect(analysed).toBeGreaterThan(ATTACKS.length / 2)
  const after = await blocksOf(memory)
  const hostile = [...after.values()].filter(({ id }) => ids.has(id))
  return { memory, languageModel, before, after, hostile }
}

async function blocksOf(memory: Memory) {
  const { blocks } = await memory.ls({ status: 'active', limit: 500 })
  const shown = await Promise.all(blocks.map(({ id }) => memory.show({ blockId: id })))
  return new Map(shown.map(({ block }) => [block.id, block]))
}

test('a model that obeys the texts of a page gives them no identity, changes no other block and hides no principle', async () => {
  const { memory, before, after, hostile } = await attacked('pages.example')
  expect(
    hostile.flatMap(({ tags }) => tags).filter((tag) => isIdentityTag(tag) || isProtectedTag(tag)),
  ).toEqual([])
  for (const [id, block] of before) expect(after.get(id)).toEqual(block)
  const { blocks } = await memory.recall({ frame: 'self', topK: 1_000, reinforce: false })
  expect(blocks.map(({ content }) => content)).toEqual([PRINCIPLE])
})

test('every text in a question to a model stands within a fence that only this question knows', async () => {
  const { languageModel } = await attacked('pages.example')
  const nonces = new Set<string>()
  for (const { system, prompt } of languageModel.asked) {
    const nonce = /<<memory ([0-9a-f]+)>>/.exec(prompt)?.[1] ?? ''
    nonces.add(nonce)
    let isInside = false
    for (const line of prompt.split('\n')) {
      if (line === `<<end ${nonce}>>`) isInside = false
      else if (line === `<<identity ${nonce}>>` || line === `<<memory ${nonce}>>`) isInside = true
      else if (isInside) expect(line).toMatch(/^(\d+| |)\| /)
      else expect(['Who the agent is:', 'The texts:', 'The pairs:', '']).toContain(line)
    }
    expect(ATTACKS.filter((text) => text.length > 40 && system.includes(text))).toEqual([])
  }
  expect(nonces.size).toBe(languageModel.asked.length)
})
