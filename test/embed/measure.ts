/** Prints what the built-in embedder and the scan kernel do on this machine: node test/embed/measure.ts */
import { readFileSync } from 'node:fs'
import { cacheQueries } from '../../src/adapters/embed/embedder-wrappers.ts'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { loadEngine } from '../../src/adapters/embed/minilm/engine.ts'
import { DIMENSIONS } from '../../src/adapters/embed/minilm/kernel.ts'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { readVocabulary } from '../../src/adapters/embed/minilm/model-files.ts'
import { CLASSIFY_ID, createTokenizer, SEPARATOR_ID } from '../../src/adapters/embed/minilm/wordpiece.ts'
import { floatVectors, readFixture } from './fixtures.ts'
import { cosine, lengthOf } from './vectors.ts'

const ROUNDS = 7
const COUNT = 96
const rss = () => process.memoryUsage.rss() / 1e6
const bareRss = rss()

const fixture = readFixture<{ texts: string[]; float16: string }>('embeddings.json.gz')
const original = readFixture<{ texts: string[]; ids: number[][] }>('tokenizer.json.gz')
const tokenize = createTokenizer(readVocabulary())
/** 22 to 26 tokens with the two special ones, as a short note has; 10 to 14, as a question has. */
const notes = ofTokens(22, 26)
const questions = ofTokens(10, 14)

print('tokenizer: texts', original.texts.length)
print('tokenizer: texts with other ids than the original', original.texts.filter(differs).length)
await measureEmbedder()
measureEngine()
await measureHashing()
measureScan()

function ofTokens(least: number, most: number): string[] {
  const found = original.texts.filter((text) => /^[\w\s,.?!'%-]+$/.test(text) && within(text, least, most))
  return Array.from(
    { length: COUNT },
    (_, i) => `${found[i % found.length]}${'.'.repeat(Math.floor(i / found.length))}`,
  )
}

function within(text: string, least: number, most: number): boolean {
  const tokens = tokenize(text).ids.length + 2
  return tokens >= least && tokens <= most
}

function differs(text: string, i: number): boolean {
  return [CLASSIFY_ID, ...tokenize(text).ids, SEPARATOR_ID].join() !== original.ids[i]!.join()
}

async function measureEmbedder(): Promise<void> {
  const before = rss()
  const embedder = createMiniLmEmbedder()
  print('pool: first text after start, ms', await time(() => embedder.embed(['first'])))
  print('pool: RSS over bare Node with the tests’ data, and without, MB', rss() - bareRss, rss() - before)
  let run = 0
  const single = async (texts: readonly string[]) => {
    run++
    for (const text of texts) await embedder.embed([`${text} ${run}`])
  }
  print('pool: ms a note, one by one', (await best(() => single(notes))) / COUNT)
  print('pool: ms a question, one by one', (await best(() => single(questions))) / COUNT)
  print('pool: notes/s as one list', (1000 * COUNT) / (await best(() => embedder.embed(notes))))
  const cached = cacheQueries(embedder)
  await cached.embed(['cached'])
  print('cache: ms for a question seen before', (await best(() => cached.embed(['cached']))) as number)
  await embedder.close()

  const two = createMiniLmEmbedder({ workers: 2 })
  await two.embed(notes)
  print('pool of 2: notes/s as one list', (1000 * COUNT) / (await best(() => two.embed(notes))))
  await two.close()
}

function measureEngine(): void {
  const started = performance.now()
  const engine = loadEngine()
  print('engine: load, ms', performance.now() - started)
  print('engine: build', engine.build)
  const embed = (texts: readonly string[]) => {
    const task = engine.begin(texts)
    while (!task.step());
    return task.vectors
  }
  const each = (texts: readonly string[]) => {
    for (const text of texts) embed([text])
  }
  print('engine: ms a note', bestOf(() => each(notes)) / COUNT)
  print('engine: ms a question', bestOf(() => each(questions)) / COUNT)
  print('engine: notes/s in lists of 8', (1000 * COUNT) / bestOf(() => batches(notes, 8).forEach(embed)))
  print(
    'engine: ms for 256 tokens',
    bestOf(() => embed(['word '.repeat(254)])),
  )

  const expected = floatVectors(fixture.float16)
  const found = embed(fixture.texts)
  const cosines = expected.map(
    (vector, i) => cosine(vector, found.subarray(i * DIMENSIONS, (i + 1) * DIMENSIONS)) / lengthOf(vector),
  )
  cosines.sort((a, b) => a - b)
  print('fidelity: texts', cosines.length)
  print(
    'fidelity: cosine mean, 1 %, least',
    cosines.reduce((a, b) => a + b) / cosines.length,
    cosines[2]!,
    cosines[0]!,
  )
}

async function measureHashing(): Promise<void> {
  const embedder = createHashingEmbedder()
  print('hashing: notes/s', (1000 * COUNT) / (await best(() => embedder.embed(notes))))
}

function measureScan(): void {
  const rows = 10_000
  const count = 4
  const memory = new WebAssembly.Memory({ initial: 200 })
  const module = new WebAssembly.Module(readFileSync(new URL('../../kernel/scan.wasm', import.meta.url)))
  const kernel = new WebAssembly.Instance(module, { env: { memory } }).exports as Record<
    'scan' | 'scanMany' | 'sketch' | 'resembling',
    (...numbers: number[]) => void
  >
  const end = (rows + count) * DIMENSIONS
  new Int8Array(memory.buffer, 0, end).forEach((_, i, all) => {
    all[i] = i * 31
  })
  const queries = rows * DIMENSIONS
  print(
    'scan: ms for 10,000 rows',
    bestOf(() => kernel.scan(queries, 0, rows, DIMENSIONS, end)),
  )
  const many = bestOf(() => kernel.scanMany(queries, count, 0, rows, DIMENSIONS, end))
  print('scanMany: ms for 10,000 rows and a query of four', many / count)
  const signs = end + 16 * rows
  const scratch = signs + DIMENSIONS + 1_024
  const first = scratch + 2_048
  const second = first + 64 * (rows + 1)
  const [groups, limits] = [second + 64 * (rows + 1), second + 66 * (rows + 1)]
  const sketch = () => {
    for (let row = 0; row <= rows; row++) {
      const [from, at] = [row * DIMENSIONS, row * 64]
      kernel.sketch(from, 0, DIMENSIONS, 3, 300, signs, scratch, first + at, second + at)
    }
  }
  print('sketch: ms for 10,000 rows', bestOf(sketch))
  new Int32Array(memory.buffer, Math.ceil(limits / 4) * 4, 192).fill(-1)
  const resemble = () => kernel.resembling(first, first, second, groups, rows, limits, end)
  // The first calls run what the engine has not compiled well yet.
  for (let call = 0; call < 200; call++) resemble()
  print('resembling: ms for 10,000 rows of which none passes', bestOf(resemble))
}

function batches<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, i) => all.slice(i * size, (i + 1) * size))
}

async function time(run: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await run()
  return performance.now() - started
}

async function best(run: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < ROUNDS; i++) least = Math.min(least, await time(run))
  return least
}

function bestOf(run: () => void): number {
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 3 * ROUNDS; i++) {
    const started = performance.now()
    run()
    least = Math.min(least, performance.now() - started)
  }
  return least
}

function print(name: string, ...values: readonly (number | string)[]): void {
  const shown = values.map((value) => (typeof value === 'number' ? Number(value.toPrecision(5)) : value))
  process.stdout.write(`${name}: ${shown.join(' / ')}\n`)
}
