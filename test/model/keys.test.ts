import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../src/engine/memory.ts'
import { type Fault, fakeEndpoint } from '../helpers/fake-endpoint.ts'
import { temporaryFolder } from '../helpers/memory.ts'
import { chatModel, failureOf, KEY } from './ask.ts'

/** Everything of an error that may end in a log, its causes included. */
const everything = (error: Error) => inspect(error, { depth: 12, showHidden: true }) + JSON.stringify(error)

const said = `Incorrect key ${KEY}, sent as Bearer ${KEY}`
const echoes: readonly Fault[] = [
  { status: 401, body: { error: { message: said } } },
  { status: 422, body: { detail: [{ msg: said }] } },
  { status: 200, body: { error: { message: said, code: 401 } } },
  { status: 200, body: said },
  { status: 302, headers: { location: `http://127.0.0.1:1/?key=${KEY}` }, body: said },
]

test.each(echoes)('ask shows no key that the endpoint repeats: %j', async (fault) => {
  const { url } = await fakeEndpoint({ faults: () => fault })
  const error = await failureOf(chatModel(url, { maxRetries: 0 }))
  expect(error.code).toBe('MODEL_FAILED')
  expect(everything(error)).not.toContain(KEY)
})

test('dream leaves no key in a file of the memory', async () => {
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
