import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../../src/engine/memory.ts'

/** Dreams once over a memory whose model is at an address, until it is done or killed. */
const [path = '', baseUrl = ''] = process.argv.slice(2)
const memory = await openMemory(path, {
  as: 'owner',
  embedder: createHashingEmbedder(),
  config: { llm: { model: 'fake', baseUrl, maxRetries: 0 }, memory: { similarityEdgesPerBlock: 2 } },
})
await memory.dream()
await memory.close()
