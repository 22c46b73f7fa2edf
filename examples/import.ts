// Bring along what another memory knows, and what stands in a document. `node import.ts`
import { openMemory } from 'elfmem'

// Paths of this machine are the owner's to name, and so is the trust in a file.
const old = await openMemory('old.db', { as: 'owner' })
await old.remember({ content: 'Nadia signs off every release.' })
await old.dream()
await old.export({ path: 'old.jsonl' })
await old.close()

const memory = await openMemory('agent.db', { as: 'owner' })
const imported = await memory.import({ path: 'old.jsonl', trusted: true })
console.log(imported.summary)

const text = '# Releases\n\nA release needs two reviews.\n\n# Office\n\nThe key hangs behind the door.\n'
const learned = await memory.learnDocument({ text, source: 'handbook.md' })
console.log(learned.summary)

// The same again adds nothing: what is known is known.
const again = await memory.learnDocument({ text, source: 'handbook.md' })
console.log(again.summary)

await memory.dream()
console.log((await memory.recall({ query: 'What does a release need?' })).text)

await memory.close()
