import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { dot } from '../../src/index/columns.ts'
import { type Bench, fileFlag } from '../lib/bench.ts'
import { type SharedEmbedder, sharedMiniLm, shareEmbedder } from '../lib/embedders.ts'
import { readData } from '../lib/files.ts'
import { createRandom } from '../lib/random.ts'
import { quantile } from '../lib/statistics.ts'
import type { Part } from '../lib/table.ts'
import { loadConversations } from '../locomo/loader.ts'

/** The cosines of pairs of one kind with one embedder, by percentile. */
interface Row {
  readonly embedder: string
  readonly pairs: string
  readonly count: number
  readonly percentiles: readonly number[]
}

/** Turns of other sessions that each turn is compared with. */
const OTHERS_PER_TURN = 5
const PERCENTILES = [5, 25, 50, 75, 95, 99]
const NAMES = ['MiniLM', 'hashing']

export const edges: Bench = {
  name: 'edges',
  summary: 'how alike texts are that belong together or do not, on which thresholds of the graph are set',
  flags: {
    data: fileFlag('Also the turns of this file in LoCoMo format; it is read where it lies and never copied'),
  },
  run: async ({ data: file }, log): Promise<readonly Row[]> => {
    const rows: Row[] = []
    for (const [i, embedder] of [sharedMiniLm(), shareEmbedder(createHashingEmbedder())].entries()) {
      log(`embedding with ${embedder.model}`)
      const classes = {
        ...(await ownClasses(embedder)),
        ...(typeof file === 'string' && (await turnClasses(embedder, file))),
      }
      for (const [pairs, cosines] of Object.entries(classes))
        rows.push({
          ...{ embedder: NAMES[i] ?? '', pairs, count: cosines.length },
          percentiles: PERCENTILES.map((share) => quantile(cosines, share / 100)),
        })
    }
    return rows
  },
  present: (rows: readonly Row[]): readonly Part[] => {
    const cells = rows.map(({ embedder, pairs, count, percentiles }) => [
      ...[embedder, pairs, count.toLocaleString('en')],
      ...percentiles.map((cosine) => cosine.toFixed(2).replace('-', '−')),
    ])
    const head = ['embedder', 'pairs', 'n', ...PERCENTILES.map((share) => `${share} %`)]
    return [{ name: 'cosines', body: { head, rows: cells, textColumns: 2 } }]
  },
}

/** Returns cosines of unrelated notes, of statements on one topic, and of facts said twice. */
async function ownClasses(embedder: SharedEmbedder): Promise<Record<string, number[]>> {
  const notes = await embedder.vectorsOf(readData<readonly string[]>('notes.json'))
  const topics = readData<readonly { readonly statements: readonly string[] }[]>('related-notes.json')
  const restated = readData<readonly { readonly one: string; readonly other: string }[]>('restatements.json')
  const within = async (groups: readonly (readonly string[])[]) => {
    const cosines: number[] = []
    for (const group of groups) cosines.push(...allPairs(await embedder.vectorsOf(group)))
    return cosines
  }
  return {
    'two notes': allPairs(notes),
    'one topic': await within(topics.map(({ statements }) => statements)),
    restated: await within(restated.map(({ one, other }) => [one, other])),
  }
}

/** Returns the cosines of all pairs. */
function allPairs(vectors: readonly Float32Array[]): number[] {
  return vectors.flatMap((one, i) => vectors.slice(i + 1).map((other) => dot(one, other)))
}

/** Compares turns that follow each other, and turns of different sessions of the same people. */
async function turnClasses(embedder: SharedEmbedder, path: string): Promise<Record<string, number[]>> {
  const random = createRandom(7)
  const [next, other]: [number[], number[]] = [[], []]
  for (const { turns } of loadConversations(path)) {
    const vectors: Float32Array[][] = []
    for (const session of Map.groupBy(turns, (turn) => turn.session).values())
      vectors.push(await embedder.vectorsOf(session.map(({ content }) => content)))
    for (const session of vectors) {
      const elsewhere = vectors.filter((each) => each !== session && each.length > 0)
      session.forEach((vector, i) => {
        const following = session[i + 1]
        if (following) next.push(dot(vector, following))
        for (let n = 0; n < OTHERS_PER_TURN && elsewhere.length > 0; n++)
          other.push(dot(vector, random.pick(random.pick(elsewhere))))
      })
    }
  }
  return { 'next turn': next, "other session's turn": other }
}
