import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readJson } from './read-json.ts'

const value = fc.oneof(
  fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 4 })),
  fc.array(fc.jsonValue({ maxDepth: 4 })),
)

test('readJson reads JSON as it is, in a fence, and between words', () => {
  fc.assert(
    fc.property(value, (given) => {
      const json = JSON.stringify(given)
      const expected = JSON.parse(json)
      expect(readJson(json)).toEqual(expected)
      expect(readJson(`\`\`\`json\n${json}\n\`\`\``)).toEqual(expected)
      expect(readJson(`Here you are: ${json} I hope it helps {}`)).toEqual(expected)
    }),
  )
})

test('readJson of a list that breaks off keeps the elements that are complete', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ item: fc.nat(), text: fc.string() }), { minLength: 1 }), (items) => {
      const json = JSON.stringify({ blocks: items })
      const ends = items.map((_, at) => JSON.stringify({ blocks: items.slice(0, at + 1) }).length - 2)
      for (let length = 12; length < json.length; length++) {
        const read = readJson(json.slice(0, length)) as { blocks?: unknown[] } | undefined
        const kept = (read?.blocks ?? []) as { item?: number; text?: string }[]
        const whole = kept.filter(({ item, text }) => item !== undefined && text !== undefined)
        expect(whole).toEqual(items.slice(0, whole.length))
        expect(whole.length).toBeGreaterThanOrEqual(ends.filter((end) => end <= length).length)
      }
    }),
    { numRuns: 30 },
  )
})

test('readJson of words without JSON, and of brackets without an end, is undefined', () => {
  expect(readJson('I cannot do that.')).toBeUndefined()
  expect(readJson('')).toBeUndefined()
  expect(readJson('"only a string"')).toBeUndefined()
  expect(readJson('['.repeat(100_000))).toBeUndefined()
  expect(readJson('{{{{')).toBeUndefined()
})
