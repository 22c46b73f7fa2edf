import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { createBm25, whitespaceTokens } from '../../bench/reference/bm25.ts'
import { enforceGuarantees } from '../../bench/reference/guarantees.ts'
import { mockEmbedding, withCosine } from '../../bench/reference/mock-embedding.ts'
import { renderGroups } from '../../bench/reference/render.ts'
import { rrfFuse, type Scored } from '../../bench/reference/rrf.ts'
import { dot } from '../../src/index/columns.ts'

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
