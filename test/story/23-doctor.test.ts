import { expect, test } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { ElfmemError } from '../../src/errors.ts'
import type { Memory } from '../../src/memory.ts'
import { handMadeModel } from '../helpers/hand-made-model.ts'
import { openTestMemory, refusal } from '../helpers/memory.ts'
import { statements } from '../helpers/words.ts'
import { elfmem, temporaryDirectory } from '../surfaces/helpers/cli.ts'

type Asked = Parameters<Memory['doctor']>[0]

/** What doctor says of one thing. */
async function check(memory: Memory, name: string, asked: Asked = {}) {
  const { checks } = await memory.doctor(asked)
  return checks.find((each) => each.name === name)
}

const works = () => handMadeModel(() => '{"ok": true}')
const fails = (kind: string) =>
  handMadeModel(
    () =>
      new ElfmemError('MODEL_FAILED', `It said ${kind}.`, {
        recovery: `Mend the ${kind}.`,
        details: { kind },
      }),
  )

test('a new memory without any model is well, and nothing is asked or written', async () => {
  const { memory } = await openTestMemory()
  const { outcome, checks, tokens, summary } = await memory.doctor()
  expect([outcome, tokens]).toEqual(['ok', 0])
  expect(summary).toContain('all well')
  const names = checks.map(({ name }) => name)
  expect(names[0]).toBe('store')
  expect(new Set(names).size).toBe(names.length)
  expect(names).toEqual(expect.arrayContaining(['vectors', 'model', 'budget', 'keys']))
  expect(checks.find(({ name }) => name === 'model')).toMatchObject({ outcome: 'skipped' })
  expect((await memory.history()).operations).toEqual([])
})

test('without resolve neither the embedder nor the model is asked', async () => {
  const model = works()
  const refusing = { ...createHashingEmbedder(), embed: () => Promise.reject(new Error('asked')) }
  const { memory } = await openTestMemory({ languageModel: model, embedder: refusing })
  expect((await memory.doctor()).outcome).toBe('ok')
  expect(model.asked).toEqual([])
  expect(await check(memory, 'embedding')).toBeUndefined()
})

test('everything that is not well says what to do', async () => {
  const first = await openTestMemory()
  await first.learn(...statements(3))
  const { memory } = await openTestMemory({
    path: first.path,
    embedder: createHashingEmbedder({ dimensions: 8 }),
    languageModel: fails('key'),
  })
  for (const content of statements(20)) await memory.remember({ content: `again ${content}` })
  const { checks, outcome, summary } = await memory.doctor({ resolve: true })
  const bad = checks.filter((each) => each.outcome === 'warn' || each.outcome === 'fail')
  expect(bad.map(({ name }) => name)).toEqual(['vectors', 'inbox', 'judgements', 'embedding', 'answer'])
  expect(bad.every(({ recovery = '' }) => recovery !== '')).toBe(true)
  expect(outcome).toBe('fail')
  expect(summary).toContain('vectors, embedding, answer failed, inbox, judgements want attention')
})

test('an embedder of other dimensions is told apart from the stored vectors, by name and by trying', async () => {
  const first = await openTestMemory()
  await first.learn('one apple')
  const small = { ...createHashingEmbedder({ dimensions: 8 }), model: 'hashing-384', dimensions: undefined }
  const { memory } = await openTestMemory({ path: first.path, embedder: small })
  expect(await check(memory, 'vectors')).toMatchObject({ outcome: 'ok' })
  const tried = await check(memory, 'embedding', { resolve: true })
  expect(tried).toMatchObject({ outcome: 'fail', message: expect.stringContaining('8 dimensions') })
})

test('another model under the same name is noticed, because a known text gets another vector', async () => {
  const first = await openTestMemory()
  await first.learn('one apple')
  expect(await check(first.memory, 'embedding', { resolve: true })).toMatchObject({ outcome: 'ok' })
  const real = createHashingEmbedder()
  const other = {
    ...real,
    embed: (texts: readonly string[]) => real.embed(texts.map((text) => `another ${text} altogether`)),
  }
  const { memory } = await openTestMemory({ path: first.path, embedder: other })
  expect(await check(memory, 'embedding', { resolve: true })).toMatchObject({
    outcome: 'fail',
    message: expect.stringContaining('same name'),
  })
})

test('a model that answers is asked one tiny question, which is paid and logged', async () => {
  const model = works()
  const { memory } = await openTestMemory({ languageModel: model })
  const { outcome, tokens, checks } = await memory.doctor({ resolve: true })
  expect([outcome, tokens, model.asked.length]).toEqual(['ok', 15, 1])
  expect(checks.find(({ name }) => name === 'answer')).toMatchObject({ outcome: 'ok', seconds: 0 })
  expect((await memory.status()).tokens).toMatchObject({ today: 15, lifetime: { llmCalls: 1 } })
  expect((await memory.history({ operation: 'doctor' })).operations).toMatchObject([
    { operation: 'doctor', tokens: { llmCalls: 1, llmInputTokens: 10, llmOutputTokens: 5 } },
  ])
})

test.each([
  ['key', 'key is missing'],
  ['model', 'does not know the model'],
  ['host', 'address is wrong'],
  ['timeout', 'too long'],
  ['rate', 'limit'],
  ['server', 'problem of its own'],
  ['request', 'refuses the question'],
  ['answer', 'cannot be read'],
  ['unheard of', 'It said'],
])('a model that fails by its %s is explained', async (kind, words) => {
  const { memory } = await openTestMemory({ languageModel: fails(kind) })
  expect(await check(memory, 'answer', { resolve: true })).toMatchObject({
    outcome: 'fail',
    message: expect.stringContaining(words),
    recovery: `Mend the ${kind}.`,
  })
})

test.each(['', 'Certainly!\u001b[2J', '{"ok": "maybe"}', '[true]'])(
  'a model that answers %j gives no JSON that can be used',
  async (text) => {
    const { memory } = await openTestMemory({ languageModel: handMadeModel(() => text) })
    const answer = await check(memory, 'answer', { resolve: true })
    expect(answer).toMatchObject({ outcome: 'fail', recovery: expect.stringContaining('JSON') })
    expect(answer?.message).not.toContain('\u001b')
  },
)

test('status is degraded from a failure until doctor finds that the model answers again', async () => {
  let broken = true
  const model = handMadeModel(() => (broken ? new Error('gone fishing') : '{"ok": true}'))
  const { memory } = await openTestMemory({ languageModel: model })
  await memory.doctor({ resolve: true })
  const before = await memory.status()
  expect(before).toMatchObject({ health: 'degraded', suggestion: expect.stringContaining('doctor') })
  expect(before.reasons[0]).toContain('gone fishing')
  expect(await check(memory, 'model')).toMatchObject({ outcome: 'warn' })
  broken = false
  await memory.doctor({ resolve: true })
  expect(await memory.status()).toMatchObject({ health: 'good', reasons: [] })
  expect(await check(memory, 'model')).toMatchObject({ outcome: 'ok' })
})

test('doctor says what leaves the machine for a remote model, and that nothing does for another', async () => {
  const opened = async (remote: boolean) =>
    (await openTestMemory({ languageModel: handMadeModel(() => '', { remote }) })).memory
  expect((await check(await opened(true), 'model'))?.message).toContain('secrets taken out')
  expect((await check(await opened(false), 'model'))?.message).toContain('no text leaves it')
})

test('when the tokens of the day are used up the model is not asked, and doctor says so', async () => {
  const model = works()
  const { memory, clock } = await openTestMemory({
    languageModel: model,
    settings: { llm: { tokensPerDay: 20 } },
  })
  expect(await check(memory, 'budget', { resolve: true })).toMatchObject({ outcome: 'ok' })
  expect(await check(memory, 'budget')).toMatchObject({ message: '5 of 20 tokens are left today.' })
  await memory.doctor({ resolve: true })
  expect(await check(memory, 'answer', { resolve: true })).toMatchObject({ outcome: 'skipped' })
  expect(await check(memory, 'budget')).toMatchObject({ outcome: 'warn' })
  expect(model.asked).toHaveLength(2)
  clock.advance({ hours: 24 })
  expect(await check(memory, 'answer', { resolve: true })).toMatchObject({ outcome: 'ok' })
})

test('a cancelled doctor is cancelled, not ill', async () => {
  const aborted = new AbortController()
  const model = handMadeModel(() => {
    aborted.abort()
    return new ElfmemError('CANCELLED', 'The question was cancelled.', { recovery: 'Ask again.' })
  })
  const { memory } = await openTestMemory({ languageModel: model })
  const call = memory.doctor({ resolve: true }, { signal: aborted.signal })
  expect((await refusal(call)).code).toBe('CANCELLED')
  expect(await memory.status()).toMatchObject({ health: 'good' })
})

test('the command exits with 1 when a check fails and 0 when none does, and no key is printed', async () => {
  const home = temporaryDirectory()
  const env = {
    ELFMEM_LLM_MODEL: 'some-model',
    ELFMEM_LLM_BASE_URL: 'http://127.0.0.1:9/v1',
    ELFMEM_LLM_API_KEY_ENV: 'MY_KEY',
  }
  const without = await elfmem(['doctor', '--json'], { home, env })
  expect(without.code).toBe(1)
  expect(JSON.parse(without.out)).toMatchObject({
    outcome: 'fail',
    checks: expect.arrayContaining([
      expect.objectContaining({ name: 'keys', outcome: 'fail', message: 'MY_KEY is not set (llm).' }),
    ]),
  })
  const withKey = await elfmem(['doctor'], { home, env: { ...env, MY_KEY: 'very-secret' } })
  expect(withKey.code).toBe(0)
  expect(withKey.out).toContain('MY_KEY is set')
  expect(withKey.out + withKey.err).not.toContain('very-secret')
})
