import { join } from 'node:path'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { dot } from '../../src/index/columns.ts'
import { openMemory } from '../../src/index.ts'
import type { Bench } from '../lib/bench.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { fixedClock } from '../lib/fixed-clock.ts'
import { type Part, textOf } from '../lib/part.ts'
import { type SharedEmbedder, shareEmbedder } from '../lib/shared-embedder.ts'
import { bootstrap, type Interval, mean } from '../lib/statistics.ts'
import { percent, type Table } from '../lib/table.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import {
  type Corpus,
  corpora,
  loadPairs,
  PAIR_SETS,
  type Pair,
  type PairSet,
  type Placed,
} from './corpora.ts'

const TOP_K = 20

interface Answer {
  /** Texts, best first. */
  readonly ranked: readonly string[]
  /** Recall finds nothing that surely bears on the question. */
  readonly refused: boolean
}

type Ask = (question: string) => Promise<Answer>

interface Row {
  readonly pairs: PairSet
  readonly corpus: string
  readonly system: string
  readonly hit1: Interval
  readonly hit5: number
  readonly reciprocalRank: number
  readonly refused: number
}

export const paraphrases: Bench = {
  name: 'paraphrases',
  summary: 'questions that share no content word with what answers them, alone and among notes',
  flags: {},
  run: async (_, log) => {
    const embedder = shareEmbedder(createMiniLmEmbedder())
    const rows = await withTemporaryFolder(async (folder) => {
      const all: Row[] = []
      for (const set of PAIR_SETS) {
        const pairs = loadPairs(set)
        for (const [i, corpus] of corpora(pairs).entries()) {
          log(`${pairs.length} ${set} questions, ${corpus.name}: ${corpus.blocks.length} blocks`)
          const path = join(folder, `${set}-${i}.db`)
          all.push(...(await measureCorpus(corpus, { set, pairs, embedder, path })))
        }
      }
      return all
    })
    const data = { rows }
    return { report: textOf(partsOf(data)), data }
  },
  present: partsOf,
}

function partsOf({ rows }: { readonly rows: readonly Row[] }): readonly Part[] {
  return [{ name: 'systems', body: rowsTable(rows) }]
}

function rowsTable(rows: readonly Row[]): Table {
  return {
    head: ['questions', 'blocks', 'ranked by', 'hit@1', '95 %', 'hit@5', 'MRR', 'refused'],
    rows: rows.map(({ pairs, corpus, system, hit1, hit5, reciprocalRank, refused }) => [
      pairs,
      corpus,
      system,
      percent(hit1.mean),
      `${percent(hit1.low)}–${percent(hit1.high)}`,
      percent(hit5),
      percent(reciprocalRank),
      String(refused),
    ]),
    textColumns: 3,
  }
}

async function measureCorpus(
  corpus: Corpus,
  {
    set,
    pairs,
    embedder,
    path,
  }: { set: PairSet; pairs: readonly Pair[]; embedder: SharedEmbedder; path: string },
): Promise<Row[]> {
  await remember(path, corpus.blocks, embedder)
  const judgeAs = (system: string, ask: Ask) => judge(corpus, system, { set, pairs, ask })
  const ours = await withMemory(path, embedder, (ask) => judgeAs('elfmem', ask))
  const words = await withMemory(path, { ...embedder, model: 'none' }, (ask) => judgeAs('words only', ask))
  const cosine = await judgeAs('plain cosine', await askCosine(corpus.blocks, embedder))
  return [ours, cosine, words]
}

async function remember(path: string, blocks: readonly Placed[], embedder: SharedEmbedder): Promise<void> {
  await using memory = await openMemory(path, { embedder, clock: fixedClock, config: {} })
  for (const { text, session } of blocks) await memory.remember({ content: text, session })
  await dreamAll(memory)
}

async function withMemory<T>(
  path: string,
  embedder: Pick<SharedEmbedder, 'model' | 'dimensions' | 'embed' | 'close'>,
  work: (ask: Ask) => Promise<T>,
): Promise<T> {
  await using memory = await openMemory(path, { embedder, clock: fixedClock, config: {} })
  return await work(async (query) => {
    const { blocks, match } = await memory.recall({
      query,
      topK: TOP_K,
      reinforce: false,
      minStrength: 0,
      tokenBudget: 1_000_000,
    })
    return { ranked: blocks.map(({ content }) => content), refused: match === 'nothing' }
  })
}

async function askCosine(blocks: readonly Placed[], embedder: SharedEmbedder): Promise<Ask> {
  const vectors = await embedder.vectorsOf(blocks.map(({ text }) => text))
  return async (question) => {
    const [vector] = (await embedder.vectorsOf([question])) as [Float32Array]
    const ranked = blocks
      .map(({ text }, i) => ({ text, score: dot(vector, vectors[i] as Float32Array) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, TOP_K)
      .map(({ text }) => text)
    return { ranked, refused: false }
  }
}

async function judge(
  { name }: Corpus,
  system: string,
  { set, pairs, ask }: { readonly set: PairSet; readonly pairs: readonly Pair[]; readonly ask: Ask },
): Promise<Row> {
  const places: number[] = []
  let refused = 0
  for (const { block, question } of pairs) {
    const answer = await ask(question)
    if (answer.refused) refused++
    places.push(answer.ranked.indexOf(block) + 1)
  }
  return {
    ...{ pairs: set, corpus: name, system, refused },
    hit1: bootstrap(places.map((place) => (place === 1 ? 1 : 0))),
    hit5: mean(places.map((place) => (place >= 1 && place <= 5 ? 1 : 0))),
    reciprocalRank: mean(places.map((place) => (place === 0 ? 0 : 1 / place))),
  }
}
