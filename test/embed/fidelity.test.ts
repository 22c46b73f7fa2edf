import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type Engine, loadEngine } from '../../src/adapters/embed/minilm/engine.ts'
import { DIMENSIONS, type KernelBuild } from '../../src/adapters/embed/minilm/kernel.ts'
import { floatVectors, readFixture } from './fixtures.ts'
import { cosine, lengthOf } from './vectors.ts'

const fixture = readFixture<{ texts: string[]; float16: string }>('embeddings.json.gz')
const engine = loadEngine()
const vectors = embed(fixture.texts)

function embed(texts: readonly string[], by: Engine = engine): Float32Array[] {
  const task = by.begin(texts)
  while (!task.step());
  return texts.map((_, i) => task.vectors.slice(i * DIMENSIONS, (i + 1) * DIMENSIONS))
}

function runs(build: KernelBuild): boolean {
  try {
    return loadEngine(build).build === build
  } catch {
    return false
  }
}

describe('built-in model', () => {
  it('is near the float model: cosine .998 on average, .98 at least', () => {
    const expected = floatVectors(fixture.float16)
    const cosines = vectors.map((vector, i) => cosine(vector, expected[i]!) / lengthOf(expected[i]!))
    expect(cosines.length).toBeGreaterThanOrEqual(200)
    expect(cosines.reduce((sum, c) => sum + c, 0) / cosines.length).toBeGreaterThan(0.998)
    expect(Math.min(...cosines)).toBeGreaterThan(0.98)
  })

  it('knows that a paraphrase is nearer than another subject', () => {
    const [cat, kitten, revenue] = embed([
      'a cat sat on the mat',
      'the kitten rested on a rug',
      'quarterly revenue grew by ten percent',
    ])
    expect(cosine(cat!, kitten!)).toBeGreaterThan(cosine(cat!, revenue!) + 0.4)
  })

  // Stores are copied between machines: this digest was the same for both builds and must be so everywhere.
  it('gives the bits that it gives on every other machine', () => {
    const hash = createHash('sha256')
    for (const vector of vectors.slice(100, 140)) hash.update(new Uint8Array(vector.buffer))
    expect(hash.digest('hex')).toBe('3224c6202bfad0e3e9d4bcfe99f27f48a33f04b1ea51b9ddebff1d56d5d3611d')
  })

  // Some processors lose bits in the relaxed dot product; the loader never takes that build there.
  it.runIf(runs('relaxed'))('gives the same bits in both builds', () => {
    const texts = fixture.texts.slice(0, 80)
    expect(embed(texts, loadEngine('relaxed'))).toEqual(embed(texts, loadEngine('simd')))
  })
})
