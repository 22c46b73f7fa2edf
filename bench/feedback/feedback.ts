import { join } from 'node:path'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { type Bench, listOf } from '../lib/bench.ts'
import { type Part, textOf } from '../lib/part.ts'
import { createRandom } from '../lib/random.ts'
import { type SharedEmbedder, shareEmbedder } from '../lib/shared-embedder.ts'
import type { Interval } from '../lib/statistics.ts'
import type { Table } from '../lib/table.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { type Policy, policyOf } from '../lifecycle/policies.ts'
import { loadConversations } from '../locomo/loader.ts'
import { type Remembered, rememberConversation } from '../locomo/ours.ts'
import { type ConversationRow, teachConversations } from './conversations.ts'
import { type FeedbackStore, loadStores } from './stores.ts'
import { MODES, type Mode, type Taught, teachHalf } from './teach.ts'

const ROUNDS = [3, 10] as const
const WRONG = 0.1
/** Random splits of the questions when some reports are wrong. */
const SPLITS = 3

interface Row {
  readonly policy: string
  readonly store: string
  readonly mode: Mode
  readonly rounds: number
  /** Share of wrong judgements. */
  readonly wrong: number
  readonly questions: number
  /** Hits at the first place of both halves, each taught in turn; means over the splits. */
  readonly taught: readonly [before: number, after: number]
  readonly untaught: readonly [before: number, after: number]
}

export const feedback: Bench = {
  name: 'feedback',
  summary: 'what reports on half of the questions do to these and to the other half',
  flags: {
    data: {
      type: 'string',
      place: 'FILE',
      description: 'JSON with notes and their questions, beside the own',
    },
    only: { type: 'string', description: 'The name of one store, or "conversations"' },
    locomo: {
      type: 'string',
      place: 'FILE',
      description:
        'Conversations in LoCoMo format, whose other half of the questions is watched; read where they lie',
    },
    try: {
      type: 'string',
      description:
        'Comma-separated changes of settings to measure beside, such as learning.reach=0; & joins several',
    },
  },
  run: async ({ data, only, locomo, try: tried }, log) => {
    const policies = [{ name: 'elfmem', config: {} }, ...listOf({ tried }, 'tried').map(policyOf)]
    const stores = loadStores(typeof data === 'string' ? data : undefined)
    const embedder = shareEmbedder(createMiniLmEmbedder())
    const results: Results = { rows: [], conversations: [] }
    for (const { name: policy, config = {} } of policies) {
      for (const store of stores.filter(({ name }) => only === undefined || name === only)) {
        log(`${policy}: ${store.name}`)
        results.rows.push(...(await rowsOf(store, { embedder, policy, config })))
      }
    }
    if (typeof locomo === 'string' && (only === undefined || only === 'conversations'))
      results.conversations.push(...(await conversationRows(locomo, { embedder, policies, log })))
    return { report: textOf(partsOf(results)), data: results }
  },
  present: partsOf,
}

/** What teaching half of the questions of conversations does, by policy and mode. */
function conversationRows(
  file: string,
  {
    embedder,
    policies,
    log,
  }: {
    readonly embedder: SharedEmbedder
    readonly policies: readonly Policy[]
    readonly log: (line: string) => void
  },
): Promise<Results['conversations']> {
  return withTemporaryFolder(async (folder) => {
    const conversations = loadConversations(file, 'turns')
    const kept: Remembered[] = []
    for (const conversation of conversations)
      kept.push(await rememberConversation(join(folder, `${conversation.id}.db`), conversation, embedder))
    const rows: Results['conversations'] = []
    for (const { name: policy, config = {} } of policies)
      for (const [mode, wrong] of [...MODES.map((each) => [each, 0] as const), ['all', WRONG] as const]) {
        log(`${policy}: ${mode}, ${wrong} wrong`)
        const plan = { mode, wrong, config }
        const row = await teachConversations({ conversations, kept, embedder }, folder, plan)
        rows.push({ policy, ...row })
      }
    return rows
  })
}

interface Results {
  readonly rows: Row[]
  readonly conversations: (ConversationRow & { readonly policy: string })[]
}

async function rowsOf(
  store: FeedbackStore,
  {
    embedder,
    policy,
    config,
  }: { readonly embedder: SharedEmbedder; readonly policy: string; readonly config: object },
): Promise<Row[]> {
  const rows: Row[] = []
  const facts = { policy, store: store.name, questions: store.asked.length }
  for (const mode of MODES)
    for (const rounds of ROUNDS) {
      const halves = []
      for (const half of [0, 1])
        halves.push(await teachHalf(store, (i) => i % 2 === half, { mode, rounds, config }, embedder))
      rows.push({ ...facts, mode, rounds, wrong: 0, ...sumOf(halves, 1) })
    }
  for (const mode of MODES) {
    const halves = []
    for (let split = 0; split < SPLITS; split++)
      for (const half of [0, 1]) {
        const random = createRandom(split, half)
        const order = createRandom(split).shuffled(store.asked.map((_, i) => i))
        const inHalf = new Set(order.filter((_, at) => at % 2 === half))
        const wrong = { share: WRONG, random }
        halves.push(
          await teachHalf(store, (i) => inHalf.has(i), { mode, rounds: 10, wrong, config }, embedder),
        )
      }
    rows.push({ ...facts, mode, rounds: 10, wrong: WRONG, ...sumOf(halves, SPLITS) })
  }
  return rows
}

function sumOf(halves: readonly Taught[], splits: number): Taught {
  const sum = (of: keyof Taught, at: 0 | 1) => halves.reduce((all, each) => all + each[of][at], 0) / splits
  return { taught: [sum('taught', 0), sum('taught', 1)], untaught: [sum('untaught', 0), sum('untaught', 1)] }
}

function partsOf({ rows, conversations }: Results): readonly Part[] {
  return [
    ...(rows.length > 0 ? [{ name: 'stores', body: storesTable(rows) }] : []),
    ...(conversations.length > 0 ? [{ name: 'conversations', body: conversationsTable(conversations) }] : []),
  ]
}

function storesTable(rows: Results['rows']): Table {
  const shown = (value: number) => (Number.isInteger(value) ? String(value) : value.toFixed(1))
  return {
    head: [
      ...['policy', 'store', 'questions', 'reported', 'rounds', 'wrong'],
      ...['taught before', 'after', 'untaught before', 'after'],
    ],
    rows: rows.map(({ policy, store, questions, mode, rounds, wrong, taught, untaught }) => [
      ...[policy, store, String(questions), mode, String(rounds), `${wrong * 100} %`],
      ...taught.map(shown),
      ...untaught.map(shown),
    ]),
  }
}

function conversationsTable(rows: Results['conversations']): Table {
  const change = ({ mean, low, high }: Interval) => `${signed(mean)} [${signed(low)}, ${signed(high)}]`
  return {
    head: [
      ...['policy', 'reported', 'wrong', 'taught R@10 before', 'after', 'MRR before', 'after'],
      ...['other R@10 before', 'change', 'MRR before', 'change'],
    ],
    rows: rows.map(({ policy, mode, wrong, taught, untaught }) => [
      ...[policy, mode, `${wrong * 100} %`],
      ...[...taught.recall10, ...taught.reciprocalRank].map((value) => value.toFixed(1)),
      ...[untaught.recall10[0].toFixed(1), change(untaught.recallChange)],
      ...[untaught.reciprocalRank[0].toFixed(1), change(untaught.rankChange)],
    ]),
  }
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`
}
