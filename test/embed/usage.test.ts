import { expect, test } from 'vitest'
import { cacheQueries } from '../../src/adapters/embed/embedder-wrappers.ts'
import { openEmbedder } from '../../src/engine/open-engine.ts'
import type { Embedder, EmbeddingUsage } from '../../src/engine/ports.ts'
import { settingsSchema } from '../../src/engine/settings.ts'
import { fakeEndpoint } from '../helpers/fake-endpoint.ts'

/** The embedder a memory with these settings asks. */
const opened = (embeddings: object): Embedder =>
  cacheQueries(openEmbedder(settingsSchema.parse({ embeddings }).embeddings, {}))

async function used(embedder: Embedder, texts: readonly string[]): Promise<EmbeddingUsage[]> {
  const all: EmbeddingUsage[] = []
  await embedder.embed(texts, { usage: (each) => all.push(each) })
  return all
}

const vectors = (count: number, usage?: object) => ({
  status: 200,
  body: { data: Array.from({ length: count }, () => ({ embedding: [3, 4] })), ...(usage ? { usage } : {}) },
})

test('embed reports the tokens of each request, estimated where the endpoint gives none', async () => {
  const { url } = await fakeEndpoint({
    faults: { 1: vectors(96, { total_tokens: 500 }), 2: 'rate-limit', 3: vectors(4) },
  })
  const embedder = opened({ provider: 'http', baseUrl: url, model: 'small' })
  expect(
    await used(
      embedder,
      Array.from({ length: 100 }, () => 'Tea at four.'),
    ),
  ).toEqual([
    { tokens: 500, calls: 1 },
    { tokens: 12, calls: 1 },
  ])
})

test('remote is true for an endpoint on another machine alone', () => {
  const http = (baseUrl: string) => opened({ provider: 'http', model: 'small', baseUrl }).remote
  expect(http('https://api.openai.com/v1')).toBe(true)
  expect(http('http://localhost:11434/v1')).toBe(false)
  expect(opened({ provider: 'hashing' }).remote).toBe(false)
})
