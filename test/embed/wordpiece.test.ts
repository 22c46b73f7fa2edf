import { describe, expect, it } from 'vitest'
import { readVocabulary } from '../../src/adapters/embed/minilm/model-files.ts'
import {
  CLASSIFY_ID,
  createTokenizer,
  cutWindows,
  SEPARATOR_ID,
} from '../../src/adapters/embed/minilm/wordpiece.ts'
import { readFixture } from './fixtures.ts'

const tokenize = createTokenizer(readVocabulary())
const { texts, ids } = readFixture<{ texts: string[]; ids: number[][] }>('tokenizer.json.gz')

describe('tokenizer', () => {
  it('gives the ids of the original tokenizer for every text of the fixture', () => {
    const different = texts.filter((text, i) => {
      const found = [CLASSIFY_ID, ...tokenize(text).ids, SEPARATOR_ID]
      return found.join() !== ids[i]?.join()
    })
    expect(different).toEqual([])
    expect(texts.length).toBeGreaterThanOrEqual(1000)
  })
})

describe('windows', () => {
  const sentences = 'The lighthouse keeper measured the tide. '

  it('hold every token of the text once and in order', () => {
    const tokens = tokenize(sentences.repeat(60))
    const windows = cutWindows(tokens, 254)
    expect(windows.flat()).toEqual(tokens.ids)
    expect(windows.length).toBeGreaterThan(1)
    expect(Math.max(...windows.map((window) => window.length))).toBeLessThanOrEqual(254)
  })
})
