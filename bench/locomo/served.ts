import { openMemory } from '../../src/index.ts'
import { withConstants } from '../lib/constants.ts'
import { fixedClock } from '../lib/fixed-clock.ts'
import { mean } from '../lib/statistics.ts'
import { percent } from '../lib/table.ts'
import type { Ablation } from './ablations.ts'
import type { Kept, KeptConversations } from './ours.ts'

/** What the answers hold when neither a number of blocks nor a budget is asked for. */
export interface Served {
  /** Mean share of the evidence of a question, 0..1. */
  readonly evidence: number
  readonly meanBlocks: number
  /** Share of the answers that are called a match; absent in results of before it was measured. */
  readonly isMatch?: number
  /** Words of the text that a model reads; absent in results of before it was measured. */
  readonly meanWords?: number
  /** The evidence by kind of question; absent in results of before it was measured. */
  readonly byCategory?: Readonly<Record<string, number>>
}

/**
 * Asks every question as a caller does who sets nothing, changing nothing in the memories.
 *
 * @param names of the kinds of questions, by their numbers
 */
export async function measureServed(
  { conversations, kept, embedder }: KeptConversations,
  names: Readonly<Record<number, string>>,
  ablation: Ablation | undefined = undefined,
): Promise<Served> {
  const ranking = ablation?.ranking ?? {}
  return withConstants({ ranking }, () => measure({ conversations, kept, embedder }, names, ablation?.recall))
}

async function measure(
  { conversations, kept, embedder }: KeptConversations,
  names: Readonly<Record<number, string>>,
  recall: Ablation['recall'] = {},
): Promise<Served> {
  const shares: number[] = []
  const counts: number[] = []
  const words: number[] = []
  const matches: number[] = []
  const categories = new Map(Object.values(names).map((name): [string, number[]] => [name, []]))
  for (const [i, { questions }] of conversations.entries()) {
    const { path, turnsOf } = kept[i] as Kept
    await using memory = await openMemory(path, { embedder, clock: fixedClock, config: { recall } })
    for (const { text, evidence, category } of questions) {
      const answer = await memory.recall({ query: text, reinforce: false })
      const said = new Set(answer.blocks.flatMap(({ id }) => turnsOf.get(id) ?? []))
      const share = [...evidence].filter((turn) => said.has(turn)).length / evidence.size
      shares.push(share)
      categories.get(names[category] ?? '')?.push(share)
      counts.push(answer.blocks.length)
      matches.push(Number(answer.match === 'match'))
      words.push(answer.text.split(/\s+/).length)
    }
  }
  const byCategory = Object.fromEntries([...categories].map(([name, each]) => [name, mean(each)]))
  return {
    ...{ evidence: mean(shares), meanBlocks: mean(counts), meanWords: mean(words) },
    ...{ isMatch: mean(matches), byCategory },
  }
}

export function servedLine({ evidence, meanBlocks, meanWords, byCategory = {} }: Served): string {
  const kinds = Object.entries(byCategory).map(([name, share]) => `${name} ${percent(share)}`)
  const told = kinds.length === 0 ? '' : `: ${kinds.join(', ')}`
  const size = meanWords === undefined ? '' : ` and ${meanWords.toFixed(0)} words`
  return `Evidence served by default: ${percent(evidence)}, in ${meanBlocks.toFixed(1)} blocks${size} on average${told}.`
}
