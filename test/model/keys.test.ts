import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { createHttpEmbedder } from '../../src/adapters/remote/http-embedder.ts'
import { languageModelFromAiSdk } from '../../src/adapters/remote/sdk/ai-sdk.ts'
import { openSdkProvider } from '../../src/adapters/remote/sdk/sdk-provider.ts'
import { openMemory } from '../../src/memory.ts'
import { type Fault, fakeEndpoint } from '../helpers/fake-endpoint.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { chatModel, failureOf, KEY } from './ask.ts'

/** Everything of an error that may end in a log, its causes included. */
const everything = (error: Error) => inspect(error, { depth: 12, showHidden: true }) + JSON.stringify(error)

const said = `Incorrect key ${KEY}, sent as Bearer ${KEY}`
const echoes: readonly Fault[] = [
  { status: 401, body: { error: { message: said } } },
  { status: 400, body: { error: said } },
  { status: 404, body: said },
  { status: 422, body: { detail: [{ msg: said }] } },
  { status: 429, body: { message: said } },
  { status: 500, body: [{ error: { message: said } }] },
  { status: 200, body: { error: { message: said, code: 401 } } },
  { status: 200, body: said },
  { status: 302, headers: { location: `http://127.0.0.1:1/?key=${KEY}` }, body: said },
]

test.each(echoes)('no error of a chat model shows a key that the endpoint repeats: %j', async (fault) => {
  const { url } = await fakeEndpoint({ faults: () => fault })
  const error = await failureOf(chatModel(url, { maxRetries: 0 }).model)
  expect(error.code).toBe('MODEL_FAILED')
  expect(everything(error)).not.toContain(KEY)
})

test.each(echoes)(
  'no error of a provider’s package shows a key that the endpoint repeats: %j',
  async (fault) => {
    const { url } = await fakeEndpoint({ faults: () => fault })
    const options = {
      provider: 'anthropic',
      model: 'claude',
      apiKey: KEY,
      baseUrl: url,
      maxRetries: 0,
    } as const
    const error = await failureOf(await openSdkProvider(options))
    expect(error.code).toBe('MODEL_FAILED')
    expect(everything(error)).not.toContain(KEY)
  },
)

test.each([
  'sk-ant-api03-AbCdEf0123456789AbCdEf',
  'sk-proj-AbCdEf0123456789_AbCdEf',
  'gsk_AbCdEf0123456789AbCdEf',
  'AIzaSyAbCdEf0123456789AbCdEf',
  'xai-AbCdEf0123456789AbCdEf',
])('a key that elfmem was never told, like %s, is known by its looks', async (unknown) => {
  const thrown = Object.assign(new Error(`Incorrect key: ${unknown}.`), {
    statusCode: 401,
    responseBody: unknown,
  })
  const model = languageModelFromAiSdk({
    specificationVersion: 'v3',
    provider: 'test',
    modelId: 'test-small',
    doGenerate: () => Promise.reject(thrown),
  })
  const error = await failureOf(model)
  expect(error.message).toContain('Incorrect key: [key]')
  expect(everything(error)).not.toContain(unknown)
})

test('a key that no header can carry is refused without being shown', async () => {
  const { url, calls } = await fakeEndpoint()
  const apiKey = `${KEY}\n${KEY}`
  const error = await failureOf(chatModel(url, { apiKey }).model)
  expect(error.details).toMatchObject({ kind: 'key', passing: false })
  const embedding = createHttpEmbedder({ baseUrl: url, model: 'small', apiKey }).embed(['Tea'])
  const other = await embedding.then(
    () => new Error('It answered.'),
    (reason: Error) => reason,
  )
  expect(other).toMatchObject({ code: 'EMBEDDER_FAILED' })
  expect(everything(error) + everything(other)).not.toContain(KEY)
  expect(calls).toEqual([])
})

test('a password in the base URL is refused without being shown', async () => {
  const error = await failureOf(chatModel(`http://me:${KEY}@127.0.0.1:1/v1`).model)
  expect(error.details).toMatchObject({ kind: 'host', passing: false })
  expect(everything(error)).not.toContain(KEY)
})

test.each([301, 302, 303, 307, 308])('a redirect by %i carries no key to another host', async (status) => {
  const other = await fakeEndpoint()
  const { url } = await fakeEndpoint({
    faults: () => ({ status, headers: { location: `${other.url}/chat/completions` } }),
  })
  const error = await failureOf(chatModel(url).model)
  expect(error.details).toMatchObject({ kind: 'host', status })
  const options = { provider: 'google', model: 'gemini', apiKey: KEY, baseUrl: url, maxRetries: 0 } as const
  await failureOf(await openSdkProvider(options))
  expect(other.calls).toEqual([])
})

test('a key is in no file of a memory, though the endpoint repeats it in all it says', async () => {
  const { url } = await fakeEndpoint({ faults: () => ({ status: 401, body: { error: { message: said } } }) })
  const folder = temporaryFolder()
  vi.stubEnv('ELFMEM_TEST_KEY', KEY)
  onTestFinished(() => void vi.unstubAllEnvs())
  const remote = { baseUrl: url, apiKeyEnv: 'ELFMEM_TEST_KEY' }
  const log: string[] = []
  const memory = await openMemory(join(folder, 'memory.db'), {
    config: {
      llm: { ...remote, model: 'small', maxRetries: 0 },
      log: { level: 'debug', file: join(folder, 'log') },
    },
    embedder: createHashingEmbedder(),
  })
  await memory.remember({ content: 'Tea is at four.' })
  log.push(JSON.stringify(await memory.dream()), JSON.stringify(await memory.status()))
  log.push(JSON.stringify(await memory.history()), JSON.stringify(await memory.doctor({})))
  expect(log.join()).toContain('401')
  const files = () => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))
  expect([...log, ...files()].filter((text) => text.includes(KEY))).toEqual([])
  await memory.close()
  expect(files().filter((text) => text.includes(KEY))).toEqual([])
})
