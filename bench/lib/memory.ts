import type { Embedder } from '../../src/engine/ports.ts'
import { type Memory, openMemory, type RememberInput, type SettingsInput } from '../../src/index.ts'

/** Opens a memory whose clock stands still: nothing ages while a bench runs, so quality does not depend on how long it takes. */
export function openStill(path: string, embedder: Embedder, config: SettingsInput = {}): Promise<Memory> {
  return openMemory(path, { embedder, config, clock: { now: () => Date.UTC(2026, 0, 1) } })
}

/** The most blocks that one call takes. */
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

/** Dreams until nothing waits, and returns the sums and the seconds of all dreams. */
export async function dreamAll(
  memory: Memory,
): Promise<{ readonly promoted: number; readonly deduplicated: number; readonly seconds: number }> {
  const total = { promoted: 0, deduplicated: 0 }
  const started = performance.now()
  for (;;) {
    const result = await memory.dream({ maxSeconds: 600 })
    total.promoted += result.promoted
    total.deduplicated += result.deduplicated
    if (result.inboxRemaining === 0) break
    if (result.processed === 0) throw new Error(`${result.inboxRemaining} blocks wait and none was taken`)
  }
  return { ...total, seconds: (performance.now() - started) / 1000 }
}

/** Fills a memory with blocks and dreams until nothing waits; returns the ids in the same order. */
export async function fill(memory: Memory, blocks: readonly RememberInput[]): Promise<string[]> {
  const ids = await rememberAll(memory, blocks)
  await dreamAll(memory)
  return ids
}
