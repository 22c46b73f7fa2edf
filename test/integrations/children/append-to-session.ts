import { openMemory } from '../../../src/engine/memory.ts'
import { ElfmemSession } from '../../../src/integrations/openai-agents/index.ts'

// Appends pairs of messages to a conversation, while another process does the same.
const [path = '', count = '0'] = process.argv.slice(2)
const memory = await openMemory(path)
const session = new ElfmemSession(memory, { sessionId: 's' })
for (let at = 0; at < Number(count); at++) {
  await session.addItems([
    { role: 'user', content: `there ${at} first` },
    { role: 'user', content: `there ${at} second` },
  ])
  process.send?.(at)
}
await memory.close()
process.disconnect?.()
