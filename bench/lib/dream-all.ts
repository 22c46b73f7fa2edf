import type { Memory } from '../../src/index.ts'

/** What all dreams until the inbox was empty did together. */
export interface Dreamt {
  readonly promoted: number
  readonly deduplicated: number
  readonly edges: number
  readonly nearDuplicates: number
  readonly seconds: number
}

/** Dreams until nothing waits. */
export async function dreamAll(memory: Memory): Promise<Dreamt> {
  const total = { promoted: 0, deduplicated: 0, edges: 0, nearDuplicates: 0 }
  const started = performance.now()
  for (;;) {
    const result = await memory.dream({ maxSeconds: 600 })
    total.promoted += result.promoted
    total.deduplicated += result.deduplicated
    total.edges += result.edgesCreated
    total.nearDuplicates += result.nearDuplicatesFlagged
    if (result.inboxRemaining === 0) break
    if (result.processed === 0) throw new Error(`${result.inboxRemaining} blocks wait and none was taken`)
  }
  return { ...total, seconds: (performance.now() - started) / 1000 }
}
