import { openMemory } from '../../../src/index.ts'

/** The whole way of the data with nothing configured; asks for the network at the end when told to. */
const [path, thenAsk] = process.argv.slice(2) as [string, string | undefined]
const memory = await openMemory(path, { as: 'owner' })
await memory.setup({ seed: true })
await memory.remember({ content: 'Staging listens on port 4210.' })
await memory.learnDocument({ text: '# Harbour\n\nThe pilot boards at dawn.\n' })
await memory.dream()
const found = await memory.recall({ query: 'On which port does staging listen?' })
await memory.outcome({ helped: found.blockIds.slice(0, 1) })
await memory.recall({ frame: 'self' })
await memory.curate()
await memory.status()
console.log(found.blocks[0]?.content)
await memory.close()
if (thenAsk === 'ask') await fetch('http://127.0.0.1:9/')
