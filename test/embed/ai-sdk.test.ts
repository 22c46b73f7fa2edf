import { expect, test } from 'vitest'
import { type AiSdkEmbeddingModel, fromAiSdk } from '../../src/adapters/remote/sdk/ai-sdk.ts'
import { openTestMemory } from '../helpers/memory.ts'

/** A model of the AI SDK that answers with the lengths of the texts. */
function model(more: Partial<AiSdkEmbeddingModel> = {}) {
  const calls: string[][] = []
  const fake: AiSdkEmbeddingModel = {
    specificationVersion: 'v3',
    provider: 'test.embedding',
    modelId: 'test-small',
    maxEmbeddingsPerCall: 2,
    doEmbed: async ({ values }) => {
      calls.push(values)
      return { embeddings: values.map((value) => [3, value.length, 0]), usage: { tokens: values.length } }
    },
    ...more,
  }
  return { ...fake, calls }
}

/** What the SDK throws when a provider answers with an error. */
function callError(statusCode: number, isRetryable: boolean, headers: Readonly<Record<string, string>> = {}) {
  const error = new Error(`The provider said ${statusCode}.`)
  return Object.assign(error, { name: 'AI_APICallError', statusCode, isRetryable, responseHeaders: headers })
}

test('gives unit vectors in order, in calls of the size the model allows, and says what they used', async () => {
  const used: number[] = []
  const fake = model()
  const embedder = fromAiSdk(fake, { onUsage: (tokens) => used.push(tokens) })
  expect([embedder.model, embedder.dimensions]).toEqual(['test-small', undefined])
  const done: number[] = []
  const vectors = await embedder.embed(['abcd', 'x', 'yz'], { progress: (count) => done.push(count) })
  expect(vectors[0]).toEqual(new Float32Array([0.6, 0.8, 0]))
  expect(vectors.map((vector) => Math.hypot(...vector).toFixed(5))).toEqual(['1.00000', '1.00000', '1.00000'])
  expect(embedder.dimensions).toBe(3)
  expect({ calls: fake.calls, used, done }).toEqual({
    calls: [['abcd', 'x'], ['yz']],
    used: [2, 1],
    done: [2, 3],
  })
  expect(await embedder.embed([])).toEqual([])
})

test.each([
  [undefined, 96],
  [Number.POSITIVE_INFINITY, 96],
  [Promise.resolve(7), 7],
])('a model that allows %s texts a call gets at most %i', async (maxEmbeddingsPerCall, most) => {
  const fake = model({ maxEmbeddingsPerCall })
  await fromAiSdk(fake).embed(Array.from({ length: 100 }, (_, i) => `text ${i}`))
  expect(fake.calls[0]).toHaveLength(most)
})

test('tries again what the SDK calls retryable, after the wait the provider asked for', async () => {
  const waits: number[] = []
  const errors = [callError(429, true, { 'retry-after': '2' }), callError(503, true)]
  const works = model()
  const flaky = model({
    doEmbed: async (options) => {
      const error = errors.shift()
      if (error) throw error
      return works.doEmbed(options)
    },
  })
  const options = { wait: async (ms: number) => void waits.push(ms), random: () => 0 }
  expect(await fromAiSdk(flaky, options).embed(['abcd'])).toHaveLength(1)
  expect(waits).toEqual([2000, 1000])
})

test.each([
  [callError(401, false), /API key/],
  [new Error('no such thing'), /Check the model/],
])('fails at once with %s, and with what to do', async (cause, recovery) => {
  let calls = 0
  const failing = model({
    doEmbed: async () => {
      calls++
      throw cause
    },
  })
  await expect(fromAiSdk(failing).embed(['x'])).rejects.toMatchObject({
    code: 'EMBEDDER_FAILED',
    recovery: expect.stringMatching(recovery),
    cause,
  })
  expect(calls).toBe(1)
})

test('refuses an answer that lacks a vector, or has one of another size, zero or not finite', async () => {
  const answers = [
    [[1, 0]],
    [[1, 0], [1]],
    [
      [1, 0],
      [0, 0],
    ],
    [
      [1, 0],
      [Number.NaN, 1],
    ],
  ]
  for (const embeddings of answers) {
    const embedder = fromAiSdk(model({ doEmbed: async () => ({ embeddings }) }))
    await expect(embedder.embed(['a', 'b'])).rejects.toMatchObject({ code: 'EMBEDDER_FAILED' })
  }
  const small = fromAiSdk(model(), { dimensions: 384 })
  await expect(small.embed(['a'])).rejects.toThrow(/3 components instead of 384/)
})

test('passes an abort on, and is closed after close', async () => {
  const controller = new AbortController()
  const hanging = model({
    doEmbed: ({ abortSignal }) =>
      new Promise((_, reject) => abortSignal?.addEventListener('abort', () => reject(abortSignal.reason))),
  })
  const embedder = fromAiSdk(hanging)
  const pending = embedder.embed(['x'], { signal: controller.signal })
  controller.abort()
  await expect(pending).rejects.toMatchObject({ code: 'CANCELLED' })
  const last = embedder.embed(['y'])
  await embedder.close()
  await expect(last).rejects.toMatchObject({ code: 'CLOSED' })
})

test('the name of a model is refused with what to pass instead', () => {
  const name = 'openai/text-embedding-3-small' as unknown as AiSdkEmbeddingModel
  expect(() => fromAiSdk(name)).toThrow(/no embedding model/)
})

test('a memory opened with a model of the AI SDK remembers the vectors by its id', async () => {
  const { memory, learn } = await openTestMemory({ embedder: fromAiSdk(model()) })
  await learn('Tea is at four', 'Staging listens on port 8443')
  expect((await memory.status()).embeddingModel).toBe('test-small')
})
