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
import { askOverMcp, type ServedRow, servedTable } from './over-mcp.ts'

const TOP_K = 20

/** A ranked block with what it was ranked by. */
interface Ranked {
  readonly text: string
  readonly score: number
  readonly cosine?: number
  readonly lexical?: number
}

interface Answer {
  readonly ranked: readonly Ranked[]
  /** Recall finds nothing that surely bears on the question. */
  readonly refused: boolean
}

type Ask = (question: string) => Promise<Answer>

/** A block that did not come first, with those before it. */
interface Miss {
  readonly question: string
  readonly expected: string
  /** 1 is first; 0 when it is not among the first 20. */
  readonly place: number
  /** The same for plain cosine: 1 says that the embedder knew, and the ranking lost it. */
  readonly cosinePlace: number
  readonly own?: Ranked
  readonly above: readonly Ranked[]
}

interface Row {
  readonly pairs: PairSet
  readonly corpus: string
  readonly system: string
  readonly hit1: Interval
  readonly hit5: number
  readonly reciprocalRank: number
  readonly refused: number
  readonly misses: readonly Miss[]
}

export const paraphrases: Bench = {
  name: 'paraphrases',
  summary: 'questions that share no content word with what answers them, alone and among notes',
  flags: { misses: { type: 'boolean', description: 'Print every miss with what came before it' } },
  run: async (flags, log) => {
    const embedder = shareEmbedder(createMiniLmEmbedder())
    const { rows, served } = await withTemporaryFolder(async (folder) => {
      const all: Row[] = []
      const overMcp: ServedRow[] = []
      for (const set of PAIR_SETS) {
        const pairs = loadPairs(set)
        log(`${pairs.length} ${set} questions over MCP`)
        overMcp.push(await askOverMcp(pairs, { set, path: join(folder, `${set}.db`), home: folder }))
        for (const [i, corpus] of corpora(pairs).entries()) {
          log(`${pairs.length} ${set} questions, ${corpus.name}: ${corpus.blocks.length} blocks`)
          const path = join(folder, `${set}-${i}.db`)
          all.push(...(await measureCorpus(corpus, { set, pairs, embedder, path })))
        }
      }
      return { rows: all, served: overMcp }
    })
    const data: ParaphrasesData = { rows: rows.map(({ misses, ...row }) => row), served }
    const text = [textOf(partsOf(data))]
    if (flags.misses === true) text.push(...rows.filter(({ system }) => system === 'elfmem').map(missText))
    return { report: text.join('\n\n'), data: flags.misses === true ? { rows, served } : data }
  },
  present: partsOf,
}

interface ParaphrasesData {
  readonly rows: readonly Omit<Row, 'misses'>[]
  /** Absent in results of before it was measured. */
  readonly served?: readonly ServedRow[]
}

function partsOf({ rows, served }: ParaphrasesData): readonly Part[] {
  return [
    { name: 'systems', body: rowsTable(rows) },
    ...(served ? [{ name: 'served', title: 'Served over MCP', body: servedTable(served) }] : []),
  ]
}

function rowsTable(rows: ParaphrasesData['rows']): Table {
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
  const askPlain = await askCosine(corpus.blocks, embedder)
  const judgeAs = (system: string, ask: Ask) => judge(corpus, system, { set, pairs, ask, askPlain })
  const ours = await withMemory(path, embedder, (ask) => judgeAs('elfmem', ask))
  const words = await withMemory(path, { ...embedder, model: 'none' }, (ask) => judgeAs('words only', ask))
  const cosine = await judgeAs('plain cosine', askPlain)
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
      explain: true,
    })
    return {
      ranked: blocks.map(({ content, score, explanation }) => ({
        text: content,
        score,
        ...(explanation?.match
          ? { cosine: explanation.match.cosine, lexical: explanation.match.lexical }
          : {}),
      })),
      refused: match === 'nothing',
    }
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
    return { ranked, refused: false }
  }
}

async function judge(
  corpus: Corpus,
  system: string,
  {
    set,
    pairs,
    ask,
    askPlain,
  }: { readonly set: PairSet; readonly pairs: readonly Pair[]; readonly ask: Ask; readonly askPlain: Ask },
): Promise<Row> {
  const places: number[] = []
  const misses: Miss[] = []
  let refused = 0
  for (const { block, question } of pairs) {
    const answer = await ask(question)
    if (answer.refused) refused++
    const place = placeOf(block, answer)
    places.push(place)
    if (place === 1) continue
    const cosinePlace = placeOf(block, await askPlain(question))
    misses.push(missOf({ block, question }, answer.ranked, { place, cosinePlace }))
  }
  return {
    pairs: set,
    corpus: corpus.name,
    system,
    hit1: bootstrap(places.map((place) => (place === 1 ? 1 : 0))),
    hit5: mean(places.map((place) => (place >= 1 && place <= 5 ? 1 : 0))),
    reciprocalRank: mean(places.map((place) => (place === 0 ? 0 : 1 / place))),
    refused,
    misses,
  }
}

function placeOf(block: string, { ranked }: Answer): number {
  return ranked.findIndex(({ text }) => text === block) + 1
}

function missOf(
  { block, question }: Pair,
  ranked: readonly Ranked[],
  { place, cosinePlace }: Pick<Miss, 'place' | 'cosinePlace'>,
): Miss {
  const own = ranked[place - 1]
  return {
    question,
    expected: block,
    place,
    cosinePlace,
    ...(own ? { own } : {}),
    above: ranked.slice(0, place === 0 ? 3 : Math.min(place - 1, 3)),
  }
}

function missText({ pairs, corpus, misses }: Row): string {
  const show = ({ text, score, cosine, lexical }: Ranked) =>
    `${score.toFixed(3)}${cosine === undefined ? '' : ` (cosine ${cosine.toFixed(3)}, words ${(lexical ?? 0).toFixed(3)})`}  ${text}`
  const each = misses.map(({ question, expected, place, cosinePlace, own, above }) =>
    [
      `? ${question}`,
      `  wanted, at ${place || 'none'}, by plain cosine at ${cosinePlace || 'none'}: ${own ? show(own) : expected}`,
      ...above.map((ranked) => `  before it: ${show(ranked)}`),
    ].join('\n'),
  )
  const lost = misses.filter(({ cosinePlace }) => cosinePlace === 1).length
  return [
    `${pairs} questions, ${corpus}: ${misses.length} misses, of which plain cosine has ${lost} first and misses ${misses.length - lost}`,
    ...each,
  ].join('\n')
}
