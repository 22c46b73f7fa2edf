import { ANSWERED, ANSWERED_BY_STRENGTH } from '../../src/engine/embedding.ts'
import { type ProbabilityConstants, probabilityOf } from '../../src/index/rank.ts'
import { type Bench, fileFlag } from '../lib/bench.ts'
import { sharedMiniLm } from '../lib/embedders.ts'
import { type Part, percent } from '../lib/table.ts'
import { type Answered, answersOfConversations, answersOfNotes, weighAnswers } from './answers.ts'
import { type Bin, brier, fitConstants, reliability, TERMS } from './fit.ts'

interface ConfidenceData {
  readonly asked: number
  readonly fits: readonly (ProbabilityConstants & { readonly name: string; readonly brier: number })[]
  readonly bins: readonly Bin[]
}

export const confidence: Bench = {
  name: 'confidence',
  summary: 'the constants of the probability of an answer, fitted again and as shipped',
  flags: {
    data: fileFlag('Conversations in LoCoMo format'),
    notes: fileFlag('JSON with notes asked in other words, and negatives'),
  },
  run: async ({ data, notes }, log): Promise<ConfidenceData> => {
    const file = typeof data === 'string' ? data : undefined
    const embedder = sharedMiniLm()
    const answered: Answered[] = []
    if (typeof notes === 'string') answered.push(...(await answersOfNotes(notes, file, { embedder, log })))
    if (file !== undefined) answered.push(...(await answersOfConversations(file, { embedder, log })))
    const questions = weighAnswers(answered)
    const fitOf = (name: string, constants: ProbabilityConstants) => ({
      ...{ name, ...constants, brier: brier(questions, constants) },
    })
    return {
      asked: answered.length,
      fits: [
        fitOf('fitted', fitConstants(questions, ANSWERED.runnerUpShare)),
        fitOf('shipped', ANSWERED),
        fitOf('by strength, fitted', fitConstants(questions, 0, ['intercept', 'standsOut', 'size'])),
        fitOf('by strength, shipped', ANSWERED_BY_STRENGTH),
      ],
      bins: reliability(questions, ({ evidence }) => probabilityOf(evidence, ANSWERED)),
    }
  },
  present: ({ asked, fits, bins }: ConfidenceData): readonly Part[] => [
    {
      name: 'answered',
      title: `${asked} questions: the first five blocks hold the answer`,
      body: {
        head: ['constants', ...TERMS, 'runner-up', 'Brier'],
        rows: fits.map((fit) => [
          ...[fit.name, ...[...TERMS, 'runnerUpShare' as const].map((term) => fit[term].toFixed(2))],
          fit.brier.toFixed(4),
        ]),
      },
    },
    {
      name: 'bins',
      title: 'The shipped constants',
      body: {
        head: ['probability said', 'matches', 'mean said', 'right'],
        rows: bins.map(({ from, matches, said, right }) => [
          ...[`${from.toFixed(1)}–${(from + 0.1).toFixed(1)}`, String(matches)],
          ...[percent(said), percent(right)],
        ]),
      },
    },
  ],
}
