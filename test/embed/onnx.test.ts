import { expect, test } from 'vitest'
import { createOnnxEmbedder } from '../../src/adapters/embed/onnx.ts'
import { settingsSchema } from '../../src/config/settings.ts'
import { openEmbedder } from '../../src/opening/open-embedder.ts'
import { fakeRuntime, WIDTH } from './fake-runtime.ts'
import { cosine, lengthOf } from './vectors.ts'

const open = (fake: ReturnType<typeof fakeRuntime>) =>
  createOnnxEmbedder({ modelPath: '/model.onnx', model: 'mine', load: fake.load })

test('gives the mean over the tokens of each text, the padding left out, as a unit vector', async () => {
  const embedder = open(fakeRuntime())
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
  const fake = fakeRuntime()
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
  const fake = fakeRuntime({ inputNames: ['input_ids', 'attention_mask'] })
  await open(fake).embed(['tea'])
  expect(fake.runs[0]?.inputs).toEqual(['input_ids', 'attention_mask'])
})

test('an empty text has a vector, and an empty list costs nothing', async () => {
  const fake = fakeRuntime()
  expect(await open(fake).embed([])).toEqual([])
  expect(fake.runs).toEqual([])
  expect(lengthOf((await open(fake).embed(['']))[0]!)).toBeCloseTo(1, 5)
})

test('a model that is unfit is refused with what fits', async () => {
  for (const fake of [fakeRuntime({ dims: 2 }), fakeRuntime({ fail: 'Invalid rank' })])
    await expect(open(fake).embed(['x'])).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      recovery: expect.stringMatching(/uncased English vocabulary/),
    })
})

test('heeds its signal, and close', async () => {
  const embedder = open(fakeRuntime())
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
