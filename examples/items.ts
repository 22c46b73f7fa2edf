// State under exact keys that is found by meaning, too. `node items.ts`
import { openMemory } from 'elfmem'

const memory = await openMemory('agent.db')
const settings = memory.items('settings')

await settings.put({
  namespace: ['staging'],
  key: 'port',
  value: { port: 4210, since: '2026-03-01' },
  texts: ['Staging listens on port 4210.'],
})
await settings.put({ namespace: ['kitchen'], key: 'tea', value: { hour: 4 }, texts: ['Tea is at four.'] })

// By its exact key, as it was put.
console.log('port:', (await settings.get({ namespace: ['staging'], key: 'port' }))?.value)

// By meaning, at once.
const [found] = await settings.search({ query: 'When do we drink tea?' })
console.log('found:', found?.namespace.join('/'), found?.key, found?.value)

// Its texts are blocks: any recall shows them.
const { blocks } = await memory.recall({ query: 'Where does staging listen?' })
console.log('recalled:', blocks[0]?.content)

// All or nothing, and one undo.
await settings.batch([
  { do: 'delete', namespace: ['kitchen'], key: 'tea' },
  {
    do: 'put',
    namespace: ['staging'],
    key: 'port',
    value: { port: 4211 },
    texts: ['Staging listens on port 4211.'],
  },
])
console.log(
  'after:',
  (await settings.list()).items.map(({ key, version }) => `${key} v${version}`).join(', '),
)
await memory.undo()
console.log(
  'undone:',
  (await settings.list()).items.map(({ key, version }) => `${key} v${version}`).join(', '),
)
await memory.close()
