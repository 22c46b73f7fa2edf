import { dot } from '../../src/index/columns.ts'
import type { Memory } from '../../src/index.ts'
import { createLanguage } from '../../src/language/question.ts'
import { type Compared, type PairText, pairText } from '../../src/recall/pair-score.ts'
import type { SharedEmbedder } from '../lib/embedders.ts'
import { RANKING_ALONE, rememberByDate } from '../versions/by-date.ts'
import type { Note, Question, Store } from '../versions/sets.ts'

/** A ranking keeps so many matches; so many of the best are compared with each other. */
const FOUND_MOST = 40
const COMPARED_MOST = 10
/** Number of the nearest earlier notes that a new note is compared with. */
const NEAREST = 5

const language = createLanguage('auto')

/** Notes that are compared with each other; `compared` knows them by their places. */
export interface Comparison {
  readonly notes: readonly Note[]
  readonly compared: Compared
}

/** A question with its ranking, best first. */
export interface AskedComparison extends Comparison {
  readonly question: Question
  readonly ranked: readonly Note[]
  /** Number of entries that the answer shows. */
  readonly shown: number
}

export interface Comparisons {
  readonly asked: readonly AskedComparison[]
  /** Each note that has earlier ones, behind the nearest of these, without a question. */
  readonly noted: readonly Comparison[]
}

/** A match with its rank and its cosine to the question. */
interface Match {
  readonly note: Note
  readonly rank: number
  readonly cosine: number
}

/** Asks the questions of a store while its memory guesses nothing about versions, and compares the notes. */
export async function comparisonsOf(
  { notes, questions }: Store,
  embedder: SharedEmbedder,
): Promise<Comparisons> {
  const texts = new Map(notes.map((note) => [note.id, pairText(note.text, language.terms)]))
  const vectors = await embedder.vectorsOf(notes.map(({ text }) => text))
  const vectorOf = new Map(notes.map((note, i) => [note, vectors[i] as Float32Array]))
  const cosine = (one: Note, other: Note) =>
    dot(vectorOf.get(one) as Float32Array, vectorOf.get(other) as Float32Array)
  const corpus = corpusOf([...texts.values()].map(({ terms }) => terms))
  const comparison = (some: readonly Note[], matches: readonly Match[] = []): Comparison => {
    const best = Math.max(1e-6, ...matches.map(({ rank }) => rank))
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
  const filling = { embedder, given: speakersOf(notes), config: RANKING_ALONE }
  const { memory, idOf } = await rememberByDate(notes, filling)
  const noteOf = new Map(notes.map((note) => [idOf(note.id), note]))
  const asked: AskedComparison[] = []
  for (const question of questions) {
    const { shown, found } = await rankingOf(memory, question.text, noteOf)
    const top = found.slice(0, COMPARED_MOST)
    const { compared, notes: some } = comparison(
      top.map(({ note }) => note),
      top,
    )
    const withQuestion = { ...compared, question: pairText(question.text, language.terms) }
    asked.push({
      ...{ question, shown, notes: some, compared: withQuestion },
      ranked: found.map(({ note }) => note),
    })
  }
  await memory.close()
  const noted = notes.flatMap((note) => {
    const earlier = notes
      .filter((other) => dateOf(other) < dateOf(note))
      .sort((one, other) => cosine(other, note) - cosine(one, note))
    return earlier.length === 0 ? [] : [comparison([...earlier.slice(0, NEAREST), note])]
  })
  return { asked, noted }
}

async function rankingOf(memory: Memory, query: string, noteOf: ReadonlyMap<string, Note>) {
  const { blocks, candidates = [] } = await memory.recall({ query, reinforce: false, explain: true })
  const weighed = new Map(candidates.slice(0, FOUND_MOST).map((each) => [each.id, each]))
  const shown = blocks.map(({ id }) => id).filter((id) => weighed.has(id))
  const found = [...new Set([...shown, ...weighed.keys()])].flatMap((block): Match[] => {
    const { rank = 0, cosine = 0 } = weighed.get(block)?.explanation?.match ?? {}
    const note = noteOf.get(block)
    return note === undefined ? [] : [{ note, rank, cosine }]
  })
  return { shown: shown.length, found }
}

/** Returns the arguments of `remember` that name the speaker of a note. */
export function speakersOf(notes: readonly Note[]): (note: { readonly id: string }) => { source?: string } {
  const speakers = new Map(notes.map(({ id, speaker }) => [id, speaker]))
  return ({ id }) => {
    const source = speakers.get(id)
    return source === undefined ? {} : { source }
  }
}

export function dateOf({ at }: Note): number {
  return Date.parse(at)
}

/** Counts in how many texts each term is. */
function corpusOf(texts: readonly (readonly string[])[]): Pick<Compared, 'idf' | 'size'> {
  const frequency = new Map<string, number>()
  for (const terms of texts) for (const term of terms) frequency.set(term, (frequency.get(term) ?? 0) + 1)
  const size = texts.length
  return { size, idf: (term) => Math.log(1 + size / (1 + (frequency.get(term) ?? 0))) }
}
