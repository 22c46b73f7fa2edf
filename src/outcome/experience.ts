import { defined, namesIn, questionKey } from '../block/text.ts'
import { attempt } from '../errors.ts'
import { type ScanKernel, unpackUnit, VectorMatrix } from '../index/columns.ts'
import {
  type AskedQuestion,
  type BlockEvidence,
  type EvidenceKey,
  REPORTS_MARK,
  type ReportableRecall,
  readExperience,
  readMeta,
  type StoredQuestion,
} from '../store/log.ts'
import { STATE_KEYS } from '../store/tables.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import { BELIEF } from './formulas.ts'

/** The constants of learning were chosen on development worlds and stores (docs/learning.md). */
export const LEARNING = {
  /** Weight of a report that a block misled, where a report that it helped counts 1: a block that misleads once does so again. */
  misledWeight: 1.5,
  /** Weight of a signal between the two, which tells less. */
  gradedWeight: 0.7,
  /** Questions missing to certainty about a block: one question moves the balance by a third. */
  generalPrior: 2,
  /** Reports missing to certainty about a block and a question: a caller who asks again knows. */
  ownPrior: 0.5,
  /** Cosine of two questions above which reports on one count for the other; .60 costs 2.8 points of MRR. */
  questionFrom: 0.85,
  /** Cosine of two questions from which reports on one count in full for the other. */
  questionFull: 0.97,
  /** Share of its reach that experience keeps if it has predicted nothing. */
  leastTrust: 0.2,
  /** Slope of reports on experience that is assumed at first: two thirds of the full slope. */
  firstSlope: 0.1,
  /** Variance of experience that the first slope weighs: some ten reports. */
  slopePrior: 0.5,
  /** Slope from which experience has its whole reach; .22 to .27 in the lifecycle bench, 0 among facts. */
  fullSlope: 0.15,
  /** Questions for which reports are kept: some 2 MB, and less than a tenth of a recall. */
  questionsMost: 4_096,
  /** Recalls whose questions are kept for later reports. */
  recallsKept: 64,
  /** Newest recalls that a report without a `recallId` may be about. */
  reportedWithin: 20,
}

/** Question evidence sums the reports about one block after one question by weight; each sum is 0 or more. */
export interface QuestionEvidence {
  /** Signals of reports that the block helped. */
  readonly helped: number
  /** Parts missing to 1 in reports that the block misled. */
  readonly misled: number
  /** Parts missing to 1 in reports between the two. */
  readonly graded: number
  /** Weights of reports that only said that the block was not about this question. */
  readonly beside: number
}

const NO_EVIDENCE: QuestionEvidence = { helped: 0, misled: 0, graded: 0, beside: 0 }

/** A block report says that a block helped or misled, by `signal`, or that it was beside the point. */
export interface BlockReport {
  /** The verdict, from 0 (misled) to 1 (helped); 0 with `beside`. */
  readonly signal: number
  /** Number of reports that this one counts for, > 0. */
  readonly weight: number
  readonly beside: boolean
}

/** Returns the evidence after one more report. */
function withReport(evidence: QuestionEvidence, report: BlockReport): QuestionEvidence {
  const { signal, beside } = report
  // The weight is bounded so that a later report can outweigh this one.
  const weight = Math.min(3, report.weight)
  const more = { ...NO_EVIDENCE, helped: signal > BELIEF.usefulAbove ? signal * weight : 0 }
  const missing = (1 - signal) * weight
  if (beside || more.helped > 0) return joinedEvidence(evidence, { ...more, beside: missing })
  const kind = signal < BELIEF.misledBelow ? 'misled' : 'graded'
  return joinedEvidence(evidence, { ...more, [kind]: missing })
}

function joinedEvidence(one: QuestionEvidence, other: QuestionEvidence): QuestionEvidence {
  return {
    helped: one.helped + other.helped,
    misled: one.misled + other.misled,
    graded: one.graded + other.graded,
    beside: one.beside + other.beside,
  }
}

/** A voice is the evidence for a block and against it, each 0 or more. */
export type Voice = { readonly up: number; readonly down: number }

export const NO_VOICE: Voice = { up: 0, down: 0 }

/**
 * Returns the evidence of one question about a block for all questions: its sums divided by max(1, their total), so that a question counts
 * once however often it was asked. A report that the block was beside the point says nothing about other questions.
 */
export function voiceOf({ helped, misled, graded, beside }: QuestionEvidence): Voice {
  const once = 1 / Math.max(1, helped + misled + graded + beside)
  const { misledWeight, gradedWeight } = LEARNING
  return { up: once * helped, down: once * (misledWeight * misled + gradedWeight * graded) }
}

/** Returns the balance of a voice, −1..1: (up − down) / (up + down + prior); 0 without evidence. */
export function balanceOf({ up, down }: Voice, prior: number): number {
  const total = up + down + prior
  return total > 0 ? (up - down) / total : 0
}

/** Returns how far reports on one question count for another, 0..1, by their cosine: the square of its position between two thresholds. */
function questionShare(cosine: number): number {
  const { questionFrom, questionFull } = LEARNING
  const way = Math.min(1, Math.max(0, (cosine - questionFrom) / (questionFull - questionFrom)))
  return way * way
}

/** Sum and weight of the signals reported about one place in answers. */
type Place = readonly [sum: number, weight: number]

/**
 * A proof is the evidence about experience itself: how well reports after other questions predicted a report, as a regression's two sums,
 * and the signals by place in the answer.
 */
export interface Proof {
  readonly covariance: number
  readonly variance: number
  readonly places: readonly Place[]
}

export const NO_PROOF: Proof = { covariance: 0, variance: 0, places: [] }

/** Number of places that count separately; all later ones count as the last. */
const PLACES = 16
/**
 * Returns the sums after one report. A first report about a block for a question also tests experience: it compares the report's surprise
 * over the mean of its place with the prediction from other questions.
 *
 * @param tested.place of the block in the answer, from 0
 * @param tested.foretold general evidence without this question's, minus its mean over the blocks shown; absent if not the first report
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

/** Returns the mean signal at a place, pulled to that of all places while few reports are about it. */
function expectedAt(places: readonly Place[], at: number): number {
  const all = places.reduce(([sum, weight], each) => [sum + each[0], weight + each[1]], [0, 0])
  const overall = (all[0] + 1) / (all[1] + 2)
  const [sum, weight] = places[at] ?? [0, 0]
  // The mean of all places weighs as much as four reports.
  return (sum + 4 * overall) / (weight + 4)
}

/**
 * Returns the trust in experience with other questions, `leastTrust`..1: the slope of "helped, beyond the mean of its place" on "helped
 * after other questions", with a prior, as a share of the slope that earns full trust.
 */
export function trustOf({ covariance, variance }: Proof): number {
  const { leastTrust, firstSlope, slopePrior, fullSlope } = LEARNING
  const slope = (covariance + firstSlope * slopePrior) / (variance + slopePrior)
  return Math.min(1, Math.max(leastTrust, slope / fullSlope))
}

/** Id of the question of reports whose question is unknown. */
const UNKNOWN = ''

/** A lesson has the changes of one report, ready to be written. */
export interface Lesson {
  readonly questions: readonly StoredQuestion[]
  readonly evidence: readonly BlockEvidence[]
  readonly goneQuestions: readonly string[]
  readonly goneEvidence: readonly EvidenceKey[]
  readonly proof: Proof
}

type Rows = Map<string, QuestionEvidence>

/**
 * Experience is the evidence of a memory, or of one of its scopes, in this process: a cache that `refresh` brings up to date. It takes some
 * 2 kB a question, and does not grow with the number of blocks.
 */
export class Experience {
  readonly #createKernel: () => ScanKernel
  /** Key of `meta` for the proof of experience in this scope. */
  readonly proofKey: string
  #mark: string | undefined
  #generation = -1
  #proof: Proof = NO_PROOF
  /** Reports on each question, by block. */
  #rows = new Map<string, Rows>()
  #questions: QuestionList
  /** Sum over all questions for each block. */
  #voices = new Map<string, Voice>()

  /** @param keyOf returns the key of `meta` under which this scope, or the whole memory, keeps a value */
  constructor(createKernel: () => ScanKernel, keyOf: (key: string) => string) {
    this.#createKernel = createKernel
    this.#questions = new QuestionList(createKernel)
    this.proofKey = keyOf(STATE_KEYS.proof)
  }

  get trust(): number {
    return trustOf(this.#proof)
  }

  /**
   * Takes in the reports that any process wrote since the last refresh. Runs one statement if there are none, else four. The evidence of a
   * removed block goes with it, as the `given` generation tells.
   */
  async refresh(tx: ReadTransaction, given: number | Promise<number>): Promise<void> {
    const [mark = UNKNOWN, generation] = await Promise.all([readMeta(tx, REPORTS_MARK), given])
    if (mark === this.#mark && generation === this.#generation) return
    const [{ questions, evidence }, proof] = await Promise.all([
      readExperience(tx),
      readMeta(tx, this.proofKey),
    ])
    this.#proof = readProof(proof)
    this.#rows = new Map()
    this.#voices = new Map()
    this.#questions = new QuestionList(this.#createKernel)
    this.#put(questions, evidence)
    this.#mark = mark
    this.#generation = generation
  }

  /** Returns how well a block did after all questions, −1..1, without one question if it is given. */
  general(blockId: string, without?: string): number {
    const all = this.#voices.get(blockId)
    if (all === undefined) return 0
    const left = without === undefined ? undefined : this.#rows.get(without)?.get(blockId)
    const own = left === undefined ? NO_VOICE : voiceOf(left)
    return balanceOf({ up: all.up - own.up, down: all.down - own.down }, LEARNING.generalPrior)
  }

  /** Returns the reported questions that are like one; see `QuestionList`. */
  like(text: string, vector: Float32Array | undefined): readonly LikeQuestion[] {
    return this.#questions.like(text, vector)
  }

  /** Returns the reports about a block, by question; the unknown question has an empty name. Makes one look at each question. */
  evidenceOf(blockId: string): ReadonlyMap<string, QuestionEvidence> {
    const found: Rows = new Map()
    for (const [question, rows] of this.#rows) {
      const reported = rows.get(blockId)
      if (reported !== undefined) found.set(question, reported)
    }
    return found
  }

  reportedOn(question: string): ReadonlyMap<string, QuestionEvidence> {
    return this.#rows.get(question) ?? new Map()
  }

  question(id: string): StoredQuestion | undefined {
    return this.#questions.get(id)
  }

  /** Returns at most `most` questions that have words and no vector, the newest first. */
  lacking(most: number): readonly StoredQuestion[] {
    return this.#questions.all
      .filter(({ text, vector }) => text !== undefined && vector === undefined)
      .sort((one, other) => other.hours - one.hours)
      .slice(0, most)
  }

  /** Returns the changes that reports about blocks make; nothing is changed yet. A new question gets the id `newId`. */
  learn(
    reports: ReadonlyMap<string, BlockReport>,
    recall: (AskedQuestion & Partial<Pick<ReportableRecall, 'blockIds'>>) | undefined,
    time: { readonly hours: number; readonly newId: string },
  ): Lesson {
    const question = this.#questionFor(recall, time)
    const id = question?.id ?? UNKNOWN
    const known = this.reportedOn(id)
    const rows = [...reports].map(([blockId, report]) => ({
      ...{ question: id, blockId },
      ...withReport(known.get(blockId) ?? NO_EVIDENCE, report),
    }))
    const proof = question === undefined ? this.#proof : this.#tested(reports, recall?.blockIds ?? [], id)
    const questions = question === undefined ? [] : [question]
    const lesson = { questions, evidence: rows, goneQuestions: [], goneEvidence: [], proof }
    const isNew = question !== undefined && this.question(id) === undefined
    return isNew && this.#questions.all.length >= LEARNING.questionsMost
      ? this.#withoutOldest(lesson)
      : lesson
  }

  /** Takes in a lesson that was committed, if this cache was up to date before it. */
  took({ questions, evidence, goneQuestions, proof }: Lesson, mark: string): void {
    this.#put(questions, evidence)
    this.#proof = roundedProof(proof)
    // Questions are folded seldom, so that the next refresh may read all anew.
    this.#mark = goneQuestions.length > 0 ? undefined : mark
  }

  /** Returns the proof after the reports on an answer, which test experience. */
  #tested(reports: ReadonlyMap<string, BlockReport>, shown: readonly string[], question: string): Proof {
    const foretold = new Map(shown.map((id) => [id, this.general(id, question)]))
    const mean = [...foretold.values()].reduce((sum, each) => sum + each, 0) / Math.max(1, shown.length)
    const known = this.reportedOn(question)
    let proof = this.#proof
    for (const [blockId, { signal, weight }] of reports) {
      const own = foretold.get(blockId)
      if (own === undefined) continue
      const surprise = known.has(blockId) ? undefined : own - mean
      proof = withProof(proof, { place: shown.indexOf(blockId), signal, weight, foretold: surprise })
    }
    return proof
  }

  /** Returns the question of a recall as it is to be kept; undefined if it has neither words nor a vector. */
  #questionFor(
    { text, vector }: AskedQuestion = {},
    { hours, newId }: { readonly hours: number; readonly newId: string },
  ): StoredQuestion | undefined {
    if (text === undefined && vector === undefined) return undefined
    const unpacked = vector === undefined ? undefined : unpackUnit(vector)
    const same = this.like(text ?? '', unpacked).find(({ isSame }) => isSame)
    const known = same && this.question(same.id)
    return { ...defined({ text, vector }), ...known, id: known?.id ?? newId, hours }
  }

  /** Returns the lesson with the questions that were not reported on for longest folded into the unknown one, some at a time. */
  #withoutOldest(lesson: Lesson): Lesson {
    // One of 64 questions goes at once, so that it happens seldom.
    const most = Math.max(1, Math.floor(LEARNING.questionsMost / 64))
    const gone = this.#questions.all
      .toSorted((one, other) => one.hours - other.hours)
      .slice(0, most)
      .map(({ id }) => id)
    const folded: Rows = new Map()
    for (const id of gone)
      for (const [blockId, reported] of this.reportedOn(id)) {
        const before = folded.get(blockId) ?? this.reportedOn(UNKNOWN).get(blockId) ?? NO_EVIDENCE
        folded.set(blockId, joinedEvidence(before, reported))
      }
    const rows = [...folded].map(([blockId, reported]) => ({ question: UNKNOWN, blockId, ...reported }))
    const keysOf = (id: string) =>
      [...this.reportedOn(id).keys()].map((blockId): EvidenceKey => [id, blockId])
    const evidence = [...lesson.evidence, ...rows]
    return { ...lesson, evidence, goneQuestions: gone, goneEvidence: gone.flatMap(keysOf) }
  }

  #put(questions: readonly StoredQuestion[], evidence: readonly BlockEvidence[]): void {
    for (const question of questions) this.#questions.put(question)
    for (const { question, blockId, ...reported } of evidence) {
      const rows: Rows = this.#rows.get(question) ?? new Map()
      const [was, is] = [voiceOf(rows.get(blockId) ?? NO_EVIDENCE), voiceOf(reported)]
      const all = this.#voices.get(blockId) ?? NO_VOICE
      this.#voices.set(blockId, { up: all.up - was.up + is.up, down: all.down - was.down + is.down })
      this.#rows.set(question, rows.set(blockId, reported))
    }
  }
}

/** Facts that separate two similar questions: the index terms of a text, the blocks that have a term, and the blocks shown. */
interface AskedWords {
  readonly termsOf: (text: string) => readonly string[]
  readonly holds: (blockId: string, term: string) => boolean
  readonly shown: readonly string[]
}

/**
 * Returns the success of blocks at a question, −1..1 by id; blocks without reports are absent. A report on a similar question counts unless
 * the words in which the two differ point to another block: it raises no block that lacks them while another shown one has them, and lowers
 * none that has them. Makes one pass over the questions: 4,096 take some 0.3 ms.
 */
export function ownEvidenceOf(
  experience: Experience,
  { text, vector }: { readonly text: string; readonly vector: Float32Array | undefined },
  words: AskedWords,
): ReadonlyMap<string, number> {
  const voices = new Map<string, Voice>()
  for (const { id, share, isSame } of experience.like(text, vector)) {
    const speaks = isSame ? () => true : witness(text, experience.question(id)?.text, words)
    for (const [blockId, reported] of experience.reportedOn(id)) {
      const { helped, misled, graded, beside } = reported
      const before = voices.get(blockId) ?? NO_VOICE
      voices.set(blockId, {
        up: before.up + (speaks(blockId, true) ? share * helped : 0),
        // For a similar question, "beside the point" counts like "misled".
        down: before.down + (speaks(blockId, false) ? share * (misled + graded + beside) : 0),
      })
    }
  }
  return new Map([...voices].map(([id, voice]) => [id, balanceOf(voice, LEARNING.ownPrior)]))
}

/** Returns a function that decides if reports on one question may raise, or lower, a block for another one. */
function witness(
  asked: string,
  known: string | undefined,
  { termsOf, holds, shown }: AskedWords,
): (blockId: string, raises: boolean) => boolean {
  // Without its words nobody knows what a question asked for.
  if (known === undefined) return () => false
  const before = new Set(termsOf(known))
  const now = new Set(termsOf(asked))
  const fresh = [...now].filter((term) => !before.has(term))
  // A question with the same words in another order, or with other small words, may ask for the opposite.
  if (fresh.length === 0 && now.size === before.size) return () => false
  const hasFresh = (id: string) => fresh.some((term) => holds(id, term))
  const isContrast = shown.some(hasFresh)
  return (blockId, raises) => (raises ? !isContrast || hasFresh(blockId) : !hasFresh(blockId))
}

/** Returns a proof with six decimals, so that the state that undo keeps with each report stays small. */
export function roundedProof({ covariance, variance, places }: Proof): Proof {
  const round = (value: number) => Math.round(value * 1e6) / 1e6
  const rounded = places.map(([sum, weight]) => [round(sum), round(weight)] as const)
  return { covariance: round(covariance), variance: round(variance), places: rounded }
}

/** Reads the proof kept in `meta`; an unreadable one counts as none. */
function readProof(stored = '{}'): Proof {
  const { covariance, variance, places } = (attempt(() => JSON.parse(stored)) ?? {}) as Partial<Proof>
  const isWhole = [covariance, variance].every(Number.isFinite) && places?.every(Array.isArray) === true
  return isWhole ? ({ covariance, variance, places } as Proof) : NO_PROOF
}

/** A question like another one. */
interface LikeQuestion {
  readonly id: string
  /** Share at which its reports count for the other question, above 0, at most 1. */
  readonly share: number
  /** True if the two questions are one. */
  readonly isSame: boolean
}

/** The list has questions by place, with their vectors in one matrix. To compare all of them costs one scan: 4,096 take some 0.3 ms. */
class QuestionList {
  readonly #createKernel: () => ScanKernel
  readonly #known: StoredQuestion[] = []
  /** Names, numbers and identifiers that separate each question from similar ones. */
  readonly #names: string[] = []
  readonly #places = new Map<string, number>()
  /** Ids of questions by their words; if copies of a memory brought two with the same words, the one put last. */
  readonly #byWords = new Map<string, string>()
  #vectors: VectorMatrix | undefined
  /** Length of the first vector; a vector of another length, as in a damaged file, counts as none. */
  #dimensions: number | undefined

  constructor(createKernel: () => ScanKernel) {
    this.#createKernel = createKernel
  }

  get all(): StoredQuestion[] {
    return [...this.#known]
  }

  get(id: string): StoredQuestion | undefined {
    const place = this.#places.get(id)
    return place === undefined ? undefined : this.#known[place]
  }

  /** Adds a question, or replaces the one with its id, which has the same words. */
  put(question: StoredQuestion): void {
    const place = this.#places.get(question.id) ?? this.#known.length
    this.#places.set(question.id, place)
    this.#known[place] = question
    this.#names[place] = namesOf(question.text)
    const words = questionKey(question.text ?? '')
    if (words !== '') this.#byWords.set(words, question.id)
    const vector = question.vector === undefined ? undefined : unpackUnit(question.vector)
    if (vector === undefined || vector.length !== (this.#dimensions ?? vector.length)) {
      this.#vectors?.remove(place)
      return
    }
    this.#dimensions = vector.length
    this.#vectors ??= new VectorMatrix(this.#createKernel())
    this.#vectors.set(place, vector)
  }

  /**
   * Returns the questions like one, each with the share at which its reports count, above 0: 1 for the question with the same words, others
   * by their cosine. If words are unknown, only a cosine near 1 tells that two are the same.
   */
  like(text: string, vector: Float32Array | undefined): readonly LikeQuestion[] {
    const found: LikeQuestion[] = []
    const same = this.#byWords.get(questionKey(text))
    if (same !== undefined) found.push({ id: same, share: 1, isSame: true })
    if (vector === undefined || vector.length !== this.#dimensions) return found
    const cosines = this.#vectors?.cosines(vector, this.#known.length) ?? []
    const names = namesOf(text)
    for (let place = 0; place < cosines.length; place++) {
      const cosine = cosines[place] as number
      if (cosine <= LEARNING.questionFrom) continue
      const other = this.#known[place] as StoredQuestion
      const isKnown = text !== '' && other.text !== undefined
      // A similar question about other names says nothing about this one.
      if (other.id === same || (isKnown && this.#names[place] !== names)) continue
      // This is the least cosine of a vector with itself after rounding to int8.
      found.push({ id: other.id, share: questionShare(cosine), isSame: !isKnown && cosine >= 0.994 })
    }
    return found
  }
}

function namesOf(text = ''): string {
  return namesIn(text).sort().join(' ')
}
