import { describe, expect, test } from 'vitest'
import { readData } from '../../bench/lib/data.ts'
import { dreamAll } from '../../bench/lib/dream-all.ts'
import { rememberAll } from '../../bench/lib/remember-many.ts'
import { sentence } from '../../bench/speed/sentences.ts'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import type { Edge } from '../../src/domain/graph/edge.ts'
import type { Memory } from '../../src/memory.ts'
import type { Embedder } from '../../src/ports/embedder.ts'
import { openTestMemory } from '../helpers/memory.ts'

const SENTENCES = 4_500

/** Whatever of the bench's own texts could be a note. */
function benchTexts(): string[] {
  const texts = new Set<string>()
  const collect = (value: unknown): void => {
    if (typeof value === 'string') {
      if (value.length > 15 && value.length < 400) texts.add(value)
    } else if (typeof value === 'object' && value !== null)
      for (const each of Object.values(value)) collect(each)
  }
  for (const name of [
    'notes',
    'related-notes',
    'restatements',
    'conflicts',
    'feedback',
    'facts-in-languages',
  ])
    collect(readData<unknown>(`${name}.json`))
  return [...texts]
}

/** Notes of sessions and tags. */
function notes(texts: readonly string[]) {
  return texts.map((content, i) => ({
    content,
    session: `session-${Math.floor(i / 20)}`,
    tags: i % 3 === 0 ? [`topic/${i % 90}`, ...(i % 2 === 0 ? ['work'] : [])] : [],
  }))
}

/** Notes that come to say what others say; said at once they would not be taken in. */
async function sayAgain(memory: Memory, texts: readonly string[]): Promise<void> {
  for (const [i, content] of texts.entries()) {
    const { blockId } = await memory.remember({ content: `Nothing was said yet about number ${i}.` })
    await memory.edit({ blockId, content })
  }
}

/** Embeds each text once, whoever asks. */
function remembering(embedder: Embedder): Embedder {
  const known = new Map<string, Float32Array>()
  return {
    ...embedder,
    embed: async (texts) => {
      const fresh = [...new Set(texts)].filter((text) => !known.has(text))
      const vectors = await embedder.embed(fresh)
      for (const [i, text] of fresh.entries()) known.set(text, vectors[i] as Float32Array)
      return texts.map((text) => known.get(text) as Float32Array)
    },
    close: async () => undefined,
  }
}

/** What a dream made of the notes, by their words instead of ids. */
async function dreamt(embedder: Embedder, dreamScan: 'sketched' | 'exact', texts: readonly string[]) {
  const settings = { memory: { dreamScan, autoDream: 'off' } } as const
  const { memory, store } = await openTestMemory({ kind: 'memory', embedder, settings })
  await rememberAll(memory, notes(texts))
  const first = await dreamAll(memory)
  await sayAgain(
    memory,
    texts.filter((_, i) => i % 50 === 0),
  )
  const { promoted, deduplicated } = await dreamAll(memory)
  return store.read(async (tx) => {
    const edges: Edge[] = []
    for (let page = await tx.edgePage(['', ''], 1_000); page.length > 0; ) {
      edges.push(...page)
      const { from, to } = page.at(-1) as Edge
      page = await tx.edgePage([from, to], 1_000)
    }
    const pairs = await tx.openPairs(100_000)
    const ids = [...edges.flatMap(({ from, to }) => [from, to]), ...pairs.flatMap(({ a, b }) => [a, b])]
    const words = new Map((await tx.blocks(ids)).map(({ id, content }) => [id, content]))
    const named = (...ends: string[]) =>
      ends
        .map((id) => words.get(id))
        .sort()
        .join(' | ')
    return {
      ...{ promoted: first.promoted + promoted, nearDuplicates: first.nearDuplicates, deduplicated },
      edges: edges.map(({ from, to, weight }) => `${named(from, to)} ${weight}`).sort(),
      pairs: pairs.map(({ a, b, kind, score }) => `${named(a, b)} ${kind} ${score}`).sort(),
    }
  })
}

async function expectSameDream(embedder: Embedder, texts: readonly string[]): Promise<void> {
  const shared = remembering(embedder)
  const exact = await dreamt(shared, 'exact', texts)
  expect(exact.edges.length).toBeGreaterThan(texts.length)
  expect(exact.deduplicated).toBeGreaterThan(texts.length / 60)
  expect(exact.pairs.length).toBeGreaterThan(10)
  expect(await dreamt(shared, 'sketched', texts)).toEqual(exact)
}

describe('a dream makes the same edges, pairs and duplicates, whether it looks at sketches or at all blocks', () => {
  const sentences = Array.from({ length: SENTENCES }, (_, i) => sentence(i))

  test('with the shipped model', async () => {
    const embedder = createMiniLmEmbedder()
    await expectSameDream(embedder, [...benchTexts(), ...sentences])
    await embedder.close()
  }, 600_000)

  test('with vectors that are mostly zeros', async () => {
    await expectSameDream(createHashingEmbedder(), [...sentences, ...benchTexts()])
  }, 600_000)
})
