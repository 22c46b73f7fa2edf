import { expect, test } from 'vitest'
import { createOnnxEmbedder, type OnnxRuntime } from '../../src/adapters/embed/onnx.ts'
import { settingsSchema } from '../../src/config/settings.ts'
import { openEmbedder } from '../../src/opening/open-embedder.ts'
import { cosine, lengthOf } from './vectors.ts'

const WIDTH = 4

/** A runtime whose hidden state of a token is (token id, place, 1, padded); it notes what it was asked. */
function runtime(more: { inputNames?: string[]; dims?: number; fail?: string } = {}) {
  const runs: { readonly dims: readonly number[]; readonly inputs: readonly string[] }[] = []
  class Tensor {
    readonly data: BigInt64Array
    readonly dims: readonly number[]
    constructor(_type: 'int64', data: BigInt64Array, dims: readonly number[]) {
      this.data = data
      this.dims = dims
    }
  }
  const session = {
    inputNames: more.inputNames ?? ['input_ids', 'attention_mask', 'token_type_ids'],
    outputNames: ['last_hidden_state'],
    run: async (feeds: Readonly<Record<string, unknown>>) => {
      if (more.fail) throw new Error(more.fail)
      const { input_ids: ids, attention_mask: mask } = feeds as Record<string, Tensor>
      const [count = 0, length = 0] = ids?.dims ?? []
      runs.push({ dims: [count, length], inputs: Object.keys(feeds) })
      const data = new Float32Array(count * length * WIDTH)
      for (let at = 0; at < count * length; at++)
        data.set([Number(ids?.data[at]), at % length, 1, Number(mask?.data[at]) === 1 ? 0 : 9e9], at * WIDTH)
      return { last_hidden_state: { data, dims: [count, length, WIDTH].slice(0, more.dims ?? 3) } }
    },
  }
  const load = async () =>
    ({ InferenceSession: { create: async () => session }, Tensor }) as unknown as OnnxRuntime
  return { runs, load }
}

const open = (fake: ReturnType<typeof runtime>) =>
  createOnnxEmbedder({ modelPath: '/model.onnx', model: 'mine', load: fake.load })

test('gives the mean over the tokens of each text, the padding left out, as a unit vector', async () => {
  const embedder = open(runtime())
  const [short, long] = await embedder.embed(['tea', 'tea is at four in the garden'])
  // [CLS] 101, tea 5572, [SEP] 102
  const mean = [(101 + 5572 + 102) / 3, 1, 1, 0]
  expect(cosine(short!, new Float32Array(mean)) / Math.hypot(...mean)).toBeCloseTo(1, 6)
  expect(long?.[3]).toBe(0)
  expect([lengthOf(short!), lengthOf(long!)].map((each) => each.toFixed(5))).toEqual(['1.00000', '1.00000'])
  expect(embedder.dimensions).toBe(WIDTH)
  expect((await embedder.embed(['tea']))[0]).toEqual(short)
})

test('runs at most eight windows at once, and a long text as several', async () => {
  const fake = runtime()
  const done: number[] = []
  await open(fake).embed(
    [...Array.from({ length: 7 }, (_, i) => `note ${i}`), 'The tide rose. '.repeat(200), 'last'],
    { progress: (count) => done.push(count) },
  )
  expect(fake.runs.map(({ dims }) => dims[0])).toEqual([8, 4])
  expect(Math.max(...fake.runs.map(({ dims }) => dims[1] ?? 0))).toBeLessThanOrEqual(256)
  expect(done).toEqual([7, 9])
})

test('gives a model only the inputs it has', async () => {
  const fake = runtime({ inputNames: ['input_ids', 'attention_mask'] })
  await open(fake).embed(['tea'])
  expect(fake.runs[0]?.inputs).toEqual(['input_ids', 'attention_mask'])
})

test('an empty text has a vector, and an empty list costs nothing', async () => {
  const fake = runtime()
  expect(await open(fake).embed([])).toEqual([])
  expect(fake.runs).toEqual([])
  expect(lengthOf((await open(fake).embed(['']))[0]!)).toBeCloseTo(1, 5)
})

test('a model that is unfit is refused with what fits', async () => {
  for (const fake of [runtime({ dims: 2 }), runtime({ fail: 'Invalid rank' })])
    await expect(open(fake).embed(['x'])).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      recovery: expect.stringMatching(/uncased English vocabulary/),
    })
})

test('heeds its signal, and close', async () => {
  const embedder = open(runtime())
  await expect(embedder.embed(['x'], { signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'CANCELLED',
  })
  await embedder.close()
  await expect(embedder.embed(['x'])).rejects.toMatchObject({ code: 'CLOSED' })
})

test('a runtime that is not installed is named with the command that installs it', async () => {
  const embedder = createOnnxEmbedder({ modelPath: '/model.onnx', model: 'mine' })
  embedder.warm?.()
  await expect(embedder.embed(['x'])).rejects.toMatchObject({
    code: 'EMBEDDER_FAILED',
    recovery: expect.stringMatching(/npm install onnxruntime-node/),
  })
})

test('the settings open it by the path of its file, whose name the vectors are remembered by', async () => {
  const settingsOf = (more: object) =>
    settingsSchema.parse({ embeddings: { provider: 'onnx', ...more } }).embeddings
  expect(openEmbedder(settingsOf({ modelPath: 'models/mine.onnx' }), {}).model).toBe('mine.onnx')
  expect(openEmbedder(settingsOf({ modelPath: 'models/mine.onnx', model: 'named' }), {}).model).toBe('named')
  expect(() => openEmbedder(settingsOf({}), {})).toThrow(/model_path is missing/)
})
