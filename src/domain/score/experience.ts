import type { Block } from '../block/block.ts'
import { ITEM } from '../block/kept-as-said.ts'
import { CONSTITUTIONAL_TAG } from '../block/tags.ts'

/** A Beta distribution over "does this block help": counts for and against, prior included. */
export interface Beta {
  readonly alpha: number
  readonly beta: number
}

/** Sums of outcome signals about one block, without any prior. */
interface Evidence {
  readonly successes: number
  readonly failures: number
}

/** Scale of the exploration bonus (Python elfmem). */
const EXPLORATION_SCALE = 0.05

/** One report: `signal` 0 (misled) .. 1 (helped), counted `weight` > 0 times. */
interface Report {
  readonly signal: number
  readonly weight: number
}

/** Beta after one report: α + signal·weight, β + (1 − signal)·weight (Python elfmem). */
export function updateBeta(prior: Beta, report: Report): Beta {
  return {
    alpha: prior.alpha + report.signal * report.weight,
    beta: prior.beta + (1 - report.signal) * report.weight,
  }
}

/** Mean of a Beta, α / (α + β), 0..1; 0.5 when nothing is known at all. */
export function betaMean({ alpha, beta }: Beta): number {
  return alpha + beta > 0 ? alpha / (alpha + beta) : 0.5
}

/** Evidence after one report; the same arithmetic as `updateBeta`, prior left out. */
export function updateEvidence(evidence: Evidence, report: Report): Evidence {
  const { alpha, beta } = updateBeta({ alpha: evidence.successes, beta: evidence.failures }, report)
  return { successes: alpha, failures: beta }
}

/** How much has been reported about a block: successes + failures; the prior and a model's judgement do not count (W52). */
export function evidenceMass({ successes, failures }: Evidence): number {
  return successes + failures
}

/** The Beta of a block: its alignment (0..1, 0.5 when never judged) as a prior of mass 1, plus the evidence (Python elfmem). */
export function betaOf(block: Evidence & { readonly alignment?: number }): Beta {
  const alignment = block.alignment ?? 0.5
  return { alpha: alignment + block.successes, beta: 1 - alignment + block.failures }
}

/** Returns the confidence for people and for the self frame: the mean of the block's Beta, 0..1. */
export function confidenceOf(block: Evidence & { readonly alignment?: number }): number {
  return betaMean(betaOf(block))
}

/**
 * A small push for what is uncertain: scale·sqrt(αβ / ((α+β)²(α+β+1))), 0..scale/2 (Python elfmem).
 * An α or β of 0 is certainty and gives 0; the reference read it as 0.5 (W25).
 */
export function explorationBonus({ alpha, beta }: Beta): number {
  if (alpha <= 0 || beta <= 0) return 0
  const total = alpha + beta
  return EXPLORATION_SCALE * Math.sqrt(((alpha / total) * (beta / total)) / (total + 1))
}

/** How fast a kind of block fades, from slowest to fastest. */
export const DECAY_TIERS = ['permanent', 'durable', 'standard', 'ephemeral'] as const
/** One of them. */
export type DecayTier = (typeof DECAY_TIERS)[number]

/** The decay of each tier, per active hour. */
export type DecayRates = Readonly<Record<DecayTier, number>>

/**
 * The tags and categories that put a block into a tier, the first match counts: constitution and texts of items, durable
 * identity and `mind`, `observation` (Python elfmem). A block that nothing of it is in is `standard`.
 */
export const TIER_REASONS: readonly {
  readonly tier: DecayTier
  readonly tags: readonly string[]
  readonly categories: readonly string[]
}[] = [
  { tier: 'permanent', tags: [CONSTITUTIONAL_TAG], categories: [ITEM] },
  { tier: 'durable', tags: ['self/value', 'self/constraint', 'self/goal'], categories: ['mind'] },
  { tier: 'ephemeral', tags: [], categories: ['observation'] },
]

/** The tier of a block. */
export function decayTier(tags: readonly string[], category: string): DecayTier {
  const reason = TIER_REASONS.find(
    (each) => each.categories.includes(category) || each.tags.some((tag) => tags.includes(tag)),
  )
  return reason?.tier ?? 'standard'
}

/** The decay of a block's tier, per active hour: what it had without penalties. */
export function tierLambda({ tags, category }: Pick<Block, 'tags' | 'category'>, rates: DecayRates): number {
  return rates[decayTier(tags, category)]
}

/** The block with other tags or another category. Its decay follows when the tier changes; a penalty then ends. */
export function setTags(
  block: Block,
  change: Partial<Pick<Block, 'tags' | 'category'>>,
  rates: DecayRates,
): Block {
  const changed = { ...block, ...change }
  const lambda = tierLambda(changed, rates)
  return lambda === tierLambda(block, rates) ? changed : { ...changed, decayLambda: lambda }
}

/** Returns the share left after active hours, exp(−λ·max(0, hours)), 0..1 (Python elfmem; a gap < 0 is 0). */
export function recency(lambda: number, hours: number): number {
  return Math.exp(-lambda * Math.max(0, hours))
}

/** Options of the penalty for a misleading block. */
interface PenaltyOptions {
  /** Factor by which the decay is multiplied, > 1. */
  readonly factor: number
  /** No penalty raises a decay above this. */
  readonly ceiling: number
  /** A decay up to this (durable and permanent blocks) is never penalised. */
  readonly immuneAt: number
}

/** The decay after one bad outcome: min(λ·factor, ceiling), never below λ; immune blocks keep theirs (Python elfmem). */
export function penalisedLambda(lambda: number, options: PenaltyOptions): number {
  if (lambda <= options.immuneAt) return lambda
  return Math.max(lambda, Math.min(lambda * options.factor, options.ceiling))
}

/** The decay after one good outcome: max(tier's λ, λ / factor), never above λ, so that a penalty is not for ever (W27). */
export function recoveredLambda(lambda: number, ofTier: number, factor: number): number {
  return Math.min(lambda, Math.max(ofTier, lambda / factor))
}

const MS_PER_HOUR = 3_600_000

/** The memory's own time. */
export interface ClockState {
  /** Active hours since the memory was born. */
  readonly hours: number
  /** Wall time of the operation that left it, in milliseconds since 1970; absent before the first. */
  readonly wallMs?: number
}

/**
 * Returns the clock at an operation: hours + clamp(now − wall, 0, gapCap), so that holidays do not age the memory and the
 * hours never fall. The first operation, and a wall clock set back, add nothing and only take the new anchor.
 *
 * @param options.gapCapMs milliseconds: the longest pause that counts as active time
 */
export function advance(
  state: ClockState,
  nowMs: number,
  { gapCapMs }: { readonly gapCapMs: number },
): Required<ClockState> {
  const gap = state.wallMs === undefined ? 0 : nowMs - state.wallMs
  const counted = Math.min(Math.max(0, gap), gapCapMs) / MS_PER_HOUR
  return { hours: state.hours + counted, wallMs: nowMs }
}

/** The reports about one block after one question, as sums of weight, each 0 or more. */
export interface QuestionEvidence {
  /** Signals of reports that said it helped. */
  readonly helped: number
  /** The part missing to 1 in reports that said it misled. */
  readonly misled: number
  /** The part missing to 1 in reports between the two. */
  readonly graded: number
  /** Weights of reports that only said that the block was not about this question. */
  readonly beside: number
}

/** Nothing was reported. */
export const NO_EVIDENCE: QuestionEvidence = { helped: 0, misled: 0, graded: 0, beside: 0 }

/** The report about a block: that it helped or misled, as far as `signal` says, or that it was beside the point. */
export interface BlockReport {
  /** The verdict, from 0 (misled) to 1 (helped); 0 with `beside`. */
  readonly signal: number
  /** Number of reports it counts for, > 0. */
  readonly weight: number
  readonly beside: boolean
}

/** Where a signal says that a block helped, and where that it misled. */
export interface SignalLines {
  readonly usefulAbove: number
  readonly misledBelow: number
}

/** Largest weight of one report: a later one must be able to take it back. */
const WEIGHT_MOST = 3

/** The evidence after one more report. */
export function withReport(
  evidence: QuestionEvidence,
  { signal, weight: given, beside }: BlockReport,
  { usefulAbove, misledBelow }: SignalLines,
): QuestionEvidence {
  const weight = Math.min(WEIGHT_MOST, given)
  const missing = (1 - signal) * weight
  if (signal > usefulAbove)
    return {
      ...evidence,
      helped: evidence.helped + signal * weight,
      beside: evidence.beside + missing,
    }
  if (beside) return { ...evidence, beside: evidence.beside + missing }
  return signal < misledBelow
    ? { ...evidence, misled: evidence.misled + missing }
    : { ...evidence, graded: evidence.graded + missing }
}

/** The evidence of two questions taken for one. */
export function joinedEvidence(one: QuestionEvidence, other: QuestionEvidence): QuestionEvidence {
  return {
    helped: one.helped + other.helped,
    misled: one.misled + other.misled,
    graded: one.graded + other.graded,
    beside: one.beside + other.beside,
  }
}

/** Share of what was reported that said it helped, 0..1; 0 of nothing. */
export function helpedShare(evidence: QuestionEvidence): number {
  const mass = massOf(evidence)
  return mass > 0 ? evidence.helped / mass : 0
}

function massOf({ helped, misled, graded, beside }: QuestionEvidence): number {
  return helped + misled + graded + beside
}

/** Constants of what a report changes in a block. */
export const BELIEF = {
  /** Signal above which an outcome counts as useful. */
  usefulAbove: 0.5,
  /** Signal below which a block also fades faster. */
  misledBelow: 0.2,
  /** Factor on the decay rate, per bad outcome. */
  penaltyFactor: 2,
  /** Decay per active hour above which no outcome raises it: that of an observation. */
  decayMost: 0.05,
  /** Decay per active hour at or below which no outcome raises it: durable and permanent blocks. */
  immuneAt: 0.001,
  /** Reports that are kept of a block, the newest; what older ones taught stays in its counts. */
  reportsKept: 200,
} as const

/** Constants of learning from reports; chosen on development worlds and stores (docs/learning.md). */
export const LEARNING = {
  /** A report that a block misled, where one that it helped counts 1: who misleads once does so again. */
  misledWeight: 1.5,
  /** A signal between the two: less is known. */
  gradedWeight: 0.7,
  /** Questions missing to certainty about a block: one question moves it by a third. */
  generalPrior: 2,
  /** Reports missing to certainty about a block and a question: who asks again knows. */
  ownPrior: 0.5,
  /** Cosine of two questions above which reports on one count for the other; .60 costs 2.8 points of MRR. */
  questionFrom: 0.85,
  /** Cosine of two questions from which they count in full. */
  questionFull: 0.97,
  /** Cosine from which a newer block is taken to have replaced one that misled. */
  replacedCosine: 0.8,
  /** Share of its reach that experience keeps where it has foretold nothing. */
  leastTrust: 0.2,
  /** Slope of reports on experience that is supposed at first: two thirds of the reach. */
  firstSlope: 0.1,
  /** Variance of experience that the first slope weighs: some ten reports. */
  slopePrior: 0.5,
  /** Slope from which experience has its whole reach; .22 to .27 in the lifecycle bench, 0 among facts. */
  fullSlope: 0.15,
  /** Weight of a report that a block not cited was beside the point, if others of the answer were cited. */
  uncitedWeight: 0.3,
  /** Questions that reports are kept for: some 2 MB, and less than a tenth of a recall. */
  questionsMost: 4_096,
  /** Recalls whose questions are kept for a report that may come. */
  recallsKept: 64,
  /** Newest recalls that a report without a recallId may be about. */
  reportedWithin: 20,
}

/** Weights of reports in the evidence for all questions. */
export interface GeneralOptions {
  /** The weight of a report that a block misled, where one that it helped has 1. */
  readonly misledWeight: number
  readonly gradedWeight: number
}

/** The evidence for a block and against it, each 0 or more. */
export interface Voice {
  readonly up: number
  readonly down: number
}

/** Nobody says anything. */
export const NO_VOICE: Voice = { up: 0, down: 0 }

/**
 * The evidence of one question about a block for all questions: its sums divided by max(1, their total), so that it speaks once
 * however often it was asked. What was beside the point says nothing of other questions.
 */
export function voiceOf(evidence: QuestionEvidence, options: GeneralOptions): Voice {
  const once = 1 / Math.max(1, massOf(evidence))
  return {
    up: once * evidence.helped,
    down: once * (options.misledWeight * evidence.misled + options.gradedWeight * evidence.graded),
  }
}

/** The balance of voices, −1..1: (up − down) / (up + down + prior); 0 when nobody speaks. */
export function balanceOf({ up, down }: Voice, prior: number): number {
  const total = up + down + prior
  return total > 0 ? (up - down) / total : 0
}

/** The settings by which one question counts for another. */
export interface QuestionKernel {
  /** Cosine from which on it says anything. */
  readonly questionFrom: number
  /** Cosine from which on they are one question. */
  readonly questionFull: number
}

/**
 * Returns how far reports on one question count for another, 0..1, by their cosine: the square of the way between
 * two thresholds.
 */
export function questionShare(cosine: number, { questionFrom, questionFull }: QuestionKernel): number {
  const way = Math.min(1, Math.max(0, (cosine - questionFrom) / (questionFull - questionFrom)))
  return way * way
}

/**
 * Returns the evidence of a question about a block for similar questions: there "beside the point" counts like
 * "misled".
 */
export function ownVoiceOf({ helped, misled, graded, beside }: QuestionEvidence, share: number): Voice {
  return { up: share * helped, down: share * (misled + graded + beside) }
}

/** Signals reported about one place of answers: their sum and weight. */
type Place = readonly [sum: number, weight: number]

/**
 * The evidence about experience itself: how well reports after other questions predicted a report, as a
 * regression's two sums, and the signals by place in the answer.
 */
export interface Proof {
  readonly covariance: number
  readonly variance: number
  readonly places: readonly Place[]
}

/** Nothing was reported yet. */
export const NO_PROOF: Proof = { covariance: 0, variance: 0, places: [] }

/** Places that count separately; all behind count as the last. */
const PLACES = 16
/** Reports about all places count like so many about one. */
const PLACE_PRIOR = 4

/**
 * The sums after one report. A first report about a block for a question also tests experience: what it says beyond the
 * mean of its place, against what other questions foretold beyond the mean of what was shown.
 *
 * @param place of the block in the answer, from 0
 * @param foretold general evidence without this question's, minus its mean over the blocks shown; absent: no first report
 */
export function withProof(
  proof: Proof,
  {
    place,
    signal,
    weight,
    foretold,
  }: {
    readonly place: number
    readonly signal: number
    readonly weight: number
    readonly foretold?: number | undefined
  },
): Proof {
  const at = Math.min(PLACES - 1, Math.max(0, place))
  const surprise = signal - expectedAt(proof.places, at)
  const places = Array.from({ length: Math.max(at + 1, proof.places.length) }, (_, i): Place => {
    const [sum, mass] = proof.places[i] ?? [0, 0]
    return i === at ? [sum + signal * weight, mass + weight] : [sum, mass]
  })
  if (foretold === undefined) return { ...proof, places }
  return {
    covariance: proof.covariance + surprise * foretold,
    variance: proof.variance + foretold * foretold,
    places,
  }
}

/** The mean signal at a place, pulled to that of all places while little was reported about it. */
function expectedAt(places: readonly Place[], at: number): number {
  const all = places.reduce(([sum, weight], each) => [sum + each[0], weight + each[1]], [0, 0])
  const overall = (all[0] + 1) / (all[1] + 2)
  const [sum, weight] = places[at] ?? [0, 0]
  return (sum + PLACE_PRIOR * overall) / (weight + PLACE_PRIOR)
}

/** Constants by which a slope becomes trust. */
export interface TrustOptions {
  /** The least weight of experience, 0..1. */
  readonly leastTrust: number
  /** The slope supposed at first, and its weight. */
  readonly firstSlope: number
  readonly slopePrior: number
  /** The slope from which on experience counts in full. */
  readonly fullSlope: number
}

/**
 * Trust in experience with other questions, `leastTrust`..1: the slope of "helped, beyond what its place
 * promises" on "helped after other questions", with a prior, as a share of the slope that earns it all.
 */
export function trustOf({ covariance, variance }: Proof, options: TrustOptions): number {
  const slope = (covariance + options.firstSlope * options.slopePrior) / (variance + options.slopePrior)
  return Math.min(1, Math.max(options.leastTrust, slope / options.fullSlope))
}
