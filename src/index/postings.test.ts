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

const TERMS = ['ada', 'bo', 'cy', 'di']

test('holding gives the blocks with all terms, or undefined where there are more than asked for', () => {
  const texts = fc.array(fc.subarray(TERMS), { maxLength: 30 })
  const asked = fc.subarray(TERMS, { minLength: 1 })
  fc.assert(
    fc.property(texts, texts, asked, fc.integer({ min: 0, max: 6 }), (packed, later, terms, most) => {
      const postings = new Postings()
      for (const [slot, words] of packed.entries()) postings.set(slot, words)
      postings.pack('words', packed.length)
      for (const [slot, words] of later.entries()) postings.set(slot * 2, words)
      const all = new Map([...packed.entries(), ...later.map((words, i) => [i * 2, words] as const)])
      const wanted = [...all].flatMap(([slot, words]) =>
        terms.every((t) => words.includes(t)) ? [slot] : [],
      )
      const found = postings.holding(terms, most)
      expect(found?.toSorted()).toEqual(wanted.length > most ? undefined : wanted.sort())
    }),
  )
})
