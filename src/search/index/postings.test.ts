import fc from 'fast-check'
import { expect, test } from 'vitest'
import { eachPosting, Postings } from './postings.ts'

const words = fc.array(fc.constantFrom('ant', 'bee', 'cat', 'dog', 'elk'), { maxLength: 8 })
const edits = fc.array(
  fc.record({ slot: fc.nat({ max: 5 }), words: fc.option(words, { nil: undefined }), pack: fc.boolean() }),
  {
    maxLength: 30,
  },
)

test('find and frequencyOf answer as a plain map after any edits and packing', () => {
  fc.assert(
    fc.property(edits, (all) => {
      const postings = new Postings()
      const model = new Map<number, readonly string[]>()
      for (const { slot, words: text, pack } of all) {
        if (pack) postings.pack('p', 6)
        if (text) {
          postings.set(slot, text)
          model.set(slot, text)
        } else {
          postings.remove(slot)
          model.delete(slot)
        }
      }
      for (const word of ['ant', 'bee', 'cat', 'dog', 'elk']) {
        const found: [number, number][] = []
        eachPosting(postings.find(word), (slot, count) => found.push([slot, count]))
        const wanted = [...model].flatMap(([slot, text]): [number, number][] => {
          const count = text.filter((each) => each === word).length
          return count > 0 ? [[slot, count]] : []
        })
        const bySlot = (one: readonly number[], other: readonly number[]) =>
          (one[0] as number) - (other[0] as number)
        expect(found.sort(bySlot)).toEqual(wanted.sort(bySlot))
        expect(postings.frequencyOf(word)).toBe(wanted.length)
      }
      for (const [slot, text] of model) expect(postings.lengthOf(slot)).toBe(text.length)
    }),
  )
})
