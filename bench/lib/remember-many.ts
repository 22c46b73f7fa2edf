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

/** Remembers all of them in one call where that is possible, and gives their ids in the same order. */
export async function rememberAll(memory: Memory, blocks: readonly NewBlock[]): Promise<readonly string[]> {
  const batch = batchOf(memory)
  if (batch) return (await batch({ blocks })).results.map(({ blockId }) => blockId)
  const ids: string[] = []
  for (const block of blocks) ids.push((await memory.remember(block)).blockId)
  return ids
}
