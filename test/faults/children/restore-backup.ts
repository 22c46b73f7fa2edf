import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../../src/index.ts'

/** Puts a backup in the place of a memory, saying when it begins and when it was acknowledged. */
const [path = '', backup = ''] = process.argv.slice(2)
const memory = await openMemory(path, { as: 'owner', embedder: createHashingEmbedder() })
process.stdout.write('begins\n')
await memory.restoreBackup({ path: backup })
process.stdout.write('done\n')
await memory.close()
