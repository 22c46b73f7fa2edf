import type { SharedEmbedder } from '../lib/embedders.ts'
import { judge } from '../locomo/metrics.ts'
import { RANKING_ALONE, rememberByDate } from '../versions/by-date.ts'
import { answerOf, type Counts, total } from '../versions/counts.ts'
import type { Store } from '../versions/sets.ts'
import { supersededIn } from '../versions/updates.ts'
import { speakersOf } from './compare.ts'

/** Least share of told chains whose newest note comes first. */
const TOLD_LEAST = 0.97
/** Greatest share of the facts asked for that may lose the first place. */
const LOST_MOST = 0.02
/** Most points that the mean reciprocal rank of conversations may fall by. */
const RANK_FALL_MOST = 0.5

/** Counts the product's own answers on chains of sets with controls, on pairs that both hold, and on conversations with speakers. */
export async function productCounts(stores: readonly Store[], embedder: SharedEmbedder): Promise<Counts> {
  const counts: Counts[] = []
  for (const store of stores) {
    const kinds = new Set(store.questions.map(({ kind }) => kind))
    if (kinds.has('control')) counts.push(await toldCounts(store, embedder))
    if (kinds.has('pair')) counts.push(await foldedCounts(store, embedder))
    if (store.notes.some(({ speaker }) => speaker !== undefined))
      counts.push(await talkCounts(store, embedder))
  }
  return total(counts)
}

/** Says of each note of a chain which one it supersedes. */
async function toldCounts({ notes, questions }: Store, embedder: SharedEmbedder): Promise<Counts> {
  const superseded = supersededIn(notes)
  const { memory, idOf } = await rememberByDate(notes, {
    embedder,
    given: ({ id }, known) => (superseded.has(id) ? { supersedes: known(superseded.get(id) ?? '') } : {}),
  })
  let [told, toldFirst] = [0, 0]
  for (const { kind, text, asked, others } of questions) {
    if (kind !== 'chain') continue
    const { entries } = answerOf(await memory.recall({ query: text, reinforce: false }))
    const ends = [...asked, ...others].map(idOf)
    told++
    if (entries.find((id) => ends.includes(id)) === ends[0]) toldFirst++
  }
  await memory.close()
  return { told, toldFirst }
}

/** Counts blocks that stand under another though nobody said so. */
async function foldedCounts({ notes, questions }: Store, embedder: SharedEmbedder): Promise<Counts> {
  const { memory } = await rememberByDate(notes, { embedder })
  let folded = 0
  for (const { text } of questions)
    folded += answerOf(await memory.recall({ query: text, reinforce: false })).under.size
  await memory.close()
  return { folded }
}

/** Compares the answers to a conversation with those of the ranking alone. */
async function talkCounts({ notes, questions }: Store, embedder: SharedEmbedder): Promise<Counts> {
  const given = speakersOf(notes)
  const ours = await rememberByDate(notes, { embedder, given })
  const alone = await rememberByDate(notes, { embedder, given, config: RANKING_ALONE })
  const rankOf = async ({ memory, idOf }: typeof ours, { text, asked }: Store['questions'][number]) => {
    const { blockIds } = await memory.recall({ query: text, topK: 20, tokenBudget: 1e6, reinforce: false })
    const ranked = blockIds.map((id) => [id])
    return judge(ranked, new Set(asked.map(idOf))).reciprocalRank
  }
  const counts = { spoken: 0, rank: 0, rankAlone: 0 }
  for (const question of questions) {
    counts.spoken++
    counts.rank += await rankOf(ours, question)
    counts.rankAlone += await rankOf(alone, question)
  }
  await Promise.all([ours.memory.close(), alone.memory.close()])
  return counts
}

/** Returns a sentence for each gate that the counts do not pass. */
export function failures(counts: Counts): string[] {
  const count = (name: string) => counts[name] ?? 0
  const fall = (100 * (count('rankAlone') - count('rank'))) / Math.max(1, count('spoken'))
  const gates: readonly (readonly [fails: boolean, sentence: string])[] = [
    [
      count('toldFirst') < TOLD_LEAST * count('told'),
      'Of the chains that were told too few have the newest first.',
    ],
    [count('lost') > LOST_MOST * count('first'), 'Too many facts asked for lose the first place to a guess.'],
    [count('folded') > 0, 'A block stands under another though nobody said so.'],
    [fall > RANK_FALL_MOST, 'The mean reciprocal rank of conversations falls.'],
  ]
  return gates.flatMap(([fails, sentence]) => (fails ? [sentence] : []))
}
