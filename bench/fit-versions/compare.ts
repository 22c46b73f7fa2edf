import type { RankedNote } from '../../src/domain/versions/newer-first.ts'
import { type Compared, type PairText, pairText } from '../../src/domain/versions/pair-score.ts'
import { createLanguage } from '../../src/search/language/choose.ts'
import type { RankedSet } from './rankings.ts'
import type { Note, Question } from './sets.ts'

/** Number of the best matches that are compared with each other. */
export const REACH = 16
/** Number of the nearest earlier notes that a new note is compared with. */
const NEAREST = 5

const language = createLanguage('auto')
const read = (text: string): PairText => pairText(text, language.terms)

/** Notes that are compared with each other, by the places that the score knows them by. */
export interface Comparison {
  readonly notes: readonly Note[]
  readonly compared: Compared
}

/** A question with its ranking, ready to be compared. */
export interface AskedComparison extends Comparison {
  readonly question: Question
  /** All that was ranked, best first. */
  readonly ranked: readonly RankedNote[]
  /** Number of entries that the answer shows. */
  readonly shown: number
}

/** The comparisons of a set: one for each question, and one for each note that has earlier ones; of these the note is the last. */
export function comparisonsOf({ set, rankings, vectors }: RankedSet): {
  readonly asked: readonly AskedComparison[]
  readonly noted: readonly Comparison[]
} {
  const texts = new Map(set.notes.map(({ id, text }) => [id, read(text)]))
  const byId = new Map(set.notes.map((note) => [note.id, note]))
  const vectorOf = ({ text }: Note) => vectors.get(text) as Float32Array
  const corpora = new Map(
    [...Map.groupBy(set.notes, ({ store }) => store)].map(([store, notes]) => [
      store,
      corpusOf(notes.map(({ id }) => (texts.get(id) as PairText).terms)),
    ]),
  )
  const comparison = (
    notes: readonly Note[],
    matches?: readonly { readonly rank: number; readonly cosine: number }[],
  ): Comparison => {
    const best = bestOf(matches ?? [])
    const between = notes.map((one) => notes.map((other) => dot(vectorOf(one), vectorOf(other))))
    return {
      notes,
      compared: {
        ...(corpora.get(notes[0]?.store) as Corpus),
        cosine: (one, other) => between[one]?.[other] as number,
        notes: notes.map((note, i) => ({
          text: texts.get(note.id) as PairText,
          at: dateOf(note),
          rank: (matches?.[i]?.rank ?? 0) / best,
          asked: matches?.[i]?.cosine ?? Number.NaN,
        })),
      },
    }
  }
  const asked = set.questions.map((question, i) => {
    const { found, shown } = rankings[i] as (typeof rankings)[number]
    const top = found.slice(0, REACH)
    const { notes, compared } = comparison(
      top.map(({ id }) => byId.get(id) as Note),
      top,
    )
    const best = bestOf(found)
    const all = found.map(({ id, rank }) => ({ id, rank: rank / best, at: dateOf(byId.get(id) as Note) }))
    return { question, ranked: all, shown, notes, compared: { ...compared, question: read(question.text) } }
  })
  const noted = set.notes.flatMap((note) => {
    const earlier = set.notes
      .filter(({ at, store }) => Date.parse(at) < dateOf(note) && store === note.store)
      .map((each) => ({ each, cosine: dot(vectorOf(each), vectorOf(note)) }))
      .sort((one, other) => other.cosine - one.cosine)
      .slice(0, NEAREST)
    return earlier.length === 0 ? [] : [comparison([...earlier.map(({ each }) => each), note])]
  })
  return { asked, noted }
}

const bestOf = (matches: readonly { readonly rank: number }[]) =>
  Math.max(1e-6, ...matches.map(({ rank }) => rank))

const dateOf = ({ at }: Note) => Date.parse(at)

type Corpus = Pick<Compared, 'idf' | 'size'>

/** Counts in how many texts of a store each term is. */
function corpusOf(texts: readonly (readonly string[])[]): Corpus {
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

/** True if both notes tell the state of one chain. */
export function areVersions(one: Note, other: Note): boolean {
  return one.isState && other.isState && one.group === other.group
}
