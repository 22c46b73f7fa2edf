import fc from 'fast-check'
import { expect, test } from 'vitest'
import { codePointLength } from '../block/text.ts'
import { mergedNote, NOTE_LENGTH_MAX } from './linker.ts'

const note = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.constantFrom('n'.repeat(250), '😀'.repeat(NOTE_LENGTH_MAX)),
)

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
