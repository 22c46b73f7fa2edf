import { pairFeatures } from '../../src/domain/versions/pair-score.ts'
import { type AskedComparison, areVersions, type Comparison } from './compare.ts'
import type { Example } from './net.ts'
import type { Note, Question } from './sets.ts'

/** How much the kinds of pairs count. */
export interface Weights {
  /** The newest before an outdated note of the question's chain. */
  readonly version: number
  /** Versions of which the question asks for neither. */
  readonly otherVersion: number
  /** The note asked for behind the other of its pair or control. */
  readonly pair: number
  /** The other of a pair behind the note asked for. */
  readonly pairOther: number
  /** Two that a question asks for. */
  readonly pairBoth: number
  /** The note asked for behind any other. */
  readonly asked: number
  /** An outdated note behind what is no version of it. */
  readonly outdated: number
  readonly bystander: number
  /** Factor of talk. */
  readonly talk: number
  /** Pairs without a question: versions, the two of a pair, others. */
  readonly noted: readonly [versions: number, pair: number, other: number]
}

export const WEIGHTS: Weights = {
  version: 3,
  otherVersion: 0.5,
  pair: 6,
  pairOther: 3,
  pairBoth: 0.5,
  asked: 3,
  outdated: 1,
  bystander: 0.15,
  talk: 1,
  noted: [2, 4, 1],
}

/** Pairs that share less than this are easy, and one in six of them is enough. */
const EASY = { cosine: 0.4, shared: 0.3, kept: 6 }

/** The pairs of a question, each weighed by what it would do to the answer if they changed places. */
export function askedExamples(
  { question, notes, compared }: AskedComparison,
  weights: Weights = WEIGHTS,
): Example[] {
  const features = pairFeatures(compared)
  const examples: Example[] = []
  notes.forEach((older, i) => {
    notes.forEach((newer, j) => {
      if (Date.parse(newer.at) <= Date.parse(older.at)) return
      // What rests on an outdated note of a chain may well stand behind the newest.
      if (question.kind !== 'pair' && !older.isState && newer.isState && older.group === newer.group) return
      const found = features(i, j)
      if (found === undefined) return
      const isVersion = areVersions(older, newer)
      const isEasy = (found[0] as number) < EASY.cosine && (found[1] as number) < EASY.shared
      const isPair = isPairOf(question, older, newer)
      if (!isVersion && isEasy && !isPair && hash(older.id + newer.id + question.text) % EASY.kept !== 0)
        return
      const base = isVersion
        ? versionWeight(question, older, newer, weights)
        : otherWeight(question, older, newer, weights)
      const weight =
        base * (isEasy && !isVersion && !isPair ? 2 : 1) * (question.kind === 'talk' ? weights.talk : 1)
      if (weight > 0) examples.push({ features: found, label: isVersion ? 1 : 0, weight })
    })
  })
  return examples
}

function versionWeight({ asked, others }: Question, older: Note, newer: Note, weights: Weights): number {
  return asked.includes(newer.id) && others.includes(older.id) ? weights.version : weights.otherVersion
}

function isPairOf({ kind, asked, others }: Question, older: Note, newer: Note): boolean {
  const both = [...asked, ...others]
  return (kind === 'pair' || kind === 'control') && both.includes(older.id) && both.includes(newer.id)
}

function otherWeight(question: Question, older: Note, newer: Note, weights: Weights): number {
  const { asked, others, kind } = question
  if (isPairOf(question, older, newer)) {
    if (asked.length > 1) return weights.pairBoth
    return asked.includes(older.id) ? weights.pair : weights.pairOther
  }
  if (asked.includes(older.id) && !asked.includes(newer.id) && !(asked.length > 1 && kind === 'pair'))
    return weights.asked
  return kind === 'chain' && others.includes(older.id) ? weights.outdated : weights.bystander
}

/** The pairs of a note and the earlier ones nearest to it, without a question. */
export function notedExamples({ notes, compared }: Comparison, weights: Weights = WEIGHTS): Example[] {
  const features = pairFeatures(compared)
  const last = notes.length - 1
  const newer = notes[last] as Note
  const [versions, pair, other] = weights.noted
  return notes.slice(0, last).flatMap((older, i) => {
    const found = features(i, last)
    const isVersion = areVersions(older, newer)
    if (found === undefined || (!isVersion && (found[0] as number) < 0.3)) return []
    const weight = isVersion ? versions : older.group === newer.group ? pair : other
    return [{ features: found, label: isVersion ? 1 : 0, weight }]
  })
}

function hash(text: string): number {
  let value = 7
  for (let i = 0; i < text.length; i++) value = (value * 31 + text.charCodeAt(i)) >>> 0
  return value
}
