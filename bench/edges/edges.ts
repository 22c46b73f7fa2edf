import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { dot } from '../../src/index/columns.ts'
import type { Bench } from '../lib/bench.ts'
import { readData } from '../lib/data.ts'
import { type Part, textOf } from '../lib/part.ts'
import { createRandom } from '../lib/random.ts'
import { type SharedEmbedder, shareEmbedder } from '../lib/shared-embedder.ts'
import { leastShare, quantile } from '../lib/statistics.ts'
import { percent } from '../lib/table.ts'
import { loadConversations } from '../locomo/loader.ts'

/** A text and what it is about; two texts belong together if that is the same. */
interface Text {
  readonly text: string
  readonly group: string
}

interface Placed {
  readonly vector: Float32Array
  readonly group: string
}

/** Two texts that may be joined. */
interface Pair {
  readonly cosine: number
  readonly related: boolean
}

/** What was measured with one embedder. */
interface Measured {
  readonly embedder: string
  /** The cosines of pairs of one kind, by percentile. */
  readonly classes: readonly {
    readonly name: string
    readonly pairs: number
    readonly percentiles: number[]
  }[]
  readonly lines: readonly Line[]
}

/** All pairs of the bench's own texts, and each text with its best neighbour, from a cosine on. */
interface Line {
  readonly line: number
  readonly pairs: number
  /** Share of the pairs that belong together, and the least it may be (95 %). */
  readonly related: number
  readonly relatedAtLeast: number
  /** Texts that have such a neighbour, and the share of them that belong together with it. */
  readonly joined: number
  readonly right: number
}

/** Turns of other sessions that each turn is compared with. */
const OTHERS_PER_TURN = 5
const PERCENTILES = [1, 5, 25, 50, 75, 95, 99]
const LINES = Array.from({ length: 15 }, (_, i) => 0.2 + i * 0.05)

export const edges: Bench = {
  name: 'edges',
  summary: 'how alike texts are that belong together or do not, and which edges similarity makes of them',
  flags: {
    data: {
      type: 'string',
      place: 'FILE',
      description: 'Also the turns of this file in LoCoMo format; it is read where it lies and never copied',
    },
  },
  run: async ({ data: file }, log) => {
    const sessions = typeof file === 'string' ? loadSessions(file) : []
    const data: Measured[] = []
    for (const embedder of [shareEmbedder(createMiniLmEmbedder()), shareEmbedder(createHashingEmbedder())]) {
      log(`embedding with ${embedder.model}`)
      data.push(await measure(embedder, sessions))
    }
    return { report: textOf(partsOf(data)), data }
  },
  present: partsOf,
}

/** The sessions of every conversation of a file, each a list of turns. */
function loadSessions(path: string): readonly (readonly string[])[][] {
  return loadConversations(path).map(({ turns }) => {
    const sessions = Map.groupBy(turns, ({ session }) => session)
    return [...sessions.values()].map((each) => each.map(({ content }) => content))
  })
}

async function measure(
  embedder: SharedEmbedder,
  sessions: readonly (readonly (readonly string[])[])[],
): Promise<Measured> {
  const place = async (texts: readonly Text[]): Promise<Placed[]> => {
    const vectors = await embedder.vectorsOf(texts.map(({ text }) => text))
    return texts.map(({ group }, i) => ({ group, vector: vectors[i] as Float32Array }))
  }
  // A note is taken to be about nothing that any other text is about.
  const notes = await place(
    readData<readonly string[]>('notes.json').map((text, i) => ({ text, group: `note ${i}` })),
  )
  const topics = readData<readonly { about: string; statements: string[] }[]>('related-notes.json')
  const statements = await place(
    topics.flatMap(({ about, statements: all }) => all.map((text) => ({ text, group: about }))),
  )
  const pairs = readData<readonly { one: string; other: string }[]>('restatements.json')
  const restated = await place(
    pairs.flatMap(({ one, other }, i) => [one, other].map((text) => ({ text, group: `restatement ${i}` }))),
  )
  const cosinesOf = (texts: readonly Placed[], related: boolean) =>
    allPairs(texts).flatMap((pair) => (pair.related === related ? [pair.cosine] : []))
  const classes: Readonly<Record<string, number[]>> = {
    'two notes': cosinesOf(notes, false),
    'one topic': cosinesOf(statements, true),
    restated: cosinesOf(restated, true),
    ...(sessions.length > 0 ? await turnClasses(embedder, sessions) : {}),
  }
  const [all, best] = [allPairs([...notes, ...statements, ...restated]), bestOf([...notes, ...statements])]
  return {
    embedder: embedder.model,
    classes: Object.entries(classes).map(([name, cosines]) => ({
      name,
      pairs: cosines.length,
      percentiles: PERCENTILES.map((share) => quantile(cosines, share / 100)),
    })),
    lines: LINES.map((line) => lineOf(line, all, best)),
  }
}

/** Every pair of the texts once. */
function allPairs(texts: readonly Placed[]): Pair[] {
  return texts.flatMap((one, i) => texts.slice(i + 1).map((other) => pairOf(one, other)))
}

/** Each text with the one most like it. */
function bestOf(texts: readonly Placed[]): Pair[] {
  return texts.map((one) =>
    texts
      .filter((other) => other !== one)
      .map((other) => pairOf(one, other))
      .reduce((best, pair) => (pair.cosine > best.cosine ? pair : best)),
  )
}

function pairOf(one: Placed, other: Placed): Pair {
  return { cosine: dot(one.vector, other.vector), related: one.group === other.group }
}

function lineOf(line: number, all: readonly Pair[], best: readonly Pair[]): Line {
  const [above, joined] = [all, best].map((pairs) => pairs.filter(({ cosine }) => cosine >= line)) as [
    Pair[],
    Pair[],
  ]
  const relatedOf = (pairs: readonly Pair[]) => pairs.filter(({ related }) => related).length
  return {
    line,
    pairs: above.length,
    related: relatedOf(above) / Math.max(1, above.length),
    relatedAtLeast: leastShare(relatedOf(above), above.length),
    joined: joined.length,
    right: relatedOf(joined) / Math.max(1, joined.length),
  }
}

/** Turns that follow each other, and turns of different sessions of the same people. */
async function turnClasses(
  embedder: SharedEmbedder,
  conversations: readonly (readonly (readonly string[])[])[],
): Promise<Record<string, number[]>> {
  const random = createRandom(7)
  const next: number[] = []
  const other: number[] = []
  for (const sessions of conversations) {
    const vectors: Float32Array[][] = []
    for (const session of sessions) vectors.push(await embedder.vectorsOf(session))
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

function partsOf(measured: readonly Measured[]): readonly Part[] {
  return [
    {
      name: 'cosines',
      title: 'Cosines, by percentile',
      body: {
        head: ['embedder', 'pairs', 'n', ...PERCENTILES.map((share) => `${share} %`)],
        rows: measured.flatMap(({ embedder, classes }) =>
          classes.map(({ name, pairs, percentiles }) => [
            ...[embedder, name, pairs.toLocaleString('en')],
            ...percentiles.map((cosine) => cosine.toFixed(2)),
          ]),
        ),
        textColumns: 2,
      },
    },
    {
      name: 'lines',
      title: 'All pairs, and best neighbours, from a cosine on',
      body: {
        head: ['embedder', 'cosine', 'pairs', 'related, %', 'at least', 'best neighbours', 'related, %'],
        rows: measured.flatMap(({ embedder, lines }) =>
          lines.map(({ line, pairs, related, relatedAtLeast, joined, right }) => [
            ...[embedder, line.toFixed(2), String(pairs), percent(related), percent(relatedAtLeast)],
            ...[String(joined), percent(right)],
          ]),
        ),
      },
    },
  ]
}
