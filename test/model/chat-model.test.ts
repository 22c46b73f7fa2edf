import { expect, test } from 'vitest'
import { type ChatRequest, fakeEndpoint } from '../helpers/fake-endpoint.ts'
import { chatModel, failureOf, KEY, QUESTION } from './ask.ts'

const kept = () => ({ kept: true })

test('ask sends messages, a strict schema, a limit and the key, and returns text and usage', async () => {
  const endpoint = await fakeEndpoint({ answer: kept, usage: { prompt_tokens: 70, completion_tokens: 9 } })
  expect(await chatModel(`${endpoint.url}/`).ask(QUESTION)).toEqual({
    text: '{"kept":true}',
    usage: { inputTokens: 70, outputTokens: 9 },
  })
  const [call] = endpoint.calls
  expect([call?.path, call?.headers.authorization]).toEqual(['/v1/chat/completions', `Bearer ${KEY}`])
  expect(call?.body).toEqual({
    model: 'small',
    messages: [
      { role: 'system', content: QUESTION.system },
      { role: 'user', content: QUESTION.prompt },
    ],
    max_tokens: 500,
    temperature: 0,
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'judgement', schema: QUESTION.schema, strict: true },
    },
  })
})

test.each([
  ['a limit', (body: ChatRequest) => 'max_tokens' in body, { isStrict: true, isLimited: false, calls: 3 }],
  [
    'a schema',
    (body: ChatRequest) => 'response_format' in body,
    { isStrict: false, isLimited: true, calls: 4 },
  ],
])('ask of an endpoint that refuses %s is made without it from then on', async (_, refuses, way) => {
  const refusal = { status: 400, body: { error: { message: 'Bad request' } } }
  const faults = (_: number, body: ChatRequest) => (refuses(body) ? refusal : undefined)
  const endpoint = await fakeEndpoint({ answer: kept, faults })
  const model = chatModel(endpoint.url)
  await model.ask(QUESTION)
  expect((await model.ask(QUESTION)).text).toBe('{"kept":true}')
  expect(endpoint.calls).toHaveLength(way.calls)
  const { body } = endpoint.calls.at(-1)!
  expect(['response_format' in body, 'max_tokens' in body]).toEqual([way.isStrict, way.isLimited])
  const hasWords = body.messages[0]?.content.includes(JSON.stringify(QUESTION.schema))
  expect(hasWords).toBe(!way.isStrict)
})

test.each([
  ['truncated', /^\{"kept$/, true],
  ['fenced', /^Here is the JSON:\n```json\n\{"kept":true\}/, undefined],
  ['empty', /^$/, undefined],
] as const)(
  'ask returns an answer that is %s as the model gave it, with its cost',
  async (fault, text, truncated) => {
    const endpoint = await fakeEndpoint({ answer: kept, faults: { 1: fault } })
    const answer = await chatModel(endpoint.url).ask(QUESTION)
    expect(answer.text).toMatch(text)
    expect(answer.truncated).toBe(truncated)
    expect(answer.usage.inputTokens).toBeGreaterThan(10)
  },
)

test.each(['rate-limit', 'server-error', 'reset'] as const)('ask after %s is tried again', async (fault) => {
  const endpoint = await fakeEndpoint({ answer: kept, faults: { 1: fault, 2: fault } })
  const waits: number[] = []
  const wait = async (ms: number) => void waits.push(ms)
  const model = chatModel(endpoint.url, { maxRetries: 2, wait })
  expect((await model.ask(QUESTION)).text).toBe('{"kept":true}')
  expect(waits.map((ms) => ms > 0)).toEqual(fault === 'rate-limit' ? [false, false] : [true, true])
})

test.each([
  ['rate-limit', /quota/],
  ['server-error', /later/],
  ['reset', /base_url/],
  ['silence', /llm.timeout_seconds/],
  ['drip', /llm.timeout_seconds/],
] as const)('ask fails after retries by %s', async (fault, recovery) => {
  const endpoint = await fakeEndpoint({ faults: () => fault })
  expect(await failureOf(chatModel(endpoint.url, { maxRetries: 1, timeoutMs: 100 }))).toMatchObject({
    code: 'MODEL_FAILED',
    recovery: expect.stringMatching(recovery),
    details: { passing: true, model: 'small', host: expect.stringMatching(/^127\.0\.0\.1:/) },
  })
  expect(endpoint.calls).toHaveLength(2)
})

test.each([
  [401, /MY_KEY/],
  [404, /the model "small" is there/],
  [413, /so long a text/],
  [301, /redirects are not followed/],
])('ask fails at once with status %i', async (status, recovery) => {
  const endpoint = await fakeEndpoint({ faults: () => ({ status, body: { error: { message: 'No.' } } }) })
  const error = await failureOf(chatModel(endpoint.url, { keyVariable: 'MY_KEY' }))
  expect(error).toMatchObject({
    recovery: expect.stringMatching(recovery),
    details: { passing: false, status },
  })
  expect(endpoint.calls).toHaveLength(1)
})

test.each([
  ['10 MB long', 'x'.repeat(10_000_000)],
  ['no chat completion', { ok: true }],
])('ask fails at once with an answer that is %s', async (_, body) => {
  const endpoint = await fakeEndpoint({ faults: () => ({ status: 200, body }) })
  expect((await failureOf(chatModel(endpoint.url))).details).toMatchObject({ passing: false })
  expect(endpoint.calls).toHaveLength(1)
})

test('ask is CANCELLED by its signal, also while it waits to try again', async () => {
  const endpoint = await fakeEndpoint({ faults: { 1: 'drip', 2: 'server-error' } })
  const dripping = new AbortController()
  const asked = chatModel(endpoint.url).ask(QUESTION, { signal: dripping.signal })
  await expect.poll(() => endpoint.calls.length).toBe(1)
  dripping.abort()
  await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' })
  const waiting = new AbortController()
  const wait = async (_: number, signal: AbortSignal) => {
    waiting.abort()
    signal.throwIfAborted()
  }
  const again = chatModel(endpoint.url, { wait }).ask(QUESTION, { signal: waiting.signal })
  await expect(again).rejects.toMatchObject({ code: 'CANCELLED' })
  expect(endpoint.calls).toHaveLength(2)
})

test('ask is CLOSED after close, and by it', async () => {
  const endpoint = await fakeEndpoint({ faults: () => 'silence' })
  const model = chatModel(endpoint.url)
  const asked = model.ask(QUESTION)
  await expect.poll(() => endpoint.calls.length).toBe(1)
  await model.close?.()
  await expect(asked).rejects.toMatchObject({ code: 'CLOSED' })
  await expect(model.ask(QUESTION)).rejects.toMatchObject({ code: 'CLOSED' })
})
