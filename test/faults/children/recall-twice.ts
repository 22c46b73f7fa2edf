import { createInterface } from 'node:readline'
import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../../src/index.ts'

/** Answers each line of its input with what recall finds, with one index for as long as it lives. */
const [path] = process.argv.slice(2) as [string]
const memory = await openMemory(path, { as: 'owner', embedder: createHashingEmbedder() })
for await (const query of createInterface(process.stdin)) {
  const { blockIds } = await memory.recall({ query, topK: 3 })
  console.log(JSON.stringify(blockIds))
}
await memory.close()
process.exit(0)
