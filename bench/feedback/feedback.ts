import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Bench, fileFlag, pathIn } from '../lib/bench.ts'
import { type SharedEmbedder, sharedMiniLm } from '../lib/embedders.ts'
import { withTemporaryFolder } from '../lib/files.ts'
import { openStill } from '../lib/memory.ts'
import { createRandom } from '../lib/random.ts'
import { bootstrap, type Interval, mean } from '../lib/statistics.ts'
import { intervalText, type Part, percent } from '../lib/table.ts'
import { askAll, type Kept, rememberTurns } from '../locomo/ask.ts'
import { type Conversation, loadConversations, type Question } from '../locomo/loader.ts'
import type { Found } from '../locomo/metrics.ts'

/**
 * A way to report after a question. `all`: what answers helped, all else that was shown did not; `helped`: only what
 * answers; `first`: only whether the first block helped. `wrong` is the share of judgements that say the opposite.
 */
const PLANS = [
  { mode: 'all', wrong: 0 },
  { mode: 'helped', wrong: 0 },
  { mode: 'first', wrong: 0 },
  { mode: 'all', wrong: 0.1 },
] as const
type Plan = (typeof PLANS)[number]

const SHOWN = 10
const ROUNDS = 3
const METRICS = ['recall10', 'reciprocalRank'] as const

/** One half of the questions before and after the teaching, and the change by question. */
type Half = Readonly<
  Record<(typeof METRICS)[number], Readonly<{ before: number; after: number; change: Interval }>>
>

/** The effect that teaching every second question has on the taught and on the other questions. */
interface Row extends Readonly<Record<'taught' | 'other', Half>> {
  readonly mode: Plan['mode']
  readonly wrong: number
}

export const feedback: Bench = {
  name: 'feedback',
  summary: 'what reports on half of the questions do to these and to the other half',
  flags: { data: fileFlag('Conversations in LoCoMo format; read where they lie') },
  run: async (flags, log): Promise<readonly Row[]> => {
    const embedder = sharedMiniLm()
    return withTemporaryFolder(async (folder) => {
      const kept: [Conversation, Kept][] = []
      for (const conversation of loadConversations(pathIn(flags))) {
        const path = join(folder, `${conversation.id}.db`)
        kept.push([conversation, await rememberTurns(path, conversation.turns, embedder)])
      }
      const rows: Row[] = []
      for (const plan of PLANS) {
        log(`${plan.mode}, ${plan.wrong} wrong`)
        rows.push(await teach(kept, plan, embedder))
      }
      return rows
    })
  },
  present: (rows: readonly Row[]): readonly Part[] => {
    const cells = rows.map(({ mode, wrong, taught, other }) => [
      ...[mode, `${wrong * 100} %`],
      ...METRICS.flatMap((metric) => [taught[metric].before, taught[metric].after].map(percent)),
      ...METRICS.flatMap((metric) => [percent(other[metric].before), intervalText(other[metric].change)]),
    ])
    const head = [
      ...['reported', 'wrong', 'taught R@10 before', 'after', 'MRR before', 'after'],
      ...['other R@10 before', 'change', 'MRR before', 'change'],
    ]
    return [{ name: 'conversations', body: { head, rows: cells } }]
  },
}

/** Teaches half of the questions of each conversation, on copies of its memory. */
async function teach(
  all: readonly (readonly [Conversation, Kept])[],
  plan: Plan,
  embedder: SharedEmbedder,
): Promise<Row> {
  const pairs: { before: Found; after: Found; isTaught: boolean }[] = []
  for (const [i, [{ questions }, kept]] of all.entries()) {
    const copy = { ...kept, path: `${kept.path}-taught` }
    copyFileSync(kept.path, copy.path)
    const before = await askAll(copy, questions, { embedder, topK: SHOWN })
    const even = questions.filter((_, place) => place % 2 === 0)
    await reportOn(even, copy, { ...plan, embedder, random: createRandom(i) })
    const after = await askAll(copy, questions, { embedder, topK: SHOWN })
    for (const place of questions.keys())
      pairs.push({
        before: before[place],
        after: after[place],
        isTaught: place % 2 === 0,
      } as (typeof pairs)[number])
  }
  const halfOf = (isTaught: boolean) => {
    const half = pairs.filter((pair) => pair.isTaught === isTaught)
    const of = (metric: (typeof METRICS)[number]) => ({
      before: mean(half.map(({ before }) => before[metric])),
      after: mean(half.map(({ after }) => after[metric])),
      change: bootstrap(half.map(({ before, after }) => after[metric] - before[metric])),
    })
    return { recall10: of('recall10'), reciprocalRank: of('reciprocalRank') }
  }
  return { ...plan, taught: halfOf(true), other: halfOf(false) }
}

/** Asks each question in some rounds, and reports on the blocks of each answer. */
async function reportOn(
  questions: readonly Question[],
  { path, turnsOf }: Kept,
  {
    mode,
    wrong,
    embedder,
    random,
  }: Plan & { readonly embedder: SharedEmbedder; readonly random: ReturnType<typeof createRandom> },
): Promise<void> {
  await using memory = await openStill(path, embedder)
  for (let round = 0; round < ROUNDS; round++)
    for (const { text: query, evidence } of questions) {
      const { blockIds } = await memory.recall({ query, topK: SHOWN, tokenBudget: 1_000_000 })
      const judged = blockIds.slice(0, mode === 'first' ? 1 : SHOWN).map((id) => {
        const isAnswer = (turnsOf.get(id) ?? []).some((turn) => evidence.has(turn))
        return { id, helps: isAnswer !== random.next() < wrong }
      })
      const helped = judged.flatMap(({ id, helps }) => (helps ? [id] : []))
      const beside = mode === 'helped' ? [] : judged.flatMap(({ id, helps }) => (helps ? [] : [id]))
      if (helped.length + beside.length > 0)
        await memory.outcome({ ...(helped.length > 0 && { helped }), ...(beside.length > 0 && { beside }) })
    }
}
