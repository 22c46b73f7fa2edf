import type { DreamRecord } from '../../domain/advice/counts.ts'
import type { Block } from '../../domain/block/block.ts'
import { type BlockPair, type Edge, type Ends, orderedPair } from '../../domain/graph/edge.ts'
import type { UnlabelledPair } from '../../ports/store/judging.ts'
import type { CurateResult } from '../curate/curate.ts'
import type { UsageMeter } from '../engine/usage.ts'
import type { Replaceable } from '../intake/may-replace.ts'
import { type JudgedAnew, type Judgement, mayJudge } from '../judge/judgement.ts'
import { addLabels, type HostLabel, type LabelCounts, type Labelled, NO_LABELS } from '../judge/labels.ts'
import type { ModelTrouble } from '../judge/model-judge.ts'
import type { Candidate } from './batches.ts'
import type { Promoted, PromotedBatch } from './promote.ts'

/** The result of a dream, also while it runs. */
export class DreamResult {
  processed = 0
  deduplicated = 0
  /** Ids that the host named as grounds and that no block has. */
  groundsUnused: readonly string[] = []
  edgesCreated = 0
  nearDuplicatesFlagged = 0
  /** Number of the processed blocks that a model or the host judged. */
  analysed = 0
  /** Edges evicted for better ones at a block at its degree cap. */
  readonly displaced: Edge[] = []
  /** Ids of the blocks that are active now. */
  readonly promotedIds: string[] = []
  /** Ids of blocks that the model did not judge; the next dream has them judged. */
  pendingJudgement: readonly string[] = []
  /** Ids of older blocks judged anew. */
  rescored: readonly string[] = []
  /** Number of blocks that were to be judged anew and were not. */
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
  /** Usage of models, and secrets left out of their input; a text that is embedded and judged counts twice. */
  readonly meter: UsageMeter
  /** Why the model did not do all it was asked. */
  modelTrouble: ModelTrouble | undefined
  inboxRemaining = 0
  /** True if the time budget ended the dream before the inbox was empty. */
  outOfTime = false
  /** Ids of the host's judgements that counted. */
  readonly analysesUsed = new Set<string>()
  /** Tags that a judgement may not grant. */
  readonly tagsRefused = new Set<string>()
  seconds = 0
  /** The result of the curation that was due. */
  curated: CurateResult | undefined
  /** The last pairs without a label that are not in the store yet. */
  unlabelled: readonly UnlabelledPair[] = []

  constructor(meter: UsageMeter) {
    this.meter = meter
  }

  /** Takes a promoted batch in, and at most `pairsKept` of the last pairs without a label. */
  take(candidates: readonly Candidate[], { done }: PromotedBatch, pairsKept: number): void {
    this.processed += done.length
    for (const [i, each] of done.entries()) {
      const { block, judgement } = candidates[i] as Candidate
      const counts = judgement !== undefined && judgement !== 'pending' && mayJudge(block, judgement)
      if (counts && judgement.hostRank !== undefined) this.analysesUsed.add(block.id)
      if (each.fate === 'duplicate') {
        this.deduplicated++
        this.displaced.push(...each.displacements.map(({ edge }) => edge))
      }
      if (each.fate === 'promoted') this.#promoted(each, counts)
    }
    const pairs = done.flatMap((each) => (each.fate === 'promoted' ? each.unlabelled : []))
    this.unlabelled = pairsKept === 0 ? [] : [...this.unlabelled, ...pairs].slice(-pairsKept)
  }

  #promoted({ block, links, nearPairs, conflicts, mayReplace, refusedTags }: Promoted, isJudged: boolean) {
    this.promotedIds.push(block.id)
    if (isJudged) this.analysed++
    if (block.judgementPending) this.pendingJudgement = [...this.pendingJudgement, block.id]
    this.edgesCreated += links.edges.length
    this.displaced.push(...links.displacements.map(({ edge }) => edge))
    this.nearDuplicatesFlagged += nearPairs.length
    this.conflicts.push(...conflicts)
    this.mayReplace.push(...mayReplace.map((found) => ({ newer: block, ...found })))
    for (const tag of refusedTags) this.tagsRefused.add(tag)
  }

  /** Takes in what was judged anew. */
  judgedAnew({ judged, failed, refusedTags }: JudgedAnew, host: ReadonlyMap<string, Judgement>): void {
    this.rescored = judged
    this.rescoreFailed = failed
    this.pendingJudgement = this.pendingJudgement.filter((id) => !judged.includes(id))
    for (const tag of refusedTags) this.tagsRefused.add(tag)
    for (const id of judged) if (host.has(id)) this.analysesUsed.add(id)
  }

  /** Takes labels in; the pairs are no longer without one. */
  labelled({ counts, conflicts, pairs }: Labelled): void {
    this.labels = addLabels(this.labels, counts)
    this.conflicts.push(...conflicts)
    const keyOf = (ends: Ends) => orderedPair(...ends).join(' ')
    const keys = new Set(pairs.map(keyOf))
    this.unlabelled = this.unlabelled.filter(({ from, to }) => !keys.has(keyOf([from, to])))
  }

  /** Returns the numbers that the log keeps. */
  record(seconds: number): DreamRecord {
    return {
      seconds,
      promoted: this.promotedIds.length,
      joined: this.deduplicated,
      linked: this.edgesCreated,
      flagged: this.nearDuplicatesFlagged + this.conflicts.length,
      judged: this.analysed,
      refused: this.labels.unrelated,
      pending: this.pendingJudgement.length,
    }
  }
}
