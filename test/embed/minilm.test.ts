import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'
import { afterEach, describe, expect, it } from 'vitest'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import type { Embedder } from '../../src/engine/ports.ts'
import { cosine, lengthOf } from './vectors.ts'

const opened: Embedder[] = []
const TEXTS = Array.from(
  { length: 200 },
  (_, i) => `Note ${i}: the team moved the review of module ${i * 7} to Monday.`,
)

function open(): Embedder {
  const embedder = createMiniLmEmbedder()
  opened.push(embedder)
  return embedder
}

afterEach(async () => {
  await Promise.all(opened.splice(0).map((embedder) => embedder.close()))
})

/** The thread that the next embedder starts. */
function nextWorker(): Promise<Worker> {
  return new Promise((resolve) => process.once('worker', resolve))
}

describe('ends', () => {
  it('an aborted signal rejects with CANCELLED and leaves the embedder usable', async () => {
    const embedder = open()
    const controller = new AbortController()
    const list = embedder.embed(TEXTS, { signal: controller.signal, progress: () => controller.abort() })
    await expect(list).rejects.toMatchObject({ code: 'CANCELLED' })
    await expect(embedder.embed(['x'], { signal: controller.signal })).rejects.toMatchObject({
      code: 'CANCELLED',
    })
    const [vector] = await embedder.embed(['still here'])
    expect(lengthOf(vector!)).toBeCloseTo(1, 5)
  })

  it('a worker that stops fails its requests with EMBEDDER_FAILED, and the next call starts another', async () => {
    const embedder = open()
    const worker = nextWorker()
    const list = embedder.embed(TEXTS)
    const failed = expect(list).rejects.toMatchObject({
      code: 'EMBEDDER_FAILED',
      recovery: expect.stringMatching(/Call again/),
    })
    await (await worker).terminate()
    await failed
    const [a, b] = await embedder.embed(['a cat on a mat', 'a kitten on a rug'])
    expect(cosine(a!, b!)).toBeGreaterThan(0.5)
  })
})

describe('process', () => {
  const module = new URL('../../src/adapters/embed/minilm/minilm.ts', import.meta.url).href

  function run(body: string) {
    const script = `import { createMiniLmEmbedder } from ${JSON.stringify(module)}\nconst embedder = createMiniLmEmbedder()\n${body}`
    return spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      cwd: fileURLToPath(new URL('../../', import.meta.url)),
      encoding: 'utf8',
      timeout: 20_000,
    })
  }

  it('is kept alive by a pending request, but not by an idle worker', () => {
    const { stdout, status } = run(`embedder.embed(['x']).then(([v]) => console.log(v.length))`)
    expect(stdout).toBe('384\n')
    expect(status).toBe(0)
  })
})
