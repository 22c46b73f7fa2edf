// Two projects in one file, neither of which sees the other. `node scopes.ts`
import { openMemory } from 'elfmem'

const atlas = await openMemory('agent.db', { scope: 'atlas' })
const larder = await openMemory('agent.db', { scope: 'larder' })

await atlas.remember({ content: 'Staging of Atlas listens on port 4210.' })
await larder.remember({ content: 'Staging of Larder listens on port 4180.' })

for (const memory of [atlas, larder]) {
  const { blocks } = await memory.recall({ query: 'Which port does staging listen on?' })
  console.log(`${memory.scope}:`, blocks.map(({ content }) => content).join(' '))
}

// Nor by an id: another scope's block is no block.
const { blocks } = await atlas.ls({ status: 'inbox' })
for (const { id } of blocks)
  await larder.show({ blockId: id }).catch((error: Error) => console.log('larder:', error.message))

await atlas.close()
await larder.close()

// Opened without a scope, a memory sees the whole file, and one call may ask for a scope.
const whole = await openMemory('agent.db')
const { scopes = [] } = await whole.status()
console.log('whole file:', scopes.map(({ scope }) => scope).join(', '))
console.log('of larder:', (await whole.ls({ status: 'inbox', scope: 'larder' })).blocks.length)
await whole.close()
