import { type Arranged, arrange, type Guess } from '../../src/domain/versions/newer-first.ts'
import { type PairModel, pairScorer } from '../../src/domain/versions/pair-score.ts'
import { type AskedComparison, areVersions, type Comparison } from './compare.ts'
import type { Note } from './sets.ts'

/** Returns the guesses about the notes of a question, from the model's scores. */
export function guessesOf({ notes, compared }: AskedComparison, model: PairModel): Guess[] {
  const score = pairScorer(compared, model)
  return notes.flatMap((older, i) =>
    notes.flatMap((newer, j): Guess[] => {
      if (Date.parse(newer.at) <= Date.parse(older.at)) return []
      return [{ older: older.id, newer: newer.id, z: score(i, j), cosine: compared.cosine(i, j) }]
    }),
  )
}

/** Counts over questions. */
export interface Counts {
  chains: number
  newestFirst: number
  present: number
  staleAlone: number
  controls: number
  controlsRight: number
  /** Questions for one of a pair that ranking alone has first, and how many of them lose the place. */
  askedFirst: number
  lost: number
  pairs: number
  marked: number
  /** Entries that came in. */
  brought: number
  questions: number
  reciprocal: number
}

export const NONE: Counts = {
  ...{ chains: 0, newestFirst: 0, present: 0, staleAlone: 0, controls: 0, controlsRight: 0 },
  ...{ askedFirst: 0, lost: 0, pairs: 0, marked: 0, brought: 0, questions: 0, reciprocal: 0 },
}

export function sumOf(all: readonly Counts[]): Counts {
  const sum = { ...NONE }
  for (const each of all) for (const key of Object.keys(NONE) as (keyof Counts)[]) sum[key] += each[key]
  return sum
}

/** Counts what an answer does for its question, with newer notes first from a score on. */
export function countsOf(
  { question, ranked, shown }: AskedComparison,
  guesses: readonly Guess[],
  newerFirst: number,
): Counts {
  const { order: ids, marks }: Arranged = arrange(ranked, shown, guesses, { newerFirst })
  const { kind, asked, others } = question
  const placeOf = (id: string) => (ids.includes(id) ? ids.indexOf(id) : Number.POSITIVE_INFINITY)
  const [wanted, unwanted] = [asked.map(placeOf), others.map(placeOf)]
  const [best, worst] = [Math.min(...wanted), Math.min(...unwanted)]
  const counts = { ...NONE, questions: 1, brought: ids.length - Math.min(shown, ranked.length) }
  if (kind === 'chain') {
    const isThere = Number.isFinite(best)
    return {
      ...counts,
      chains: 1,
      newestFirst: Number(isThere && best < worst),
      present: Number(isThere),
      staleAlone: Number(!isThere && Number.isFinite(worst)),
    }
  }
  if (kind === 'control') return { ...counts, controls: 1, controlsRight: Number(best < worst) }
  if (kind === 'talk') return { ...counts, reciprocal: 1 / (1 + best) }
  const isFirst = asked.length === 1 && ranked[0]?.id === asked[0]
  const both = [...asked, ...others]
  return {
    ...counts,
    ...{ pairs: 1, askedFirst: Number(isFirst), lost: Number(isFirst && best > 0) },
    marked: Number(marks.some(({ older, newer }) => both.includes(older) && both.includes(newer))),
  }
}

/** Counts of what a note is said to replace. */
export interface Named {
  /** Notes with an earlier version. */
  versions: number
  /** Of these, those of which one is named. */
  right: number
  /** Named pairs that are no versions. */
  wrong: number
  /** Notes of which a pair is named. */
  named: number
}

export function namedOf(noted: readonly Comparison[], model: PairModel, limit: number): Named {
  const counts = { versions: 0, right: 0, wrong: 0, named: 0 }
  const states = new Map<string, number>()
  for (const { notes, compared } of noted) {
    const last = notes.length - 1
    const newer = notes[last] as Note
    const score = pairScorer(compared, model)
    const found = notes.slice(0, last).map((older, i) => ({ older, z: score(i, last) }))
    const pick = found.filter(({ z }) => z > limit)
    const rights = pick.filter(({ older }) => areVersions(older, newer)).length
    void states
    if (found.some(({ older }) => areVersions(older, newer))) counts.versions++
    if (rights > 0) counts.right++
    counts.wrong += pick.length - rights
    if (pick.length > 0) counts.named++
  }
  return counts
}
