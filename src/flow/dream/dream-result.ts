import type { DreamRecord } from '../../domain/advice/dream-record.ts'
import type { Block } from '../../domain/block/block.ts'
import { type BlockPair, type Edge, orderedPair } from '../../domain/graph/edge.ts'
import type { UnlabelledPair } from '../../ports/store/queries.ts'
import type { CurateResult } from '../curate/curate.ts'
import type { UsageMeter } from '../engine/usage.ts'
import type { Replaceable } from '../intake/may-replace.ts'
import { type HostLabel, type LabelCounts, NO_LABELS } from '../judge/apply-labels.ts'
import { type HostAnalysis, mayJudge } from '../judge/host-analysis.ts'
import type { JudgeTrouble } from '../judge/judge.ts'
import type { Candidate } from './batches.ts'
import type { PromotedBatch } from './promote.ts'

/** The limits of one dream, and the judgements its caller brings along. */
export interface DreamRequest {
  /** At most so many blocks; absent = all that wait. */
  readonly maxCount?: number
  /** Stops taking up new blocks, and asking a model, after so many seconds. */
  readonly maxSeconds: number
  /** By block id. */
  readonly hostAnalyses: Readonly<Record<string, HostAnalysis>>
  readonly edgeLabels: readonly HostLabel[]
  /** Rules only. */
  readonly noLlm: boolean
  /** Also judges old blocks anew. */
  readonly rescore: boolean
  readonly rescoreMax: number
  /** Of a dream at rest: how it gives way to others. */
  readonly pace?: Pace
}

/** Small batches, and an end between two of them. */
interface Pace {
  /** Milliseconds that a batch is to take. */
  readonly batchMs: number
  /** Lets others have their turn, then says whether to take another batch. */
  readonly goesOn: () => Promise<boolean>
}

/** The result of a dream, also while it runs. */
export class DreamResult {
  processed = 0
  deduplicated = 0
  /** Ids that the host said something rests on, and that no block has. */
  groundsUnused: readonly string[] = []
  edgesCreated = 0
  nearDuplicatesFlagged = 0
  /** Of the blocks processed, judged by a model or the host. */
  analysed = 0
  /** Edges evicted for better ones at a block at its degree cap. */
  readonly displaced: Edge[] = []
  /** Ids of the blocks that are active now. */
  readonly promotedIds: string[] = []
  /** Promoted by rule because the model did not judge them; the next dream has them judged. */
  pendingJudgement: readonly string[] = []
  /** Ids of older blocks judged anew. */
  rescored: readonly string[] = []
  /** Blocks that were to be judged anew and were not. */
  rescoreFailed = 0
  labels: LabelCounts = NO_LABELS
  /** Labels of the host that were not about two active blocks. */
  labelsUnused: readonly HostLabel[] = []
  /** Pairs that still wait for the model's label; counted up to 1,000. */
  pairsUnlabelled = 0
  /** Open questions found in this dream, for `resolve`. */
  readonly conflicts: BlockPair[] = []
  /** New blocks and the older ones that they may replace. */
  readonly mayReplace: (Replaceable & { readonly newer: Block })[] = []
  /**
   * The usage of models, and the secrets left out of their input; a text that is embedded and judged counts twice.
   */
  readonly meter: UsageMeter
  /** Why the model did not do all it was asked. */
  modelTrouble: JudgeTrouble | undefined
  inboxRemaining = 0
  /** The time budget ended it before the inbox was empty. */
  outOfTime = false
  /** Host analyses that were about a block of this dream. */
  readonly analysesUsed = new Set<string>()
  /** Tags of analyses that no analysis may grant. */
  readonly tagsRefused = new Set<string>()
  seconds = 0
  /** The result of the curation that was due. */
  curated: CurateResult | undefined
  /** The last pairs without a label that are not in the store yet. */
  unlabelled: readonly UnlabelledPair[] = []

  constructor(meter: UsageMeter) {
    this.meter = meter
  }

  /** Takes a promoted batch in, and at most so many of the last pairs without a label. */
  take(candidates: readonly Candidate[], { done }: PromotedBatch, pairsKept: number): void {
    const judged = candidates.filter(({ block, analysis }) => analysis && mayJudge(block, analysis))
    for (const { block, analysis } of judged) if (analysis?.by === 'host') this.analysesUsed.add(block.id)
    const judgedIds = new Set(judged.map(({ block }) => block.id))
    const rejected = done.filter((each) => each.fate === 'duplicate')
    this.processed += done.length
    this.deduplicated += rejected.length
    const promoted = done.filter((each) => each.fate === 'promoted')
    for (const { displacements } of rejected) this.displaced.push(...displacements.map(({ edge }) => edge))
    for (const { block, links, nearPairs, conflicts, mayReplace, refusedTags } of promoted) {
      this.promotedIds.push(block.id)
      if (judgedIds.has(block.id)) this.analysed++
      this.edgesCreated += links.edges.length
      this.displaced.push(...links.displacements.map(({ edge }) => edge))
      this.nearDuplicatesFlagged += nearPairs.length
      this.conflicts.push(...conflicts)
      this.mayReplace.push(...mayReplace.map((found) => ({ newer: block, ...found })))
      for (const tag of refusedTags) this.tagsRefused.add(tag)
    }
    const pending = promoted.flatMap(({ block }) => (block.judgementPending ? [block.id] : []))
    this.pendingJudgement = [...this.pendingJudgement, ...pending]
    const pairs = promoted.flatMap(({ unlabelled }) => unlabelled)
    this.unlabelled = pairsKept === 0 ? [] : [...this.unlabelled, ...pairs].slice(-pairsKept)
  }

  /** Pairs that have a label now. */
  labelled(pairs: readonly Pick<UnlabelledPair, 'from' | 'to'>[]): void {
    const keyOf = ({ from, to }: Pick<UnlabelledPair, 'from' | 'to'>) => orderedPair(from, to).join(' ')
    const keys = new Set(pairs.map(keyOf))
    this.unlabelled = this.unlabelled.filter((pair) => !keys.has(keyOf(pair)))
  }
}

/** A dream as the log keeps it. */
export function recordOf(result: DreamResult, seconds: number): DreamRecord {
  return {
    seconds,
    promoted: result.promotedIds.length,
    joined: result.deduplicated,
    linked: result.edgesCreated,
    flagged: result.nearDuplicatesFlagged + result.conflicts.length,
    judged: result.analysed,
    refused: result.labels.unrelated,
    pending: result.pendingJudgement.length,
  }
}
