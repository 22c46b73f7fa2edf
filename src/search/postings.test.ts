import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Postings } from './postings.ts'

const words = fc.array(fc.constantFrom('ant', 'bee', 'cat', 'dog', 'elk'), { maxLength: 8 })
const edits = fc.array(fc.record({ slot: fc.nat({ max: 5 }), words: fc.option(words, { nil: undefined }) }), {
  maxLength: 30,
})

test('after any edits the index holds exactly the texts that are there', () => {
  fc.assert(
    fc.property(edits, (all) => {
      const postings = new Postings()
      const model = new Map<number, readonly string[]>()
      for (const { slot, words: text } of all) {
        if (text) {
          postings.set(slot, text.join(' '))
          model.set(slot, text)
        } else {
          postings.remove(slot)
          model.delete(slot)
        }
      }
      for (const word of ['ant', 'bee', 'cat', 'dog', 'elk']) {
        const { slots, counts } = postings.list(word)
        const found = new Map(slots.map((slot, i) => [slot, counts[i]]))
        const wanted = [...model].flatMap(([slot, text]): [number, number][] => {
          const count = text.filter((each) => each === word).length
          return count > 0 ? [[slot, count]] : []
        })
        expect(found).toEqual(new Map(wanted))
        expect(slots).toHaveLength(wanted.length)
      }
      for (const [slot, text] of model) expect(postings.lengthOf(slot)).toBe(text.length)
    }),
  )
})
