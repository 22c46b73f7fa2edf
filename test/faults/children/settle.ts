import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../../src/index.ts'

/** Settles a trace that is given as JSON, saying when it begins and when it is acknowledged. */
const [path = '', trace = ''] = process.argv.slice(2)
const memory = await openMemory(path, { embedder: createHashingEmbedder() })
process.stdout.write('begins\n')
const { operationId } = await memory.settle(JSON.parse(trace), { origin: 'hooks' })
process.stdout.write(operationId === undefined ? 'nothing\n' : 'done\n')
await memory.close()
