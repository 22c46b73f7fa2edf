import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import type { Embedder } from '../../src/engine/ports.ts'

let shared: Embedder | undefined

/** The built-in embedder, one for all tests of a process: each with its own would begin a thread and load the model. */
export function miniLm(): Embedder {
  shared ??= createMiniLmEmbedder()
  return shared
}
