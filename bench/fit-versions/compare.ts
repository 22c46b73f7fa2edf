import { createLanguage } from '../../src/language/question.ts'
import { type Compared, type PairText, pairText } from '../../src/recall/pair-score.ts'
import type { Ranked, Ranking } from './rankings.ts'
import type { Note, Question, Store } from './sets.ts'

/** Number of the best matches that are compared with each other. */
const COMPARED_MOST = 10
/** Number of the nearest earlier notes that a new note is compared with. */
const NEAREST = 5

const language = createLanguage('auto')

/** Notes that are compared with each other; `compared` knows them by their places. */
export interface Comparison {
  readonly notes: readonly Note[]
  readonly compared: Compared
}

/** A note as it was ranked. */
interface RankedNote {
  readonly id: string
  /** Rank of its match as a share of the best, 0..1. */
  readonly rank: number
  /** When it was said; larger is later. */
  readonly at: number
}

/** A question with its ranking. */
export interface AskedComparison extends Comparison {
  readonly question: Question
  readonly ranked: readonly RankedNote[]
  /** Number of entries that the answer shows. */
  readonly shown: number
}

export interface Comparisons {
  readonly asked: readonly AskedComparison[]
  /** Each note that has earlier ones, behind the nearest of these, without a question. */
  readonly noted: readonly Comparison[]
}

export function comparisonsOf({ notes, questions }: Store, { rankings, vectors }: Ranked): Comparisons {
  const texts = new Map(notes.map((note) => [note.id, read(note.text)]))
  const vectorOf = new Map(notes.map(({ id }, i) => [id, vectors[i] as Float32Array]))
  const byId = new Map(notes.map((note) => [note.id, note]))
  const cosine = (one: Note, other: Note) =>
    dot(vectorOf.get(one.id) as Float32Array, vectorOf.get(other.id) as Float32Array)
  const corpus = corpusOf([...texts.values()].map(({ terms }) => terms))
  const comparison = (some: readonly Note[], matches: Ranking['found'] = []): Comparison => {
    const best = bestOf(matches)
    const cosines = some.map((one) => some.map((other) => cosine(one, other)))
    const compared = some.map((note, i) => ({
      ...{ text: texts.get(note.id) as PairText, at: dateOf(note) },
      ...{ rank: (matches[i]?.rank ?? 0) / best, asked: matches[i]?.cosine ?? Number.NaN },
    }))
    return {
      notes: some,
      compared: { ...corpus, notes: compared, cosine: (one, other) => cosines[one]?.[other] ?? Number.NaN },
    }
  }
  const asked = questions.map((question, i) => {
    const { found, shown } = rankings[i] as Ranking
    const best = bestOf(found)
    const all = found.map((match) => ({ ...match, note: byId.get(match.id) as Note }))
    const top = all.slice(0, COMPARED_MOST)
    const { compared, ...rest } = comparison(
      top.map(({ note }) => note),
      top,
    )
    return {
      ...{ ...rest, question, shown, compared: { ...compared, question: read(question.text) } },
      ranked: all.map(({ id, rank, note }) => ({ id, rank: rank / best, at: dateOf(note) })),
    }
  })
  const noted = notes.flatMap((note) => {
    const earlier = notes
      .filter((other) => dateOf(other) < dateOf(note))
      .sort((one, other) => cosine(other, note) - cosine(one, note))
    return earlier.length === 0 ? [] : [comparison([...earlier.slice(0, NEAREST), note])]
  })
  return { asked, noted }
}

function read(text: string): PairText {
  return pairText(text, language.terms)
}

export function dateOf({ at }: Note): number {
  return Date.parse(at)
}

function bestOf(matches: Ranking['found']): number {
  return Math.max(1e-6, ...matches.map(({ rank }) => rank))
}

/** Counts in how many texts each term is. */
function corpusOf(texts: readonly (readonly string[])[]): Pick<Compared, 'idf' | 'size'> {
  const frequency = new Map<string, number>()
  for (const terms of texts) for (const term of terms) frequency.set(term, (frequency.get(term) ?? 0) + 1)
  const size = texts.length
  return { size, idf: (term) => Math.log(1 + size / (1 + (frequency.get(term) ?? 0))) }
}

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0
  for (let i = 0; i < one.length; i++) sum += (one[i] as number) * (other[i] as number)
  return sum
}
