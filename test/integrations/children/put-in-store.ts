import { ElfmemStore } from '../../../src/integrations/langgraph/index.ts'
import { openMemory } from '../../../src/memory.ts'

// Puts some items one after the other, while another process does the same.
const [path = '', count = '0'] = process.argv.slice(2)
const memory = await openMemory(path)
const store = new ElfmemStore(memory)
for (let at = 0; at < Number(count); at++)
  await store.put(['there'], `${at}`, { text: `Boat ${at} is there.` })
await memory.close()
