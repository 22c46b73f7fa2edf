import { describe, expect, test } from 'vitest'
import { openMemory } from '../../src/engine/memory.ts'
import { openEngine, openLanguageModel, providerOf } from '../../src/engine/open-engine.ts'
import { settingsSchema } from '../../src/engine/settings.ts'
import { fakeEndpoint } from '../helpers/fake-endpoint.ts'
import { failureOf, KEY, QUESTION } from './ask.ts'

type Llm = Parameters<typeof settingsSchema.parse>[0]
type Environment = Parameters<typeof openLanguageModel>[1]

function opened(llm: Llm, env: Environment = {}) {
  const model = openLanguageModel(settingsSchema.parse({ llm }).llm, env)
  if (model === undefined) throw new Error('There is no model.')
  return model
}

describe('who serves a model', () => {
  test.each([
    ['claude-haiku-4-5', 'auto', undefined, 'anthropic'],
    ['gemini-2.5-flash', 'auto', undefined, 'google'],
    ['gpt-5-mini', 'auto', undefined, 'openai'],
    ['claude-haiku-4-5', 'auto', 'http://localhost:1234/v1', 'http'],
    ['claude-haiku-4-5', 'none', undefined, undefined],
  ] as const)('%s with provider %s and base URL %s: %s', (model, provider, baseUrl, expected) => {
    expect(providerOf(model, { provider, baseUrl })).toBe(expected)
  })

  test('provider http without a base URL is refused', async () => {
    const opening = openMemory(':memory:', { config: { llm: { model: 'small', provider: 'http' } } })
    await expect(opening).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      recovery: expect.stringContaining('llm.base_url'),
    })
  })
})

describe('a key', () => {
  test.each([
    ['claude-haiku-4-5', 'auto', 'ANTHROPIC_API_KEY'],
    ['gemini-2.5-flash', 'auto', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    ['mistral-small', 'mistral', 'MISTRAL_API_KEY'],
    ['grok-4', 'xai', 'XAI_API_KEY'],
  ])(
    'that is missing fails the first question of %s (%s), which names %s',
    async (model, provider, variable) => {
      const error = await failureOf(opened({ model, provider }, { [variable]: ' ' }))
      expect(error).toMatchObject({
        code: 'MODEL_FAILED',
        details: { passing: false, variable },
      })
      expect([error.message, error.recovery].join()).toContain(variable)
    },
  )

  test('is read from the named variable and sent to no own endpoint by itself', async () => {
    const { url, calls } = await fakeEndpoint()
    const env = { OPENAI_API_KEY: KEY, MY_KEY: ` other-${KEY}\n` }
    await opened({ model: 'small', baseUrl: url }, env).ask(QUESTION)
    await opened({ model: 'small', baseUrl: url, apiKeyEnv: 'MY_KEY' }, env).ask(QUESTION)
    await opened({ model: 'small', baseUrl: url, provider: 'openai' }, env).ask(QUESTION)
    expect(calls.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      `Bearer other-${KEY}`,
      `Bearer ${KEY}`,
    ])
    const error = await failureOf(opened({ model: 'small', baseUrl: url, apiKeyEnv: 'NOT_SET' }, env))
    expect(error.details).toMatchObject({ variable: 'NOT_SET' })
  })
})

describe('a memory', () => {
  const source = (llm: Llm) => ({
    database: { path: ':memory:', rule: '--db' as const },
    settings: settingsSchema.parse({ llm }),
    env: {},
  })

  test('closes the model it opened and leaves the one it was given', async () => {
    const { url } = await fakeEndpoint()
    const own = await openEngine(source({ model: 'small', baseUrl: url }), {})
    expect((await own.engine.languageModel?.ask(QUESTION))?.text).toBe('{}')
    await own.close()
    await expect(own.engine.languageModel?.ask(QUESTION)).rejects.toMatchObject({ code: 'CLOSED' })

    const languageModel = opened({ model: 'mine', baseUrl: url })
    const given = await openEngine(source({ model: 'small', baseUrl: url }), { languageModel })
    expect(given.engine.languageModel?.model).toBe('mine')
    await given.close()
    expect((await languageModel.ask(QUESTION)).text).toBe('{}')
  })
})
