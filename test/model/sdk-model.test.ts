import { createAnthropic } from '@ai-sdk/anthropic'
import { createGoogleGenerativeAI } from '@ai-sdk/google'
import { describe, expect, test } from 'vitest'
import {
  type AiSdkLanguageModel,
  type AiSdkModelOptions,
  languageModelFromAiSdk,
} from '../../src/adapters/remote/sdk/ai-sdk.ts'
import { openSdkProvider } from '../../src/adapters/remote/sdk/sdk-provider.ts'
import { fakeEndpoint } from '../helpers/fake-endpoint.ts'
import { openTestMemory } from '../helpers/memory.ts'
import { failureOf, KEY, QUESTION } from './ask.ts'

type Call = Parameters<AiSdkLanguageModel['doGenerate']>[0]
type Result = Awaited<ReturnType<AiSdkLanguageModel['doGenerate']>>

const V2: Result = {
  content: [
    { type: 'reasoning', text: 'Hm.' },
    { type: 'text', text: '{"kept":' },
    { type: 'text', text: 'true}' },
  ],
  finishReason: 'stop',
  usage: { inputTokens: 70, outputTokens: 9 },
}

/** A model of the AI SDK that gives these answers, one after the other; errors are thrown. */
function sdkModel(...answers: (Result | Error)[]) {
  const calls: Call[] = []
  const model: AiSdkLanguageModel = {
    specificationVersion: 'v3',
    provider: 'test.chat',
    modelId: 'test-small',
    doGenerate: async (call) => {
      calls.push(call)
      const answer = answers[Math.min(calls.length, answers.length) - 1] ?? V2
      if (answer instanceof Error) throw answer
      return answer
    },
  }
  return { model, calls }
}

const quick = { wait: async () => undefined, temperature: 0, maxRetries: 1 } satisfies AiSdkModelOptions

/** What the SDK throws when a provider answers with an error. */
const callError = (statusCode: number, message: string, isRetryable = false) =>
  Object.assign(new Error(message), { name: 'AI_APICallError', statusCode, isRetryable })

describe('a model object of the AI SDK', () => {
  test('is asked for the schema, and its texts are the answer', async () => {
    const { model, calls } = sdkModel()
    const asked = languageModelFromAiSdk(model, quick)
    expect([asked.model, asked.remote]).toEqual(['test-small', true])
    const turns = [{ answer: 'No. ', objection: 'No JSON.' }]
    expect(await asked.ask({ ...QUESTION, turns })).toEqual({
      text: '{"kept":true}',
      usage: { inputTokens: 70, outputTokens: 9 },
    })
    const { abortSignal, prompt, ...rest } = calls[0]!
    expect(rest).toEqual({
      responseFormat: { type: 'json', schema: QUESTION.schema, name: 'judgement' },
      maxOutputTokens: 500,
      temperature: 0,
    })
    expect(abortSignal?.aborted).toBe(false)
    expect(prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user'])
    expect(prompt[2]?.content).toEqual([{ type: 'text', text: 'No.' }])
  })

  test('of the versions 3 and 4 says its usage as totals and its end beside the provider’s own', async () => {
    const usage = { inputTokens: { total: 12 }, outputTokens: { total: undefined } }
    const { model } = sdkModel({
      ...V2,
      usage,
      finishReason: { unified: 'length' },
      structuredOutputText: '{"a":1',
    })
    expect(await languageModelFromAiSdk(model).ask(QUESTION)).toEqual({
      text: '{"a":1',
      truncated: true,
      usage: { inputTokens: 12 },
    })
  })

  test('that refuses the schema or the temperature is asked without, from then on', async () => {
    const { model, calls } = sdkModel(
      callError(400, '`temperature` is deprecated for this model.'),
      callError(400, 'output_config.format.schema: unsupported keyword'),
      V2,
    )
    const asked = languageModelFromAiSdk(model, quick)
    await asked.ask(QUESTION)
    await asked.ask(QUESTION)
    expect(calls).toHaveLength(4)
    expect(calls[3]).toMatchObject({ responseFormat: { type: 'json' } })
    expect(calls[3]).not.toHaveProperty('temperature')
    expect(calls[3]?.responseFormat).not.toHaveProperty('schema')
    expect(calls[3]?.prompt[0]?.content).toContain(JSON.stringify(QUESTION.schema))
  })

  test('that does not listen to its signal is left behind at the time limit', async () => {
    const { model } = sdkModel()
    const deaf: AiSdkLanguageModel = { ...model, doGenerate: () => new Promise<never>(() => undefined) }
    const error = await failureOf(languageModelFromAiSdk(deaf, { ...quick, timeoutMs: 20 }))
    expect(error).toMatchObject({ code: 'MODEL_FAILED', details: { kind: 'timeout', passing: true } })
  })

  test('is left behind when the signal aborts, and refuses after closing', async () => {
    const { model } = sdkModel()
    const deaf: AiSdkLanguageModel = { ...model, doGenerate: () => new Promise<never>(() => undefined) }
    const asked = languageModelFromAiSdk(deaf, quick)
    const controller = new AbortController()
    const asking = asked.ask(QUESTION, { signal: controller.signal })
    controller.abort()
    await expect(asking).rejects.toMatchObject({ code: 'CANCELLED' })
    await asked.close?.()
    await expect(asked.ask(QUESTION)).rejects.toMatchObject({ code: 'CLOSED' })
  })

  test('gives no answer of more than a million characters', async () => {
    const { model } = sdkModel({ ...V2, content: [{ type: 'text', text: 'x'.repeat(1_000_001) }] })
    const error = await failureOf(languageModelFromAiSdk(model, quick))
    expect(error.details).toMatchObject({ kind: 'answer', passing: false })
  })

  test.each([
    [callError(429, 'Slow down.', true), 'rate', true, 2],
    [callError(529, 'Overloaded.', true), 'server', true, 2],
    [callError(401, 'Invalid key.'), 'key', false, 1],
    [callError(404, 'model: test-small'), 'model', false, 1],
    [callError(200, 'Invalid JSON response'), 'answer', false, 1],
    [Object.assign(new Error('No key.'), { name: 'AI_LoadAPIKeyError' }), 'key', false, 1],
    [
      Object.assign(new Error('Cannot connect.'), {
        isRetryable: true,
        cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }),
      }),
      'host',
      true,
      2,
    ],
    [new Error('Something else.'), 'answer', false, 1],
  ] as const)('that throws %s fails with the kind %s', async (thrown, kind, passing, tried) => {
    const { model, calls } = sdkModel(thrown)
    const error = await failureOf(languageModelFromAiSdk(model, quick))
    expect(error).toMatchObject({ code: 'MODEL_FAILED', details: { kind, passing, host: 'test.chat' } })
    expect(calls).toHaveLength(tried)
  })

  test.each([['anthropic/claude-haiku-4-5'], [{ modelId: 'x' }], [undefined]])('is not %j', (value) => {
    expect(() => languageModelFromAiSdk(value as never)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', recovery: expect.stringContaining('not its name') }),
    )
  })
})

describe('a memory', () => {
  test('is opened with a language model and an embedding model of the AI SDK as they are', async () => {
    const embedding = {
      specificationVersion: 'v3',
      provider: 'test.embedding',
      modelId: 'test-vectors',
      maxEmbeddingsPerCall: 10,
      doEmbed: async ({ values }: { values: string[] }) => ({
        embeddings: values.map((text) => [1, text.length]),
      }),
    }
    const { memory, learn } = await openTestMemory({
      embedder: embedding as never,
      languageModel: sdkModel().model,
    })
    await learn('Tea is at four.')
    expect((await memory.status()).embeddingModel).toBe('test-vectors')
  })

  test.each(['embedder', 'languageModel'])('is not opened with a name as its %s', async (option) => {
    await expect(openTestMemory({ [option]: 'openai/some-model' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      details: { option },
    })
  })
})

describe('the packages of the providers', () => {
  test('Anthropic’s is asked at its address with its key', async () => {
    const body = {
      type: 'message',
      id: 'm',
      model: 'claude-haiku-4-5',
      role: 'assistant',
      stop_reason: 'max_tokens',
      content: [{ type: 'text', text: '{"kept":true}' }],
      usage: { input_tokens: 70, output_tokens: 9 },
    }
    const endpoint = await fakeEndpoint({ faults: () => ({ status: 200, body }) })
    const options = {
      provider: 'anthropic',
      model: 'claude-haiku-4-5',
      apiKey: KEY,
      baseUrl: endpoint.url,
    } as const
    const model = await openSdkProvider({ ...options, ...quick })
    expect(await model.ask(QUESTION)).toEqual({
      text: '{"kept":true}',
      truncated: true,
      usage: { inputTokens: 70, outputTokens: 9 },
    })
    const [call] = endpoint.calls
    expect([call?.path, call?.headers['x-api-key']]).toEqual(['/v1/messages', KEY])
    expect(JSON.stringify(call?.body)).toContain('"kept"')
  })

  test('Google’s is asked at its address with its key', async () => {
    const body = {
      candidates: [{ content: { role: 'model', parts: [{ text: '{"kept":true}' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 70, candidatesTokenCount: 9, totalTokenCount: 79 },
    }
    const endpoint = await fakeEndpoint({ faults: () => ({ status: 200, body }) })
    const options = {
      provider: 'google',
      model: 'gemini-2.5-flash',
      apiKey: KEY,
      baseUrl: endpoint.url,
    } as const
    const model = await openSdkProvider({ ...options, ...quick })
    expect(await model.ask(QUESTION)).toEqual({
      text: '{"kept":true}',
      usage: { inputTokens: 70, outputTokens: 9 },
    })
    const [call] = endpoint.calls
    expect([call?.path, call?.headers['x-goog-api-key']]).toEqual([
      '/v1/models/gemini-2.5-flash:generateContent',
      KEY,
    ])
  })

  test.each([
    ['rate-limit', 'rate', true],
    ['server-error', 'server', true],
    ['reset', 'host', true],
    ['silence', 'timeout', true],
    ['drip', 'timeout', true],
    ['wrong-type', 'answer', false],
    [{ status: 200, body: `{"x":"${'x'.repeat(2_000_000)}"}` }, 'answer', false],
    [
      { status: 401, body: { type: 'error', error: { type: 'authentication_error', message: KEY } } },
      'key',
      false,
    ],
    [
      { status: 404, body: { type: 'error', error: { type: 'not_found_error', message: 'model: claude' } } },
      'model',
      false,
    ],
    [{ status: 307, headers: { location: 'http://127.0.0.1:1/' } }, 'host', false],
  ] as const)('fail by %j with the kind %s', async (fault, kind, passing) => {
    const endpoint = await fakeEndpoint({ faults: () => fault })
    const options = { provider: 'anthropic', model: 'claude', apiKey: KEY, baseUrl: endpoint.url } as const
    const error = await failureOf(await openSdkProvider({ ...options, ...quick, timeoutMs: 200 }))
    expect(error).toMatchObject({ code: 'MODEL_FAILED', details: { kind, passing } })
    expect(endpoint.calls).toHaveLength(passing ? 2 : 1)
  })

  test('fit the type of a model object', () => {
    const models = [
      createAnthropic({ apiKey: KEY })('claude'),
      createGoogleGenerativeAI({ apiKey: KEY })('gemini'),
    ]
    expect(models.map((model) => languageModelFromAiSdk(model).model)).toEqual(['claude', 'gemini'])
  })

  test.each([
    ['is not there', async () => Promise.reject(new Error('Cannot find package'))],
    ['is of an age without its function', async () => ({})],
  ])('end a question with the command that installs one when it %s', async (_, load) => {
    const opening = openSdkProvider({ provider: 'mistral', model: 'mistral-small', apiKey: KEY, load })
    await expect(opening).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      recovery: expect.stringContaining('npm install @ai-sdk/mistral'),
    })
  })
})
