import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createBm25, whitespaceTokens } from '../../bench/reference/bm25.ts'
import { similarityEdges } from '../../bench/reference/graph.ts'
import { enforceGuarantees } from '../../bench/reference/guarantees.ts'
import { mockEmbedding, withCosine } from '../../bench/reference/mock-embedding.ts'
import { createReference } from '../../bench/reference/pipeline.ts'
import { renderGroups } from '../../bench/reference/render.ts'
import { rrfFuse, type Scored } from '../../bench/reference/rrf.ts'
import { dot, normalise } from '../../src/domain/score/vector.ts'

interface Case<I, E> {
  readonly id: string
  readonly fn: string
  readonly inputs: I
  readonly expected: E
}

const { cases } = JSON.parse(readFileSync(new URL('../fixtures/golden.json', import.meta.url), 'utf8')) as {
  readonly cases: readonly Case<unknown, unknown>[]
}

function golden<I, E>(fn: string): readonly Case<I, E>[] {
  const found = cases.filter((each) => each.fn === fn) as readonly Case<I, E>[]
  if (found.length === 0) throw new Error(`no golden case of ${fn}`)
  return found
}

describe('the stages of the reference-like pipeline give the numbers of the reference', () => {
  test.each(golden<{ docs: string[]; query: string }, number[]>('bm25Scores'))(
    '$id',
    ({ inputs, expected }) => {
      const scores = createBm25(inputs.docs.map(whitespaceTokens))(whitespaceTokens(inputs.query))
      expect(scores).toHaveLength(expected.length)
      scores.forEach((score, i) => {
        expect(score).toBeCloseTo(expected[i] as number, 12)
      })
    },
  )

  test.each(golden<{ vector: Scored[]; bm25: Scored[]; k: number }, Scored[]>('rrfFuse'))(
    '$id',
    ({ inputs, expected }) => {
      const fused = rrfFuse(inputs.vector, inputs.bm25, inputs.k)
      expect(fused.map(([id]) => id)).toEqual(expected.map(([id]) => id))
      fused.forEach(([, score], i) => {
        expect(score).toBeCloseTo((expected[i] as Scored)[1], 12)
      })
    },
  )

  test.each(
    golden<{ candidates: string[]; guaranteed: string[]; topK: number }, string[]>('enforceGuarantees'),
  )('$id', ({ inputs, expected }) => {
    expect(enforceGuarantees(inputs.candidates, inputs.guaranteed, inputs.topK)).toEqual(expected)
  })

  test.each(
    golden<
      { template: 'attention' | 'simulate'; blocks: [string, string[]][]; budget: number },
      { headingCount: number; lineCount: number }
    >('renderGroups'),
  )('$id, but for the wording of its headings', ({ inputs, expected }) => {
    const blocks = inputs.blocks.map(([content, tags]) => ({ content, tags }))
    const { text, dropped } = renderGroups(inputs.template, blocks, inputs.budget)
    const lines = text.split('\n')
    expect(lines).toHaveLength(expected.lineCount)
    expect(lines.filter((line) => line.startsWith('#'))).toHaveLength(expected.headingCount)
    expect(dropped).toEqual([])
  })

  test.each(golden<{ text: string; dimensions: number }, number[]>('mockEmbedding'))(
    '$id',
    ({ inputs, expected }) => {
      const vector = mockEmbedding(inputs.text, inputs.dimensions)
      expected.forEach((value, i) => {
        expect(vector[i]).toBeCloseTo(value, 6)
      })
    },
  )

  test.each(golden<{ a: string; b: string; override: number }, number>('mockCosine'))(
    '$id',
    ({ inputs, expected }) => {
      const first = mockEmbedding(inputs.a)
      const second = withCosine(first, mockEmbedding(inputs.b), inputs.override)
      expect(dot(first, second)).toBeCloseTo(expected, 6)
      expect(dot(second, second)).toBeCloseTo(1, 6)
    },
  )
})

describe('what the reference does that elfmem does not', () => {
  test('punctuation glued to a word hides it', () => {
    const score = createBm25([['a', 'trip', 'to', 'rome'], ['tea'], ['coffee']])
    expect(score(whitespaceTokens('Rome?'))).toEqual([0, 0, 0])
    expect(score(whitespaceTokens('Rome'))[0]).toBeGreaterThan(0)
  })

  test('without a word in common the cosines stay as they are', () => {
    expect(rrfFuse([['a', 0.7]], [['a', 0]])).toEqual([['a', 0.7]])
  })

  test('a hub has more edges than the cap allows one block to make', () => {
    const hub = Float32Array.of(1, 0, 0, 0, 0, 0, 0, 0, 0)
    const around = Array.from({ length: 8 }, (_, i) =>
      normalise(Float32Array.from({ length: 9 }, (_, at) => (at === 0 ? 1 : at === i + 1 ? 0.9 : 0))),
    )
    const edges = similarityEdges([hub, ...around])
    expect(edges.filter(({ a, b }) => a === 0 || b === 0)).toHaveLength(8)
  })

  test('a near match is pushed down because a nearer one was shown', () => {
    const near = normalise(Float32Array.of(1, 0.05, 0))
    const ask = createReference({
      ids: ['best', 'twin', 'other'],
      texts: ['x1', 'x2', 'x3'],
      vectors: [Float32Array.of(1, 0, 0), near, normalise(Float32Array.of(0.8, 0, 0.6))],
    })
    const { cosine, frame } = ask('nothing shared', Float32Array.of(1, 0, 0), 3)
    expect(cosine).toEqual(['best', 'twin', 'other'])
    expect(frame).toEqual(['best', 'other', 'twin'])
  })
})
