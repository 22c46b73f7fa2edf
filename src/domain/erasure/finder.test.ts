import fc from 'fast-check'
import { expect, test } from 'vitest'
import { beginningOf, Finder } from './finder.ts'

const encoder = new TextEncoder()

/** Each text once for each place where it begins, by comparing each with each. */
function naive(texts: readonly string[], bytes: Uint8Array): string[] {
  return [...new Set(texts)].flatMap((text) => {
    const wanted = encoder.encode(text)
    if (wanted.length < 8) return []
    return Array.from(bytes.keys()).flatMap((at) =>
      wanted.every((byte, i) => bytes[at + i] === byte) ? [text] : [],
    )
  })
}

/** Few letters, so that texts overlap, repeat and begin alike. */
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '山'), maxLength: 14 })

test('scan finds each text as often as comparing each with each does', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), fc.array(text, { maxLength: 12 }), (texts, parts) => {
      const bytes = encoder.encode(parts.join(''))
      const found: string[] = []
      new Finder(texts).scan(bytes, bytes.length, (each) => found.push(each))
      expect(found.sort()).toEqual(naive(texts, bytes).sort())
    }),
  )
})

test('the beginning of a long text has 256 bytes at most and no half of a character', () => {
  expect(beginningOf('a'.repeat(400))).toBe('a'.repeat(256))
  expect(beginningOf(`a${'山'.repeat(400)}`)).toBe(`a${'山'.repeat(85)}`)
  expect(beginningOf('\ufeffshort')).toBe('\ufeffshort')
})
