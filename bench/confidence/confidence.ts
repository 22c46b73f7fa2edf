import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { ANSWERED, ANSWERED_BY_STRENGTH } from '../../src/engine/embedding.ts'
import { type ProbabilityConstants, probabilityOf } from '../../src/index/rank.ts'
import type { Bench } from '../lib/bench.ts'
import { type Part, textOf } from '../lib/part.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { percent } from '../lib/table.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { type Answered, answersOfConversations, answersOfNotes, weighAnswers } from './answers.ts'
import { brier, fitConstants, reliability, type Term } from './fit.ts'

const STRENGTH_TERMS: readonly Term[] = ['intercept', 'standsOut', 'size']

interface Fit extends ProbabilityConstants {
  readonly name: string
  readonly brier: number
}

interface ConfidenceData {
  readonly asked: number
  readonly fits: readonly Fit[]
  readonly bins: ReturnType<typeof reliability>
}

export const confidence: Bench = {
  name: 'confidence',
  summary: 'the constants of the probability of an answer, fitted again and as shipped',
  flags: {
    data: { type: 'string', place: 'FILE', description: 'Questions of this file in LoCoMo format' },
    notes: { type: 'string', place: 'FILE', description: 'Notes asked in other words, as `notes` does' },
  },
  run: async ({ data, notes }, log) => {
    const file = typeof data === 'string' ? data : undefined
    if (file === undefined && typeof notes !== 'string')
      throw new Error('--data FILE or --notes FILE is needed: questions to fit to')
    const embedder = shareEmbedder(createMiniLmEmbedder())
    return withTemporaryFolder(async (folder) => {
      const surroundings = { folder, embedder, log }
      return report([
        ...(typeof notes === 'string' ? await answersOfNotes(notes, file, surroundings) : []),
        ...(file === undefined ? [] : await answersOfConversations(file, surroundings)),
      ])
    })
  },
  present: partsOf,
}

function report(answered: readonly Answered[]) {
  const questions = weighAnswers(answered)
  const fitOf = (name: string, constants: ProbabilityConstants): Fit => ({
    ...{ name, ...constants, brier: brier(questions, constants) },
  })
  const data: ConfidenceData = {
    asked: answered.length,
    fits: [
      fitOf('fitted', fitConstants(questions, ANSWERED.runnerUpShare)),
      fitOf('shipped', ANSWERED),
      fitOf('by strength, fitted', fitConstants(questions, 0, STRENGTH_TERMS)),
      fitOf('by strength, shipped', ANSWERED_BY_STRENGTH),
    ],
    bins: reliability(questions, ({ evidence }) => probabilityOf(evidence, ANSWERED)),
  }
  return { report: textOf(partsOf(data)), data }
}

/** The tables of a result. */
function partsOf({ asked, fits, bins }: ConfidenceData): readonly Part[] {
  return [
    {
      name: 'answered',
      title: `${asked} questions: the first five blocks hold the answer`,
      body: {
        head: ['constants', 'intercept', 'cosine', 'words', 'stands out', 'runner-up', 'size', 'Brier'],
        rows: fits.map(
          ({ name, intercept, cosine, lexical, standsOut, runnerUpShare, size, brier: score }) => [
            name,
            ...[intercept, cosine, lexical, standsOut, runnerUpShare, size].map((each) => each.toFixed(2)),
            score.toFixed(4),
          ],
        ),
      },
    },
    {
      name: 'bins-answers',
      title: 'The shipped constants',
      body: {
        head: ['probability said', 'matches', 'mean said', 'right'],
        rows: bins.map(({ from, matches, said, right }) => [
          `${from.toFixed(1)}–${(from + 0.1).toFixed(1)}`,
          String(matches),
          percent(said),
          percent(right),
        ]),
      },
    },
  ]
}
