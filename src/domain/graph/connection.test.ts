import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePointLength } from '../text/text.ts'
import { mergedNote, NOTE_LENGTH_MAX } from './connection.ts'
import { reinforcedWeight } from './edge.ts'

const unit = fc.double({ min: 0, max: 1, noNaN: true })
const note = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.constantFrom('n'.repeat(250), '😀'.repeat(NOTE_LENGTH_MAX)),
)
const rule = fc.constantFrom('add' as const, 'ltp' as const)

test('reinforcedWeight is never lower than the weight and never above 1', () => {
  expect(reinforcedWeight(0.95, 0.1)).toBe(1)
  expect(reinforcedWeight(0.8, 0.1, 'ltp')).toBeCloseTo(0.82, 12)
  fc.assert(
    fc.property(unit, unit, rule, (weight, step, kind) => {
      const after = reinforcedWeight(weight, step, kind)
      expect(after).toBeGreaterThanOrEqual(weight)
      expect(after).toBeLessThanOrEqual(1)
      expect(reinforcedWeight(weight, step, 'ltp')).toBeLessThanOrEqual(
        reinforcedWeight(weight, step) + 1e-12,
      )
    }),
  )
})

test('mergedNote fits, holds the newer note, and repeats nothing', () => {
  fc.assert(
    fc.property(fc.option(note, { nil: undefined }), note, (before, added) => {
      const both = mergedNote(before, added) ?? ''
      expect(both).toContain(added)
      expect(codePointLength(both)).toBeLessThanOrEqual(NOTE_LENGTH_MAX)
      if (codePointLength(`${before ?? ''}; ${added}`) <= NOTE_LENGTH_MAX)
        expect(both).toContain(before ?? '')
      expect(mergedNote(both, added)).toBe(both)
      expect(mergedNote(both, undefined)).toBe(both)
    }),
  )
})
