import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../../src/index.ts'

/** Recalls once and never closes the memory: `leave` ends when there is nothing more to do, `die` as soon as it has the answer. */
const [path, how] = process.argv.slice(2) as [string, 'leave' | 'die']
const memory = await openMemory(path, { embedder: createHashingEmbedder(), config: {} })
await memory.recall({ query: 'red kettle' })
if (how === 'die') process.kill(process.pid, 'SIGKILL')
