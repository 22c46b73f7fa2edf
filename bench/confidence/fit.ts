import { type MatchEvidence, type ProbabilityConstants, probabilityOf } from '../../src/index/rank.ts'

/** What a question found, whether it was what was asked for, and how much it counts. */
export interface Judged {
  readonly evidence: MatchEvidence
  readonly right: boolean
  readonly weight: number
}

/** The constants that are weights of a term; the runner-up's share is given. */
export const TERMS = ['intercept', 'cosine', 'lexical', 'standsOut', 'size'] as const
type Term = (typeof TERMS)[number]

const ROUNDS = 100
const DONE = 1e-9
/** Keeps a term that hardly varies from growing without end. */
const RIDGE = 1e-6

/**
 * The constants of greatest weighted likelihood for a share of the runner-up, by Newton's method; terms that are not
 * named stay 0.
 */
export function fitConstants(
  judged: readonly Judged[],
  runnerUpShare: number,
  terms: readonly Term[] = TERMS,
): ProbabilityConstants {
  const rows = judged.map(({ evidence }) => {
    const values = valuesOf(evidence, runnerUpShare)
    return terms.map((term) => values[term])
  })
  const found = terms.map(() => 0)
  for (let round = 0; round < ROUNDS; round++) {
    const step = newtonStep(judged, rows, found)
    for (const [i, by] of step.entries()) found[i] = (found[i] as number) + by
    if (step.reduce((sum, by) => sum + Math.abs(by), 0) < DONE) break
  }
  const none = { intercept: 0, cosine: 0, lexical: 0, standsOut: 0, size: 0 }
  return { ...none, ...Object.fromEntries(terms.map((term, i) => [term, found[i] as number])), runnerUpShare }
}

function valuesOf(
  { cosine, lexical, strength, runnerUp, blocks }: MatchEvidence,
  share: number,
): Readonly<Record<Term, number>> {
  const standsOut = strength - share * runnerUp
  return { intercept: 1, cosine, lexical, standsOut, size: -Math.log(Math.max(1, blocks)) }
}

function newtonStep(
  judged: readonly Judged[],
  rows: readonly (readonly number[])[],
  found: readonly number[],
): number[] {
  const slope = found.map((value) => -RIDGE * value)
  const curve = found.map((_, i) => found.map((__, j) => (i === j ? RIDGE : 0)))
  judged.forEach(({ right, weight }, at) => {
    const row = rows[at] as readonly number[]
    const expected = 1 / (1 + Math.exp(-row.reduce((sum, value, i) => sum + value * (found[i] as number), 0)))
    const miss = weight * (Number(right) - expected)
    const bend = weight * expected * (1 - expected)
    row.forEach((value, i) => {
      slope[i] = (slope[i] as number) + miss * value
      const line = curve[i] as number[]
      row.forEach((other, j) => {
        line[j] = (line[j] as number) + bend * value * other
      })
    })
  })
  return solved(curve, slope)
}

/** Gaussian elimination with the greatest pivot. */
function solved(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i] as number])
  rows.forEach((_, at) => {
    const pivot = rows
      .slice(at)
      .reduce((a, b) => (Math.abs(b[at] as number) > Math.abs(a[at] as number) ? b : a))
    const from = rows.indexOf(pivot)
    ;[rows[at], rows[from]] = [pivot, rows[at] as number[]]
    if (!(Math.abs(pivot[at] as number) > 0))
      throw new Error('The matches are too few or too alike to fit to.')
    rows.forEach((row, i) => {
      if (i === at) return
      const factor = (row[at] as number) / (pivot[at] as number)
      row.forEach((value, j) => {
        row[j] = value - factor * (pivot[j] as number)
      })
    })
  })
  return rows.map((row, i) => (row.at(-1) as number) / (row[i] as number))
}

/** Matches of about one probability. */
export interface Bin {
  /** Probabilities from here, one bin's width wide. */
  readonly from: number
  readonly matches: number
  readonly said: number
  readonly right: number
}

const BINS = 10

/** Weighted means of what was said and what was so, in ten bins of probability; empty ones are left out. */
export function reliability(judged: readonly Judged[], saidOf: (judged: Judged) => number): Bin[] {
  const byBin = Map.groupBy(judged, (each) => Math.min(BINS - 1, Math.floor(saidOf(each) * BINS)))
  return [...byBin]
    .sort(([a], [b]) => a - b)
    .map(([bin, inside]) => ({
      from: bin / BINS,
      matches: inside.length,
      said: weightedMean(inside, saidOf),
      right: weightedMean(inside, ({ right }) => Number(right)),
    }))
}

/** The weighted mean square of probability minus truth: 0 is perfect, 0.25 what saying one half always gives. */
export function brier(judged: readonly Judged[], constants: ProbabilityConstants): number {
  return weightedMean(
    judged,
    ({ evidence, right }) => (probabilityOf(evidence, constants) - Number(right)) ** 2,
  )
}

function weightedMean(judged: readonly Judged[], read: (judged: Judged) => number): number {
  const total = judged.reduce((sum, { weight }) => sum + weight, 0)
  return total === 0 ? 0 : judged.reduce((sum, each) => sum + each.weight * read(each), 0) / total
}
