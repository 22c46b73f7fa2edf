import { expect, test } from 'vitest'
import type { HandMadeModel } from '../../helpers/hand-made-model.ts'
import { openTestMemory } from '../../helpers/memory.ts'
import { toldModel } from '../../helpers/told-model.ts'

const TEA = 'Ana drinks green tea at 4 pm in the garden house'

test('dream with a model sets alignment, allowed tags and a digest', async () => {
  const languageModel = toldModel({
    analysis: () => ({
      alignment_score: 0.8,
      tags: ['self/style', 'self/constitutional', 'weather'],
      summary: 'Green tea at 4 pm in the garden house is what Ana drinks.',
    }),
  })
  const { memory } = await openTestMemory({ languageModel })
  const { blockId } = await memory.remember({ content: TEA })
  const dream = await memory.dream()
  expect(dream).toMatchObject({ analysed: 1, pendingJudgement: [], llmCalls: 1, tokens: 120 })
  expect(dream.tagsRefused).toEqual(['self/constitutional', 'weather'])
  const { block } = await memory.show({ blockId })
  expect(block).toMatchObject({ content: TEA, alignment: 0.8, tags: ['self/style'] })
  expect(block.summary).toContain('garden house is what')
})

test('dream drops a digest that loses or invents a number or a name', async () => {
  for (const summary of [
    'Ana drinks green tea at 5 pm in the garden house.',
    'Somebody drinks tea in the afternoon.',
    'Ana drinks green tea at 4 pm in the garden house, 3 cups of it.',
  ]) {
    const { memory } = await openTestMemory({ languageModel: toldModel({ analysis: () => ({ summary }) }) })
    const content = 'Every day my sister Ana drinks green tea at 4 pm in the garden house'
    const { blockId } = await memory.remember({ content })
    await memory.dream()
    expect((await memory.show({ blockId })).block.summary).toBeUndefined()
  }
})

test('dream with a failing model keeps its blocks, and the next dream judges them first', async () => {
  let works = false
  const languageModel = toldModel({ answer: () => (works ? undefined : 'I would rather not.') })
  const { memory } = await openTestMemory({ languageModel })
  const { blockId } = await memory.remember({ content: TEA })
  const failed = await memory.dream()
  expect(failed).toMatchObject({ promoted: 1, analysed: 0, pendingJudgement: [blockId] })
  expect(failed.modelTrouble?.kind).toBe('failed')
  expect((await memory.status()).judge.pending).toBe(1)
  works = true
  const repaid = await memory.dream()
  expect(repaid).toMatchObject({ status: 'dreamt', processed: 0, rescored: 1, pendingJudgement: [] })
  expect((await memory.show({ blockId })).block.alignment).toBe(0.2)
})

test('dream keeps what is usable of an answer, and the next dream asks for the rest', async () => {
  let score = 7
  const languageModel = toldModel({
    answer: ({ prompt }) => {
      const scores = prompt.includes(TEA) && prompt.includes('harbour') ? [score, 0.4] : [score]
      const blocks = scores.map((each, at) => ({
        ...{ item: at + 1, alignment_score: each, tags: [], summary: '' },
      }))
      return JSON.stringify({ blocks })
    },
  })
  const { memory } = await openTestMemory({ languageModel })
  const { blockId } = await memory.remember({ content: TEA })
  await memory.remember({ content: 'The harbour office opens at nine' })
  const first = await memory.dream()
  expect(first).toMatchObject({ analysed: 1, llmCalls: 1, pendingJudgement: [blockId] })
  score = 0.3
  expect(await memory.dream()).toMatchObject({ rescored: 1, llmCalls: 1 })
  expect((await memory.show({ blockId })).block.alignment).toBe(0.3)
})

test('dream with rescore changes no evidence', async () => {
  let score = 0.1
  const languageModel = toldModel({ analysis: () => ({ alignment_score: score }) })
  const { memory, clock, learn } = await openTestMemory({ languageModel })
  const [blockId = ''] = await learn(TEA)
  await memory.outcome({ blockIds: [blockId], signal: 1 })
  const before = (await memory.show({ blockId })).block
  score = 0.9
  clock.advance({ hours: 48 })
  const dream = await memory.dream({ rescore: true })
  expect(dream).toMatchObject({ rescored: 1 })
  const after = (await memory.show({ blockId })).block
  expect(after.alignment).toBe(0.9)
  expect([after.successes, after.failures]).toEqual([before.successes, before.failures])
  expect((await memory.dream({ rescore: true })).rescored).toBe(0)
})

test('dream stops at its tokens and at those of the day', async () => {
  const contents = Array.from({ length: 60 }, (_, i) => `Lamp ${i} stands on shelf ${i * 2}`)
  const open = async (llm: { tokensPerDream?: number; tokensPerDay?: number }) => {
    const opened = await openTestMemory({
      languageModel: toldModel(),
      settings: { llm: { concurrency: 1, maxOutputTokens: 64, ...llm } },
    })
    await opened.memory.rememberMany({ blocks: contents.map((content) => ({ content })) })
    return opened
  }
  const dreaming = await open({ tokensPerDream: 1_000 })
  const first = await dreaming.memory.dream()
  expect(first.tokens).toBeLessThanOrEqual(1_000)
  expect(first.pendingJudgement.length).toBeGreaterThan(0)
  expect(first.modelTrouble?.kind).toBe('limits')
  const day = await open({ tokensPerDay: 1_000 })
  expect((await day.memory.dream()).modelTrouble?.kind).toBe('limits')
  expect(await day.memory.dream()).toMatchObject({ llmCalls: 0 })
  day.clock.advance({ hours: 24 })
  expect((await day.memory.dream()).rescored).toBeGreaterThan(0)
})

test('dream with noLlm asks no model', async () => {
  const languageModel = toldModel()
  const { memory } = await openTestMemory({ languageModel })
  await memory.remember({ content: TEA })
  expect(await memory.dream({ noLlm: true })).toMatchObject({ analysed: 0, pendingJudgement: [] })
  expect(languageModel.asked).toEqual([])
})

test('dream takes secrets out before it asks a remote model', async () => {
  const secret = ['sk', 'proj', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0'].join('-')
  const content = `The deploy key is ${secret}, keep it out of the logs`
  for (const remote of [true, false]) {
    const languageModel = toldModel({ remote })
    const { memory } = await openTestMemory({ languageModel, settings: { memory: { secrets: 'keep' } } })
    const { blockId } = await memory.remember({ content })
    const dream = await memory.dream()
    expect(languageModel.asked[0]?.prompt.includes(secret)).toBe(!remote)
    expect(Object.values(dream.redacted)).toEqual(remote ? [1] : [])
    expect((await memory.show({ blockId })).block.content).toBe(content)
  }
})

test('dream ends in time though a model never answers', async () => {
  const silent: HandMadeModel = {
    ...toldModel(),
    ask: (_request, { signal } = {}) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  }
  const { memory } = await openTestMemory({ languageModel: silent })
  const blocks = Array.from({ length: 40 }, (_, i) => ({ content: `Jar ${i} is blue` }))
  await memory.rememberMany({ blocks })
  const dream = await memory.dream({ maxSeconds: 0.2 })
  expect(dream.pendingJudgement).toHaveLength(dream.promoted)
  expect(dream.promoted).toBeGreaterThan(0)
})
