import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import type { Embedder } from '../../src/engine/ports.ts'
import { type Answer, answerOf, changeCounts, marksIn } from '../lib/answer.ts'
import { type Bench, listOf } from '../lib/bench.ts'
import { type ByDate, type Named, rememberByDate } from '../lib/by-date.ts'
import { add, type Counts, total } from '../lib/counts.ts'
import { type Part, textOf } from '../lib/part.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { eachPair, readStores, type Store } from './stores.ts'

/** Settings under which the ranking alone orders an answer: nothing is guessed about versions. */
const RANKING_ALONE = { recall: { newerFirst: 100 } }
/** How a line says that its entry may be the newer version of another. */
const PERHAPS_NEWER = 'perhaps newer than'

interface Row {
  readonly store: string
  /** All notes in one memory, or each pair in a memory of its own. */
  readonly way: 'pooled' | 'each'
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
    const sums = (['pooled', 'each'] as const).map((way) => {
      const counts = total(rows.filter((row) => row.way === way).map((row) => row.counts))
      return { store: 'all', way, counts }
    })
    const data = [...rows, ...sums]
    return { report: textOf(partsOf(data)), data }
  },
  present: partsOf,
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
        const outdated = question.outdated.map(product.idOf)
        add(counts, changeCounts(answer, product.idOf(question.current), outdated))
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
      const isMarked = marksIn(result.text, answer, PERHAPS_NEWER).some(
        ({ entry, names }) => pair.includes(entry) && pair.includes(names),
      )
      add(counts, { marked: Number(isMarked) })
    }
  } finally {
    await Promise.all([product.memory.close(), ranking.memory.close()])
  }
  return counts
}

/** Counts blocks that hold and that `mayReplace` names as the older, and named pairs that both hold. */
function namedLive({ questions }: Store, { named, idOf }: ByDate): Counts {
  const outdated = questions.flatMap((each) => (each.kind === 'chain' ? each.outdated.map(idOf) : []))
  const live = (pairs: readonly Named[]) =>
    new Set(pairs.map(({ older }) => older).filter((id) => !outdated.includes(id))).size
  const all = [...named.remember, ...named.dream]
  const keyOf = (one: string, other: string) => [one, other].sort().join()
  const keys = new Set(all.map(({ newer, older }) => keyOf(newer, older)))
  const pairs = questions.flatMap((each) => (each.kind === 'both' ? [keyOf(idOf(each.a), idOf(each.b))] : []))
  return {
    'live named at remember': live(named.remember),
    'live named at dream': live(named.dream),
    'live named': live(all),
    'pairs named': new Set(pairs.filter((key) => keys.has(key))).size,
  }
}

/** Where an answer shows a block: first, as a later entry, under an entry as its version, or nowhere. */
type Place = 'first' | 'entry' | 'under' | 'absent'

type PairPlaces = Readonly<Record<'a' | 'b', Place>>

/** Returns the place of a block in an answer. */
function placeIn({ entries, under }: Answer, block: string): Place {
  if (entries[0] === block) return 'first'
  if (entries.includes(block)) return 'entry'
  return under.has(block) ? 'under' : 'absent'
}

/**
 * Counts what an answer does to two blocks that both hold and of which one or both are asked for,
 * in comparison with the answer of the ranking alone.
 */
function pairCounts(ask: 'a' | 'b' | 'both', answer: PairPlaces, alone: PairPlaces): Counts {
  const wanted = ask === 'both' ? (['a', 'b'] as const) : ([ask] as const)
  const isBoth = ask === 'both'
  const isFirst = !isBoth && answer[ask] === 'first'
  const isFirstAlone = !isBoth && alone[ask] === 'first'
  const isEntry = (place: Place) => place === 'first' || place === 'entry'
  return {
    questions: 1,
    folded: [answer.a, answer.b].filter((place) => place === 'under').length,
    'folded, wanted': wanted.filter((one) => answer[one] === 'under').length,
    cut: wanted.filter((one) => answer[one] === 'absent' && alone[one] !== 'absent').length,
    'both wanted': Number(isBoth),
    'both there': Number(isBoth && isEntry(answer.a) && isEntry(answer.b)),
    'one wanted': Number(!isBoth),
    first: Number(isFirst),
    'first by rank': Number(isFirstAlone),
    'place taken': Number(isFirstAlone && !isFirst),
  }
}

/** Returns a table with one row for each count and one column for each store and way, and one of the sums alone. */
function partsOf(rows: readonly Row[]): readonly Part[] {
  const columns = (of: readonly Row[], headOf: (row: Row) => string): Part['body'] => {
    const names = Object.keys(total(of.map(({ counts }) => counts)))
    return {
      head: ['', ...of.map(headOf)],
      rows: names.map((name) => [name, ...of.map(({ counts }) => String(counts[name] ?? '–'))]),
    }
  }
  const sums = rows.filter(({ store }) => store === 'all')
  return [
    {
      name: 'stores',
      body: columns(rows, ({ store, way }) => (way === 'pooled' ? store : `${store}, ${way}`)),
    },
    {
      name: 'all',
      body: columns(sums, ({ way }) => (way === 'pooled' ? 'in one store' : 'each pair alone')),
    },
  ]
}
