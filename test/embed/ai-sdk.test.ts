import { expect, test } from 'vitest'
import { type AiSdkEmbeddingModel, fromAiSdk } from '../../src/adapters/remote/ai-sdk.ts'

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

test('embed gives unit vectors in order, in calls of the size the model allows', async () => {
  const fake = model()
  const embedder = fromAiSdk(fake)
  expect([embedder.model, embedder.dimensions]).toEqual(['test-small', undefined])
  const done: number[] = []
  const used: number[] = []
  const vectors = await embedder.embed(['abcd', 'x', 'yz'], {
    progress: (count) => done.push(count),
    usage: ({ tokens }) => used.push(tokens),
  })
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

test('embed fails at once with a lasting error, and says what to do', async () => {
  let calls = 0
  const failing = model({
    doEmbed: async () => {
      calls++
      throw Object.assign(new Error('No.'), { statusCode: 401, isRetryable: false })
    },
  })
  await expect(fromAiSdk(failing).embed(['x'])).rejects.toMatchObject({
    code: 'EMBEDDER_FAILED',
    recovery: expect.stringMatching(/API key/),
  })
  expect(calls).toBe(1)
})
