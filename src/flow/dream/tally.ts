import { type BlockPair, type Edge, type Ends, orderedPair } from '../../domain/graph/edge.ts'
import type { UnlabelledPair } from '../../ports/store/judging.ts'
import type { Promoted, Promotion } from './promote.ts'

/** Counts and ids of the blocks a dream has dealt with so far. */
export class Tally {
  processed = 0
  deduplicated = 0
  edges = 0
  nearPairs = 0
  /** Blocks that a model or the host judged. */
  analysed = 0
  readonly displaced: Edge[] = []
  readonly promoted: string[] = []
  /** Promoted by rule because the model did not judge them. */
  readonly pendingJudgement: string[] = []
  readonly conflicts: BlockPair[] = []
  /** Host analyses that were about a block of this dream. */
  readonly used = new Set<string>()
  readonly tagsRefused = new Set<string>()

  /** The last pairs without a label that are not in the store yet. */
  unlabelled: readonly UnlabelledPair[] = []

  /** Pairs that have a label now. */
  labelled(pairs: readonly Ends[]): void {
    const keys = new Set(pairs.map(([from, to]) => `${from} ${to}`))
    this.unlabelled = this.unlabelled.filter(({ from, to }) => !keys.has(orderedPair(from, to).join(' ')))
  }

  /** Takes a promoted batch in, and at most so many of the last pairs without a label. */
  take(promotions: readonly Promotion[], promoted: readonly Promoted[], pairsKept: number): void {
    for (const { block, analysis } of promotions) if (analysis?.by === 'host') this.used.add(block.id)
    this.processed += promoted.length
    for (const each of promoted) {
      if (each.fate === 'duplicate') this.deduplicated++
      if (each.fate !== 'promoted') continue
      const { block, edges, displaced, nearPairs, conflicts, refusedTags } = each
      this.promoted.push(block.id)
      if (block.judgementPending) this.pendingJudgement.push(block.id)
      if (block.scoredAt !== undefined) this.analysed++
      this.edges += edges
      this.displaced.push(...displaced)
      this.nearPairs += nearPairs
      this.conflicts.push(...conflicts)
      for (const tag of refusedTags) this.tagsRefused.add(tag)
    }
    const pairs = promoted.flatMap((each) => (each.fate === 'promoted' ? each.unlabelled : []))
    this.unlabelled = pairsKept === 0 ? [] : [...this.unlabelled, ...pairs].slice(-pairsKept)
  }
}
