import { describe, expect, test } from 'vitest'
import { type ChatRequest, type Fault, fakeEndpoint } from '../helpers/fake-endpoint.ts'
import { chatModel, failureOf, KEY, QUESTION } from './ask.ts'

const kept = () => ({ kept: true })

test('ask sends messages, a strict schema, a limit and the key, and returns text and usage', async () => {
  const endpoint = await fakeEndpoint({ answer: kept, usage: { prompt_tokens: 70, completion_tokens: 9 } })
  const { model } = chatModel(`${endpoint.url}/`)
  const usage = { inputTokens: 70, outputTokens: 9 }
  expect(await model.ask(QUESTION)).toEqual({ text: '{"kept":true}', usage })
  const [call] = endpoint.calls
  expect([call?.path, call?.headers.authorization]).toEqual(['/v1/chat/completions', `Bearer ${KEY}`])
  const { system, prompt, schema } = QUESTION
  expect(call?.body).toMatchObject({ model: 'small', max_tokens: 500, temperature: 0 })
  expect(call?.body.messages.map(({ content }) => content)).toEqual([system, prompt])
  expect(call?.body.response_format?.json_schema).toEqual({ name: 'judgement', schema, strict: true })
})

/** An endpoint that refuses a request that `refuses` gives words for. */
const picky =
  (status: number, refuses: (body: ChatRequest) => string | undefined) =>
  (_: number, body: ChatRequest): Fault | undefined => {
    const message = refuses(body)
    return message === undefined ? undefined : { status, body: { error: { message } } }
  }

const formatOf = (body: ChatRequest) => body.response_format?.type ?? 'text'

describe('ask of an endpoint', () => {
  test.each([
    ['json_object', 400, "'response_format.type' must be 'json_object'", ['json_schema']],
    ['text', 422, 'response_format: Extra inputs are not permitted', ['json_schema', 'json_object']],
    ['text', 400, 'Bad request', ['json_schema', 'json_object']],
  ])(
    'that takes only %s (%i, %s) is asked so, once it has said it',
    async (taken, status, words, refused) => {
      const faults = picky(status, (body) => (refused.includes(formatOf(body)) ? words : undefined))
      const endpoint = await fakeEndpoint({ answer: kept, faults })
      const { model } = chatModel(endpoint.url)
      expect((await model.ask(QUESTION)).text).toBe('{"kept":true}')
      await model.ask(QUESTION)
      expect(endpoint.calls.map(({ body }) => formatOf(body))).toEqual([...refused, taken, taken])
      expect(endpoint.calls.at(-1)?.body.messages[0]?.content).toContain(JSON.stringify(QUESTION.schema))
    },
  )

  test('that wants another name for the limit and no temperature gets both, and the schema stays', async () => {
    const faults = picky(400, (body) => {
      if ('max_tokens' in body)
        return "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
      return 'temperature' in body ? "'temperature' does not support 0 with this model." : undefined
    })
    const endpoint = await fakeEndpoint({ answer: kept, faults })
    const { model } = chatModel(endpoint.url)
    await model.ask(QUESTION)
    await model.ask(QUESTION)
    expect(endpoint.calls).toHaveLength(4)
    for (const { body } of endpoint.calls.slice(2)) {
      expect(body).toMatchObject({ max_completion_tokens: 500, response_format: { type: 'json_schema' } })
      expect(body).not.toHaveProperty('temperature')
    }
  })
})

test.each([
  ['truncated', /^\{"kept$/],
  ['fenced', /^Here is the JSON:\n```json\n\{"kept":true\}/],
  ['wrong-schema', /nonsense/],
  ['empty', /^$/],
] as const)('an answer that is %s is handed on as the model gave it, with its cost', async (fault, text) => {
  const endpoint = await fakeEndpoint({ answer: kept, faults: { 1: fault } })
  const answer = await chatModel(endpoint.url).model.ask(QUESTION)
  expect(answer.text).toMatch(text)
  expect(answer.truncated === true).toBe(fault === 'truncated')
  expect(answer.usage.inputTokens).toBeGreaterThan(10)
})

describe('ask that fails', () => {
  test.each(['rate-limit', 'server-error', 'reset'] as const)(
    'by %s is tried again and may pass',
    async (fault) => {
      const endpoint = await fakeEndpoint({ answer: kept, faults: { 1: fault, 2: fault } })
      const { model, waits } = chatModel(endpoint.url, { maxRetries: 2 })
      expect((await model.ask(QUESTION)).text).toBe('{"kept":true}')
      expect(waits).toEqual(fault === 'rate-limit' ? [0, 0] : [500, 1000])
    },
  )

  test.each([
    ['rate-limit', 'rate', /quota/],
    ['server-error', 'server', /later/],
    ['reset', 'host', /base URL/],
    ['drip', 'timeout', /llm.timeout_seconds/],
  ] as const)('by %s that does not pass is of the kind %s', async (fault, kind, recovery) => {
    const endpoint = await fakeEndpoint({ faults: () => fault })
    const { model } = chatModel(endpoint.url, { maxRetries: 1, timeoutMs: 500 })
    const error = await failureOf(model)
    const host = expect.stringMatching(/^127\.0\.0\.1:/)
    expect(error).toMatchObject({ code: 'MODEL_FAILED', recovery: expect.stringMatching(recovery) })
    expect(error.details).toMatchObject({ kind, passing: true, model: 'small', host })
    expect(endpoint.calls).toHaveLength(2)
  })

  test.each([
    [401, 'No.', 'key', /MY_KEY/],
    [400, 'API key not valid.', 'key', /MY_KEY/],
    [404, 'model "small" not found, try pulling it first', 'model', /has the model "small"/],
    [400, 'The model does not exist', 'model', /llm.model/],
    [404, 'No such page', 'host', /base URL/],
    [413, 'Too much', 'request', /reads more at once/],
    [301, '', 'host', /redirects are not followed/],
  ])('with status %i (%s) is of the kind %s and not tried again', async (status, message, kind, recovery) => {
    const endpoint = await fakeEndpoint({ faults: () => ({ status, body: { error: { message } } }) })
    const error = await failureOf(chatModel(endpoint.url, { keyVariable: 'MY_KEY' }).model)
    expect(error.recovery).toMatch(recovery)
    expect(error.details).toMatchObject({ kind, passing: false, status })
    expect(endpoint.calls).toHaveLength(1)
  })
})

describe('ask that ends', () => {
  test('by its signal is CANCELLED, also while it waits to try again', async () => {
    const endpoint = await fakeEndpoint({ faults: { 1: 'drip', 2: 'server-error' } })
    const dripping = new AbortController()
    const asked = chatModel(endpoint.url).model.ask(QUESTION, { signal: dripping.signal })
    await expect.poll(() => endpoint.calls.length).toBe(1)
    dripping.abort()
    await expect(asked).rejects.toMatchObject({ code: 'CANCELLED' })
    const waiting = new AbortController()
    const wait = async (_: number, signal: AbortSignal) => {
      waiting.abort()
      signal.throwIfAborted()
    }
    const again = chatModel(endpoint.url, { wait }).model.ask(QUESTION, { signal: waiting.signal })
    await expect(again).rejects.toMatchObject({ code: 'CANCELLED' })
    expect(endpoint.calls).toHaveLength(2)
  })

  test('by close is CLOSED', async () => {
    const endpoint = await fakeEndpoint({ faults: () => 'silence' })
    const { model } = chatModel(endpoint.url)
    const asked = model.ask(QUESTION)
    await expect.poll(() => endpoint.calls.length).toBe(1)
    await model.close?.()
    await expect(asked).rejects.toMatchObject({ code: 'CLOSED' })
    await expect(model.ask(QUESTION)).rejects.toMatchObject({ code: 'CLOSED' })
  })
})
