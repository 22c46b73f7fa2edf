import type { Memory } from '../../src/index.ts'

/** A block as `remember` takes it, as far as benches need it. */
interface NewBlock {
  readonly content: string
  readonly session?: string
}

type RememberMany = (input: { readonly blocks: readonly NewBlock[] }) => Promise<{
  readonly results: readonly { readonly blockId: string }[]
}>

/** The batch form of `remember`; absent in versions that do not have it yet. */
export function batchOf(memory: Memory): RememberMany | undefined {
  const method: unknown = Reflect.get(memory, 'rememberMany')
  return typeof method === 'function' ? (method as RememberMany) : undefined
}

/** What one call takes. */
const AT_ONCE = 10_000

/** Remembers all of them in few calls where that is possible, and gives their ids in the same order. */
export async function rememberAll(memory: Memory, blocks: readonly NewBlock[]): Promise<readonly string[]> {
  const batch = batchOf(memory)
  const ids: string[] = []
  if (batch) {
    for (let at = 0; at < blocks.length; at += AT_ONCE) {
      const { results } = await batch({ blocks: blocks.slice(at, at + AT_ONCE) })
      ids.push(...results.map(({ blockId }) => blockId))
    }
    return ids
  }
  for (const block of blocks) ids.push((await memory.remember(block)).blockId)
  return ids
}
