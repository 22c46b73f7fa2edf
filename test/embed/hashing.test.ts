import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { cosine, lengthOf } from './vectors.ts'

const embedder = createHashingEmbedder()

async function similarity(a: string, b: string): Promise<number> {
  const [left, right] = await embedder.embed([a, b])
  return cosine(left!, right!)
}

describe('hashing embedder', () => {
  it('gives a finite unit vector of the wanted size for any text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'grapheme' }),
        fc.integer({ min: 1, max: 64 }),
        async (text, dimensions) => {
          const sized = createHashingEmbedder({ dimensions })
          const [vector] = await sized.embed([text])
          expect(vector).toHaveLength(dimensions)
          expect(lengthOf(vector!)).toBeCloseTo(1, 5)
          expect(sized.model).toBe(`hashing-${dimensions}`)
        },
      ),
    )
  })

  it('puts texts that share words nearer than unrelated ones, whatever the case and order', async () => {
    expect(await similarity('the red kayak leaked', 'Kayak: the leak was red')).toBeGreaterThan(
      (await similarity('the red kayak leaked', 'quarterly budget approved by everyone')) + 0.3,
    )
    expect(await similarity('red kayak', 'KAYAK, red!')).toBeCloseTo(1, 5)
  })
})
