import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Finder } from './finder.ts'

const encoder = new TextEncoder()

/** Every place at which a text begins, by comparing each with each. */
function naive(texts: readonly string[], bytes: Uint8Array): string[] {
  return [...new Set(texts)].flatMap((text) => {
    const wanted = encoder.encode(text)
    if (wanted.length < 4) return []
    return Array.from(bytes.keys()).flatMap((at) =>
      wanted.every((byte, i) => bytes[at + i] === byte) ? [`${at} ${text}`] : [],
    )
  })
}

function found(finder: Finder, bytes: Uint8Array, to = bytes.length): string[] {
  const places: string[] = []
  finder.scan(bytes, { from: 0, to }, (text, at) => void places.push(`${at} ${finder.texts[text]}`))
  return places
}

/** Few letters, so that texts overlap, repeat and begin alike. */
const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '山'), maxLength: 9 })

test('all texts are found at all places, as by comparing each with each', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), fc.array(text, { maxLength: 12 }), (texts, parts) => {
      const bytes = encoder.encode(parts.join(''))
      expect(found(new Finder(texts), bytes).sort()).toEqual(naive(texts, bytes).sort())
    }),
  )
})

test('a text is in another where it is a part of it', () => {
  const finder = new Finder(['vault code', 'lantern'])
  expect(finder.isIn('behind the lanterns')).toBe(true)
  expect(finder.isIn('behind the lanter')).toBe(false)
  expect(new Finder([]).isIn('anything')).toBe(false)
})

test('of a text longer than what is compared the beginning is found', () => {
  const long = 'word '.repeat(400)
  const finder = new Finder([long])
  expect(finder.longest).toBe(512)
  expect(finder.isIn(`so: ${long}`)).toBe(true)
})
