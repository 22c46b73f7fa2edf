import fc from 'fast-check'
import { expect, test } from 'vitest'
import { duplicateVerdict } from './duplicate.ts'
import { factsOf, sameFacts } from './facts.ts'

const THRESHOLDS = { exact: 0.95, near: 0.9 }

test('only a high cosine with the same facts makes a duplicate', () => {
  const verdicts = [0.96, 0.92, 0.8].flatMap((cosine) =>
    [true, false].map((same) => duplicateVerdict({ cosine, sameFacts: same }, THRESHOLDS)),
  )
  expect(verdicts).toEqual(['duplicate', 'near', 'near', 'near', 'distinct', 'distinct'])
})

test('a cosine that is no number rejects nothing', () => {
  expect(duplicateVerdict({ cosine: Number.NaN, sameFacts: true }, THRESHOLDS)).toBe('distinct')
})

test('no cosine makes a duplicate of texts that differ in a number, a name or a negation', () => {
  const word = fc.stringMatching(/^[b-z]{2,8}$/)
  const number = fc.oneof(
    fc.integer().map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
    fc.tuple(fc.nat(20), fc.nat(20), fc.nat(20)).map((parts) => `v${parts.join('.')}`),
    fc.tuple(fc.nat(999), fc.constantFrom('GB', 'ms', '%', '€')).map((parts) => parts.join('')),
  )
  const name = fc.oneof(
    fc.stringMatching(/^[A-Z][a-z]{1,7}$/),
    fc.stringMatching(/^[a-z]{2,4}(_[a-z]{2,4}|[A-Z][a-z]{2})$/),
  )
  const negation = fc.constantFrom('not', 'no', 'never', "don't", 'cannot', 'without', 'neither', 'none', '')
  const text = fc.tuple(fc.array(word, { minLength: 1, maxLength: 5 }), fc.nat(5), number, name, negation)
  const part = fc.constantFrom(2, 3, 4)
  fc.assert(
    fc.property(
      text,
      text,
      part,
      fc.double({ min: -1, max: 1, noNaN: true }),
      (base, other, changed, cosine) => {
        const varied = base.map((value, at) => (at === changed ? other[at] : value)) as typeof base
        fc.pre(base[changed] !== varied[changed])
        const same = sameFacts(factsOf(sentence(base), stem), factsOf(sentence(varied), stem))
        expect(duplicateVerdict({ cosine, sameFacts: same }, THRESHOLDS)).not.toBe('duplicate')
      },
    ),
  )
})

function sentence([words, at, number, name, negation]: [string[], number, string, string, string]): string {
  const inserted = ['we', ...words, number]
  inserted.splice(1 + (at % words.length), 0, name, negation)
  return inserted.filter((word) => word !== '').join(' ')
}

/** A rough stemmer that conflates more than a real one. */
function stem(word: string): string {
  return word.slice(0, 3)
}
