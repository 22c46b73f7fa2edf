import { describe, expect, it } from 'vitest'
import { readVocabulary } from '../../src/adapters/embed/minilm/model-files.ts'
import {
  CLASSIFY_ID,
  createTokenizer,
  cutWindows,
  SENTENCE_END,
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

  it('gives the same ids when it has seen the words before', () => {
    const text = 'Unbelievably, the recalibrated thermostat misbehaved.'
    expect(tokenize(text)).toEqual(tokenize(text))
    expect(createTokenizer(readVocabulary())(text)).toEqual(tokenize(text))
  })

  it('ends a sentence at its stop, behind a closing quote, at a line break, but not inside a number', () => {
    const ends = (text: string) => tokenize(text).boundaries.filter((b) => b === SENTENCE_END).length
    expect(ends('It rained. We left ')).toBe(1)
    expect(ends('"It rained." We left ')).toBe(1)
    expect(ends('It rained\nWe left ')).toBe(1)
    expect(ends('完了。次へ')).toBe(1)
    expect(ends('Pi is 3.14 or so, e.g ')).toBe(0)
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

  it('end with a sentence where there is one in their second half', () => {
    const windows = cutWindows(tokenize(sentences.repeat(60)), 254)
    const stop = tokenize('.').ids[0]
    expect(windows.map((window) => window.at(-1))).toEqual(windows.map(() => stop))
  })

  it('end with a word where there is no sentence', () => {
    const word = tokenize('misremembering')
    expect(word.ids.length).toBeGreaterThan(1)
    const windows = cutWindows(tokenize('misremembering '.repeat(300)), 254)
    for (const window of windows) expect(window.length % word.ids.length).toBe(0)
  })

  it('are cut at their limit where there is no boundary', () => {
    const windows = cutWindows(tokenize('-'.repeat(600)), 254)
    expect(windows.map((window) => window.length)).toEqual([254, 254, 92])
  })

  it('are one empty window for a text without tokens', () => {
    expect(cutWindows(tokenize(' \n'), 254)).toEqual([[]])
  })
})
