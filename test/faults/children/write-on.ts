import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../../src/index.ts'

/** Remembers so many blocks, each a durable write of its own, and says how many were acknowledged: write-on.ts <file> <name> <count> */
const [path = '', name = '', count = ''] = process.argv.slice(2)
await new Promise((resolve) => process.stdin.once('data', resolve))
const memory = await openMemory(path, { as: 'owner', embedder: createHashingEmbedder() })
let acknowledged = 0
for (let i = 0; i < Number(count); i++)
  if ((await memory.remember({ content: `${name} tells of thing ${i}` })).status === 'created')
    acknowledged += 1
await memory.close()
console.log(`${acknowledged} acknowledged`)
process.exit(0)
