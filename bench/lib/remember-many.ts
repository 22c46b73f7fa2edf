import type { Memory, RememberInput } from '../../src/index.ts'

/** What one call takes. */
const AT_ONCE = 10_000

/** Remembers blocks in few calls, and returns their ids in the same order. */
export async function rememberAll(memory: Memory, blocks: readonly RememberInput[]): Promise<string[]> {
  const ids: string[] = []
  for (let at = 0; at < blocks.length; at += AT_ONCE) {
    const { results } = await memory.rememberMany({ blocks: blocks.slice(at, at + AT_ONCE) })
    ids.push(...results.map(({ blockId }) => blockId))
  }
  return ids
}
