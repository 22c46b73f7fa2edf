import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import type { Embedder } from '../../src/engine/ports.ts'

/**
 * Cheap vectors under the name of the shipped model, so that the memory made here can be served with that model: its
 * questions then cost what they cost, though what they find means nothing.
 */
export function cheapEmbedder(): Embedder {
  return { ...createHashingEmbedder(), model: 'all-MiniLM-L6-v2-int8' }
}
