import { join } from 'node:path'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import { type Bench, dataFile, namesIn, wholeNumber } from '../lib/bench.ts'
import { type Part, textOf } from '../lib/part.ts'
import { type SharedEmbedder, shareEmbedder } from '../lib/shared-embedder.ts'
import { bootstrap, type Interval, median, quantile } from '../lib/statistics.ts'
import { intervalText, milliseconds, percent, type Table } from '../lib/table.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { ABLATIONS } from './ablations.ts'
import { askCosine } from './cosine.ts'
import { type Conversation, loadConversations, UNITS, type Unit } from './loader.ts'
import { type Found, judge, METRICS, type Means, meansOf } from './metrics.ts'
import { type Answered, askAll, type Remembered, rememberConversation } from './ours.ts'
import { measureServed, type Served, servedLine } from './served.ts'

const CATEGORIES: Readonly<Record<number, string>> = {
  1: 'multi-hop',
  2: 'temporal',
  3: 'open-domain',
  4: 'single-hop',
}

/** A system's results, one for each question of all conversations, in their order. */
interface Measured {
  readonly name: string
  readonly found: readonly Found[]
}

export const locomo: Bench = {
  name: 'locomo',
  summary: 'evidence recall on conversations in LoCoMo format, beside plain cosine',
  flags: {
    data: {
      type: 'string',
      place: 'FILE',
      description: 'The file; it is read where it lies and never copied',
    },
    'top-k': { type: 'string', default: '20', description: 'Blocks asked for' },
    unit: { type: 'string', default: 'turns', description: `What becomes a block: ${UNITS.join(' or ')}` },
    ablate: {
      type: 'string',
      description: `Comma-separated parts to switch off one at a time, or "all": ${Object.keys(ABLATIONS).join(', ')}`,
    },
  },
  run: async (flags, log) => {
    const file = dataFile(flags)
    const known = Object.keys(ABLATIONS)
    const names = flags.ablate === 'all' ? known : namesIn(flags, 'ablate', known)
    const unit = unitOf(flags.unit)
    const conversations = loadConversations(file, unit)
    const embedder = shareEmbedder(createMiniLmEmbedder())
    const topK = wholeNumber(flags, 'top-k')
    return withTemporaryFolder(async (folder) => {
      const kept: Remembered[] = []
      for (const conversation of conversations) {
        log(`remembering ${conversation.id}: ${conversation.turns.length} ${unit}`)
        kept.push(await rememberConversation(join(folder, `${conversation.id}.db`), conversation, embedder))
      }
      const ask = (ablation = {}) => askEverything({ conversations, kept, embedder, topK, ablation })
      const answers = await ask()
      const cosine = await measureCosine(conversations, { embedder, topK })
      const ablated: Measured[] = []
      for (const name of names) {
        log(`without ${name}`)
        ablated.push({ name, found: judgeAll(conversations, await ask(ABLATIONS[name])) })
      }
      const ours = { name: 'elfmem', found: judgeAll(conversations, answers) }
      log('asking as a caller who sets nothing')
      const served = await measureServed({ conversations, kept, embedder }, CATEGORIES)
      return report({ conversations, kept, answers, ours, served, cosine, ablated, topK, unit })
    })
  },
  present: partsOf,
}

function unitOf(given: unknown): Unit {
  const unit = UNITS.find((each) => each === given)
  if (unit === undefined) throw new Error(`--unit knows ${UNITS.join(' and ')}`)
  return unit
}

async function askEverything({
  conversations,
  kept,
  ...options
}: {
  readonly conversations: readonly Conversation[]
  readonly kept: readonly Remembered[]
  readonly embedder: SharedEmbedder
  readonly topK: number
  readonly ablation: object
}): Promise<Answered[]> {
  const answers: Answered[] = []
  for (const [i, conversation] of conversations.entries())
    answers.push(...(await askAll(kept[i] as Remembered, conversation, options)))
  return answers
}

function judgeAll(
  conversations: readonly Conversation[],
  answers: readonly { readonly ranked: readonly (readonly string[])[] }[],
): Found[] {
  const questions = conversations.flatMap((each) => each.questions)
  return questions.map(({ evidence }, i) => judge((answers[i] as Answered).ranked, evidence))
}

/** Cosine alone. It knows no source, so the speaker stands in its texts. */
async function measureCosine(
  conversations: readonly Conversation[],
  { embedder, topK }: { readonly embedder: SharedEmbedder; readonly topK: number },
): Promise<Measured> {
  const found: Found[] = []
  for (const { turns, questions } of conversations) {
    const texts = turns.map(({ speaker, content, standsFor }) => ({
      text: `${speaker}: ${content}`,
      standsFor,
    }))
    found.push(...(await askCosine(texts, questions, { embedder, topK })))
  }
  return { name: 'plain cosine', found }
}

interface Results {
  readonly conversations: readonly Conversation[]
  readonly kept: readonly Remembered[]
  readonly answers: readonly Answered[]
  readonly ours: Measured
  readonly served: Served
  readonly cosine: Measured
  readonly ablated: readonly Measured[]
  readonly topK: number
  readonly unit: Unit
}

function report(results: Results) {
  const { conversations, ours, served, cosine, ablated, topK, unit } = results
  const questions = conversations.flatMap((each) => each.questions)
  const facts = factsOf(results)
  const overall = [ours, cosine].map((system) => overallOf(system, ours))
  const categories = Object.entries(CATEGORIES).map(([number, name]) => {
    const chosen = ours.found.filter((_, i) => questions[i]?.category === Number(number))
    return { name, questions: chosen.length, ...meansOf(chosen) }
  })
  const without = ablated.map((system) => overallOf(system, ours))
  const data: LocomoData = {
    topK,
    unit,
    ...facts,
    overall,
    served,
    categories,
    ablations: without,
  }
  return { report: textOf(partsOf(data)), data }
}

interface LocomoData extends Facts {
  readonly topK: number
  readonly unit: Unit
  readonly overall: readonly Overall[]
  /** Absent in results of before it was measured. */
  readonly served?: Served
  readonly categories: readonly Category[]
  readonly ablations: readonly Overall[]
}

type Facts = ReturnType<typeof factsOf>

/** The tables of a result. */
function partsOf({
  topK,
  unit,
  overall,
  served,
  categories,
  ablations,
  ...facts
}: LocomoData): readonly Part[] {
  return [
    {
      name: 'summary',
      body: `LoCoMo ${unit}: ${facts.conversations} conversations, ${facts.turns} ${unit}, ${facts.questions} questions, top ${topK}`,
    },
    { name: 'systems', body: overallTable('system', overall) },
    ...(served ? [{ name: 'served', body: servedLine(served) }] : []),
    { name: 'categories', body: categoryTable(categories) },
    ...(ablations.length > 0
      ? [{ name: 'ablations', body: overallTable('elfmem without', ablations.map(asFlag)) }]
      : []),
    { name: 'abstained', body: abstainedLine(facts) },
    { name: 'cost', body: costLines(facts) },
  ]
}

function factsOf({ conversations, kept, answers }: Results) {
  const ms = answers.map((each) => each.ms)
  const embedding = answers.map((each) => each.embeddingMs).filter((each) => each > 0)
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  return {
    conversations: conversations.length,
    turns: sum(conversations.map(({ turns }) => turns.length)),
    questions: answers.length,
    unresolvable: sum(conversations.map(({ unresolvable }) => unresolvable)),
    blocks: sum(kept.map(({ dreamt }) => dreamt.promoted)),
    deduplicated: sum(kept.map(({ dreamt }) => dreamt.deduplicated)),
    nearDuplicates: sum(kept.map(({ dreamt }) => dreamt.nearDuplicates)),
    dreamSeconds: sum(kept.map(({ dreamt }) => dreamt.seconds)),
    rememberMs: median(kept.flatMap(({ rememberMs }) => rememberMs)),
    abstained: answers.filter((each) => each.abstained).length,
    recallMs: { p50: median(ms), p95: quantile(ms, 0.95) },
    embeddingMs: { p50: median(embedding), p95: quantile(embedding, 0.95) },
  }
}

interface Overall extends Means {
  readonly name: string
  /** elfmem minus this system, recall@5, recall@10 and reciprocal rank, paired by question. */
  readonly ahead: Readonly<Record<'recall5' | 'recall10' | 'reciprocalRank', Interval>>
}

function overallOf({ name, found }: Measured, ours: Measured): Overall {
  const differences = (metric: keyof Found) =>
    bootstrap(found.map((each, i) => (ours.found[i] as Found)[metric] - each[metric]))
  return {
    name,
    ...meansOf(found),
    ahead: {
      recall5: differences('recall5'),
      recall10: differences('recall10'),
      reciprocalRank: differences('reciprocalRank'),
    },
  }
}

const METRIC_HEADS = ['R@5', 'R@10', 'R@20', 'hit@5', 'MRR']

function cells(means: Means): string[] {
  return METRICS.map((metric) => percent(means[metric]))
}

/** An ablation under the name that `--ablate` takes, as code. */
const asFlag = (row: Overall): Overall => (row.name === 'elfmem' ? row : { ...row, name: `\`${row.name}\`` })

function overallTable(head: string, rows: readonly Overall[]): Table {
  return {
    head: [head, ...METRIC_HEADS, 'elfmem ahead, R@10', 'elfmem ahead, MRR'],
    rows: rows.map((row) => [
      row.name,
      ...cells(row),
      row.name === 'elfmem' ? '' : intervalText(row.ahead.recall10),
      row.name === 'elfmem' ? '' : intervalText(row.ahead.reciprocalRank),
    ]),
  }
}

interface Category extends Means {
  readonly name: string
  readonly questions: number
}

function categoryTable(rows: readonly Category[]): Table {
  return {
    head: ['elfmem, by category', 'n', ...METRIC_HEADS],
    rows: rows.map((row) => [row.name, String(row.questions), ...cells(row)]),
  }
}

function abstainedLine({ abstained, questions, unresolvable }: Facts): string {
  return `Recall abstained on ${abstained} of the ${questions} questions; ${unresolvable} more without resolvable evidence were left out.`
}

function costLines(facts: Facts): string {
  const { recallMs, embeddingMs, rememberMs, dreamSeconds, blocks, deduplicated, nearDuplicates } = facts
  return [
    `${blocks} blocks (${deduplicated} repeats recognised, ${nearDuplicates} near-duplicates flagged), dream ${(blocks / dreamSeconds).toFixed(0)} blocks/s, remember p50 ${milliseconds(rememberMs)} ms`,
    `recall p50 ${milliseconds(recallMs.p50)} ms, p95 ${milliseconds(recallMs.p95)} ms without the question's embedding; that p50 ${milliseconds(embeddingMs.p50)} ms, p95 ${milliseconds(embeddingMs.p95)} ms`,
  ].join('\n')
}
