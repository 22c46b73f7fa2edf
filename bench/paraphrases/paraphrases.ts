import { join } from 'node:path'
import type { Embedder } from '../../src/engine/ports.ts'
import type { Memory } from '../../src/index.ts'
import type { Bench } from '../lib/bench.ts'
import { sharedMiniLm } from '../lib/embedders.ts'
import { readData, withTemporaryFolder } from '../lib/files.ts'
import { dreamAll, openStill } from '../lib/memory.ts'
import { createRandom } from '../lib/random.ts'
import { bootstrap, type Interval, mean } from '../lib/statistics.ts'
import { type Part, percent } from '../lib/table.ts'
import { askCosine } from '../locomo/ask.ts'
import { judge } from '../locomo/metrics.ts'

/** A memory and a question it answers without sharing a content word. */
interface Pair {
  readonly block: string
  readonly question: string
}

/** Plain questions ask for just what the block says; oblique ones want a step of thought as well. */
const SETS = { plain: 'plain-paraphrases.json', oblique: 'paraphrases.json' } as const
const TOP_K = 20

interface Row {
  readonly pairs: string
  readonly corpus: string
  readonly system: string
  readonly hit1: Interval
  readonly hit5: number
  readonly reciprocalRank: number
  /** Questions that recall answers with nothing. */
  readonly refused: number
}

export const paraphrases: Bench = {
  name: 'paraphrases',
  summary: 'questions that share no content word with what answers them, alone and among notes',
  flags: {},
  run: async (_, log) => {
    const embedder = sharedMiniLm()
    const rows: Row[] = []
    for (const [set, file] of Object.entries(SETS)) {
      const pairs = readData<readonly Pair[]>(file)
      const questions = pairs.map(({ block, question }) => ({ text: question, evidence: new Set([block]) }))
      for (const { name, blocks } of corpora(pairs)) {
        log(`${set} questions, ${name}: ${blocks.length} blocks`)
        const row = (system: string, found: Found, refused = 0): Row => ({
          ...{ pairs: set, corpus: name, system, refused },
          hit1: bootstrap(found.map(({ reciprocalRank }) => Number(reciprocalRank === 1))),
          hit5: mean(found.map(({ hit5 }) => hit5)),
          reciprocalRank: mean(found.map(({ reciprocalRank }) => reciprocalRank)),
        })
        const texts = blocks.map(({ content }) => ({ text: content, standsFor: [content] }))
        const cosine = await askCosine(texts, questions, { embedder, topK: TOP_K })
        const [ours, words] = await askBoth(blocks, pairs, embedder)
        rows.push(row('elfmem', ...ours), row('plain cosine', cosine), row('words only', ...words))
      }
    }
    return rows
  },
  present: (rows: readonly Row[]): readonly Part[] => {
    const cells = rows.map(({ pairs, corpus, system, hit1, hit5, reciprocalRank, refused }) => [
      ...[pairs, corpus, system, percent(hit1.mean), `${percent(hit1.low)}–${percent(hit1.high)}`],
      ...[percent(hit5), percent(reciprocalRank), String(refused)],
    ])
    const head = ['questions', 'blocks', 'ranked by', 'hit@1', '95 %', 'hit@5', 'MRR', 'refused']
    return [{ name: 'systems', body: { head, rows: cells, textColumns: 3 } }]
  },
}

type Found = readonly ReturnType<typeof judge>[]
type Answers = readonly [found: Found, refused: number]
type Placed = readonly { readonly content: string; readonly session: string }[]

/** Returns the pairs' blocks in four surroundings: alone or among the notes, each in a session of its own or all in one. */
function corpora(pairs: readonly Pair[]): readonly { readonly name: string; readonly blocks: Placed }[] {
  const blocks = pairs.map(({ block }) => block)
  const notes = readData<readonly string[]>('notes.json')
  // Shuffled, so that in one session the neighbours of a block have nothing to do with it.
  const mixed = createRandom(480).shuffled([...blocks, ...notes])
  const apart = (texts: readonly string[]) => texts.map((content, i) => ({ content, session: `note-${i}` }))
  const packed = (texts: readonly string[]) => texts.map((content) => ({ content, session: 'one' }))
  return [
    { name: 'alone, apart', blocks: apart(blocks) },
    { name: 'alone, one session', blocks: packed(blocks) },
    { name: `among ${notes.length} notes, apart`, blocks: apart(mixed) },
    { name: `among ${notes.length} notes, one session`, blocks: packed(mixed) },
  ]
}

/** Asks a memory with the embedder, and then by words alone. */
async function askBoth(
  blocks: Placed,
  pairs: readonly Pair[],
  embedder: Embedder,
): Promise<readonly [Answers, Answers]> {
  return withTemporaryFolder(async (folder) => {
    const path = join(folder, 'memory.db')
    await using memory = await openStill(path, embedder)
    for (const block of blocks) await memory.remember(block)
    await dreamAll(memory)
    const ours = await askAll(memory, pairs)
    await using words = await openStill(path, { ...embedder, model: 'none' })
    return [ours, await askAll(words, pairs)]
  })
}

async function askAll(memory: Memory, pairs: readonly Pair[]): Promise<Answers> {
  const found: ReturnType<typeof judge>[] = []
  let refused = 0
  for (const { block, question: query } of pairs) {
    const asked = { query, topK: TOP_K, reinforce: false, minStrength: 0, tokenBudget: 1_000_000 }
    const { blocks, match } = await memory.recall(asked)
    if (match === 'nothing') refused++
    const ranked = blocks.map(({ content }) => [content])
    found.push(judge(ranked, new Set([block])))
  }
  return [found, refused]
}
