import { pairFeatures } from '../../src/recall/pair-score.ts'
import type { Note, Question } from '../versions/sets.ts'
import { type AskedComparison, type Comparison, type Comparisons, dateOf } from './compare.ts'
import type { Example } from './net.ts'

/** Weights of pairs by what a change of places does to the answer; `bystander` is for pairs that no question is about. */
const WEIGHTS = {
  version: 6,
  otherVersion: 0.5,
  /** The note asked for, behind the other of its pair. */
  pair: 32,
  /** The other of a pair, behind the note asked for. */
  pairOther: 7,
  /** Two that are both asked for. */
  pairBoth: 14,
  /** The note asked for, behind any other. */
  asked: 3,
  outdated: 1,
  bystander: 0.1,
} as const

/** Weights of pairs without a question. */
const NOTED = { version: 3, pair: 6, other: 1 } as const

/** One in so many pairs of bystanders is taken, and counts for all of them. */
const ONE_IN = 6

/** Returns the pairs of a store's questions, and those of its notes without a question, as the fit sees them. */
export function examplesOf({ asked, noted }: Comparisons): Example[] {
  const isPair = pairsOf(asked.map(({ question }) => question))
  return [...asked.flatMap(askedExamples), ...noted.flatMap((each) => notedExamples(each, isPair))]
}

export function areVersions(one: Note, other: Note): boolean {
  return one.chain !== undefined && one.chain === other.chain
}

function askedExamples({ question, notes, compared }: AskedComparison): Example[] {
  const features = pairFeatures(compared)
  const pairs = notes.flatMap((older, i) =>
    notes
      .map((newer, j) => ({ i, j, older, newer, weight: weightOf(question, older, newer) }))
      .filter(({ newer }) => dateOf(newer) > dateOf(older)),
  )
  const isBystander = ({ weight }: { readonly weight: number }) => weight === WEIGHTS.bystander
  const thinned = pairs
    .filter(isBystander)
    .filter((_, at) => at % ONE_IN === 0)
    .map((pair) => ({ ...pair, weight: pair.weight * ONE_IN }))
  return [...pairs.filter((pair) => !isBystander(pair)), ...thinned].flatMap((pair): Example[] => {
    const found = features(pair.i, pair.j)
    const label = areVersions(pair.older, pair.newer) ? 1 : 0
    return found === undefined ? [] : [{ features: found, label, weight: pair.weight }]
  })
}

function weightOf({ kind, asked, others }: Question, older: Note, newer: Note): number {
  const partOf = ({ id }: Note) => (asked.includes(id) ? 'asked' : others.includes(id) ? 'other' : 'none')
  const [first, second] = [partOf(older), partOf(newer)]
  if (areVersions(older, newer))
    return first === 'other' && second === 'asked' ? WEIGHTS.version : WEIGHTS.otherVersion
  if (kind === 'chain' && first === 'other') return WEIGHTS.outdated
  if (first === 'other' && second === 'asked') return WEIGHTS.pairOther
  if (first !== 'asked') return WEIGHTS.bystander
  if (second === 'asked') return WEIGHTS.pairBoth
  return kind !== 'chain' && second === 'other' ? WEIGHTS.pair : WEIGHTS.asked
}

/** Returns a function that tells whether two notes are a pair or a control. */
function pairsOf(questions: readonly Question[]): (one: Note, other: Note) => boolean {
  const keyOf = (ids: readonly string[]) => ids.toSorted().join(' ')
  const keys = questions
    .filter(({ kind }) => kind === 'pair' || kind === 'control')
    .map(({ asked, others }) => keyOf([...asked, ...others]))
  const known = new Set(keys)
  return (one, other) => known.has(keyOf([one.id, other.id]))
}

/** Returns the pairs of the last note and those before it. */
function notedExamples(
  { notes, compared }: Comparison,
  isPair: (one: Note, other: Note) => boolean,
): Example[] {
  const features = pairFeatures(compared)
  const last = notes.length - 1
  const newer = notes[last] as Note
  return notes.slice(0, last).flatMap((older, i): Example[] => {
    const found = features(i, last)
    if (found === undefined) return []
    if (areVersions(older, newer)) return [{ features: found, label: 1, weight: NOTED.version }]
    return [{ features: found, label: 0, weight: isPair(older, newer) ? NOTED.pair : NOTED.other }]
  })
}
