import { expect, test } from 'vitest'
import { shareEmbedder } from '../../bench/lib/shared-embedder.ts'
import { corpora, loadPairs, PAIR_SETS } from '../../bench/paraphrases/corpora.ts'
import { questionAbout, sentence } from '../../bench/speed/sentences.ts'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'

test('a shared embedder computes each text once and gives what the one behind it gives', async () => {
  const asked: string[] = []
  const inner = createHashingEmbedder()
  const shared = shareEmbedder({
    ...inner,
    embed: async (texts) => {
      asked.push(...texts)
      return inner.embed(texts)
    },
  })
  const [first] = await shared.embed(['one', 'two', 'one'])
  const [again] = await shared.embed(['one'])
  expect(asked).toEqual(['one', 'two'])
  expect(again).toEqual(first)
  expect(first).toEqual((await inner.embed(['one']))[0])
})

test('sentences are repeatable, differ, and have about 27 words', () => {
  const all = Array.from({ length: 2_000 }, (_, i) => sentence(i))
  expect(sentence(1_234)).toBe(all[1_234])
  expect(new Set(all).size).toBe(all.length)
  const words = all.reduce((sum, text) => sum + text.split(' ').length, 0) / all.length
  expect(words).toBeGreaterThan(25)
  expect(words).toBeLessThan(36)
})

test('a question takes five different words of its sentence', () => {
  for (const i of [0, 1, 500]) {
    const words = questionAbout(i).split(' ')
    expect(new Set(words).size).toBe(5)
    for (const word of words) expect(sentence(i).toLowerCase()).toContain(word)
  }
})

test.each(PAIR_SETS)(
  'every corpus of the %s paraphrases holds every block, apart or in one session',
  (set) => {
    const pairs = loadPairs(set)
    const all = corpora(pairs)
    expect(all.map(({ blocks }) => blocks.length)).toEqual([80, 80, 480, 480])
    for (const { blocks } of all) {
      const texts = new Set(blocks.map(({ text }) => text))
      expect(pairs.every(({ block }) => texts.has(block))).toBe(true)
    }
    expect(all.map(({ blocks }) => new Set(blocks.map(({ session }) => session)).size)).toEqual([
      80, 1, 480, 1,
    ])
  },
)
