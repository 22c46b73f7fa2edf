import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Bucket, fullBucket, type Rate, takeToken } from '../../src/flow/guard/call-rate.ts'

const rates = fc.record({
  perMinute: fc.constantFrom(60, 120, 600, 6_000),
  burst: fc.integer({ min: 1, max: 20 }),
})
/** Pauses in units of 10 ms, at which all these rates gain exact shares. */
const pauses = fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 60 })

/** Counts in ten-milliseconds steps and in thousandths, one after the other. */
function naively({ perMinute, burst }: Rate, steps: readonly number[]): boolean[] {
  let thousandths = burst * 1_000
  return steps.map((pause) => {
    for (let step = 0; step < pause; step += 1)
      thousandths = Math.min(burst * 1_000, thousandths + perMinute / 6)
    if (thousandths < 1_000) return false
    thousandths -= 1_000
    return true
  })
}

function letThrough(rate: Rate, steps: readonly number[]): { passed: boolean; now: number }[] {
  let now = 5_000
  let bucket: Bucket = fullBucket(rate, now)
  return steps.map((pause) => {
    now += pause * 10
    const taken = takeToken(bucket, now, rate)
    bucket = taken.bucket
    return { passed: taken.waitMilliseconds === 0, now }
  })
}

test('takeToken lets calls pass as a naive count does', () => {
  fc.assert(
    fc.property(rates, pauses, (rate, steps) => {
      expect(letThrough(rate, steps).map(({ passed }) => passed)).toEqual(naively(rate, steps))
    }),
  )
})

test('takeToken tells exactly how long to wait', () => {
  fc.assert(
    fc.property(rates, (rate) => {
      let bucket = fullBucket(rate, 0)
      for (let call = 0; call < rate.burst; call += 1) bucket = takeToken(bucket, 0, rate).bucket
      const { waitMilliseconds, bucket: empty } = takeToken(bucket, 0, rate)
      expect(waitMilliseconds).toBeGreaterThan(0)
      expect(takeToken(empty, waitMilliseconds, rate).waitMilliseconds).toBe(0)
      expect(takeToken(empty, waitMilliseconds - 1, rate).waitMilliseconds).toBe(1)
    }),
  )
})

test('takeToken gives nothing for a clock that goes back', () => {
  const rate = { perMinute: 60, burst: 1 }
  const { bucket } = takeToken(fullBucket(rate, 10_000), 10_000, rate)
  const back = takeToken(bucket, 0, rate)
  expect(back.waitMilliseconds).toBe(1_000)
  expect(takeToken(back.bucket, 10_500, rate).waitMilliseconds).toBe(500)
})
