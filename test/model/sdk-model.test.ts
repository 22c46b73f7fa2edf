import { describe, expect, test } from 'vitest'
import {
  type AiSdkLanguageModel,
  type AiSdkModelOptions,
  languageModelFromAiSdk,
} from '../../src/adapters/remote/ai-sdk.ts'
import { failureOf, QUESTION } from './ask.ts'

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
  test('is asked for the schema and answers with its texts', async () => {
    const { model, calls } = sdkModel()
    const asked = languageModelFromAiSdk(model, quick)
    expect([asked.model, asked.remote]).toEqual(['test-small', true])
    expect(await asked.ask(QUESTION)).toEqual({
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
    expect(prompt.map(({ role }) => role)).toEqual(['system', 'user'])
  })

  test('that refuses schema or temperature is asked without them from then on', async () => {
    const { model, calls } = sdkModel(
      callError(400, '`temperature` is deprecated for this model.'),
      callError(400, 'output_config.format.schema: unsupported keyword'),
      V2,
    )
    const asked = languageModelFromAiSdk(model, quick)
    await asked.ask(QUESTION)
    await asked.ask(QUESTION)
    expect(calls).toHaveLength(4)
    expect(calls[3]).toMatchObject({ temperature: 0, maxOutputTokens: 500 })
    expect(calls[3]).not.toHaveProperty('responseFormat')
    expect(calls[3]?.prompt[0]?.content).toContain(JSON.stringify(QUESTION.schema))
  })

  test('is left when the signal aborts, and refuses after close', async () => {
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

  test.each([
    [callError(429, 'Slow down.', true), true],
    [callError(529, 'Overloaded.', true), true],
    [callError(401, 'Invalid key.'), false],
    [
      Object.assign(new Error('Cannot connect.'), {
        cause: Object.assign(new Error('x'), { code: 'EPIPE' }),
      }),
      true,
    ],
    [new Error('Something else.'), false],
  ])('that throws %s fails, after a retry: %s', async (thrown, passing) => {
    const { model, calls } = sdkModel(thrown)
    const error = await failureOf(languageModelFromAiSdk(model, quick))
    expect(error).toMatchObject({ code: 'MODEL_FAILED', details: { passing, host: 'test.chat' } })
    expect(calls).toHaveLength(passing ? 2 : 1)
  })
})
