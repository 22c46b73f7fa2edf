import fc from 'fast-check'
import { expect, test } from 'vitest'
import { StringTable } from '../../src/search/index/column.ts'
import { packedOf } from '../helpers/packed.ts'

const texts = fc.oneof(fc.string({ maxLength: 4 }), fc.constantFrom('é', '東京', 'a'.repeat(300), ''))
const edits = fc.array(fc.record({ number: fc.nat({ max: 40 }), text: texts }), { maxLength: 60 })

/** A table and what it should hold. */
function played(all: readonly { readonly number: number; readonly text: string }[]) {
  const table = new StringTable()
  const model = new Map<number, string>()
  for (const { number, text } of all) {
    if (model.has(number)) {
      table.remove(number)
      model.delete(number)
    } else if (![...model.values()].includes(text.toWellFormed())) {
      table.set(number, text)
      model.set(number, text.toWellFormed())
    }
  }
  return { table, model }
}

test('after any edits a text has the number it was given last, and is gone with it', () => {
  fc.assert(
    fc.property(edits, (all) => {
      const { table, model } = played(all)
      const copy = new StringTable()
      copy.unpack(packedOf(table.pack('t')), 't')
      for (const each of [table, copy]) {
        const held = Array.from({ length: 41 }, (_, number) => number).filter((number) => each.has(number))
        expect(new Map(held.map((number) => [number, each.textOf(number)]))).toEqual(
          new Map([...model].sort(([one], [other]) => one - other)),
        )
        for (const { text } of all)
          expect(each.find(text)).toBe([...model].find(([, known]) => known === text.toWellFormed())?.[0])
      }
    }),
  )
})

test('a text keeps the number it was given, and a new one gets the next', () => {
  const table = new StringTable()
  expect(['b', 'a', 'b', '', 'a'].map((text) => table.numberOf(text))).toEqual([0, 1, 0, 2, 1])
  const copy = new StringTable()
  copy.unpack(packedOf(table.pack('t')), 't')
  expect([copy.numberOf('c'), copy.numberOf('')]).toEqual([3, 2])
})
