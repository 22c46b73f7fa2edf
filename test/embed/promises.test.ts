import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { expect, onTestFinished, test } from 'vitest'
import { cacheQueries } from '../../src/adapters/embed/embedder-wrappers.ts'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { keepSecrets } from '../../src/adapters/embed/keep-secrets.ts'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { openEmbedder } from '../../src/engine/open-engine.ts'
import type { Embedder } from '../../src/engine/ports.ts'
import { type Settings, type SettingsInput, settingsSchema } from '../../src/engine/settings.ts'
import { lengthOf } from './vectors.ts'

type Provider = Settings['embeddings']['provider']

const opened = (embeddings: SettingsInput['embeddings']) =>
  openEmbedder(settingsSchema.parse({ embeddings }).embeddings, {})

/** An endpoint on the loopback whose vectors are hashes. */
async function endpoint(): Promise<string> {
  const hashing = createHashingEmbedder({ dimensions: 8 })
  const server = createServer(async (request, response) => {
    const { input } = (await json(request)) as { readonly input: readonly string[] }
    const vectors = await hashing.embed(input)
    const data = vectors.map((vector, index) => ({ index, embedding: [...vector] }))
    response.end(JSON.stringify({ data }))
  })
  onTestFinished(() => void server.close().closeAllConnections())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

/** Every provider that the settings know: a new one needs a line, or this does not compile. */
const PROVIDERS: Readonly<Record<Provider, () => Embedder | Promise<Embedder>>> = {
  local: () => opened({ provider: 'local' }),
  hashing: () => opened({ provider: 'hashing' }),
  http: async () => opened({ provider: 'http', model: 'small', baseUrl: await endpoint() }),
}

const LONG = 'The tide rose over the pier. '.repeat(200)
const TEXTS = ['Tea is at four.', '', 'tea', LONG, `${LONG}Then it fell.`, 'Tea is at four.']

test.each(Object.entries(PROVIDERS))(
  'embed of %s gives one unit vector a text, the same alone and in a list',
  async (_, open) => {
    const embedder = await open()
    onTestFinished(() => embedder.close())
    const { model, dimensions } = embedder
    expect(await embedder.embed([])).toEqual([])
    const vectors = await embedder.embed(TEXTS)
    expect(embedder.model).toBe(model)
    expect(embedder.dimensions).toBe(dimensions ?? vectors[0]?.length)
    expect(vectors.map(({ length }) => length)).toEqual(TEXTS.map(() => embedder.dimensions))
    for (const vector of vectors) expect(lengthOf(vector)).toBeCloseTo(1, 5)
    for (const [i, text] of TEXTS.entries()) expect(await embedder.embed([text])).toEqual([vectors[i]])
    expect(vectors[3]).not.toEqual(vectors[4])
    expect(vectors[5]).toEqual(vectors[0])
  },
)

// Hashing takes no time, so nothing of it can be ended.
const ENDED = Object.entries(PROVIDERS).filter(([name]) => name !== 'hashing')

test.each(ENDED)('embed of %s ends with its signal and with close', async (_, open) => {
  const embedder = await open()
  const aborted = embedder.embed(TEXTS, { signal: AbortSignal.abort() })
  await expect(aborted).rejects.toMatchObject({ code: 'CANCELLED' })
  const pending = Promise.allSettled([embedder.embed(TEXTS)])
  await embedder.close()
  for (const each of await pending)
    if (each.status === 'rejected') expect(each.reason).toMatchObject({ code: 'CLOSED' })
  await expect(embedder.embed(['x'])).rejects.toMatchObject({ code: 'CLOSED' })
})

test('scripts of the built-in embedder are Latin before and behind its wrappers', async () => {
  const embedder = opened({ provider: 'local' })
  onTestFinished(() => embedder.close())
  for (const each of [embedder, cacheQueries(embedder), keepSecrets(embedder), createMiniLmEmbedder()])
    expect(each.scripts).toEqual(['Latin'])
})
