import { expect, test } from 'vitest'
import { createOnnxEmbedder } from '../../src/adapters/embed/onnx.ts'
import { fakeRuntime, WIDTH } from './fake-runtime.ts'
import { cosine, lengthOf } from './vectors.ts'

const open = (fake: ReturnType<typeof fakeRuntime>) =>
  createOnnxEmbedder({ modelPath: '/model.onnx', model: 'mine', load: fake.load })

test('embed gives the mean over the tokens of each text as a unit vector', async () => {
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

test('embed refuses an unfit model', async () => {
  for (const fake of [fakeRuntime({ dims: 2 }), fakeRuntime({ fail: 'Invalid rank' })])
    await expect(open(fake).embed(['x'])).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      recovery: expect.stringMatching(/uncased English vocabulary/),
    })
})

test('embed without onnxruntime-node names the command that installs it', async () => {
  const embedder = createOnnxEmbedder({ modelPath: '/model.onnx', model: 'mine' })
  embedder.warm?.()
  await expect(embedder.embed(['x'])).rejects.toMatchObject({
    code: 'EMBEDDER_FAILED',
    recovery: expect.stringMatching(/npm install onnxruntime-node/),
  })
})
