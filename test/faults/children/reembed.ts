/** Changes the vectors of a memory to an embedder of 48 dimensions and says how far it is: reembed.ts <file> */
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../../src/engine/memory.ts'

const [, , path] = process.argv
const memory = await openMemory(path, {
  as: 'owner',
  config: { memory: { embedBatch: 4 } },
  embedder: createHashingEmbedder({ dimensions: 48 }),
})
const { embedded } = await memory.reembed({}, { progress: ({ done }) => console.log(done) })
console.log(`embedded ${embedded}`)
await memory.close()
