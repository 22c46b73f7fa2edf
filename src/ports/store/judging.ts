import type { Block } from '../../domain/block/block.ts'
import type { Proposal, ProposalState } from '../../domain/decision/proposal.ts'
import type { Ends } from '../../domain/graph/edge.ts'

/** Two blocks that were joined or flagged and whose relation nobody has named yet; `from` < `to`. */
export interface UnlabelledPair {
  readonly from: string
  readonly to: string
  /** Of the two contents, 0..1. */
  readonly cosine: number
}

/** Filter of the active blocks that need a judgement. */
export interface PendingJudgementFilter {
  /** True: only blocks that an earlier dream could not have judged. */
  readonly pendingOnly: boolean
  /** ISO-8601 UTC; a block judged before it needs a new judgement. */
  readonly judgedBefore: string
  /** Categories to leave out, literal; pending blocks are never left out. */
  readonly excludeCategories: readonly string[]
  /** Tags to leave out, literal; pending blocks are never left out. */
  readonly excludeTags: readonly string[]
  readonly limit: number
}

/** Numbers of active blocks that need a judgement. */
export interface JudgementCounts {
  /** Blocks that a dream could not have judged. */
  readonly pending: number
  /** Blocks never judged, the pending among them. */
  readonly unjudged: number
  /** Blocks judged before the time asked about. */
  readonly stale: number
}

/** Queries of what is still to be judged. */
export interface JudgingReader {
  /** Blocks to judge: the pending first, then never judged, then judged longest ago; ties by arrival. */
  pendingJudgements(filter: PendingJudgementFilter): Promise<Block[]>
  judgementCounts(judgedBefore: string): Promise<JudgementCounts>
  /** Pairs of active blocks that wait for a label, oldest first. */
  unlabelledPairs(limit: number): Promise<UnlabelledPair[]>
}

/** Changes of the list of pairs that wait for a label. */
export interface JudgingWriter {
  /** Puts pairs at the end of the list unless they are on it; beyond `keep` the oldest are dropped. */
  queueUnlabelled(pairs: readonly UnlabelledPair[], keep: number): Promise<void>
  /** Takes pairs off the list, in any order of their ends. */
  removeUnlabelled(pairs: readonly Ends[]): Promise<void>
}

/** Numbers of what somebody is to decide about. */
export interface DecisionCounts {
  readonly proposal: number
  readonly contradiction: number
  readonly supersession: number
  readonly perhaps_newer: number
  readonly near_duplicate: number
}

/** A row of a page and its place, for `after`. */
export type Placed<T> = T & { readonly place: number }

/** Queries of what somebody is to decide about. */
export interface DecisionsReader {
  /** The proposals with these ids, in their order. */
  proposals(ids: readonly string[]): Promise<Proposal[]>
  /** Proposals of one state behind a place, oldest first. Cost: that of the limit. */
  proposalPage(range: {
    readonly state: ProposalState
    readonly after?: number | undefined
    readonly limit: number
  }): Promise<Placed<Proposal>[]>
  /** Counts entries of indexes. */
  decisionCounts(): Promise<DecisionCounts>
}

/** Changes of proposals. */
export interface DecisionsWriter {
  /** Inserts proposals, in the scope of the view where they name none, or changes those that are there, whose scope stays. */
  saveProposals(proposals: readonly Proposal[]): Promise<void>
}
