import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Finder } from './erase.ts'

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
      expect([...new Finder(texts).scan(bytes)].sort()).toEqual(naive(texts, bytes).sort())
    }),
  )
})
