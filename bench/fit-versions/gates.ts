import { answerOf } from '../lib/answer.ts'
import { rememberByDate } from '../lib/by-date.ts'
import { type Counts, total } from '../lib/counts.ts'
import type { SharedEmbedder } from '../lib/shared-embedder.ts'
import { judge } from '../locomo/metrics.ts'
import { RANKING_ALONE, speakersOf } from './rankings.ts'
import type { NoteSet, Store } from './sets.ts'

/** Least share of told chains whose newest note comes first. */
const TOLD_LEAST = 0.97
/** Greatest share of the facts asked for that may lose the first place. */
const LOST_MOST = 0.02
/** Most points that the mean reciprocal rank of conversations may fall by. */
const RANK_FALL_MOST = 0.5

/** Counts of the product's own answers: chains that were told, of sets with controls, pairs that both hold, conversations whose speakers are known. */
export async function productCounts(sets: readonly NoteSet[], embedder: SharedEmbedder): Promise<Counts> {
  const counts: Counts[] = []
  for (const store of sets.flatMap(({ stores }) => stores)) {
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
  const before = new Map<string, string>()
  for (const chain of Map.groupBy(notes, (note) => note.chain).values())
    chain.forEach(({ id, chain: name }, i) => {
      const previous = chain[i - 1]
      if (name !== undefined && previous !== undefined) before.set(id, previous.id)
    })
  const { memory, idOf } = await rememberByDate(notes, {
    embedder,
    given: ({ id }, known) => (before.has(id) ? { supersedes: known(before.get(id) ?? '') } : {}),
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
  const counts = { spoken: 0, rank: 0, rankAlone: 0, in10: 0, in10Alone: 0 }
  for (const { text, asked } of questions) {
    const found = async ({ memory, idOf }: typeof ours) => {
      const { blockIds } = await memory.recall({ query: text, topK: 20, tokenBudget: 1e6, reinforce: false })
      return judge(
        blockIds.map((id) => [id]),
        new Set(asked.map(idOf)),
      )
    }
    const [one, other] = [await found(ours), await found(alone)]
    counts.spoken++
    counts.rank += one.reciprocalRank
    counts.rankAlone += other.reciprocalRank
    counts.in10 += one.recall10
    counts.in10Alone += other.recall10
  }
  await Promise.all([ours.memory.close(), alone.memory.close()])
  return counts
}

/** Returns a sentence for each gate that the counts do not pass. */
export function failures(counts: Counts): string[] {
  const count = (name: string) => counts[name] ?? 0
  const fall = (100 * (count('rankAlone') - count('rank'))) / Math.max(1, count('spoken'))
  const gates: readonly (readonly [boolean, string])[] = [
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
