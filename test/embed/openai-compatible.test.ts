import { describe, expect, it } from 'vitest'
import { createHttpEmbedder, type HttpEmbedderOptions } from '../../src/adapters/remote/embedder.ts'
import type { Embedder } from '../../src/engine/ports.ts'
import { type ChatRequest, type Fault, fakeEndpoint } from '../helpers/fake-endpoint.ts'
import { lengthOf } from './vectors.ts'

const KEY = 'sk-very-secret'

type Answer = Fault | ((texts: readonly string[]) => Fault)

const textsOf = ({ input }: ChatRequest) => input as readonly string[]

/** An endpoint that answers the n-th request with the n-th answer, then with the last one. */
function serve(...answers: readonly [Answer, ...Answer[]]) {
  return fakeEndpoint({
    faults: (call, request) => {
      const answer = answers[Math.min(call, answers.length) - 1] as Answer
      return typeof answer === 'function' ? answer(textsOf(request)) : answer
    },
  })
}

const data = (items: unknown): Fault => ({ status: 200, body: { data: items } })

/** The vector of a text is its length and 1, so that order can be seen. */
const good: Answer = (texts) => data(texts.map((text, index) => ({ index, embedding: [text.length, 1] })))

const status = (code: number, message = 'no.'): Fault => ({ status: code, body: { error: { message } } })

function open(baseUrl: string, options: Partial<HttpEmbedderOptions> = {}) {
  const wait = async () => undefined
  return createHttpEmbedder({ baseUrl, model: 'small', apiKey: KEY, wait, ...options })
}

async function failure(embedder: Embedder) {
  const error = await embedder.embed(['a']).then(
    () => undefined,
    (reason) => reason,
  )
  expect(error).toMatchObject({ code: 'EMBEDDER_FAILED' })
  expect(JSON.stringify(error) + String(error) + String(error.cause)).not.toContain(KEY)
  return error as { message: string; recovery: string }
}

describe('HTTP embedder', () => {
  it('asks for floats with model and key and returns unit vectors', async () => {
    const { url, calls } = await serve(good)
    const embedder = open(`${url}/`)
    const [vector] = await embedder.embed(['abc'])
    expect(lengthOf(vector!)).toBeCloseTo(1, 6)
    expect(vector![0]! / vector![1]!).toBeCloseTo(3, 5)
    expect(calls).toMatchObject([
      {
        path: '/v1/embeddings',
        headers: { authorization: `Bearer ${KEY}` },
        body: { input: ['abc'], model: 'small', encoding_format: 'float' },
      },
    ])
  })

  it('cuts long lists into batches of 96 and keeps the order', async () => {
    const { url, calls } = await serve(good)
    const told: number[] = []
    const texts = Array.from({ length: 200 }, (_, i) => 'x'.repeat(i + 1))
    const vectors = await open(url).embed(texts, { progress: (done) => told.push(done) })
    expect(calls.map(({ body }) => textsOf(body).length)).toEqual([96, 96, 8])
    expect(vectors.map((v) => Math.round(v[0]! / v[1]!))).toEqual(texts.map((text) => text.length))
    expect(told).toEqual([96, 192, 200])
  })

  it('puts answers in another order right by their index', async () => {
    const { url } = await serve(
      data([
        { index: 1, embedding: [0, 2] },
        { index: 0, embedding: [3, 0] },
      ]),
    )
    const vectors = await open(url).embed(['a', 'b'])
    expect(vectors.map((v) => [...v])).toEqual([
      [1, 0],
      [0, 1],
    ])
  })
})

it('asks again after a failure that may pass', async () => {
  const { url, calls } = await serve('server-error', 'reset', good)
  expect(await open(url).embed(['a'])).toHaveLength(1)
  expect(calls).toHaveLength(3)
})

describe('failures', () => {
  it('say what to do about a wrong key, without repeating it', async () => {
    const { url } = await serve(status(401, `Incorrect key ${KEY}.`))
    const error = await failure(open(url))
    expect(error.message).toContain('401: Incorrect key [key]')
    expect(error.recovery).toMatch(/key/i)
  })

  it.each([
    ['no list', {}],
    ['too few vectors', [{ embedding: [1] }]],
    ['the same index twice', [0, 0].map((index) => ({ index, embedding: [1] }))],
    ['an index that no list has', [{ index: 'x', embedding: [1] }, { embedding: [1] }]],
    ['vectors of different sizes', [{ embedding: [1] }, { embedding: [1, 2] }]],
    ['a zero vector', [{ embedding: [0, 0] }, { embedding: [1, 2] }]],
    ['an infinite value', [{ embedding: [1e300, 1] }, { embedding: [1, 2] }]],
  ])('refuse an answer with %s', async (_, items) => {
    const { url } = await serve(data(items))
    await expect(open(url).embed(['a', 'b'])).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      message: expect.stringContaining('not usable'),
    })
  })

  it('refuse vectors of another size than configured', async () => {
    const { url } = await serve(good)
    expect((await failure(open(url, { dimensions: 3 }))).message).toContain('2 components instead of 3')
  })
})
