import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { relationDefaultWeight } from '../../src/graph/edge.ts'
import {
  decayTier,
  edgeWeightNow,
  explorationBonus,
  isWeakEdge,
  recency,
} from '../../src/outcome/formulas.ts'
import { answers, LAMBDAS } from './reference.ts'

interface Case {
  readonly id: string
  readonly fn: string
  readonly inputs: never
  readonly expected: unknown
  readonly tol?: number
}

/** Rules that elfmem does not use, and those of retrieval, rendering and the test embedder, which are other ones here. */
const NOT_PINNED = new Set([
  ...['bm25Scores', 'rrfFuse', 'enforceGuarantees', 'renderGroups', 'mockEmbedding', 'mockCosine'],
  ...['volatilityClass', 'hoursUntilRecency005', 'mergePeerEvidence', 'cueSimilarity'],
  ...['policySequence', 'policyShould'],
  ...['attributionScore', 'drift', 'centroid', 'mmrOrder', 'chunks'],
])
const DEFAULT_TOLERANCE = 1e-9

const golden = JSON.parse(readFileSync(new URL('../fixtures/golden.json', import.meta.url), 'utf8')) as {
  readonly cases: readonly Case[]
}
const pinned = golden.cases.filter((each) => !NOT_PINNED.has(each.fn))

describe('the pure rules give the numbers of the reference', () => {
  test.each(pinned)('$id', ({ fn, inputs, expected, tol }) => {
    const answer = answers[fn]
    expect(answer, `a rule for ${fn}`).toBeDefined()
    expectNear(answer?.(inputs), expected, tol ?? DEFAULT_TOLERANCE)
  })

  test('every rule of the list is pinned by a case', () => {
    const asked = new Set(pinned.map((each) => each.fn))
    expect(Object.keys(answers).filter((fn) => !asked.has(fn))).toEqual([])
    expect(pinned.length).toBeGreaterThan(90)
  })
})

describe('where the reference is wrong', () => {
  test('recency, exploration and the default weight of a relation stay within their meaning', () => {
    expect(recency(LAMBDAS.standard, -50)).toBe(1)
    expect(explorationBonus({ alpha: 0, beta: 1 })).toBe(0)
    expect(explorationBonus({ alpha: 4, beta: 0 })).toBe(0)
    expect(relationDefaultWeight(' Supports')).toBe(relationDefaultWeight('supports'))
    expect(decayTier(['self/constitutional'], 'observation')).toBe('permanent')
  })

  test("an agent's edge is neither pruned for weakness nor for age", () => {
    expect(isWeakEdge({ weight: 0.01, reinforcementCount: 0, origin: 'agent' }, 0.1)).toBe(false)
    const edge = { weight: 0.5, reinforcementCount: 0, lastActiveAt: 0 }
    expect(edgeWeightNow({ ...edge, origin: 'agent' }, [0.01, 0.01], 100_000)).toBe(0.5)
    expect(edgeWeightNow({ ...edge, origin: 'outcome' }, [0.01, 0.01], 100_000)).toBeLessThan(0.1)
  })
})

function expectNear(actual: unknown, expected: unknown, tolerance: number): void {
  if (typeof expected === 'number') {
    expect(actual).toBeTypeOf('number')
    expect(Math.abs((actual as number) - expected)).toBeLessThanOrEqual(tolerance)
  } else if (typeof expected === 'object' && expected !== null) {
    expect(Object.keys(actual as object)).toEqual(expect.arrayContaining(Object.keys(expected)))
    expect(Object.keys(actual as object)).toHaveLength(Object.keys(expected).length)
    for (const [key, value] of Object.entries(expected)) {
      expectNear((actual as Record<string, unknown>)[key], value, tolerance)
    }
  } else {
    expect(actual).toBe(expected)
  }
}
