import { defined, namesIn, questionKey } from '../block/text.ts'
import type { ScanKernel } from '../index/vectors.ts'
import { unpackUnit, VectorMatrix } from '../index/vectors.ts'
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
import {
  type BlockReport,
  balanceOf,
  joinedEvidence,
  LEARNING,
  NO_EVIDENCE,
  NO_PROOF,
  NO_VOICE,
  ownVoiceOf,
  type Proof,
  type QuestionEvidence,
  questionShare,
  trustOf,
  type Voice,
  voiceOf,
  withProof,
  withReport,
} from './evidence.ts'

/** The question of reports of which none is known. */
const UNKNOWN = ''

/** The changes of one report, ready to be written. */
export interface Lesson {
  readonly questions: readonly StoredQuestion[]
  readonly evidence: readonly BlockEvidence[]
  readonly goneQuestions: readonly string[]
  readonly goneEvidence: readonly EvidenceKey[]
  readonly proof: Proof
}

/** A full memory folds one of 64 questions at once, so that it happens seldom. */
const FOLDED_SHARE = 64

type Rows = Map<string, QuestionEvidence>

/**
 * The evidence of a memory, or of one scope of it, in this process: a cache that `refresh` brings up to date. Memory: some
 * 2 kB a question. Nothing in it grows with the number of blocks.
 */
export class Experience {
  readonly #createKernel: () => ScanKernel
  /** Key of `meta` for what reports say of experience, in this scope. */
  readonly proofKey: string
  #mark: string | undefined
  #generation = -1
  #proof: Proof = NO_PROOF
  /** Reports on each question, by block. */
  #rows = new Map<string, Rows>()
  #questions: QuestionList
  /** Sum over all questions for each block. */
  #voices = new Map<string, Voice>()

  /** @param keyOf the key of `meta` under which this scope, or the whole memory, keeps something */
  constructor(createKernel: () => ScanKernel, keyOf: (key: string) => string) {
    this.#createKernel = createKernel
    this.#questions = new QuestionList(createKernel)
    this.proofKey = keyOf(STATE_KEYS.proof)
  }

  /** The trust in experience with other questions, 0..1. */
  get trust(): number {
    return trustOf(this.#proof)
  }

  /** Reads the stored trust without loading the evidence. One statement. */
  async trustIn(tx: ReadTransaction): Promise<number> {
    return trustOf(readProof(await readMeta(tx, this.proofKey)))
  }

  /**
   * Takes in what was reported since the last time, here or elsewhere. One statement when there is nothing new, else four. A
   * block that was removed, as `generation` tells, takes its evidence along.
   */
  async refresh(tx: ReadTransaction, generation: number): Promise<void> {
    const mark = (await readMeta(tx, REPORTS_MARK)) ?? UNKNOWN
    if (mark === this.#mark && generation === this.#generation) return
    const { questions, evidence } = await readExperience(tx)
    this.#proof = readProof(await readMeta(tx, this.proofKey))
    this.#rows = new Map()
    this.#voices = new Map()
    this.#questions = new QuestionList(this.#createKernel)
    this.#put(questions, evidence)
    this.#mark = mark
    this.#generation = generation
  }

  /** Returns how a block did whatever was asked, −1..1; one question left out, if given. */
  general(blockId: string, without?: string): number {
    const all = this.#voices.get(blockId)
    if (all === undefined) return 0
    const left = without === undefined ? undefined : this.#rows.get(without)?.get(blockId)
    const own = left === undefined ? NO_VOICE : voiceOf(left)
    return balanceOf({ up: all.up - own.up, down: all.down - own.down }, LEARNING.generalPrior)
  }

  /** Returns the questions like one that were reported on; see `QuestionList`. */
  like(text: string, vector: Float32Array | undefined): readonly LikeQuestion[] {
    return this.#questions.like(text, vector)
  }

  /** Returns the reports about a block, by question; that of no words has an empty name. One look at each question. */
  evidenceOf(blockId: string): ReadonlyMap<string, QuestionEvidence> {
    const found: Rows = new Map()
    for (const [question, rows] of this.#rows) {
      const reported = rows.get(blockId)
      if (reported !== undefined) found.set(question, reported)
    }
    return found
  }

  /** Returns the reports on a question, by block. */
  reportedOn(question: string): ReadonlyMap<string, QuestionEvidence> {
    return this.#rows.get(question) ?? new Map()
  }

  /** Returns a question that was reported on. */
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

  /** Takes in a lesson that was committed, when this cache was up to date before it. */
  took({ questions, evidence, goneQuestions, proof }: Lesson, mark: string): void {
    this.#put(questions, evidence)
    this.#proof = roundedProof(proof)
    // What was folded is seldom: the next refresh reads all anew.
    this.#mark = goneQuestions.length > 0 ? undefined : mark
  }

  /** Returns the evidence of reports on an answer about experience itself. */
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

  /** Returns the question a recall asked, as it is to be kept; undefined when there is nothing to know it by. */
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

  /** Returns the lesson with the questions that nobody reported on for longest taken for one of no words, some at a time. */
  #withoutOldest(lesson: Lesson): Lesson {
    const most = Math.max(1, Math.floor(LEARNING.questionsMost / FOLDED_SHARE))
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

/** What separates two similar questions: the telling words of a text, which blocks have one, and the blocks that match. */
interface AskedWords {
  readonly termsOf: (text: string) => readonly string[]
  readonly holds: (blockId: string, term: string) => boolean
  readonly shown: readonly string[]
}

/**
 * Returns the success of blocks at such a question, −1..1 by id; blocks without reports are absent. A report on a question of other words
 * counts as far as the words in which they differ do not speak for somebody else: it raises no block that lacks them while
 * another shown one has them, and lowers none that has them. One pass over the questions: 4,096 take some 0.3 ms.
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
      const { up, down } = ownVoiceOf(reported, share)
      const before = voices.get(blockId) ?? NO_VOICE
      voices.set(blockId, {
        up: before.up + (speaks(blockId, true) ? up : 0),
        down: before.down + (speaks(blockId, false) ? down : 0),
      })
    }
  }
  return new Map([...voices].map(([id, voice]) => [id, balanceOf(voice, LEARNING.ownPrior)]))
}

/** Decides if reports on one question may raise, or lower, a block for another one. */
function witness(
  asked: string,
  known: string | undefined,
  { termsOf, holds, shown }: AskedWords,
): (blockId: string, raises: boolean) => boolean {
  // Without its words nobody knows what it asked for.
  if (known === undefined) return () => false
  const before = new Set(termsOf(known))
  const now = new Set(termsOf(asked))
  const fresh = [...now].filter((term) => !before.has(term))
  // A question with these words in another order, or with other small words, may ask for the opposite.
  if (fresh.length === 0 && now.size === before.size) return () => false
  const hasFresh = (id: string) => fresh.some((term) => holds(id, term))
  const isContrast = shown.some(hasFresh)
  return (blockId, raises) => (raises ? !isContrast || hasFresh(blockId) : !hasFresh(blockId))
}

const DECIMALS = 1e6

/** Returns a proof with six decimals, so that the state that undo keeps with each report stays small. */
export function roundedProof({ covariance, variance, places }: Proof): Proof {
  const round = (value: number) => Math.round(value * DECIMALS) / DECIMALS
  const rounded = places.map(([sum, weight]) => [round(sum), round(weight)] as const)
  return { covariance: round(covariance), variance: round(variance), places: rounded }
}

/** Reads the value kept in `meta`; an invalid one counts as nothing. */
function readProof(stored: string | undefined): Proof {
  if (stored === undefined) return NO_PROOF
  try {
    const { covariance, variance, places } = JSON.parse(stored) as Proof
    const isPlace = (place: unknown) =>
      Array.isArray(place) && place.length === 2 && place.every(Number.isFinite)
    const isWhole = [covariance, variance].every(Number.isFinite) && places.every(isPlace)
    return isWhole ? { covariance, variance, places } : NO_PROOF
  } catch {
    return NO_PROOF
  }
}

/** A question like another one. */
interface LikeQuestion {
  readonly id: string
  /** Share at which its reports count for the other question, above 0, at most 1. */
  readonly share: number
  /** True if both are one question. */
  readonly isSame: boolean
}

/** Cosine of a vector with itself, as far as int8 goes. */
const SAME_COSINE = 0.994

/** Questions by place, with their vectors in one matrix. A look at all of them costs one scan: 4,096 take some 0.3 ms. */
class QuestionList {
  readonly #createKernel: () => ScanKernel
  readonly #known: StoredQuestion[] = []
  /** The names, numbers and identifiers that separate each question from similar ones. */
  readonly #names: string[] = []
  readonly #places = new Map<string, number>()
  /** The question of some words; of two of the same words, which copies of a memory may have brought, the one put last. */
  readonly #byWords = new Map<string, string>()
  #vectors: VectorMatrix | undefined
  /** Length of the first vector; one of another length, as a damaged file may have, counts as none. */
  #dimensions: number | undefined

  constructor(createKernel: () => ScanKernel) {
    this.#createKernel = createKernel
  }

  /** All questions, as a copy. */
  get all(): StoredQuestion[] {
    return [...this.#known]
  }

  /** Returns the question of an id; undefined if it is not in the list. */
  get(id: string): StoredQuestion | undefined {
    const place = this.#places.get(id)
    return place === undefined ? undefined : this.#known[place]
  }

  /** Adds a question, or puts it in the place of the one with its id, whose words it has. */
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
   * Returns questions like one, and how much each says of it, above 0: the one of the same words all, others by their cosine. Where no
   * words are known, the nearest cosines there are tell that it is the same.
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
      // A question like this one about other names says nothing of it.
      if (other.id === same || (isKnown && this.#names[place] !== names)) continue
      found.push({ id: other.id, share: questionShare(cosine), isSame: !isKnown && cosine >= SAME_COSINE })
    }
    return found
  }
}

function namesOf(text = ''): string {
  return namesIn(text).sort().join(' ')
}
