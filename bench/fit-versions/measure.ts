import { arrange, comesFirst, type Guess, type PairModel, pairScorer } from '../../src/recall/pair-score.ts'
import { type Counts, total } from '../versions/counts.ts'
import type { Note } from '../versions/sets.ts'
import { type AskedComparison, type Comparison, type Comparisons, dateOf } from './compare.ts'
import { areVersions } from './examples.ts'

/** Values of `recall.newerFirst` that are looked at; from infinity on nothing is guessed. */
export const LOOKED_AT = [Number.POSITIVE_INFINITY, 1, 0.4, 0] as const
/** Place of the default among them. */
export const DEFAULT = 2
/** From this score on a note without a question is said to replace another. */
const REPLACES = 1

/** Counts what the score does to the answers of a store, for each value that is looked at. */
export function countsOf({ asked, noted }: Comparisons, model: PairModel): Counts[] {
  const named = noted.map((each) => namedCounts(each, model))
  return LOOKED_AT.map((limit) => {
    const isOff = limit === Number.POSITIVE_INFINITY
    const answers = asked.map((each) => answerCounts(each, isOff ? [] : guessesOf(each, model, limit), limit))
    return total([...answers, ...named])
  })
}

/** Returns the guesses about the notes of a question. */
function guessesOf({ notes, compared }: AskedComparison, model: PairModel, least: number): Guess[] {
  const score = pairScorer(compared, model)
  return notes.flatMap((older, i) =>
    notes.flatMap((newer, j): Guess[] => {
      if (dateOf(newer) <= dateOf(older)) return []
      const z = score(i, j)
      const apart = (compared.notes[j]?.rank ?? 0) - (compared.notes[i]?.rank ?? 0)
      const isStrong = comesFirst({ z, cosine: compared.cosine?.(i, j) ?? -1, apart }, least)
      return [{ older: older.id, newer: newer.id, z, isStrong }]
    }),
  )
}

function answerCounts(asked: AskedComparison, guesses: readonly Guess[], newerFirst: number): Counts {
  const { question, ranked, shown } = asked
  const places = new Map(ranked.map((note) => [note.id, dateOf(note)]))
  const { order, marks } = arrange([...places.keys()], guesses, {
    ...{ size: shown, isLimit: false, newerFirst },
    placeOf: (id) => places.get(id) ?? 0,
  })
  const [wanted, unwanted] = [question.asked, question.others].map((ids) => firstOf(order, ids)) as [
    number,
    number,
  ]
  const counts = { questions: 1, brought: order.length - Math.min(shown, ranked.length) }
  const isThere = wanted < Number.POSITIVE_INFINITY
  if (question.kind === 'chain')
    return {
      ...counts,
      chains: 1,
      newest: Number(isThere && wanted < unwanted),
      present: Number(isThere),
      stale: Number(!isThere && unwanted < Number.POSITIVE_INFINITY),
    }
  if (question.kind === 'control') return { ...counts, controls: 1, right: Number(wanted < unwanted) }
  if (question.kind === 'talk') return { ...counts, talk: 1, reciprocal: 1 / (1 + wanted) }
  const both = [...question.asked, ...question.others]
  const isFirst = question.asked.length === 1 && ranked[0]?.id === question.asked[0]
  const isMarked = marks.some(({ older, newer }) => both.includes(older) && both.includes(newer))
  return {
    ...{ ...counts, pairs: 1, first: Number(isFirst), lost: Number(isFirst && wanted > 0) },
    marked: Number(isMarked),
  }
}

/** Returns the place of the first of some ids in an order; Infinity if none is there. */
function firstOf(order: readonly string[], ids: readonly string[]): number {
  const place = order.findIndex((id) => ids.includes(id))
  return place < 0 ? Number.POSITIVE_INFINITY : place
}

/** Counts whether the last note is said to replace an earlier one. */
function namedCounts({ notes, compared }: Comparison, model: PairModel): Counts {
  const last = notes.length - 1
  const newer = notes[last] as Note
  const score = pairScorer(compared, model)
  const earlier = notes.slice(0, last)
  const named = earlier.filter((_, i) => score(i, last) > REPLACES)
  const right = named.filter((older) => areVersions(older, newer)).length
  return {
    noted: 1,
    replacing: Number(earlier.some((older) => areVersions(older, newer))),
    namedRight: Math.min(1, right),
    namedWrong: named.length - right,
    named: Math.min(1, named.length),
  }
}
