import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { RANKING, SessionChains } from './chains.ts'
import { BM25, LexicalIndex } from './words.ts'

const WORDS = ['ant', 'bee', 'cat', 'dog']

interface Text {
  readonly words: readonly string[]
  readonly date: readonly string[]
}

const text: fc.Arbitrary<Text> = fc.record({
  words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 }),
  date: fc.subarray(['may', 'ant']),
})
const related = (a: number, b: number) => ((a + b) % 3) / 2
const needOf = (slot: number) => 1 / (1 + (slot % 2))
const chained = () =>
  new SessionChains({
    cosine: (a, b) => RANKING.gateFloor + RANKING.gateWidth * related(a, b),
    termsOf: (slot) => 18 / needOf(slot),
    isSaid: () => true,
    isOneBlock: () => false,
  })

function build(texts: readonly Text[]): LexicalIndex {
  const chains = chained()
  const index = new LexicalIndex(chains)
  for (const [slot, { words, date }] of texts.entries()) {
    index.add(slot, words, date)
    chains.add(slot, 0, slot)
  }
  index.settle(chains.settle())
  return index
}

const sharesOf = (index: LexicalIndex, question: readonly string[], slots: number): number[] => {
  const shares = index.shares(question, slots)
  return Array.from({ length: slots }, (_, slot) => shares.of(slot))
}

/** Computes the formula without an index: it makes each window and scores each block. */
function naive(texts: readonly Text[], question: readonly string[]): number[] {
  const offsets = [-3, -2, -1, 1, 2]
  const weightsOf = (i: number) => {
    const weights = new Map<string, number>()
    let length = 0
    const put = (words: readonly string[], weight: number) => {
      length += weight * words.length
      if (weight > 0) for (const word of words) weights.set(word, (weights.get(word) ?? 0) + weight)
    }
    put(texts[i]?.words ?? [], 1)
    put(texts[i]?.date ?? [], 1)
    for (const [n, offset] of offsets.entries()) {
      const lender = texts[i + offset]
      if (!lender) continue
      const weight = RANKING.lexicalWindow[n] as number
      put(lender.words, weight * needOf(i) * related(i, i + offset))
    }
    return { weights, length }
  }
  const all = texts.map((_, i) => weightsOf(i))
  const mean = all.reduce((sum, { length }) => sum + length, 0) / texts.length
  const idfOf = (term: string) => {
    const df = all.filter(({ weights }) => weights.has(term)).length
    return Math.log(1 + (texts.length - df + 0.5) / (df + 0.5))
  }
  const reachable = question.reduce((sum, term) => sum + idfOf(term), 0) * (BM25.k1 + 1)
  const weight =
    (1 - RANKING.wordsSizeLoss * Math.log(texts.length)) *
    Math.min(1, (question.length + 1) / (RANKING.fullWords + 1))
  return all.map(({ weights, length }) => {
    const bm25 = question.reduce((sum, term) => {
      const tf = weights.get(term) ?? 0
      return (
        sum + (idfOf(term) * tf * (BM25.k1 + 1)) / (tf + BM25.k1 * (1 - BM25.b + (BM25.b * length) / mean))
      )
    }, 0)
    const share = Math.min(1, bm25 / (RANKING.lexicalNorm * reachable))
    const hits = question.filter((term) => weights.has(term)).length
    return weight * (hits === 1 && question.length >= 3 ? share ** RANKING.loneWordExponent : share)
  })
}

test('shares equal those of the formula with windows written out', () => {
  fc.assert(
    fc.property(
      fc.array(text, { minLength: 1, maxLength: 9 }),
      fc.array(fc.constantFrom(...WORDS, 'may', 'unseen'), { minLength: 1, maxLength: 4 }),
      (texts, question) => {
        const shares = sharesOf(build(texts), question, texts.length)
        const wanted = naive(texts, question)
        for (const [slot, share] of shares.entries()) expect(share).toBeCloseTo(wanted[slot] as number, 3)
      },
    ),
  )
})

test('coverage of a block counts the words of the question that it has itself, by rarity', () => {
  const { lexicalWindow } = RANKING
  onTestFinished(() => void Object.assign(RANKING, { lexicalWindow }))
  Object.assign(RANKING, { lexicalWindow: [0, 0, 0, 0, 0] })
  fc.assert(
    fc.property(
      fc.array(text, { minLength: 1, maxLength: 9 }),
      fc.uniqueArray(fc.constantFrom(...WORDS, 'may', 'unseen'), { minLength: 1, maxLength: 4 }),
      (texts, question) => {
        const own = texts.map(({ words, date }) => new Set([...words, ...date]))
        const idfOf = (term: string) => {
          const df = own.filter((each) => each.has(term)).length
          return Math.log(1 + (texts.length - df + 0.5) / (df + 0.5))
        }
        const sum = (terms: readonly string[]) => terms.reduce((total, term) => total + idfOf(term), 0)
        const { coverage } = build(texts).shares(question, texts.length)
        for (const [slot, words] of own.entries()) {
          const wanted = sum(question.filter((term) => words.has(term))) / sum(question)
          expect(coverage(slot)).toBeCloseTo(wanted, 5)
        }
      },
    ),
  )
})

test('remove leaves no trace in the shares of other texts', () => {
  fc.assert(
    fc.property(fc.array(text, { minLength: 2, maxLength: 6 }), (texts) => {
      const chains = chained()
      const index = new LexicalIndex(chains)
      for (const [slot, { words, date }] of texts.entries()) {
        index.add(slot, words, date)
        chains.add(slot, 0, slot)
      }
      index.settle(chains.settle())
      const last = texts.length - 1
      index.remove(last)
      chains.remove(last)
      index.settle(chains.settle())
      const fresh = sharesOf(build(texts.slice(0, last)), ['ant', 'may'], last)
      const shares = sharesOf(index, ['ant', 'may'], last)
      for (const [slot, share] of shares.entries()) expect(share).toBe(fresh[slot])
    }),
  )
})
