import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonItems } from './json-items.ts'

const BOUNDS = { mostSigns: 10_000, mostLevels: 20 }

/** A text in pieces of at most so many signs. */
function piecesOf(text: string, size: number): string[] {
  return Array.from({ length: Math.ceil(text.length / size) }, (_, at) =>
    text.slice(at * size, (at + 1) * size),
  )
}

const valuesOf = (text: string, size = 7) =>
  [...jsonItems(piecesOf(text, size), BOUNDS)].map(({ value }) => value)
const json = fc.jsonValue({ maxDepth: 4, stringUnit: 'grapheme' })
const size = fc.integer({ min: 1, max: 40 })
/** As JSON would have it, which knows no negative zero. */
const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('jsonItems', () => {
  test('gives the items of a list, wherever the text is parted and however it is indented', () => {
    fc.assert(
      fc.property(fc.array(json), size, fc.constantFrom(undefined, 2), (list, at, indent) => {
        expect(valuesOf(JSON.stringify(list, null, indent), at)).toEqual(plain(list))
      }),
    )
  })

  test('gives the items of all lists of an object with the names of the lists', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), fc.oneof(fc.array(json), json)),
        size,
        (record, at) => {
          const found = [...jsonItems(piecesOf(JSON.stringify(record), at), BOUNDS)]
          const wanted = Object.entries(record).flatMap(([key, value]) =>
            Array.isArray(value)
              ? value.map((each, place) => ({ key, number: place + 1, value: plain(each) }))
              : [],
          )
          expect(found).toEqual(wanted)
        },
      ),
    )
  })

  test('throws nothing at any text, and gives the whole items before the place where it was cut off', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...'[]{}",:\\ 1a') })),
        size,
        (text, at) => {
          for (const item of jsonItems(piecesOf(text, at), BOUNDS)) expect(item.number).toBeGreaterThan(0)
        },
      ),
    )
    expect(valuesOf('[{"a":1},{"b":"cut of')).toEqual([{ a: 1 }, undefined])
  })

  test('holds no item that is too long or too deep, and goes on behind it', () => {
    const long = JSON.stringify('x'.repeat(20_000))
    const deep = `${'['.repeat(30)}${']'.repeat(30)}`
    expect(valuesOf(`[1,${long},2,${deep},3]`, 1_000)).toEqual([1, undefined, 2, undefined, 3])
  })
})
