import { expect, test } from 'vitest'
import type { Asked } from '../../bench/confidence/ask.ts'
import { describeAll, firstHalf, KINDS, someWords } from '../../bench/confidence/descriptions.ts'
import { brier, fitConstants, type Judged, reliability } from '../../bench/confidence/fit.ts'
import { weigh } from '../../bench/confidence/report.ts'
import { createRandom } from '../../bench/lib/random.ts'
import { type ProbabilityConstants, probabilityOf } from '../../src/domain/score/score.ts'

const TRUE: ProbabilityConstants = {
  intercept: -2,
  cosine: 3,
  lexical: 1,
  standsOut: 6,
  runnerUpShare: 0.5,
  size: 0.4,
}

/** Matches that are right exactly as often as the constants say. */
function drawn(count: number): Judged[] {
  const random = createRandom(11)
  return Array.from({ length: count }, () => {
    const evidence = {
      cosine: random.next(),
      lexical: random.next(),
      strength: random.next(),
      runnerUp: random.next() / 2,
      blocks: 1 + Math.floor(random.next() * 1_000),
    }
    return { evidence, right: random.next() < probabilityOf(evidence, TRUE), weight: 1 }
  })
}

test('the fit finds the constants that the matches were drawn from', () => {
  const fitted = fitConstants(drawn(20_000), TRUE.runnerUpShare)
  for (const [name, value] of Object.entries(TRUE))
    expect(Math.abs(fitted[name as keyof ProbabilityConstants] - value), name).toBeLessThan(0.3)
})

test('under the true constants every bin is as often right as it says, and no others score better', () => {
  const judged = drawn(20_000)
  for (const { said, right, matches } of reliability(judged, ({ evidence }) => probabilityOf(evidence, TRUE)))
    expect(Math.abs(said - right)).toBeLessThan(2.5 / Math.sqrt(matches))
  const best = brier(judged, TRUE)
  expect(brier(judged, { ...TRUE, intercept: -1 })).toBeGreaterThan(best)
  expect(brier(judged, { ...TRUE, standsOut: 2 })).toBeGreaterThan(best)
})

test('a description is some words of a text, or half of it', () => {
  const text = "The old pump in Anna's cellar rattles when it rains hard."
  const words = someWords(text, 4, createRandom(1)).split(' ')
  expect(words).toHaveLength(4)
  for (const word of words) expect(text).toContain(word)
  expect(words).not.toContain('The')
  expect(firstHalf(text)).toBe("The old pump in Anna's cellar")
})

test('every block is different and every kind describes some of them', () => {
  const { blocks, descriptions } = describeAll()
  expect(new Set(blocks).size).toBe(blocks.length)
  expect(new Set(descriptions.map(({ kind }) => kind))).toEqual(new Set(KINDS))
  for (const { meant } of descriptions) expect(blocks[meant]).toBeDefined()
})

test('kinds weigh the same, and missing blocks as much as was said', () => {
  const one = (kind: Asked['kind'], present: boolean): Asked => ({
    kind,
    present,
    evidence: { cosine: 0.5, lexical: 0.5, strength: 0.5, runnerUp: 0, blocks: 9 },
    right: present,
  })
  const asked = [
    ...Array.from({ length: 6 }, () => one('restated', true)),
    one('restated', false),
    one('two words', true),
    one('two words', false),
  ]
  const total = (passes: (asked: Asked) => boolean) =>
    weigh(asked, 0.25)
      .filter(passes)
      .reduce((sum, { weight }) => sum + weight, 0)
  expect(total(({ kind }) => kind === 'restated')).toBeCloseTo(1, 12)
  expect(total(({ kind }) => kind === 'two words')).toBeCloseTo(1, 12)
  expect(total(({ present }) => !present)).toBeCloseTo(0.5, 12)
})
