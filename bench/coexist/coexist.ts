import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import type { Embedder } from '../../src/ports/embedder.ts'
import { type Answer, answerOf, type ChangeShown, changeShown, marksIn } from '../lib/answer.ts'
import { type Bench, listOf } from '../lib/bench.ts'
import { type ByDate, type Named, rememberByDate } from '../lib/by-date.ts'
import { add, type Counts, total } from '../lib/counts.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { table } from '../lib/table.ts'
import { pairCounts, placeIn } from './pair-places.ts'
import { eachPair, readStores, type Store } from './stores.ts'

/** Settings under which the ranking alone orders an answer: nothing is guessed about versions. */
const RANKING_ALONE = { recall: { groupVersions: false }, conflicts: { rules: false } }
/** How a line says that its entry may be the newer version of another. */
const PERHAPS_NEWER = 'perhaps newer than'

interface Row {
  readonly store: string
  /** All notes in one memory, or each pair in a memory of its own. */
  readonly way: 'pooled' | 'each' | 'both ways'
  readonly counts: Counts
}

export const coexist: Bench = {
  name: 'coexist',
  summary: 'facts that read alike and both hold: folded, cut or behind each other (--data FILE,FILE)',
  flags: {
    data: { type: 'string', place: 'FILE', description: 'Comma-separated JSON files with stores or pairs' },
  },
  run: async (flags, log) => {
    const stores = listOf(flags, 'data').flatMap(readStores)
    if (stores.length === 0) return { report: 'skipped: no --data FILE', data: [] }
    const embedder = shareEmbedder(createMiniLmEmbedder())
    const rows: Row[] = []
    for (const store of stores) {
      rows.push({ store: store.name, way: 'pooled', counts: await countsOf(store, embedder) })
      const each: Counts[] = []
      for (const pair of eachPair(store)) each.push(await countsOf(pair, embedder))
      if (each.length > 0) rows.push({ store: store.name, way: 'each', counts: total(each) })
      log(`${store.name} done`)
    }
    const all: Row = { store: 'all', way: 'both ways', counts: total(rows.map(({ counts }) => counts)) }
    return { report: reportOf([...rows, all]), data: [...rows, all] }
  },
}

/** Asks every question of a store as the product answers, and of the ranking alone. */
async function countsOf(store: Store, embedder: Embedder): Promise<Counts> {
  const product = await rememberByDate(store.notes, { embedder })
  const ranking = await rememberByDate(store.notes, { embedder, config: RANKING_ALONE })
  const counts = namedLive(store, product)
  try {
    for (const { q, ...question } of store.questions) {
      const asked = { query: q, reinforce: false }
      const result = await product.memory.recall(asked)
      const answer = answerOf(result)
      if (question.kind === 'chain') {
        const [current, outdated] = [product.idOf(question.current), question.outdated.map(product.idOf)]
        add(counts, chainCounts(changeShown(answer, { current, outdated })))
        continue
      }
      const { a, b, ask } = question
      const placesIn = (of: Answer, { idOf }: ByDate) => ({
        a: placeIn(of, idOf(a)),
        b: placeIn(of, idOf(b)),
      })
      const alone = answerOf(await ranking.memory.recall(asked))
      add(counts, pairCounts(ask, placesIn(answer, product), placesIn(alone, ranking)))
      const pair = [product.idOf(a), product.idOf(b)]
      const marks = marksIn(result, answer, PERHAPS_NEWER)
      add(counts, {
        marked: Number(marks.some(({ entry, names }) => [entry, names].every((id) => pair.includes(id)))),
      })
    }
  } finally {
    await Promise.all([product.memory.close(), ranking.memory.close()])
  }
  return counts
}

function chainCounts({ isFirst, isPresent, isStaleAlone }: ChangeShown): Counts {
  return {
    changes: 1,
    'newest first': Number(isFirst),
    'newest present': Number(isPresent),
    'stale alone': Number(isStaleAlone),
  }
}

/** Counts blocks that hold and that `mayReplace` named as older, and pairs that both hold of which it named one. */
function namedLive({ questions }: Store, { named, idOf }: ByDate): Counts {
  const outdated = questions.flatMap((each) => (each.kind === 'chain' ? each.outdated.map(idOf) : []))
  const live = (way: keyof ByDate['named']) => named[way].filter(({ older }) => !outdated.includes(older))
  const olderOf = (pairs: readonly Named[]) => new Set(pairs.map(({ older }) => older)).size
  const both = [...live('remember'), ...live('dream')]
  const pairs = questions.flatMap((each) =>
    each.kind === 'both' ? [[idOf(each.a), idOf(each.b)].sort()] : [],
  )
  const namedPairs = new Set(both.map(({ newer, older }) => [newer, older].sort().join()))
  return {
    'live named at remember': olderOf(live('remember')),
    'live named at dream': olderOf(live('dream')),
    'live named': olderOf(both),
    'pairs named': new Set(pairs.map((pair) => pair.join()).filter((pair) => namedPairs.has(pair))).size,
  }
}

/** One row for each count and one column for each store and way. */
function reportOf(rows: readonly Row[]): string {
  const names = Object.keys(rows.at(-1)?.counts ?? {})
  return table(
    ['', ...rows.map(({ store, way }) => (way === 'pooled' ? store : `${store}, ${way}`))],
    names.map((name) => [name, ...rows.map(({ counts }) => String(counts[name] ?? '–'))]),
  )
}
