import fc from 'fast-check'
import { expect, test } from 'vitest'
import { calendarWeeks, monthBegun } from '../../../dashboard/charts/calendar-weeks.ts'
import {
  areaPath,
  axisTicks,
  betaDensity,
  fadingCurve,
  heatOf,
  linePath,
  sumsUpTo,
} from '../../../dashboard/charts/curves.ts'

const highest = (points: readonly { x: number; y: number }[]) =>
  points.reduce((best, point) => (point.y > best.y ? point : best)).x

test('a confidence without reports is flat, and its hump stands where the reports say', () => {
  expect(new Set(betaDensity(0, 0).map(({ y }) => y))).toEqual(new Set([1]))
  expect(highest(betaDensity(3, 1))).toBeCloseTo(0.75, 1)
  expect(highest(betaDensity(1, 3))).toBeCloseTo(0.25, 1)
})

test('a confidence stays a curve of finite numbers, however much was reported', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      (a, b) => {
        const points = betaDensity(a, b)
        expect(points.every(({ y }) => y >= 0 && y <= 1)).toBe(true)
        expect(Math.max(...points.map(({ y }) => y))).toBe(1)
      },
    ),
  )
})

test('a fading block stands on its curve at now and ends where it is archived', () => {
  const curve = fadingCurve({
    freshness: 0.5,
    decayLambda: 0.01,
    archiveFloor: 0.05,
    archivedAfterHours: 230,
  })
  expect(curve.now).toBeCloseTo(Math.log(2) / 0.01, 6)
  expect(curve.span).toBeCloseTo((curve.now + 230) * 1.1, 6)
  expect(curve.points[0]?.y).toBe(1)
  const never = fadingCurve({ freshness: 1, decayLambda: 0, archiveFloor: 0.05 })
  expect(never.now).toBe(0)
  expect(never.points.every(({ y }) => y === 1)).toBe(true)
})

test('a growth ends with what is there now, whatever came before the days that are known', () => {
  expect(sumsUpTo(10, [1, 0, 3])).toEqual([7, 7, 10])
  expect(sumsUpTo(2, [5, 1])).toEqual([1, 2])
  expect(sumsUpTo(0, [])).toEqual([])
})

test('an axis has round numbers and reaches the most', () => {
  expect(axisTicks(399)).toEqual([0, 200, 400])
  expect(axisTicks(4152)).toEqual([0, 2500, 5000])
  expect(axisTicks(0)).toEqual([0, 1, 2])
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 10_000_000 }), (most) => {
      const ticks = axisTicks(most)
      expect(ticks.at(-1)).toBeGreaterThanOrEqual(most)
      expect(ticks.every(Number.isInteger)).toBe(true)
    }),
  )
})

test('a quiet day has no colour and the busiest the strongest', () => {
  expect([0, 1, 25, 100].map((value) => heatOf(value, 100))).toEqual([0, 1, 2, 4])
})

test('a calendar begins its weeks on Monday and leaves out no day', () => {
  const days = Array.from({ length: 10 }, (_, at) => ({
    day: new Date(Date.UTC(2026, 10, 19 + at)).toISOString().slice(0, 10),
  }))
  const weeks = calendarWeeks(days)
  expect(weeks.map((week) => week.length)).toEqual([7, 7])
  expect(weeks[0]?.slice(0, 3)).toEqual([undefined, undefined, undefined])
  expect(weeks[1]?.[0]?.day).toBe('2026-11-23')
  expect(weeks.flat().filter((day) => day !== undefined)).toEqual(days)
  expect(calendarWeeks([])).toEqual([])
})

test('a week of the calendar names the month that begins in it, and no other week names one', () => {
  const days = ['2026-10-30', '2026-10-31', '2026-11-01'].map((day) => ({ day }))
  expect(monthBegun([undefined, ...days])).toBe('Nov')
  expect(monthBegun(days.slice(0, 2))).toBeUndefined()
  expect(monthBegun([undefined])).toBeUndefined()
})

test('a line goes through its points and its ground closes below it', () => {
  const points = [
    { x: 0, y: 5 },
    { x: 10, y: 2.25 },
  ]
  expect(linePath(points)).toBe('M0.0 5.0L10.0 2.3')
  expect(areaPath(points, 20)).toBe('M0.0 5.0L10.0 2.3L10.0 20L0.0 20Z')
  expect(areaPath([], 20)).toBe('')
})
