import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { checkWeights, readWeightsInto } from '../../src/adapters/embed/minilm/model-files.ts'

const model = new URL('../../model/', import.meta.url)

it('the model files are those the checksums name', () => {
  const lines = readFileSync(new URL('CHECKSUMS', model), 'utf8').trim().split('\n')
  const expected = lines.map((line) => line.split('  '))
  const found = expected.map(([, name = '']) => [
    createHash('sha256')
      .update(readFileSync(new URL(name, model)))
      .digest('hex'),
    name,
  ])
  expect(found).toEqual(expected)
  expect(expected.map(([, name]) => name)).toEqual(['minilm.bin', 'vocab.txt'])
})

it('reads the table of word vectors as words come, and each row whole', () => {
  const whole = readFileSync(new URL('minilm.bin', model))
  const target = new Uint8Array(checkWeights())
  const fetchWords = readWeightsInto(target)
  const rowOf = (bytes: Uint8Array, word: number) =>
    Buffer.from(bytes.subarray(64 + word * 384, 64 + (word + 1) * 384))
  const tableEnd = 64 + 30_522 * 384
  expect(Buffer.compare(target.subarray(tableEnd), whole.subarray(tableEnd))).toBe(0)
  const words = [0, 10, 11, 101, 2_026, 30_521]
  expect(words.map((word) => rowOf(target, word).some((byte) => byte !== 0))).not.toContain(true)
  fetchWords(words)
  expect(words.map((word) => rowOf(target, word))).toEqual(words.map((word) => rowOf(whole, word)))
  expect(rowOf(target, 15_000).some((byte) => byte !== 0)).toBe(false)
})
