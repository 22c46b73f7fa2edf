import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { createHttpEmbedder, type HttpEmbedderOptions } from '../../src/adapters/remote/http-embedder.ts'
import type { Embedder } from '../../src/engine/ports.ts'
import { lengthOf } from './vectors.ts'

const KEY = 'sk-very-secret'

interface Asked {
  readonly url: string | undefined
  readonly authorization: string | undefined
  readonly body: { input: string[]; model: string; encoding_format: string }
}
type Answer = (asked: Asked, response: ServerResponse) => void

const servers: Server[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
})

/** A server on the loopback that answers the n-th request with the n-th answer, then with the last one. */
async function serve(...answers: Answer[]) {
  const asked: Asked[] = []
  const server = createServer(async (request, response) => {
    const one = { url: request.url, authorization: request.headers.authorization, body: await json(request) }
    asked.push(one)
    answers[Math.min(asked.length, answers.length) - 1]!(one, response)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}/v1`, asked }
}

async function json(request: IncomingMessage) {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString('utf8'))
}

/** The vector of a text: its length and 1, so that order can be seen. */
function vectorOf(text: string): number[] {
  return [text.length, 1]
}

const good: Answer = ({ body }, response) => {
  response.end(
    JSON.stringify({ data: body.input.map((text, index) => ({ index, embedding: vectorOf(text) })) }),
  )
}

function status(
  code: number,
  headers: Record<string, string> = {},
  body = '{"error":{"message":"no."}}',
): Answer {
  return (_, response) => response.writeHead(code, headers).end(body)
}

function data(items: unknown): Answer {
  return (_, response) => response.end(JSON.stringify({ data: items }))
}

function open(baseUrl: string, options: Partial<HttpEmbedderOptions> = {}) {
  const waits: number[] = []
  const embedder = createHttpEmbedder({
    baseUrl,
    model: 'small',
    apiKey: KEY,
    random: () => 0,
    wait: async (ms) => void waits.push(ms),
    ...options,
  })
  return { embedder, waits }
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
    const { baseUrl, asked } = await serve(good)
    const { embedder } = open(`${baseUrl}/`)
    const [vector] = await embedder.embed(['abc'])
    expect(lengthOf(vector!)).toBeCloseTo(1, 6)
    expect(vector![0]! / vector![1]!).toBeCloseTo(3, 5)
    expect(asked).toEqual([
      {
        url: '/v1/embeddings',
        authorization: `Bearer ${KEY}`,
        body: { input: ['abc'], model: 'small', encoding_format: 'float' },
      },
    ])
  })

  it('cuts long lists into batches of 96 and keeps the order', async () => {
    const { baseUrl, asked } = await serve(good)
    const told: number[] = []
    const texts = Array.from({ length: 200 }, (_, i) => 'x'.repeat(i + 1))
    const vectors = await open(baseUrl).embedder.embed(texts, { progress: (done) => told.push(done) })
    expect(asked.map(({ body }) => body.input.length)).toEqual([96, 96, 8])
    expect(vectors.map((v) => Math.round(v[0]! / v[1]!))).toEqual(texts.map((text) => text.length))
    expect(told).toEqual([96, 192, 200])
  })

  it('puts answers in another order right by their index', async () => {
    const { baseUrl } = await serve(
      data([
        { index: 1, embedding: [0, 2] },
        { index: 0, embedding: [3, 0] },
      ]),
    )
    const vectors = await open(baseUrl).embedder.embed(['a', 'b'])
    expect(vectors.map((v) => [...v])).toEqual([
      [1, 0],
      [0, 1],
    ])
  })
})

describe('retries', () => {
  it.each([408, 429, 500, 503])('come after a status %i, with doubled waits', async (code) => {
    const { baseUrl, asked } = await serve(status(code), status(code), good)
    const { embedder, waits } = open(baseUrl)
    expect(await embedder.embed(['a'])).toHaveLength(1)
    expect(waits).toEqual([500, 1000])
    expect(asked).toHaveLength(3)
  })

  it('come after a connection that breaks off', async () => {
    const { baseUrl, asked } = await serve((_, response) => response.destroy(), good)
    expect(await open(baseUrl).embedder.embed(['a'])).toHaveLength(1)
    expect(asked).toHaveLength(2)
  })

  it.each([400, 401, 404, 422])('do not come after a status %i', async (code) => {
    const { baseUrl, asked } = await serve(status(code))
    await failure(open(baseUrl).embedder)
    expect(asked).toHaveLength(1)
  })
})

describe('failures', () => {
  it('say what to do about a wrong key, without repeating it', async () => {
    const { baseUrl } = await serve(status(401, {}, `{"error":{"message":"Incorrect key ${KEY}."}}`))
    const error = await failure(open(baseUrl).embedder)
    expect(error.message).toContain('401: Incorrect key [key].')
    expect(error.recovery).toMatch(/key/i)
  })

  it('say that nobody listens', async () => {
    const { baseUrl } = await serve(good)
    servers[0]!.close()
    const error = await failure(open(baseUrl).embedder)
    expect(error.message).toContain('ECONNREFUSED')
    expect(error.recovery).toMatch(/^Start the embedding server/)
  })

  it.each([
    ['no list', {}],
    ['too few vectors', []],
    [
      'the same index twice',
      [
        { index: 0, embedding: [1] },
        { index: 0, embedding: [1] },
      ],
    ],
    [
      'vectors of different sizes',
      [
        { index: 0, embedding: [1] },
        { index: 1, embedding: [1, 2] },
      ],
    ],
    [
      'a zero vector',
      [
        { index: 0, embedding: [0, 0] },
        { index: 1, embedding: [1, 2] },
      ],
    ],
    [
      'an infinite value',
      [
        { index: 0, embedding: [1e300, 1] },
        { index: 1, embedding: [1, 2] },
      ],
    ],
  ])('refuse an answer with %s', async (_, items) => {
    const { baseUrl } = await serve(data(items))
    await expect(open(baseUrl).embedder.embed(['a', 'b'])).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      message: expect.stringContaining('not usable'),
    })
  })

  it('refuse vectors of another size than configured', async () => {
    const { baseUrl } = await serve(good)
    expect((await failure(open(baseUrl, { dimensions: 3 }).embedder)).message).toContain(
      '2 components instead of 3',
    )
  })
})
