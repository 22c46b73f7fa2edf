import { copyFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Memory, openMemory } from '../../src/index.ts'
import { fixedClock } from '../lib/fixed-clock.ts'
import { createRandom, type Random } from '../lib/random.ts'
import { bootstrap, type Interval, mean } from '../lib/statistics.ts'
import type { Conversation } from '../locomo/loader.ts'
import { judge } from '../locomo/metrics.ts'
import type { Kept, KeptConversations } from '../locomo/ours.ts'
import { type Mode, tell } from './teach.ts'

const SHOWN = 10
const ROUNDS = 3

export interface ConversationPlan {
  readonly mode: Mode
  /** Share of the judgements that say the opposite. */
  readonly wrong: number
  readonly config: object
}

/** What teaching the questions of even place did to them and to the others, in points of a hundred. */
export interface ConversationRow {
  readonly mode: Mode
  readonly wrong: number
  readonly taught: Half
  readonly untaught: Half
}

interface Half {
  readonly recall10: readonly [before: number, after: number]
  readonly reciprocalRank: readonly [before: number, after: number]
  readonly recallChange: Interval
  readonly rankChange: Interval
}

type Judged = ReturnType<typeof judge>

/** Teaches half of the questions of each conversation, on copies of its memory. */
export async function teachConversations(
  { conversations, kept, embedder }: KeptConversations,
  folder: string,
  plan: ConversationPlan,
): Promise<ConversationRow> {
  const halves = { taught: [] as [Judged, Judged][], untaught: [] as [Judged, Judged][] }
  for (const [i, conversation] of conversations.entries()) {
    const remembered = kept[i] as Kept
    const path = join(folder, `taught-${i}.db`)
    copyFileSync(remembered.path, path)
    await using memory = await openMemory(path, { embedder, clock: fixedClock, config: plan.config })
    const random = createRandom(i)
    const before = await judgeAll(memory, conversation, remembered)
    for (let round = 0; round < ROUNDS; round++)
      for (const [place, { text, evidence }] of conversation.questions.entries())
        if (place % 2 === 0) await report(memory, { text, evidence, remembered, random }, plan)
    const after = await judgeAll(memory, conversation, remembered)
    for (const [place, judged] of before.entries())
      halves[place % 2 === 0 ? 'taught' : 'untaught'].push([judged, after[place] as Judged])
  }
  const { mode, wrong } = plan
  return { mode, wrong, taught: halfOf(halves.taught), untaught: halfOf(halves.untaught) }
}

async function judgeAll(
  memory: Memory,
  { questions }: Pick<Conversation, 'questions'>,
  { turnsOf }: Kept,
): Promise<Judged[]> {
  const judged: Judged[] = []
  for (const { text, evidence } of questions) {
    const { blocks } = await memory.recall({
      query: text,
      topK: SHOWN,
      reinforce: false,
      tokenBudget: 1_000_000,
    })
    judged.push(
      judge(
        blocks.map(({ id }) => turnsOf.get(id) ?? []),
        evidence,
      ),
    )
  }
  return judged
}

async function report(
  memory: Memory,
  {
    text,
    evidence,
    remembered,
    random,
  }: {
    readonly text: string
    readonly evidence: ReadonlySet<string>
    readonly remembered: Kept
    readonly random: Random
  },
  { mode, wrong }: ConversationPlan,
): Promise<void> {
  const { blocks } = await memory.recall({ query: text, topK: SHOWN, tokenBudget: 1_000_000 })
  const about = mode === 'first' ? blocks.slice(0, 1) : blocks
  const judged = about.map(({ id }) => {
    const isAnswer = (remembered.turnsOf.get(id) ?? []).some((turn) => evidence.has(turn))
    return { id, helped: isAnswer !== random.next() < wrong }
  })
  await tell(memory, judged, mode)
}

function halfOf(pairs: readonly (readonly [Judged, Judged])[]): Half {
  const of = (name: 'recall10' | 'reciprocalRank') => {
    const all = [0, 1].map((at) => 100 * mean(pairs.map((pair) => (pair[at] as Judged)[name])))
    return all as [number, number]
  }
  const change = (name: 'recall10' | 'reciprocalRank') =>
    bootstrap(pairs.map(([before, after]) => 100 * (after[name] - before[name])))
  return {
    recall10: of('recall10'),
    reciprocalRank: of('reciprocalRank'),
    recallChange: change('recall10'),
    rankChange: change('reciprocalRank'),
  }
}
