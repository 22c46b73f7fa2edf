import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

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
