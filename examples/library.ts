// Remember, dream, recall, and say what helped: the whole way in one program. `node library.ts`
import { openMemory } from 'elfmem'

const memory = await openMemory('agent.db')

await memory.rememberMany({
  blocks: [
    { content: 'Staging listens on port 4210.', cue: 'deploying to staging' },
    { content: 'Staging moved from port 4100 because another service took it.' },
    { content: 'Answers to Nadia should be brief.', tags: ['self/style'] },
  ],
})
// Recall finds what waits, too; a dream compares it with what is known and links it.
const { summary } = await memory.dream()
console.log(summary)

const found = await memory.recall({ query: 'Where do I reach the test environment?' })
console.log(found.text)

// The memory learns from what is said of its answers, and from nothing else.
const [first] = found.blockIds
if (first !== undefined) await memory.outcome({ helped: [first] })

const { blocks } = await memory.ls({ limit: 3 })
for (const { id, content } of blocks) console.log(id, content)

await memory.close()
