import { join } from 'node:path'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { type Bench, dataFile, namesIn, wholeNumber } from '../lib/bench.ts'
import { type Part, textOf } from '../lib/part.ts'
import { type SharedEmbedder, shareEmbedder } from '../lib/shared-embedder.ts'
import { mean } from '../lib/statistics.ts'
import { percent } from '../lib/table.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { ABLATIONS } from '../locomo/ablations.ts'
import { askCosine } from '../locomo/cosine.ts'
import { type Found, judge, meansOf } from '../locomo/metrics.ts'
import { askAll } from '../locomo/ours.ts'
import { measureServed, type Served } from '../locomo/served.ts'
import { loadPassages, type PassageFile, rememberPassages } from './store.ts'

export const passages: Bench = {
  name: 'passages',
  summary: 'questions whose evidence lies in several passages that have nothing to do with their neighbours',
  flags: {
    data: {
      type: 'string',
      place: 'FILE',
      description: 'JSON with conversations of notes and questions; read where it lies, never copied',
    },
    shuffles: {
      type: 'string',
      default: '3',
      description:
        'Orders in which the passages come, each from a seed of its own; results are means of them',
    },
    'top-k': { type: 'string', default: '20', description: 'Blocks asked for' },
    ablate: {
      type: 'string',
      description: `Comma-separated parts to switch off one at a time: ${Object.keys(ABLATIONS).join(', ')}`,
    },
  },
  run: async (flags, log) => {
    if (typeof flags.data !== 'string')
      return {
        report: 'skipped: no --data FILE with passages and questions',
        data: resultOf({ passages: [], questions: [] }, [], 1),
      }
    const file = loadPassages(dataFile(flags))
    const embedder = shareEmbedder(createMiniLmEmbedder())
    const options = {
      embedder,
      topK: wholeNumber(flags, 'top-k'),
      ablations: ['', ...namesIn(flags, 'ablate', Object.keys(ABLATIONS))],
    }
    const shuffles = wholeNumber(flags, 'shuffles')
    const measured: Measured[] = []
    await withTemporaryFolder(async (folder) => {
      for (let seed = 1; seed <= shuffles; seed++) {
        log(`shuffle ${seed} of ${shuffles}: ${file.passages.length} passages`)
        measured.push(...(await measure(file, { ...options, path: join(folder, `${seed}.db`), seed })))
      }
    })
    const data = resultOf(file, measured, shuffles)
    return { report: textOf(partsOf(data)), data }
  },
  present: partsOf,
}

const NOTHING = { summary: 'nothing is switched off' }

/** What one system found in one shuffle. */
interface Measured {
  readonly name: string
  /** One for each question, in their order. */
  readonly found: readonly Found[]
  readonly served?: Served
}

async function measure(
  file: PassageFile,
  {
    path,
    seed,
    embedder,
    topK,
    ablations,
  }: {
    readonly path: string
    readonly seed: number
    readonly embedder: SharedEmbedder
    readonly topK: number
    readonly ablations: readonly string[]
  },
): Promise<Measured[]> {
  const kept = await rememberPassages(path, file.passages, { seed, embedder })
  const measured: Measured[] = []
  for (const name of ablations) {
    const ablation = ABLATIONS[name] ?? NOTHING
    const answers = await askAll(kept, file, { embedder, topK, ablation })
    const found = file.questions.map(({ evidence }, i) => judge(answers[i]?.ranked ?? [], evidence))
    const served = await measureServed({ conversations: [file], kept: [kept], embedder }, {}, ablation)
    measured.push({ name: name === '' ? 'elfmem' : `without ${name}`, found, served })
  }
  const texts = file.passages.map(({ id, text }) => ({ text, standsFor: [id] }))
  return [
    ...measured,
    { name: 'plain cosine', found: await askCosine(texts, file.questions, { embedder, topK }) },
  ]
}

interface Row {
  readonly name: string
  readonly recall5: number
  readonly recall10: number
  readonly reciprocalRank: number
  /** Share of the questions with all evidence among the first five. */
  readonly all5: number
  /** The least and the greatest recall@10 of a shuffle. */
  readonly spread10: readonly [number, number]
  /** A caller who sets nothing; absent for plain cosine. */
  readonly served?: { readonly blocks: number; readonly recall: number; readonly isMatch: number }
}

interface HopsRow extends Pick<Row, 'recall5' | 'recall10' | 'all5'> {
  readonly evidence: number
  readonly questions: number
}

interface PassagesData {
  readonly passages: number
  readonly questions: number
  readonly shuffles: number
  readonly systems: readonly Row[]
  /** elfmem alone, by the number of passages a question needs. */
  readonly byEvidence: readonly HopsRow[]
}

function resultOf(file: PassageFile, measured: readonly Measured[], shuffles: number): PassagesData {
  const systems = Map.groupBy(measured, ({ name }) => name)
  const own = systems.get('elfmem')?.flatMap(({ found }) => found) ?? []
  const sizeOf = (i: number) => file.questions[i % file.questions.length]?.evidence.size ?? 0
  const byEvidence = Map.groupBy(
    own.map((found, i) => ({ found, size: sizeOf(i) })),
    ({ size }) => size,
  )
  return {
    passages: file.passages.length,
    questions: file.questions.length,
    shuffles,
    systems: [...systems].map(([name, runs]) => rowOf(name, runs)),
    byEvidence: [...byEvidence]
      .sort(([one], [other]) => one - other)
      .map(([evidence, all]) => ({
        evidence,
        questions: all.length / shuffles,
        ...withAll(all.map(({ found }) => found)),
      })),
  }
}

function rowOf(name: string, runs: readonly Measured[]): Row {
  const at10 = runs.map(({ found }) => meansOf(found).recall10)
  const served = runs.flatMap((run) => run.served ?? [])
  const meanOf = (key: 'evidence' | 'meanBlocks' | 'isMatch') => mean(served.map((each) => each[key] ?? 0))
  return {
    name,
    ...withAll(runs.flatMap(({ found }) => found)),
    spread10: [Math.min(...at10), Math.max(...at10)],
    ...(served.length === 0
      ? {}
      : { served: { blocks: meanOf('meanBlocks'), recall: meanOf('evidence'), isMatch: meanOf('isMatch') } }),
  }
}

/** Means, and the share of the questions with all evidence among the first five. */
function withAll(found: readonly Found[]) {
  return { ...meansOf(found), all5: mean(found.map(({ recall5 }) => (recall5 === 1 ? 1 : 0))) }
}

function partsOf({
  passages: count,
  questions,
  shuffles,
  systems,
  byEvidence,
}: PassagesData): readonly Part[] {
  return [
    { name: 'summary', body: `${count} passages, ${questions} questions, mean of ${shuffles} shuffles` },
    {
      name: 'systems',
      body: {
        head: [
          '',
          'R@5',
          'R@10',
          'MRR',
          'all in 5',
          'R@10 of the shuffles',
          'in the answer',
          'blocks',
          'match',
        ],
        rows: systems.map(({ name, recall5, recall10, reciprocalRank, all5, spread10, served }) => [
          name,
          ...[recall5, recall10, reciprocalRank, all5].map(percent),
          spread10.map(percent).join('–'),
          ...(served
            ? [percent(served.recall), served.blocks.toFixed(1), percent(served.isMatch)]
            : ['', '', '']),
        ]),
      },
    },
    {
      name: 'evidence',
      body: {
        head: ['passages needed', 'questions', 'R@5', 'R@10', 'all in 5'],
        rows: byEvidence.map(({ evidence, questions: asked, recall5, recall10, all5 }) => [
          String(evidence),
          String(asked),
          ...[recall5, recall10, all5].map(percent),
        ]),
      },
    },
  ]
}
