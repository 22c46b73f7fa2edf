import { ANSWERED, ANSWERED_BY_STRENGTH, MEANT_MARGIN } from '../../src/engine/embedding.ts'
import { meantProbability, type ProbabilityConstants, probabilityOf } from '../../src/index/rank.ts'
import { type Part, textOf } from '../lib/part.ts'
import { percent, type Table } from '../lib/table.ts'
import { type Answered, weighAnswers } from './answers.ts'
import type { Asked } from './ask.ts'
import { brier, fitConstants, type Judged, reliability, type Term, weightedMean } from './fit.ts'

/** What was asked where. */
export interface Answers {
  /** Descriptions in memories of some hundred blocks. */
  readonly large: readonly Asked[]
  /** Descriptions in memories of a few. */
  readonly small: readonly Asked[]
  /** Questions with and without an answer, when files of them were given. */
  readonly answered: readonly Answered[]
}

/** Of the descriptions this share means no block of the memory. */
const ABSENT_SHARE = 0.25
/** The least confidence with which connectByQuery joins by default. */
const JOINS_FROM = 0.7
const STRENGTH_TERMS: readonly Term[] = ['intercept', 'standsOut', 'size']

interface Fit extends ProbabilityConstants {
  readonly name: string
  readonly brier: number
}

interface ConfidenceData {
  readonly asked: { readonly large: number; readonly small: number; readonly answered: number }
  readonly answers: readonly Fit[]
  readonly bins: readonly { readonly name: string; readonly bins: ReturnType<typeof reliability> }[]
  readonly kinds: readonly KindRow[]
}

export function report({ large, small, answered }: Answers) {
  const checking = weigh([...large, ...small])
  const questions = weighAnswers(answered)
  const data: ConfidenceData = {
    asked: { large: large.length, small: small.length, answered: answered.length },
    answers:
      questions.length === 0
        ? []
        : [
            fitOf('fitted', fitConstants(questions, ANSWERED.runnerUpShare), questions),
            fitOf('shipped', ANSWERED, questions),
            fitOf('by strength, fitted', fitConstants(questions, 0, STRENGTH_TERMS), questions),
            fitOf('by strength, shipped', ANSWERED_BY_STRENGTH, questions),
          ],
    bins: [
      { name: 'descriptions', bins: reliability(checking, meantOf) },
      { name: 'answers', bins: reliability(questions, ({ evidence }) => probabilityOf(evidence, ANSWERED)) },
    ].filter(({ bins }) => bins.length > 0),
    kinds: [...kindsOf('large', large), ...kindsOf('small', small)],
  }
  return { report: textOf(partsOf(data)), data }
}

/** The tables of a result. */
export function partsOf({ asked, answers, bins, kinds }: ConfidenceData): readonly Part[] {
  return [
    {
      name: 'asked',
      body: `${asked.large} descriptions asked in large memories, ${asked.small} in small ones, ${asked.answered} questions`,
    },
    ...(answers.length > 0
      ? [
          {
            name: 'answered',
            title: 'The first five blocks hold the answer',
            body: fitTable(answers),
          },
        ]
      : []),
    ...bins.map(({ name, bins: each }) => ({
      name: `bins-${name}`,
      title: `The shipped constants on ${name}`,
      body: reliabilityTable(each),
    })),
    { name: 'kinds', body: kindTable(kinds) },
  ]
}

function fitOf(name: string, constants: ProbabilityConstants, checked: readonly Judged[]): Fit {
  return { name, ...constants, brier: brier(checked, constants) }
}

/**
 * Each kind counts as much as any other, whatever their numbers: of its weight the given share lies on descriptions
 * whose block is not there.
 */
function weigh(asked: readonly Asked[], absentShare = ABSENT_SHARE): (Asked & Judged)[] {
  const keyOf = ({ kind, present }: Asked) => `${kind} ${present}`
  const counts = new Map([...Map.groupBy(asked, keyOf)].map(([key, { length }]) => [key, length]))
  return asked.map((each) => ({
    ...each,
    weight: (each.present ? 1 - absentShare : absentShare) / (counts.get(keyOf(each)) as number),
  }))
}

/** Chance that a description means its strongest match. */
const meantOf = ({ evidence }: Judged) => meantProbability(evidence, ANSWERED, MEANT_MARGIN)

interface KindRow {
  readonly where: string
  readonly kind: string
  readonly present: boolean
  readonly asked: number
  readonly right: number
  readonly said: number
  /** Shares that would be joined by default, and of those wrongly. */
  readonly joined: number
  readonly wrong: number
}

/** What each kind found, with its block there and without. */
function kindsOf(where: string, asked: readonly Asked[]): KindRow[] {
  const checked = asked.map((each) => ({ ...each, weight: 1 }))
  return [...Map.groupBy(checked, ({ kind, present }) => `${kind} ${present}`).values()]
    .map((all) => {
      const { kind, present } = all[0] as Asked
      const joined = (each: Judged) => meantOf(each) >= JOINS_FROM
      return {
        where,
        kind,
        present,
        asked: all.length,
        right: weightedMean(all, ({ right }) => Number(right)),
        said: weightedMean(all, meantOf),
        joined: weightedMean(all, (each) => Number(joined(each))),
        wrong: weightedMean(all, (each) => Number(joined(each) && !each.right)),
      }
    })
    .sort((a, b) => Number(b.present) - Number(a.present) || b.right - a.right)
}

function fitTable(rows: readonly Fit[]): Table {
  return {
    head: ['constants', 'intercept', 'cosine', 'words', 'stands out', 'runner-up', 'size', 'Brier'],
    rows: rows.map(({ name, intercept, cosine, lexical, standsOut, runnerUpShare, size, brier: score }) => [
      name,
      ...[intercept, cosine, lexical, standsOut, runnerUpShare, size].map((each) => each.toFixed(2)),
      score.toFixed(4),
    ]),
  }
}

function reliabilityTable(bins: ConfidenceData['bins'][number]['bins']): Table {
  return {
    head: ['probability said', 'matches', 'mean said', 'right'],
    rows: bins.map(({ from, matches, said, right }) => [
      `${from.toFixed(1)}–${(from + 0.1).toFixed(1)}`,
      String(matches),
      percent(said),
      percent(right),
    ]),
  }
}

function kindTable(rows: readonly KindRow[]): Table {
  return {
    head: ['memory', 'described by', 'its block is', 'asked', 'right', 'said', 'joined', 'wrongly'],
    rows: rows.map(({ where, kind, present, asked, right, said, joined, wrong }) => [
      where,
      kind,
      present ? 'there' : 'missing',
      String(asked),
      ...[right, said, joined, wrong].map(percent),
    ]),
    textColumns: 3,
  }
}
