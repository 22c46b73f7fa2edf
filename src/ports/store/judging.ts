import type { Block } from '../../domain/block/block.ts'
import type { Ends } from '../../domain/graph/edge.ts'

/** Two blocks that were joined or flagged and whose relation nobody has named yet; `from` < `to`. */
export interface UnlabelledPair {
  readonly from: string
  readonly to: string
  /** Of the two contents, 0..1. */
  readonly cosine: number
}

/** Which active blocks are to be judged. */
export interface PendingJudgementFilter {
  /** Only those an earlier dream could not have judged. */
  readonly pendingOnly: boolean
  /** ISO-8601 UTC: who was judged before it is due. */
  readonly judgedBefore: string
  /** Literal; not for those pending. */
  readonly excludeCategories: readonly string[]
  /** Literal; not for those pending. */
  readonly excludeTags: readonly string[]
  readonly limit: number
}

/** How many active blocks want a judgement. */
export interface JudgementCounts {
  /** A dream could not have them judged. */
  readonly pending: number
  /** Never judged, the pending among them. */
  readonly unjudged: number
  /** Judged before the time asked about. */
  readonly stale: number
}

/** What is still to be judged. */
export interface JudgingReader {
  /** The pending first, then those never judged, then those judged longest ago; ties in the order of arrival. */
  pendingJudgements(filter: PendingJudgementFilter): Promise<Block[]>
  judgementCounts(judgedBefore: string): Promise<JudgementCounts>
  /** Pairs of active blocks that wait for a label, oldest first. */
  unlabelledPairs(limit: number): Promise<UnlabelledPair[]>
}

export interface JudgingWriter {
  /** Puts pairs at the end of the list unless they are on it; beyond `keep` the oldest are dropped. */
  queueUnlabelled(pairs: readonly UnlabelledPair[], keep: number): Promise<void>
  /** Takes pairs off the list, in any order of their ends. */
  removeUnlabelled(pairs: readonly Ends[]): Promise<void>
}
