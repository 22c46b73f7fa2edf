import type { TokenUsage } from '../../domain/advice/usage.ts'
import type { BlockPair, Edge } from '../../domain/graph/edge.ts'
import type { CurateResult } from '../curate/curate.ts'
import type { UsageMeter } from '../engine/usage.ts'
import type { LabelCounts } from '../judge/apply-labels.ts'
import type { Evolved } from '../judge/evolve.ts'
import type { HostLabel } from '../judge/host-labels.ts'
import type { JudgeTrouble } from '../judge/judge.ts'
import type { OpenedJudge } from '../judge/open-judge.ts'
import type { HostAnalyses, HostLabelled, Labelled, Rescored } from './judging.ts'
import type { Tally } from './tally.ts'

export interface DreamRequest {
  /** At most so many blocks; absent = all that wait. */
  readonly maxCount?: number
  /** Stops taking up new blocks, and asking a model, after so many seconds. */
  readonly maxSeconds: number
  readonly hostAnalyses: HostAnalyses
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

export interface DreamResult {
  readonly processed: number
  readonly promoted: number
  readonly deduplicated: number
  readonly edgesCreated: number
  /** Edges evicted for better ones at a block at its degree cap. */
  readonly displaced: readonly Edge[]
  readonly nearDuplicatesFlagged: number
  /** Of the blocks processed, judged by a model or the host. */
  readonly analysed: number
  /** Promoted by rule because the model did not judge them; the next dream has them judged. */
  readonly pendingJudgement: readonly string[]
  /** Older blocks judged anew. */
  readonly rescored: number
  readonly rescoreFailed: number
  readonly labels: LabelCounts
  /** Pairs that still wait for the model's label; counted up to 1,000. */
  readonly pairsUnlabelled: number
  /** Open questions found in this dream, for `resolve`. */
  readonly conflicts: readonly BlockPair[]
  readonly evolved: readonly Evolved[]
  readonly tokens: TokenUsage
  /** Why the model did not do all it was asked. */
  readonly modelTrouble?: JudgeTrouble
  /** Secrets left out of what went to models on other machines, by kind; a text that is embedded and judged counts twice. */
  readonly redacted: Readonly<Record<string, number>>
  readonly inboxRemaining: number
  /** The time budget ended it before the inbox was empty. */
  readonly outOfTime: boolean
  /** Host analyses whose block was not in this run. */
  readonly analysesUnused: readonly string[]
  /** Labels of the host that were not about two active blocks. */
  readonly labelsUnused: readonly HostLabel[]
  /** Tags of analyses that no analysis may grant. */
  readonly tagsRefused: readonly string[]
  /** Ids of the blocks that are active now. */
  readonly promotedIds: readonly string[]
  readonly seconds: number
  /** The result of the curation that was due. */
  readonly curated?: CurateResult
}

/** All that came of a dream. */
export interface Ended {
  readonly request: DreamRequest
  readonly tally: Tally
  readonly opened?: OpenedJudge
  readonly meter: UsageMeter
  readonly rescored: Rescored
  readonly labelled: Labelled
  readonly hostLabelled: HostLabelled
  readonly inboxRemaining: number
  readonly pairsUnlabelled: number
  readonly outOfTime: boolean
  readonly curated?: CurateResult
  readonly milliseconds: number
}

/** Returns the result of a dream for its caller. */
export function resultOf(ended: Ended): DreamResult {
  const { tally, request, rescored, labelled, hostLabelled, opened, inboxRemaining } = ended
  const trouble = opened?.judge.trouble
  return {
    processed: tally.processed,
    promoted: tally.promoted.length,
    deduplicated: tally.deduplicated,
    edgesCreated: tally.edges,
    displaced: tally.displaced,
    nearDuplicatesFlagged: tally.nearPairs,
    analysed: tally.analysed,
    pendingJudgement: tally.pendingJudgement.filter((id) => !rescored.blockIds.includes(id)),
    rescored: rescored.blockIds.length,
    rescoreFailed: rescored.failed,
    labels: sum(labelled.counts, hostLabelled.counts),
    pairsUnlabelled: ended.pairsUnlabelled,
    conflicts: [...tally.conflicts, ...hostLabelled.contradictions, ...labelled.contradictions],
    evolved: [...hostLabelled.evolved, ...labelled.evolved],
    tokens: ended.meter.total,
    ...(trouble ? { modelTrouble: trouble } : {}),
    redacted: Object.fromEntries(ended.meter.redacted),
    inboxRemaining,
    outOfTime: ended.outOfTime && inboxRemaining > 0,
    analysesUnused: Object.keys(request.hostAnalyses)
      .filter((id) => !tally.used.has(id))
      .sort(),
    labelsUnused: hostLabelled.unused,
    tagsRefused: [...new Set([...tally.tagsRefused, ...rescored.refusedTags])].sort(),
    promotedIds: tally.promoted,
    seconds: ended.milliseconds / 1000,
    ...(ended.curated ? { curated: ended.curated } : {}),
  }
}

function sum(one: LabelCounts, other: LabelCounts): LabelCounts {
  return {
    supports: one.supports + other.supports,
    contradicts: one.contradicts + other.contradicts,
    elaborates: one.elaborates + other.elaborates,
    unrelated: one.unrelated + other.unrelated,
    similar: one.similar + other.similar,
  }
}
