import { type QuestionKernel, questionShare } from '../../domain/score/experience.ts'
import { namesIn, questionKey } from '../../domain/text/text.ts'
import type { ScanKernel } from '../../ports/scan-kernel.ts'
import type { StoredQuestion } from '../../ports/store/evidence.ts'
import { unpackUnit } from '../index/quantise.ts'
import { VectorMatrix } from '../index/vectors.ts'

interface Known {
  readonly question: StoredQuestion
  /** Its words, however they were spaced and written; empty for none. */
  readonly words: string
  /** The words that separate it from similar questions: names, numbers and identifiers. */
  readonly names: string
}

/** A question like another one. */
export interface LikeQuestion {
  readonly id: string
  /** How much it says of the other, above 0, at most 1. */
  readonly share: number
  /** True if it is that question. */
  readonly isSame: boolean
}

/** Of one vector with itself, as far as int8 goes. */
const SAME_COSINE = 0.994

/** Questions by place, with their vectors in one matrix. A look at all of them costs one scan: 4,096 take some 0.3 ms. */
export class QuestionList {
  readonly #createKernel: () => ScanKernel
  readonly #known: Known[] = []
  readonly #places = new Map<string, number>()
  /** The question of some words; of two of the same words, which copies of a memory may have brought, the one put last. */
  readonly #byWords = new Map<string, string>()
  #vectors: VectorMatrix | undefined
  /** The result for the last question: a report on it follows. */
  #asked: { readonly words: string; readonly found: readonly LikeQuestion[] } | undefined
  /** Of the first vector; one of another length, as a damaged file may have, counts as none. */
  #dimensions: number | undefined

  constructor(createKernel: () => ScanKernel) {
    this.#createKernel = createKernel
  }

  get size(): number {
    return this.#known.length
  }

  /** The question of an id; undefined if it is not in the list. */
  get(id: string): StoredQuestion | undefined {
    const place = this.#places.get(id)
    return place === undefined ? undefined : this.#known[place]?.question
  }

  /** Those nobody reported on for longest, at most so many. */
  oldest(most: number): StoredQuestion[] {
    return this.#known
      .map(({ question }) => question)
      .sort((one, other) => one.hours - other.hours)
      .slice(0, most)
  }

  /** The newest that have words and no vector. */
  lacking(most: number): StoredQuestion[] {
    return this.#known
      .map(({ question }) => question)
      .filter(({ text, vector }) => text !== undefined && vector === undefined)
      .sort((one, other) => other.hours - one.hours)
      .slice(0, most)
  }

  /** Adds a question, or puts it in the place of the one with its id. */
  put(question: StoredQuestion): void {
    const place = this.#places.get(question.id) ?? this.#known.length
    this.#places.set(question.id, place)
    this.#forgetWords(place)
    const known = { question, ...readingOf(question.text ?? '') }
    this.#known[place] = known
    if (known.words !== '') this.#byWords.set(known.words, question.id)
    this.#setVector(place, question.vector)
  }

  /** The last one takes the place of the one that goes. */
  remove(id: string): void {
    const place = this.#places.get(id)
    const last = this.#known.at(-1)
    if (place === undefined || last === undefined) return
    this.#forgetWords(place)
    this.#places.delete(id)
    this.#known.pop()
    this.#vectors?.remove(this.#known.length)
    if (last.question.id !== id) {
      this.#known[place] = last
      this.#places.set(last.question.id, place)
      this.#setVector(place, last.question.vector)
    }
  }

  /**
   * Questions like one, and how much each says of it, above 0: the one of the same words all, others by their cosine. Where no
   * words are known, the nearest cosines there are tell that it is the same.
   */
  like(text: string, vector: Float32Array | undefined, kernel: QuestionKernel): readonly LikeQuestion[] {
    const { words, names } = readingOf(text)
    if (words !== '' && vector !== undefined && this.#asked?.words === words) return this.#asked.found
    const found: LikeQuestion[] = []
    const same = this.#byWords.get(words)
    if (same !== undefined) found.push({ id: same, share: 1, isSame: true })
    if (vector === undefined || vector.length !== this.#dimensions) return found
    const cosines = this.#vectors?.cosines(vector, this.#known.length) ?? []
    for (let place = 0; place < cosines.length; place++) {
      const cosine = cosines[place] as number
      if (cosine <= kernel.questionFrom) continue
      const { question, ...own } = this.#known[place] as Known
      const isKnown = words !== '' && own.words !== ''
      // Of other things asked in the same words nothing is known.
      if (question.id === same || (isKnown && own.names !== names)) continue
      const share = questionShare(cosine, kernel)
      found.push({ id: question.id, share, isSame: !isKnown && cosine >= SAME_COSINE })
    }
    this.#asked = { words, found }
    return found
  }

  #forgetWords(place: number): void {
    this.#asked = undefined
    const { words, question } = this.#known[place] ?? {}
    if (words !== undefined && this.#byWords.get(words) === question?.id) this.#byWords.delete(words)
  }

  #setVector(place: number, packed: Uint8Array | undefined): void {
    const vector = packed === undefined ? undefined : unpackUnit(packed)
    if (vector === undefined || vector.length !== (this.#dimensions ?? vector.length)) {
      this.#vectors?.remove(place)
      return
    }
    this.#dimensions = vector.length
    this.#vectors ??= new VectorMatrix(this.#createKernel())
    this.#vectors.set(place, vector)
  }
}

function readingOf(text: string): { readonly words: string; readonly names: string } {
  return { words: questionKey(text), names: namesIn(text).sort().join(' ') }
}
