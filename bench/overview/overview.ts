import { join } from 'node:path'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import type { Embedder } from '../../src/engine/ports.ts'
import { openMemory } from '../../src/index.ts'
import { loadChats } from '../chats/loader.ts'
import { type Bench, listOf, wholeNumber } from '../lib/bench.ts'
import { rememberByDate } from '../lib/by-date.ts'
import { keepVectors } from '../lib/kept-vectors.ts'
import { type Part, textOf } from '../lib/part.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { mean, median, quantile } from '../lib/statistics.ts'
import { milliseconds, percent } from '../lib/table.ts'
import { withTemporaryFolder } from '../lib/temporary.ts'
import { loadConversations, UNITS, type Unit } from '../locomo/loader.ts'
import { rememberConversation } from '../locomo/ours.ts'
import { cheapEmbedder } from '../speed/cheap-embedder.ts'
import { filledMemories } from '../speed/filled.ts'
import { readUpdates } from '../updates/chains.ts'
import { type Broad, combinedBroad, measureBroad } from './broad.ts'
import { meanOf, measureConversation, type Row, readSentences } from './sessions.ts'

const UPDATE_BUDGETS = [500, 1_000, 1_500]
const TIMED = 9

interface OverviewData {
  readonly conversations: number
  readonly rows: readonly Row[]
  readonly broad: Broad
  /** Jaccard of the notes shown before and after one note is forgotten: mean and tenth percentile. */
  readonly steady?: { readonly mean: number; readonly p10: number }
  readonly updates: readonly {
    readonly budget: number
    readonly chains: number
    readonly outdatedAlone: number
  }[]
  /** Milliseconds of the processor for an overview of everything and for a recall in one memory, the median of several. */
  readonly time?: { readonly blocks: number; readonly overview: number; readonly recall: number }
}

export const overview: Bench = {
  name: 'overview',
  summary: 'what an overview tells of a memory and of its people, beside recall and chance',
  flags: {
    data: { type: 'string', place: 'FILE', description: 'A file in LoCoMo format' },
    unit: {
      type: 'string',
      default: 'observations',
      description: `What becomes a block: ${UNITS.join(' or ')}`,
    },
    only: { type: 'string', description: 'Comma-separated ids of conversations; all by default' },
    chats: { type: 'string', place: 'DIR', description: 'A folder with chats of BEAM, in place of --data' },
    updates: { type: 'string', place: 'FILE', description: 'A file with chains of notes that change' },
    blocks: { type: 'string', description: 'Also time an overview of so many blocks' },
    cache: { type: 'string', place: 'DIR', description: 'Where vectors are kept between runs' },
  },
  run: async (flags, log) => {
    const cache = typeof flags.cache === 'string' ? flags.cache : undefined
    const model = createMiniLmEmbedder()
    const embedder = shareEmbedder(cache === undefined ? model : keepVectors(model, cache))
    const only = listOf(flags, 'only')
    const all = [
      ...(typeof flags.data === 'string' ? loadConversations(flags.data, flags.unit as Unit) : []),
      ...(typeof flags.chats === 'string' ? loadChats(flags.chats, '100K', only.map(Number)) : []),
    ]
    const wanted =
      flags.chats === undefined ? all.filter(({ id }) => only.length === 0 || only.includes(id)) : all
    const sentences = typeof flags.data === 'string' ? readSentences(flags.data) : new Map<string, string[]>()
    const measured = await withTemporaryFolder(async (folder) => {
      const found: (Awaited<ReturnType<typeof measureConversation>> & { readonly broad: Broad })[] = []
      for (const conversation of wanted) {
        log(`${conversation.id}: ${conversation.turns.length} notes`)
        const kept = await rememberConversation(join(folder, `${conversation.id}.db`), conversation, embedder)
        const own = sentences.get(conversation.id) ?? []
        found.push({
          ...(await measureConversation(kept, conversation, { embedder, sentences: own })),
          broad: await measureBroad(kept, conversation, embedder),
        })
      }
      return found
    })
    const steady = measured.flatMap((each) => each.steady)
    const data: OverviewData = {
      conversations: measured.length,
      rows: combined(measured.flatMap(({ rows }) => rows)),
      broad: combinedBroad(measured.map(({ broad }) => broad)),
      ...(steady.length > 0 && { steady: { mean: mean(steady), p10: quantile(steady, 0.1) } }),
      updates: typeof flags.updates === 'string' ? await outdatedAlone(flags.updates, embedder) : [],
      ...(flags.blocks !== undefined && { time: await timed(wholeNumber(flags, 'blocks'), log) }),
    }
    return { report: textOf(partsOf(data)), data }
  },
  present: partsOf,
}

function combined(rows: readonly Row[]): Row[] {
  const groups = Map.groupBy(rows, ({ way, about, budget }) => `${about} ${budget} ${way}`)
  return [...groups.values()].map((group) => ({ ...(group[0] as Row), ...meanOf(group) }))
}

/** Counts the chains of which an overview shows an outdated note and not the current one. */
async function outdatedAlone(file: string, embedder: Embedder): Promise<OverviewData['updates']> {
  const { chains, controls } = readUpdates(file)
  const notes = [...chains, ...controls].flatMap((each) => [
    ...each.notes,
    ...('derived' in each ? each.derived : []),
  ])
  const { memory, idOf } = await rememberByDate(notes, { embedder })
  const found = []
  for (const tokenBudget of UPDATE_BUDGETS) {
    const { themes } = await memory.overview({ tokenBudget })
    const shown = new Set(themes.flatMap(({ blocks }) => blocks.map(({ id }) => id)))
    const isAlone = ({ current, outdated }: (typeof chains)[number]) =>
      !shown.has(idOf(current)) && outdated.some((id) => shown.has(idOf(id)))
    found.push({ budget: tokenBudget, chains: chains.length, outdatedAlone: chains.filter(isAlone).length })
  }
  await memory.close()
  return found
}

async function timed(blocks: number, log: (line: string) => void) {
  return withTemporaryFolder(async (folder) => {
    const path = join(folder, 'timed.db')
    await filledMemories(join(folder, 'filled'), log).copyTo(path, blocks)
    await using memory = await openMemory(path, { embedder: cheapEmbedder(), config: {} })
    const medianOf = async (call: () => Promise<unknown>) => {
      const times: number[] = []
      for (let i = 0; i < TIMED; i++) {
        const before = process.cpuUsage()
        await call()
        const { user, system } = process.cpuUsage(before)
        times.push((user + system) / 1_000)
      }
      return median(times.slice(2))
    }
    const recall = await medianOf(() => memory.recall({ query: 'what was decided', reinforce: false }))
    return { blocks, overview: await medianOf(() => memory.overview({})), recall }
  })
}

function partsOf({ rows, broad, steady, updates, time }: OverviewData): readonly Part[] {
  return [
    {
      name: 'shares',
      body: {
        head: ['about', 'tokens', 'way', 'sessions, %', 'sentences, %', 'evidence, %'],
        rows: rows.map(({ about, budget, way, sessions, sentences, evidence }) => [
          ...[about, String(budget), way],
          ...[sessions, sentences, evidence].map((share) => (Number.isNaN(share) ? '–' : percent(share))),
        ]),
        textColumns: 3,
      },
    },
    {
      name: 'broad',
      body: {
        head: ['answer to a broad question', 'notes, %', 'evidence, %', 'tokens'],
        rows: broad.rows.map(({ way, notes, evidence, tokens }) => [
          ...[way, percent(notes), percent(evidence), String(Math.round(tokens))],
        ]),
      },
    },
    {
      name: 'hints',
      body: `${broad.answered} of ${broad.asked} broad questions get an overview, and ${broad.falsely.length} of ${broad.others} others`,
    },
    {
      name: 'updates',
      body: {
        head: ['tokens', 'chains', 'outdated alone'],
        rows: updates.map((each) => [each.budget, each.chains, each.outdatedAlone].map(String)),
      },
    },
    {
      name: 'cost',
      body: [
        steady &&
          `one note less: Jaccard ${steady.mean.toFixed(3)}, tenth percentile ${steady.p10.toFixed(2)}`,
        time &&
          `${time.blocks} blocks: overview ${milliseconds(time.overview)} ms of the processor, recall ${milliseconds(time.recall)} ms, ratio ${(time.overview / time.recall).toFixed(1)}`,
      ]
        .filter(Boolean)
        .join('\n'),
    },
  ]
}
