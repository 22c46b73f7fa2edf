import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePointLength } from '../block/text.ts'
import { reinforcedWeight } from '../outcome/formulas.ts'
import { mergedNote, NOTE_LENGTH_MAX } from './linker.ts'

const note = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.constantFrom('n'.repeat(250), '😀'.repeat(NOTE_LENGTH_MAX)),
)

test('reinforcedWeight adds a step, and is never above 1', () => {
  expect(reinforcedWeight(0.5, 0.1)).toBeCloseTo(0.6, 12)
  expect(reinforcedWeight(0.95, 0.1)).toBe(1)
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
