import { describe, expect, it } from 'vitest'
import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { cosine } from './vectors.ts'

const embedder = createHashingEmbedder()

async function similarity(a: string, b: string): Promise<number> {
  const [left, right] = await embedder.embed([a, b])
  return cosine(left!, right!)
}

describe('hashing embedder', () => {
  it('puts texts that share words nearer than unrelated ones, whatever the case and order', async () => {
    expect(await similarity('the red kayak leaked', 'Kayak: the leak was red')).toBeGreaterThan(
      (await similarity('the red kayak leaked', 'quarterly budget approved by everyone')) + 0.3,
    )
    expect(await similarity('red kayak', 'KAYAK, red!')).toBeCloseTo(1, 5)
  })
})
