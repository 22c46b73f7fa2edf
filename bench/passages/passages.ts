import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, fileFlag, folderFlag, namesIn, pathIn, textFlag, wholeNumber } from '../lib/bench.ts'
import { sharedMiniLm } from '../lib/embedders.ts'
import { withTemporaryFolder } from '../lib/files.ts'
import { createRandom } from '../lib/random.ts'
import { mean } from '../lib/statistics.ts'
import { type Part, percent } from '../lib/table.ts'
import { ABLATIONS } from '../locomo/ablations.ts'
import { askAll, askAsServed, askCosine, meanServed, rememberTurns, type Served } from '../locomo/ask.ts'
import { type Found, meansOf } from '../locomo/metrics.ts'

const TOP_K = 20

/** The answers of one system. */
interface Row {
  readonly name: string
  readonly recall5: number
  readonly recall10: number
  readonly reciprocalRank: number
  /** Share of the questions with all evidence among the first five. */
  readonly all5: number
  /** The least and the greatest recall@10 of a shuffle. */
  readonly spread10: readonly [number, number]
  /** Answers to a caller who sets nothing; absent for plain cosine. */
  readonly served?: Served
}

export const passages: Bench = {
  name: 'passages',
  summary: 'questions whose evidence lies in several passages that have nothing to do with their neighbours',
  flags: {
    data: fileFlag('JSON with conversations of notes and questions; read where it lies, never copied'),
    shuffles: textFlag('Orders in which the passages come, each from a seed of its own', '3'),
    ablate: textFlag(
      `Comma-separated parts to switch off one at a time: ${Object.keys(ABLATIONS).join(', ')}`,
    ),
    cache: folderFlag('Where vectors are kept between runs'),
  },
  run: async (flags, log): Promise<readonly Row[]> => {
    const { passages: all, questions } = loadPassages(pathIn(flags))
    const names = ['', ...namesIn(flags, 'ablate', Object.keys(ABLATIONS))]
    const embedder = sharedMiniLm(flags.cache)
    const found = new Map<string, Found[][]>()
    const served = new Map<string, Served[]>()
    const add = <T>(to: Map<string, T[]>, name: string, more: T[]) =>
      to.set(name, [...(to.get(name) ?? []), ...more])
    await withTemporaryFolder(async (folder) => {
      for (let seed = 1; seed <= wholeNumber(flags, 'shuffles'); seed++) {
        log(`shuffle ${seed}: ${all.length} passages`)
        const shuffled = createRandom(seed).shuffled(all)
        const kept = await rememberTurns(join(folder, `${seed}.db`), shuffled, embedder)
        for (const each of names) {
          const [name, ablation] = [each === '' ? 'elfmem' : `without ${each}`, ABLATIONS[each]]
          const asking = { embedder, ablation, topK: TOP_K }
          add(found, name, [await askAll(kept, questions, asking)])
          add(served, name, [...(await askAsServed(kept, questions, asking))])
        }
        const texts = all.map(({ content, standsFor }) => ({ text: content, standsFor }))
        add(found, 'plain cosine', [await askCosine(texts, questions, { embedder, topK: TOP_K })])
      }
    })
    return [...found].map(([name, runs]) => rowOf(name, runs, served.get(name)))
  },
  present: (rows: readonly Row[]): readonly Part[] => {
    const cells = rows.map(({ name, served, spread10, ...row }) => [
      name,
      ...[row.recall5, row.recall10, row.reciprocalRank, row.all5].map(percent),
      spread10.map(percent).join('–'),
      ...(served ? [percent(served.evidence), served.blocks.toFixed(1), percent(served.isMatch)] : []),
    ])
    const head = [
      ...['', 'R@5', 'R@10', 'MRR', 'all in 5', 'R@10 of the shuffles'],
      ...['in the answer', 'blocks', 'match'],
    ]
    return [{ name: 'systems', body: { head, rows: cells } }]
  },
}

function rowOf(
  name: string,
  runs: readonly (readonly Found[])[],
  served: readonly Served[] | undefined,
): Row {
  const { recall5, recall10, reciprocalRank } = meansOf(runs.flat())
  const at10 = runs.map((found) => meansOf(found).recall10)
  return {
    ...{ name, recall5, recall10, reciprocalRank },
    all5: mean(runs.flat().map((each) => Number(each.recall5 === 1))),
    spread10: [Math.min(...at10), Math.max(...at10)],
    ...(served && { served: meanServed(served) }),
  }
}

/** Reads all passages of a file, each as a turn of a session of its own, and all questions. */
function loadPassages(path: string) {
  const { conversations } = JSON.parse(readFileSync(path, 'utf8')) as {
    readonly conversations: readonly {
      readonly notes: readonly { readonly id: string; readonly text: string }[]
      readonly questions: readonly { readonly text: string; readonly evidence: readonly string[] }[]
    }[]
  }
  const notes = conversations.flatMap((each) => each.notes)
  const questions = conversations.flatMap((each) => each.questions)
  return {
    passages: notes.map(({ id, text: content }) => ({ id, standsFor: [id], content, session: id })),
    questions: questions.map(({ text, evidence }) => ({ text, evidence: new Set(evidence) })),
  }
}
