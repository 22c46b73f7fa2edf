import { openMemory } from '../../src/index.ts'
import { fixedClock } from '../lib/fixed-clock.ts'
import { mean } from '../lib/statistics.ts'
import { percent } from '../lib/table.ts'
import type { KeptConversations, Remembered } from './ours.ts'

/** What the answers hold when neither a number of blocks nor a budget is asked for. */
export interface Served {
  /** Mean share of the evidence of a question, 0..1. */
  readonly evidence: number
  readonly meanBlocks: number
}

/** Asks every question as a caller does who sets nothing, changing nothing in the memories. */
export async function measureServed({ conversations, kept, embedder }: KeptConversations): Promise<Served> {
  const shares: number[] = []
  const counts: number[] = []
  for (const [i, { questions }] of conversations.entries()) {
    const { path, turnsOf } = kept[i] as Remembered
    await using memory = await openMemory(path, { embedder, clock: fixedClock, config: {} })
    for (const { text, evidence } of questions) {
      const { blocks } = await memory.recall({ query: text, reinforce: false })
      const said = new Set(blocks.flatMap(({ id }) => turnsOf.get(id) ?? []))
      shares.push([...evidence].filter((turn) => said.has(turn)).length / evidence.size)
      counts.push(blocks.length)
    }
  }
  return { evidence: mean(shares), meanBlocks: mean(counts) }
}

export function servedLine({ evidence, meanBlocks }: Served): string {
  return `Evidence served by default: ${percent(evidence)}, in ${meanBlocks.toFixed(1)} blocks on average.`
}
