import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../../src/index.ts'

/**
 * Lives until it is killed: remembers, dreams, reports outcomes and curates, and prints a line after each answer.
 * Begins when its parent says so.
 */
const [path, name, count] = process.argv.slice(2) as [string, string, string]
await new Promise((resolve) => process.stdin.once('data', resolve))
const memory = await openMemory(path, { as: 'owner', embedder: createHashingEmbedder() })
for (let turn = 0; turn < Number(count); turn++) {
  const { blockId } = await memory.remember({
    content: `${name} saw number${turn} and colour${turn % 7}.`,
    tags: ['seen'],
  })
  console.log(`remembered ${blockId}`)
  if (turn % 5 === 4) {
    const { promotedIds } = await memory.dream()
    for (const id of promotedIds) console.log(`promoted ${id}`)
    await memory.outcome({ helped: promotedIds.slice(0, 2) })
    for (const id of promotedIds.slice(0, 2)) console.log(`helped ${id}`)
  }
  if (turn % 9 === 8) await memory.curate()
}
await memory.close()
process.exit(0)
