import fc from 'fast-check'
import { expect, test } from 'vitest'
import { packSentences } from './split.ts'

test('packSentences loses no word, and only a lone sentence exceeds the size', () => {
  const sentence = fc
    .array(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 9 })
    .map((words) => `${words.join(' ')}.`)
  fc.assert(
    fc.property(fc.array(sentence), fc.integer({ min: 1, max: 12 }), (sentences, size) => {
      const chunks = packSentences(sentences.join('\n'), size)
      expect(chunks.join(' ')).toBe(sentences.join(' '))
      for (const chunk of chunks) {
        if (chunk.split(' ').length > size) expect(sentences).toContain(chunk)
      }
    }),
  )
})
