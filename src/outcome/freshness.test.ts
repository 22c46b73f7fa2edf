import fc from 'fast-check'
import { expect, test } from 'vitest'
import { freshnessOf, hoursUntilArchived, isFaint } from './formulas.ts'

const block = fc.record({
  decayLambda: fc.double({ min: 1e-4, max: 0.05, noNaN: true }),
  lastReinforcedAt: fc.double({ min: 0, max: 1e4, noNaN: true }),
  tags: fc.constant([]),
  status: fc.constant('active' as const),
})
const hours = fc.double({ min: 0, max: 1e4, noNaN: true })
const rule = fc.record({
  permanent: fc.constant(1e-5),
  floor: fc.double({ min: 0.01, max: 0.9, noNaN: true }),
})

test('hoursUntilArchived is the time after which isFaint is true', () => {
  fc.assert(
    fc.property(block, rule, hours, (given, against, now) => {
      const left = hoursUntilArchived(given, against, now) as number
      expect(isFaint(given, against, now + left + 1e-3)).toBe(true)
      if (left > 0) expect(isFaint(given, against, now + left - Math.min(left, 1e-3))).toBe(false)
      else expect(freshnessOf(given, now)).toBeLessThan(against.floor * (1 + 1e-9))
    }),
  )
})

test('hoursUntilArchived is undefined for what is permanent, constitutional, waiting or archived', () => {
  const fading = { decayLambda: 0.01, lastReinforcedAt: 0, tags: [], status: 'active' as const }
  const against = { permanent: 1e-5, floor: 0.05 }
  expect(hoursUntilArchived(fading, against, 0)).toBeCloseTo(299.57, 2)
  for (const other of [
    { decayLambda: 1e-5 },
    { tags: ['self/constitutional'] },
    { status: 'inbox' as const },
    { status: 'archived' as const },
  ])
    expect(hoursUntilArchived({ ...fading, ...other }, against, 0)).toBeUndefined()
  expect(hoursUntilArchived(fading, { ...against, floor: 0 }, 0)).toBeUndefined()
})
