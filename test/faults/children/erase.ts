import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../../src/index.ts'

/** Erases all blocks of a tag, saying when it begins and when it is acknowledged. */
const [path = '', tag = ''] = process.argv.slice(2)
const memory = await openMemory(path, { as: 'owner', embedder: createHashingEmbedder() })
process.stdout.write('begins\n')
const { finished } = await memory.erase({ tags: [tag], copies: 'delete', yes: true })
process.stdout.write(finished ? 'done\n' : 'left\n')
await memory.close()
