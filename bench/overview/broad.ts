import { estimateTokens } from '../../src/block/text.ts'
import { openMemory } from '../../src/index.ts'
import { fixedClock } from '../lib/fixed-clock.ts'
import type { SharedEmbedder } from '../lib/shared-embedder.ts'
import { mean } from '../lib/statistics.ts'
import type { Conversation } from '../locomo/loader.ts'
import type { Remembered } from '../locomo/ours.ts'

const QUESTIONS = [
  (name: string) => `What do you know about ${name}?`,
  (name: string) => `Tell me about ${name}.`,
  (name: string) => `Who is ${name}?`,
]
/** Budgets of an overview alone; 0 is as many tokens as the entries of recall take. */
const BUDGETS = [0, 500, 1_500]

/** The share of a speaker's notes and of his evidence in answers of one way to broad questions, and their tokens. */
interface BroadRow {
  readonly way: string
  readonly notes: number
  readonly evidence: number
  readonly tokens: number
}

/** Broad questions about speakers, and how many of them and of the conversation's other questions got an overview. */
export interface Broad {
  readonly rows: readonly BroadRow[]
  readonly answered: number
  readonly asked: number
  readonly falsely: readonly string[]
  readonly others: number
}

/** Asks a conversation broad questions about its speakers, and its own questions, and counts what answers and overviews have. */
export async function measureBroad(
  { path, turnsOf }: Remembered,
  { questions, speakers }: Conversation,
  embedder: SharedEmbedder,
): Promise<Broad> {
  await using memory = await openMemory(path, { embedder, clock: fixedClock, config: {} })
  const gold = new Set(questions.flatMap((each) => [...each.evidence]))
  const isEvidence = (id: string) => turnsOf.get(id)?.some((turn) => gold.has(turn)) === true
  const rows: BroadRow[] = []
  let answered = 0
  for (const name of speakers) {
    const all = idsOf(await memory.overview({ about: name, tokenBudget: 1_000_000 }))
    const row = (way: string, ids: readonly string[], text: string): BroadRow => {
      const own = all.filter((id) => ids.includes(id))
      const evidence = own.filter(isEvidence).length / all.filter(isEvidence).length
      return { way, notes: own.length / all.length, evidence, tokens: estimateTokens(text) }
    }
    for (const question of QUESTIONS) {
      const { text, blockIds, overview } = await memory.recall({ query: question(name), reinforce: false })
      if (overview !== undefined) answered += 1
      rows.push(row('entries of recall', blockIds, text))
      for (const budget of BUDGETS) {
        const tokenBudget = Math.max(100, budget || estimateTokens(text))
        const found = await memory.overview({ about: name, tokenBudget })
        rows.push(row(`overview, ${budget || 'as many'} tokens`, idsOf(found), found.text))
      }
    }
  }
  const falsely: string[] = []
  for (const { text: query } of questions)
    if ((await memory.recall({ query, reinforce: false })).overview !== undefined) falsely.push(query)
  return { rows, answered, asked: speakers.length * QUESTIONS.length, falsely, others: questions.length }
}

const idsOf = ({ themes }: Awaited<ReturnType<Awaited<ReturnType<typeof openMemory>>['overview']>>) =>
  themes.flatMap(({ blocks }) => blocks.map(({ id }) => id))

/** Returns the mean of each way, and the sums of the counts. */
export function combinedBroad(all: readonly Broad[]): Broad {
  const groups = Map.groupBy(
    all.flatMap(({ rows }) => rows),
    ({ way }) => way,
  )
  const of = (rows: readonly BroadRow[], key: 'notes' | 'evidence' | 'tokens') =>
    mean(rows.map((each) => each[key]))
  const sum = (key: 'answered' | 'asked' | 'others') => all.reduce((total, each) => total + each[key], 0)
  return {
    rows: [...groups].map(([way, rows]) => ({
      way,
      ...{ notes: of(rows, 'notes'), evidence: of(rows, 'evidence'), tokens: of(rows, 'tokens') },
    })),
    ...{ answered: sum('answered'), asked: sum('asked'), others: sum('others') },
    falsely: all.flatMap((each) => each.falsely),
  }
}
