// Opens the memory that the working directory means, remembers, recalls and dreams; prints what it said.
import { openMemory } from '../../../src/index.ts'

await using memory = await openMemory()
const kept = await memory.remember({ content: 'The boat leaves at six' })
await memory.dream()
const { summary } = await memory.status()
process.stdout.write(JSON.stringify({ location: memory.location, first: kept.summary, status: summary }))
