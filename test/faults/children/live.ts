import { createHashingEmbedder } from '../../../src/adapters/embed/hashing.ts'
import { openMemory } from '../../../src/index.ts'

/** One line of a process that lives on a memory. */
export type Line =
  /** This is true of the file from now on. */
  | { readonly id: string; readonly content?: string; readonly status?: string; readonly reports?: number }
  /** This block may change from now on. */
  | { readonly doubts: string }
  /** These are about to be written in one transaction. */
  | { readonly batch: readonly string[] }

/**
 * Remembers so many times, with dreams, outcomes, edits and archivings between, and says what it changes and what was
 * acknowledged. It begins when its parent says so.
 */
const [path, name, count, dimensions] = process.argv.slice(2) as [string, string, string, string?]
const say = (line: Line) => console.log(JSON.stringify(line))
console.log('ready')
await new Promise((resolve) => process.stdin.once('data', resolve))
console.log('opens')
const memory = await openMemory(path, {
  as: 'owner',
  embedder: createHashingEmbedder({ dimensions: Number(dimensions ?? 384) }),
})
if (dimensions !== undefined) await memory.reembed()
for (let turn = 0; turn < Number(count); turn++) {
  const contents = Array.from(
    { length: turn % 4 === 3 ? 7 : 1 },
    (_, i) => `${name} saw thing${turn} ${i} times`,
  )
  say({ batch: contents })
  const { results } = await memory.rememberMany({ blocks: contents.map((content) => ({ content })) })
  for (const [i, { blockId }] of results.entries()) say({ id: blockId, content: contents[i] as string })
  if (turn % 5 === 4) await dreamAndChange(turn)
  if (turn % 9 === 8) await memory.curate()
}
await memory.close()
process.exit(0)

async function dreamAndChange(turn: number): Promise<void> {
  const { promotedIds } = await memory.dream()
  for (const id of promotedIds) say({ id, status: 'active' })
  const [helped, edited, forgotten] = promotedIds
  if (helped !== undefined) {
    await memory.outcome({ helped: [helped] })
    say({ id: helped, reports: 1 })
  }
  if (edited !== undefined) {
    const content = `${name} wrote anew in turn ${turn}`
    say({ doubts: edited })
    await memory.edit({ blockId: edited, content })
    say({ id: edited, content })
  }
  if (forgotten !== undefined) {
    say({ doubts: forgotten })
    await memory.forget({ blockId: forgotten })
    say({ id: forgotten, status: 'archived' })
  }
}
