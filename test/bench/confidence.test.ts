import { expect, test } from 'vitest'
import type { Asked } from '../../bench/confidence/ask.ts'
import { describeAll, firstHalf, KINDS, someWords } from '../../bench/confidence/descriptions.ts'
import { brier, fitConfidence, type Judged, reliability } from '../../bench/confidence/fit.ts'
import { weigh } from '../../bench/confidence/report.ts'
import { createRandom } from '../../bench/lib/random.ts'
import { matchConfidence } from '../../src/domain/score/match-confidence.ts'

const TRUE_CURVE = { runnerUpShare: 0.5, midpoint: 0.3, width: 0.1 }

/** Matches that are right exactly as often as the curve says. */
function drawn(count: number): Judged[] {
  const random = createRandom(11)
  return Array.from({ length: count }, () => {
    const match = { strength: random.next(), runnerUp: random.next() / 2 }
    return { ...match, right: random.next() < matchConfidence(match, TRUE_CURVE), weight: 1 }
  })
}

test('the fit finds the curve that the matches were drawn from', () => {
  const { midpoint, width } = fitConfidence(drawn(20_000), TRUE_CURVE.runnerUpShare)
  expect(midpoint).toBeCloseTo(0.3, 1)
  expect(width).toBeCloseTo(0.1, 1)
})

test('under the true curve every bin is as often right as it says, and no other curve scores better', () => {
  const judged = drawn(20_000)
  for (const { confidence, right, matches } of reliability(judged, TRUE_CURVE))
    expect(Math.abs(confidence - right)).toBeLessThan(2.5 / Math.sqrt(matches))
  const best = brier(judged, TRUE_CURVE)
  expect(brier(judged, { ...TRUE_CURVE, midpoint: 0.4 })).toBeGreaterThan(best)
  expect(brier(judged, { ...TRUE_CURVE, width: 0.3 })).toBeGreaterThan(best)
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
    forCheck: false,
    strength: 0.5,
    runnerUp: 0,
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
