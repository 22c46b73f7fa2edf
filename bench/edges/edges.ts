import { createHashingEmbedder } from '../../src/adapters/embed/hashing.ts'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { dot } from '../../src/index/columns.ts'
import type { Bench } from '../lib/bench.ts'
import { createRandom } from '../lib/random.ts'
import { type SharedEmbedder, shareEmbedder } from '../lib/shared-embedder.ts'
import { allPairs, bestNeighbours, type Placed } from './pairs.ts'
import { type Measured, type PairClass, report } from './report.ts'
import { loadSessions, loadTexts, type Text, type Texts } from './texts.ts'

/** Turns of other sessions that each turn is compared with. */
const OTHERS_PER_TURN = 5

export const edges: Bench = {
  name: 'edges',
  summary: 'how alike texts are that belong together or do not, and which edges similarity makes of them',
  flags: {
    data: {
      type: 'string',
      place: 'FILE',
      description: 'Also the turns of this file in LoCoMo format; it is read where it lies and never copied',
    },
    wrong: { type: 'boolean', description: 'Print the best neighbours that are not about the same' },
  },
  run: async ({ data, wrong }, log) => {
    const texts = loadTexts()
    const conversations = typeof data === 'string' ? loadSessions(data) : []
    const embedders = [shareEmbedder(createMiniLmEmbedder()), shareEmbedder(createHashingEmbedder())]
    const measured: Measured[] = []
    for (const embedder of embedders) {
      log(`embedding with ${embedder.model}`)
      measured.push(await measure(embedder, texts, conversations))
    }
    return report(measured, { showWrong: wrong === true })
  },
}

async function measure(
  embedder: SharedEmbedder,
  { notes, statements, restatements }: Texts,
  conversations: readonly (readonly (readonly string[])[])[],
): Promise<Measured> {
  const place = (texts: readonly Text[]) => placed(texts, embedder)
  const [hay, grouped, twice] = [await place(notes), await place(statements), await place(restatements)]
  const classes: PairClass[] = [
    { name: 'two notes', cosines: cosinesOf(hay, false) },
    { name: 'one topic', cosines: cosinesOf(grouped, true) },
    { name: 'restated', cosines: cosinesOf(twice, true) },
  ]
  if (conversations.length > 0) classes.push(...(await turnClasses(embedder, conversations)))
  return {
    embedder: embedder.model,
    classes,
    best: bestNeighbours([...hay, ...grouped]),
    notes: hay.length,
    texts: [...notes, ...statements].map(({ text }) => text),
    pairs: allPairs([...hay, ...grouped, ...twice]),
  }
}

async function placed(texts: readonly Text[], embedder: SharedEmbedder): Promise<Placed[]> {
  const vectors = await embedder.vectorsOf(texts.map(({ text }) => text))
  return texts.map(({ group }, i) => ({ group, vector: vectors[i] as Float32Array }))
}

function cosinesOf(texts: readonly Placed[], related: boolean): number[] {
  return allPairs(texts)
    .filter((pair) => pair.related === related)
    .map(({ cosine }) => cosine)
}

/** Turns that follow each other, and turns of different sessions of the same people. */
async function turnClasses(
  embedder: SharedEmbedder,
  conversations: readonly (readonly (readonly string[])[])[],
): Promise<PairClass[]> {
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
  return [
    { name: 'next turn', cosines: next },
    { name: "other session's turn", cosines: other },
  ]
}
