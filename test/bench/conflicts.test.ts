import { expect, test } from 'vitest'
import { count, countTags, findAmong, judgePairs } from '../../bench/conflicts/judge.ts'
import { HALVES, halfOf, readLabelled, readOthers } from '../../bench/conflicts/labelled.ts'
import { conflictSettings } from '../../src/config/model-settings.ts'

const { pairs, tags } = readLabelled()
const settings = conflictSettings.parse({})
const PRECISION = 0.9

test('the labelled set has hundreds of different pairs, nearly half of them none, in two halves', () => {
  expect(pairs.length).toBeGreaterThanOrEqual(360)
  expect(tags.length).toBeGreaterThanOrEqual(120)
  expect(new Set(pairs.map(({ newer, older }) => `${newer} ${older}`)).size).toBe(pairs.length)
  expect(new Set(pairs.map(({ id }) => id)).size).toBe(pairs.length)
  for (const half of HALVES) {
    const own = pairs.filter((pair) => halfOf(pair) === half)
    expect(own.length).toBeGreaterThan(0.45 * pairs.length)
    expect(own.filter(({ label }) => label === 'none').length).toBeGreaterThan(0.45 * own.length)
  }
})

test('every conflict is labelled with what could find it, and every tag a text deserves is known', () => {
  for (const { label, rule } of pairs) expect(rule === undefined).toBe(label === 'none')
  for (const { known, deserved } of tags) expect(known).toEqual(expect.arrayContaining([...deserved]))
})

test.each(HALVES)('every enabled rule is right nine times in ten on the half %s', (half) => {
  const own = pairs.filter((pair) => halfOf(pair) === half)
  const judged = judgePairs(own, () => 0.8, {
    cosineFloor: settings.cosineFloor,
    rules: settings.enabledRules,
  })
  for (const rule of settings.enabledRules) {
    const { found, right } = count(judged, rule)
    expect(found, rule).toBeGreaterThanOrEqual(4)
    expect(right / found, rule).toBeGreaterThanOrEqual(PRECISION)
  }
  const all = count(judged)
  expect(all.met / all.wanted).toBeGreaterThan(0.65)
})

test.each(HALVES)('a tag given by words is right nine times in ten on the half %s', (half) => {
  const { found, right } = countTags(
    tags.filter((text) => halfOf(text) === half),
    { most: settings.wordTagsPerBlock, lengthLeast: settings.wordTagLength },
  )
  expect(found).toBeGreaterThan(100)
  expect(right / found).toBeGreaterThanOrEqual(PRECISION)
})

test('the rules see no conflict among the texts of the other benches', () => {
  const texts = readOthers()
  expect(texts.length).toBeGreaterThan(500)
  expect(findAmong(texts)).toEqual([])
  expect(findAmong([...texts.slice(0, 9), 'The hall has 60 seats.', 'The hall has 80 seats.'])).toHaveLength(
    2,
  )
})
