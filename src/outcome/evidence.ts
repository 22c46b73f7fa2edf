import { BELIEF } from './formulas.ts'

// What reports on questions say of blocks, and how far experience is trusted (ours, docs/learning.md).

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
  /** Share of its reach that experience keeps where it has foretold nothing. */
  leastTrust: 0.2,
  /** Slope of reports on experience that is supposed at first: two thirds of the reach. */
  firstSlope: 0.1,
  /** Variance of experience that the first slope weighs: some ten reports. */
  slopePrior: 0.5,
  /** Slope from which experience has its whole reach; .22 to .27 in the lifecycle bench, 0 among facts. */
  fullSlope: 0.15,
  /** Questions that reports are kept for: some 2 MB, and less than a tenth of a recall. */
  questionsMost: 4_096,
  /** Recalls whose questions are kept for a report that may come. */
  recallsKept: 64,
  /** Newest recalls that a report without a recallId may be about. */
  reportedWithin: 20,
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

/** Largest weight of one report: a later one must be able to take it back. */
const WEIGHT_MOST = 3

/** Returns the evidence after one more report. */
export function withReport(evidence: QuestionEvidence, report: BlockReport): QuestionEvidence {
  const { signal, beside } = report
  const weight = Math.min(WEIGHT_MOST, report.weight)
  const more = { ...NO_EVIDENCE, helped: signal > BELIEF.usefulAbove ? signal * weight : 0 }
  const missing = (1 - signal) * weight
  if (beside || more.helped > 0) return joinedEvidence(evidence, { ...more, beside: missing })
  const kind = signal < BELIEF.misledBelow ? 'misled' : 'graded'
  return joinedEvidence(evidence, { ...more, [kind]: missing })
}

/** Returns the evidence of two questions taken for one. */
export function joinedEvidence(one: QuestionEvidence, other: QuestionEvidence): QuestionEvidence {
  return {
    helped: one.helped + other.helped,
    misled: one.misled + other.misled,
    graded: one.graded + other.graded,
    beside: one.beside + other.beside,
  }
}

/** The evidence for a block and against it, each 0 or more. */
export type Voice = { readonly up: number; readonly down: number }

/** Nobody says anything. */
export const NO_VOICE: Voice = { up: 0, down: 0 }

/**
 * Returns the evidence of one question about a block for all questions: its sums divided by max(1, their total), so that it speaks
 * once however often it was asked. A report that it was beside the point says nothing of other questions.
 */
export function voiceOf({ helped, misled, graded, beside }: QuestionEvidence): Voice {
  const once = 1 / Math.max(1, helped + misled + graded + beside)
  const { misledWeight, gradedWeight } = LEARNING
  return { up: once * helped, down: once * (misledWeight * misled + gradedWeight * graded) }
}

/**
 * Returns the evidence of a question about a block for similar questions: there "beside the point" counts like
 * "misled".
 */
export function ownVoiceOf({ helped, misled, graded, beside }: QuestionEvidence, share: number): Voice {
  return { up: share * helped, down: share * (misled + graded + beside) }
}

/** Returns the balance of voices, −1..1: (up − down) / (up + down + prior); 0 when nobody speaks. */
export function balanceOf({ up, down }: Voice, prior: number): number {
  const total = up + down + prior
  return total > 0 ? (up - down) / total : 0
}

/**
 * Returns how far reports on one question count for another, 0..1, by their cosine: the square of the way between
 * two thresholds.
 */
export function questionShare(cosine: number): number {
  const { questionFrom, questionFull } = LEARNING
  const way = Math.min(1, Math.max(0, (cosine - questionFrom) / (questionFull - questionFrom)))
  return way * way
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
/** Reports about one place that the mean of all places weighs. */
const PLACE_PRIOR = 4

/**
 * Returns the sums after one report. A first report about a block for a question also tests experience: what it says beyond the
 * mean of its place, against what other questions foretold beyond the mean of what was shown.
 *
 * @param tested.place of the block in the answer, from 0
 * @param tested.foretold general evidence without this question's, minus its mean over the blocks shown; absent: no first report
 */
export function withProof(
  proof: Proof,
  tested: Omit<BlockReport, 'beside'> & { readonly place: number; readonly foretold?: number | undefined },
): Proof {
  const { place, signal, weight, foretold } = tested
  const at = Math.min(PLACES - 1, Math.max(0, place))
  const surprise = signal - expectedAt(proof.places, at)
  const places = Array.from({ length: Math.max(at + 1, proof.places.length) }, (_, i): Place => {
    const [sum, mass] = proof.places[i] ?? [0, 0]
    return i === at ? [sum + signal * weight, mass + weight] : [sum, mass]
  })
  const told = foretold ?? 0
  return { covariance: proof.covariance + surprise * told, variance: proof.variance + told * told, places }
}

/** Returns the mean signal at a place, pulled to that of all places while little was reported about it. */
function expectedAt(places: readonly Place[], at: number): number {
  const all = places.reduce(([sum, weight], each) => [sum + each[0], weight + each[1]], [0, 0])
  const overall = (all[0] + 1) / (all[1] + 2)
  const [sum, weight] = places[at] ?? [0, 0]
  return (sum + PLACE_PRIOR * overall) / (weight + PLACE_PRIOR)
}

/**
 * Returns the trust in experience with other questions, `leastTrust`..1: the slope of "helped, beyond what its place
 * promises" on "helped after other questions", with a prior, as a share of the slope that earns it all.
 */
export function trustOf({ covariance, variance }: Proof): number {
  const { leastTrust, firstSlope, slopePrior, fullSlope } = LEARNING
  const slope = (covariance + firstSlope * slopePrior) / (variance + slopePrior)
  return Math.min(1, Math.max(leastTrust, slope / fullSlope))
}
