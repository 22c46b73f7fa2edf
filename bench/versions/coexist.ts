import type { Embedder } from '../../src/engine/ports.ts'
import { type Bench, fileFlag, listOf } from '../lib/bench.ts'
import { sharedMiniLm } from '../lib/embedders.ts'
import type { Part } from '../lib/table.ts'
import { type ByDate, type Named, RANKING_ALONE, rememberByDate } from './by-date.ts'
import { type Answer, answerOf, type Counts, changeCounts, total } from './counts.ts'
import { eachPair, type Question, readPairs, type Store } from './sets.ts'

/** Words by which a line says that its entry may be the newer version of another. */
const PERHAPS_NEWER = 'perhaps newer than'

/** Counts of all stores: all notes in one memory, and each pair in a memory of its own. */
type Ways = Readonly<Record<'pooled' | 'each', Counts>>

export const coexist: Bench = {
  name: 'coexist',
  summary: 'facts that read alike and both hold: folded, cut or behind each other (--data FILE,FILE)',
  flags: { data: fileFlag('Comma-separated JSON files with stores or pairs') },
  run: async (flags, log): Promise<Ways> => {
    const embedder = sharedMiniLm()
    const pooled: Counts[] = []
    const each: Counts[] = []
    for (const store of listOf(flags, 'data').flatMap(readPairs)) {
      pooled.push(await countsOf(store, embedder))
      for (const pair of eachPair(store)) each.push(await countsOf(pair, embedder))
      log(`${store.name} done`)
    }
    return { pooled: total(pooled), each: total(each) }
  },
  present: ({ pooled, each }: Ways): readonly Part[] => {
    const cells = (name: string) => [pooled, each].map((counts) => String(counts[name] ?? '–'))
    const rows = Object.keys(total([pooled, each])).map((name) => [name, ...cells(name)])
    return [{ name: 'all', body: { head: ['', 'in one store', 'each pair alone'], rows } }]
  },
}

/** Asks every question of a store with default settings, and by the ranking alone. */
async function countsOf(store: Store, embedder: Embedder): Promise<Counts> {
  const product = await rememberByDate(store.notes, { embedder })
  const ranking = await rememberByDate(store.notes, { embedder, config: RANKING_ALONE })
  const counts = [namedLive(store, product)]
  for (const question of store.questions) {
    const input = { query: question.text, reinforce: false }
    const result = await product.memory.recall(input)
    const answer = answerOf(result)
    const ids = ({ idOf }: ByDate) => ({
      asked: question.asked.map(idOf),
      others: question.others.map(idOf),
    })
    const { asked, others } = ids(product)
    if (question.kind === 'chain') {
      counts.push(changeCounts(answer, asked[0] ?? '', others))
      continue
    }
    const alone = answerOf(await ranking.memory.recall(input))
    const pair = [...asked, ...others]
    counts.push(pairCounts(placesIn(answer, ids(product)), placesIn(alone, ids(ranking))), {
      marked: Number(marksIn(result.text, answer).some((mark) => mark.every((id) => pair.includes(id)))),
    })
  }
  await Promise.all([product.memory.close(), ranking.memory.close()])
  return total(counts)
}

/** Counts blocks that hold and that `mayReplace` names as the older, and named pairs that both hold. */
function namedLive({ questions }: Store, { named, idOf }: ByDate): Counts {
  const ofKind = (kind: Question['kind']) => questions.filter((each) => each.kind === kind)
  const outdated = ofKind('chain').flatMap(({ others }) => others.map(idOf))
  const live = (pairs: readonly Named[]) =>
    new Set(pairs.map(({ older }) => older).filter((id) => !outdated.includes(id))).size
  const all = [...named.remember, ...named.dream]
  const keyOf = (ids: readonly string[]) => ids.toSorted().join()
  const keys = new Set(all.map(({ newer, older }) => keyOf([newer, older])))
  const pairs = ofKind('pair').map(({ asked, others }) => keyOf([...asked, ...others].map(idOf)))
  return {
    'live named at remember': live(named.remember),
    'live named at dream': live(named.dream),
    'live named': live(all),
    'pairs named': new Set(pairs.filter((key) => keys.has(key))).size,
  }
}

/** The place of a block in an answer: the first entry, a later entry, a version under an entry, or none. */
type Place = 'first' | 'entry' | 'under' | 'absent'

type Places = Readonly<Record<'asked' | 'others', readonly Place[]>>

function placesIn({ entries, under }: Answer, ids: Record<keyof Places, readonly string[]>): Places {
  const placeOf = (id: string): Place => {
    if (entries.includes(id)) return entries[0] === id ? 'first' : 'entry'
    return under.has(id) ? 'under' : 'absent'
  }
  return { asked: ids.asked.map(placeOf), others: ids.others.map(placeOf) }
}

/** Counts what an answer does to two blocks that both hold and of which one or both are asked for, beside the ranking alone. */
function pairCounts({ asked, others }: Places, alone: Places): Counts {
  const isBoth = asked.length === 2
  const isFirst = !isBoth && asked[0] === 'first'
  const isFirstAlone = !isBoth && alone.asked[0] === 'first'
  const under = (places: readonly Place[]) => places.filter((place) => place === 'under').length
  return {
    questions: 1,
    folded: under([...asked, ...others]),
    'folded, wanted': under(asked),
    cut: asked.filter((place, i) => place === 'absent' && alone.asked[i] !== 'absent').length,
    'both wanted': Number(isBoth),
    'both there': Number(isBoth && asked.every((place) => place === 'first' || place === 'entry')),
    'one wanted': Number(!isBoth),
    first: Number(isFirst),
    'first by rank': Number(isFirstAlone),
    'place taken': Number(isFirstAlone && !isFirst),
  }
}

/** Returns the entries whose lines say `perhaps newer than [n]`, each with the entry that n numbers. */
function marksIn(text: string, { entries }: Answer): (readonly [entry: string, names: string])[] {
  let entry = ''
  return text.split('\n').flatMap((line) => {
    const number = /^\[(\d+)\]/.exec(line)?.[1]
    if (number !== undefined) entry = entries[Number(number) - 1] ?? ''
    const [, ...said] = line.split(`${PERHAPS_NEWER} [`)
    return said.map((rest) => [entry, entries[Number.parseInt(rest, 10) - 1] ?? ''] as const)
  })
}
