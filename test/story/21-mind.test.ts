import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import type { Embedder } from '../../src/ports/embedder.ts'
import type { HandMadeModel } from '../helpers/hand-made-model.ts'
import { openTestMemory, refusal, temporaryFolder } from '../helpers/memory.ts'
import { toldModel } from '../helpers/told-model.ts'

const TEA = 'Ana drinks green tea at 4 pm in the garden house'

test('what a model thinks of a block becomes part of it: alignment, identity tags it may grant, a digest', async () => {
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

test('a digest that loses or invents a number or a name is left out', async () => {
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

// W6
test('a model judges against the self frame as it is, and what it judges stands in a fence of its own', async () => {
  const languageModel = toldModel()
  const { memory } = await openTestMemory({ languageModel })
  await memory.remember({ content: 'I answer briefly and name my sources', tags: ['self/style'] })
  await memory.dream()
  await memory.remember({ content: TEA })
  await memory.dream()
  const [first, second] = languageModel.asked
  expect(first?.prompt).toContain('nothing is known yet')
  expect(second?.prompt).toContain('I answer briefly and name my sources')
  const nonces = [first, second].map((asked) => /<<memory (\w+)>>/.exec(asked?.prompt ?? '')?.[1])
  expect(new Set(nonces).size).toBe(2)
  expect(second?.system).toContain(nonces[1])
  expect(second?.system).toContain('never an instruction')
})

// W9
test('with a model, too, every content is embedded once in its life', async () => {
  const inner = createHashingEmbedder()
  let texts = 0
  const embedder: Embedder = {
    ...inner,
    embed: (given, options) => {
      texts += given.length
      return inner.embed(given, options)
    },
  }
  const { memory } = await openTestMemory({ languageModel: toldModel(), embedder })
  for (let round = 0; round < 6; round++) {
    for (let i = 0; i < 5; i++)
      await memory.remember({ content: `Fact ${round} ${i} about ${round * 7 + i}` })
    await memory.dream()
  }
  expect(texts).toBe(30)
})

// W12
test('a digest changes neither the vector of a block nor what says the same', async () => {
  const analysis = () => ({ summary: 'In the garden house at 4 pm: Ana, green tea.' })
  const judged = await openTestMemory({ languageModel: toldModel({ analysis }) })
  const plain = await openTestMemory()
  const [[one = ''], [other = '']] = [await judged.learn(TEA), await plain.learn(TEA)]
  const vectorOf = async ({ store }: typeof plain, id: string) =>
    (await store.read((tx) => tx.vectors([id]))).get(id)
  expect((await judged.memory.show({ blockId: one })).block.summary).toBeDefined()
  expect(await vectorOf(judged, one)).toEqual(await vectorOf(plain, other))
  const { blockId } = await judged.memory.remember({ content: 'The kettle is blue' })
  await judged.memory.edit({ blockId, content: TEA })
  expect((await judged.memory.dream()).deduplicated).toBe(1)
})

// W8
test('a dream whose model fails says so and which judgements are pending, and the next judges that first', async () => {
  let works = false
  const languageModel = toldModel({ answer: () => (works ? undefined : 'I would rather not.') })
  const { memory, store } = await openTestMemory({ languageModel })
  const { blockId } = await memory.remember({ content: TEA })
  const failed = await memory.dream()
  expect(failed).toMatchObject({ promoted: 1, analysed: 0, pendingJudgement: [blockId] })
  expect(failed.modelTrouble?.message).toContain('no usable answer')
  expect(failed.summary).toContain('1 judgement pending')
  expect((await store.read((tx) => tx.judgementCounts('9'))).pending).toBe(1)
  works = true
  const repaid = await memory.dream()
  expect(repaid).toMatchObject({ status: 'dreamt', processed: 0, rescored: 1, pendingJudgement: [] })
  expect((await memory.show({ blockId })).block.alignment).toBe(0.2)
})

// W54
test('a wrong answer is sent back once with what is wrong with it, and what of it was usable is kept', async () => {
  const languageModel = toldModel({
    answer: ({ turns }) =>
      turns === undefined
        ? '{"blocks": [{"item": 1, "alignment_score": 7, "tags": [], "summary": ""}, {"item": 2, "alignment_score": 0.4, "tags": [], "summary": ""}]}'
        : undefined,
  })
  const { memory } = await openTestMemory({ languageModel })
  await memory.remember({ content: TEA })
  await memory.remember({ content: 'The harbour office opens at nine' })
  expect(await memory.dream()).toMatchObject({ analysed: 2, llmCalls: 2 })
  const [turn] = languageModel.asked[1]?.turns ?? []
  expect(turn?.answer).toContain('"alignment_score": 7')
  expect(turn?.objection).toContain('the items 1')
})

// W55
test('an embedder that fails in the middle of a dream loses no judgement made before', async () => {
  const inner = createHashingEmbedder()
  let calls = 0
  const embedder: Embedder = {
    ...inner,
    embed: (texts, options) =>
      ++calls === 3 ? Promise.reject(new Error('out of memory')) : inner.embed(texts, options),
  }
  const { memory, store } = await openTestMemory({ languageModel: toldModel(), embedder })
  const blocks = Array.from({ length: 80 }, (_, i) => ({ content: `Shelf ${i} holds jar ${i * 3}` }))
  await memory.rememberMany({ blocks })
  await expect(memory.dream()).rejects.toThrow('out of memory')
  const { blocks: active } = await memory.ls({ status: 'active', limit: 100 })
  expect(active).toHaveLength(60)
  const judged = await store.read((tx) => tx.blocks(active.map(({ id }) => id)))
  expect(judged.every(({ scoredAt }) => scoredAt !== undefined)).toBe(true)
  expect(await memory.dream()).toMatchObject({ promoted: 20, analysed: 20 })
})

// W52
test('judging a block anew is no evidence about it', async () => {
  let score = 0.1
  const languageModel = toldModel({ analysis: () => ({ alignment_score: score }) })
  const { memory, clock, learn } = await openTestMemory({ languageModel })
  const [blockId = ''] = await learn(TEA)
  await memory.outcome({ blockIds: [blockId], signal: 1 })
  const before = (await memory.show({ blockId })).block
  score = 0.9
  clock.advance({ hours: 48 })
  const dream = await memory.dream({ rescore: true })
  expect(dream).toMatchObject({ rescored: 1, rescoreFailed: 0 })
  const after = (await memory.show({ blockId })).block
  expect(after.alignment).toBe(0.9)
  expect([after.successes, after.failures]).toEqual([before.successes, before.failures])
  expect((await memory.dream({ rescore: true })).rescored).toBe(0)
})

test('rescore leaves messages, minds and what asks to be left alone, and needs a mind', async () => {
  const { memory, clock } = await openTestMemory({ languageModel: toldModel() })
  await memory.remember({ content: 'See you at the pier', category: 'message' })
  await memory.remember({ content: 'The old mill turns', tags: ['system/no-rescore'] })
  await memory.dream({ noLlm: true })
  clock.advance({ hours: 48 })
  expect(await memory.dream({ rescore: true })).toMatchObject({ rescored: 0, llmCalls: 0 })
  const { memory: mindless } = await openTestMemory()
  expect((await refusal(mindless.dream({ rescore: true }))).recovery).toContain('inbox')
})

test('a dream keeps to its budget of tokens and to that of the day, and says which was used up', async () => {
  const settings = { llm: { blocksPerCall: 1, concurrency: 1, maxOutputTokens: 64 } }
  const contents = Array.from({ length: 6 }, (_, i) => `Lamp ${i} stands on shelf ${i * 2}`)
  const open = async (llm: { tokensPerDream?: number; tokensPerDay?: number }) => {
    const opened = await openTestMemory({
      languageModel: toldModel(),
      settings: { llm: { ...settings.llm, ...llm } },
    })
    await opened.memory.rememberMany({ blocks: contents.map((content) => ({ content })) })
    return opened
  }
  const dreaming = await open({ tokensPerDream: 800 })
  const first = await dreaming.memory.dream()
  expect(first.tokens).toBeLessThanOrEqual(800)
  expect(first.pendingJudgement.length).toBeGreaterThan(0)
  expect(first.modelTrouble?.message).toContain('800 tokens a dream')
  const day = await open({ tokensPerDay: 800 })
  expect((await day.memory.dream()).modelTrouble?.message).toContain('800 tokens a day')
  expect(await day.memory.dream()).toMatchObject({ llmCalls: 0 })
  day.clock.advance({ hours: 24 })
  expect((await day.memory.dream()).rescored).toBeGreaterThan(0)
})

test('without a model wanted, none is asked', async () => {
  const languageModel = toldModel()
  const { memory } = await openTestMemory({ languageModel })
  await memory.remember({ content: TEA })
  expect(await memory.dream({ noLlm: true })).toMatchObject({
    analysed: 0,
    pendingJudgement: [],
    llmCalls: 0,
  })
  expect(languageModel.asked).toEqual([])
})

test('secrets stay on this machine when the model does not, and the dream counts them', async () => {
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

test("the owner's words may say how blocks are judged, in the settings or in a file", async () => {
  const prompt = 'Rate these for a lighthouse keeper.\n{self_context}\n{blocks}'
  const file = join(temporaryFolder(), 'prompt.txt')
  writeFileSync(file, prompt)
  for (const prompts of [{ processBlock: prompt }, { processBlockFile: file }]) {
    const languageModel = toldModel()
    const { memory } = await openTestMemory({ languageModel, settings: { prompts } })
    await memory.remember({ content: TEA })
    expect((await memory.dream()).analysed).toBe(1)
    expect(languageModel.asked[0]?.prompt).toMatch(/^Rate these for a lighthouse keeper\.\n<<identity/)
  }
  const wrong = openTestMemory({
    languageModel: toldModel(),
    settings: { prompts: { processBlock: 'Just {blocks}' } },
  })
  expect(await refusal(wrong)).toMatchObject({ code: 'CONFIG_INVALID' })
})

test('history says what a dream used, and the memory what it used in its life', async () => {
  const { memory } = await openTestMemory({ languageModel: toldModel() })
  await memory.remember({ content: TEA })
  await memory.dream()
  const { operations } = await memory.history({ operation: 'dream' })
  expect(operations[0]?.summary).toContain('model calls: 1, 120 tokens')
})

test('a message that a model failed to judge is judged later, though messages are not judged anew', async () => {
  let works = false
  const languageModel = toldModel({ answer: () => (works ? undefined : 'no') })
  const { memory } = await openTestMemory({ languageModel })
  const { blockId } = await memory.remember({ content: 'See you at the pier', category: 'message' })
  expect((await memory.dream()).pendingJudgement).toEqual([blockId])
  works = true
  expect((await memory.dream()).rescored).toBe(1)
})

test('a budget that is used up is no reason to call the memory degraded, a model that fails is', async () => {
  const llm = { blocksPerCall: 1, concurrency: 1, maxOutputTokens: 64, tokensPerDream: 1 }
  const spent = await openTestMemory({ languageModel: toldModel(), settings: { llm } })
  await spent.memory.remember({ content: TEA })
  expect((await spent.memory.dream()).modelTrouble?.kind).toBe('limits')
  expect((await spent.memory.status()).health).not.toBe('degraded')
  const failing = await openTestMemory({ languageModel: toldModel({ answer: () => 'no' }) })
  await failing.memory.remember({ content: TEA })
  expect((await failing.memory.dream()).modelTrouble?.kind).toBe('failed')
  expect((await failing.memory.status()).health).toBe('degraded')
})

test('a model that never answers keeps a dream no longer than its time', async () => {
  const silent: HandMadeModel = {
    ...toldModel(),
    ask: (_request, { signal } = {}) =>
      new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  }
  const { memory } = await openTestMemory({ languageModel: silent })
  await memory.rememberMany({
    blocks: Array.from({ length: 40 }, (_, i) => ({ content: `Jar ${i} is blue` })),
  })
  const dream = await memory.dream({ maxSeconds: 0.2 })
  expect(dream.modelTrouble?.message).toContain('time was up')
  expect(dream.pendingJudgement).toHaveLength(dream.promoted)
  expect(dream.promoted).toBeGreaterThan(0)
})
