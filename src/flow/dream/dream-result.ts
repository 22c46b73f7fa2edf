import type { DreamRecord } from '../../domain/advice/counts.ts'
import type { Block } from '../../domain/block/block.ts'
import { type BlockPair, type Edge, type Ends, orderedPair } from '../../domain/graph/edge.ts'
import type { UnlabelledPair } from '../../ports/store/judging.ts'
import type { CurateResult } from '../curate/curate.ts'
import type { UsageMeter } from '../engine/usage.ts'
import type { Replaceable } from '../intake/may-replace.ts'
import type { Judged } from '../judge/judgement.ts'
import { addLabels, type HostLabel, type LabelCounts, type Labelled, NO_LABELS } from '../judge/labels.ts'
import type { ModelTrouble } from '../judge/model-judge.ts'
import type { Promoted, PromotedBatch } from './promote.ts'

/** The result of a dream, also while it runs. */
export class DreamResult {
  processed = 0
  deduplicated = 0
  edgesCreated = 0
  nearDuplicatesFlagged = 0
  /** Number of the processed blocks that a model or the host judged. */
  analysed = 0
  /** Edges evicted for better ones at a block at its degree cap. */
  readonly displaced: Edge[] = []
  /** Ids of the blocks that are active now. */
  readonly promotedIds: string[] = []
  /** Ids of new blocks that the model did not judge; the next dream has them judged. */
  readonly pendingJudgement = new Set<string>()
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
  /** Ids of the blocks that the host judged. */
  readonly analysesUsed = new Set<string>()
  /** Tags that a judgement may not grant. */
  readonly tagsRefused = new Set<string>()
  seconds = 0
  /** The result of the curation that was due. */
  curated: CurateResult | undefined
  /** The last pairs without a label that are not in the store yet. */
  unlabelled: UnlabelledPair[] = []

  constructor(meter: UsageMeter) {
    this.meter = meter
  }

  /** Takes a promoted batch in, and at most `pairsKept` of the last pairs without a label. */
  promoted({ done }: PromotedBatch, pairsKept: number): void {
    this.processed += done.length
    for (const each of done) {
      if (each.fate === 'gone') continue
      const { displacements } = each.fate === 'promoted' ? each.links : each
      this.displaced.push(...displacements.map(({ edge }) => edge))
      if (each.fate === 'duplicate') this.deduplicated++
      else this.#activated(each)
    }
    this.unlabelled = pairsKept === 0 ? [] : this.unlabelled.slice(-pairsKept)
  }

  #activated({ block, links, nearPairs, conflicts, mayReplace, unlabelled }: Promoted): void {
    this.promotedIds.push(block.id)
    if (block.judgementPending) this.pendingJudgement.add(block.id)
    this.edgesCreated += links.edges.length
    this.nearDuplicatesFlagged += nearPairs.length
    this.conflicts.push(...conflicts)
    this.mayReplace.push(...mayReplace.map((found) => ({ newer: block, ...found })))
    this.unlabelled.push(...unlabelled)
  }

  /**
   * Takes judgements in.
   *
   * @param isNew true if the blocks became active in this dream
   */
  judged({ judged, byHost, failed, refusedTags }: Judged, isNew: boolean): void {
    if (isNew) this.analysed += judged.length
    else [this.rescored, this.rescoreFailed] = [judged, failed]
    for (const id of judged) this.pendingJudgement.delete(id)
    for (const id of byHost) this.analysesUsed.add(id)
    for (const tag of refusedTags) this.tagsRefused.add(tag)
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
      pending: this.pendingJudgement.size,
    }
  }
}
