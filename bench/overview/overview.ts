import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Embedder } from '../../src/engine/ports.ts'
import { openMemory } from '../../src/index.ts'
import { loadChats } from '../chats/loader.ts'
import { type Bench, fileFlag, folderFlag, type Log, listOf, textFlag, wholeNumber } from '../lib/bench.ts'
import { cheapEmbedder, sharedMiniLm } from '../lib/embedders.ts'
import { withTemporaryFolder } from '../lib/files.ts'
import { mean, median, quantile } from '../lib/statistics.ts'
import { milliseconds, type Part, percent } from '../lib/table.ts'
import { rememberTurns } from '../locomo/ask.ts'
import { loadConversations } from '../locomo/loader.ts'
import { filledMemories } from '../speed/filled.ts'
import { rememberByDate } from '../versions/by-date.ts'
import { total } from '../versions/counts.ts'
import { readUpdates } from '../versions/sets.ts'
import { type Measured, meansByWay, measureConversation, type Row } from './shares.ts'

const UPDATE_BUDGETS = [500, 1_000, 1_500]
const TIMED = 9

interface OverviewData {
  readonly shares: readonly Row[]
  readonly broad: readonly Row[]
  readonly hints: Readonly<Record<string, number>>
  /** Mean and tenth percentile of the Jaccard index of notes shown before and after one is forgotten. */
  readonly steady: { readonly mean: number; readonly p10: number }
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
    data: fileFlag('A file in LoCoMo format, whose notes are remembered'),
    chats: folderFlag('Also chats of BEAM, whose messages are remembered as they are'),
    only: textFlag('Comma-separated ids of conversations or numbers of chats; all by default'),
    updates: fileFlag('A file with chains of notes that change'),
    blocks: textFlag('Also time an overview of so many blocks'),
    cache: folderFlag('Where vectors are kept between runs'),
  },
  run: async (flags, log): Promise<OverviewData> => {
    const embedder = sharedMiniLm(flags.cache)
    const only = listOf(flags, 'only')
    const { data: file, chats } = flags
    const conversations = typeof file === 'string' ? loadConversations(file, 'observations') : []
    const wanted = [
      ...conversations.filter(({ id }) => only.length === 0 || only.includes(id)),
      ...(typeof chats === 'string' ? loadChats(chats, '100K', only.map(Number)) : []),
    ]
    const sentences = typeof file === 'string' ? readSentences(file) : new Map<string, string[]>()
    const measured: Measured[] = []
    await withTemporaryFolder(async (folder) => {
      for (const conversation of wanted) {
        const { id, turns } = conversation
        log(`${id}: ${turns.length} notes`)
        const kept = await rememberTurns(join(folder, `${id}.db`), turns, embedder)
        const options = { embedder, sentences: sentences.get(id) ?? [] }
        measured.push(await measureConversation(kept, conversation, options))
      }
    })
    const steady = measured.flatMap((each) => each.steady)
    return {
      shares: meansByWay(measured.flatMap((each) => each.shares)),
      broad: meansByWay(measured.flatMap((each) => each.broad)),
      hints: total(measured.map((each) => each.hints)),
      steady: { mean: mean(steady), p10: quantile(steady, 0.1) },
      updates: typeof flags.updates === 'string' ? await outdatedAlone(flags.updates, embedder) : [],
      ...(flags.blocks !== undefined && { time: await timed(wholeNumber(flags, 'blocks'), log) }),
    }
  },
  present: partsOf,
}

/** Reads the sentences of the summaries of sessions, by conversation, from a file in LoCoMo's format; none if it has none. */
function readSentences(path: string): ReadonlyMap<string, readonly string[]> {
  const samples = JSON.parse(readFileSync(path, 'utf8')) as readonly {
    readonly sample_id: string
    readonly session_summary?: Readonly<Record<string, string>>
  }[]
  const sentencesOf = (text: string) =>
    text.split(/(?<=[.!?])\s+(?=\p{Lu})/u).filter((each) => each.length > 20)
  return new Map(
    samples.map(({ sample_id, session_summary = {} }) => [
      sample_id,
      Object.values(session_summary).flatMap(sentencesOf),
    ]),
  )
}

/** Counts the chains of which an overview shows an outdated note and not the current one. */
async function outdatedAlone(file: string, embedder: Embedder): Promise<OverviewData['updates']> {
  const { notes, questions } = readUpdates(file)
  const chains = questions.filter(({ kind }) => kind === 'chain')
  const { memory, idOf } = await rememberByDate(notes, { embedder })
  const found = []
  for (const tokenBudget of UPDATE_BUDGETS) {
    const { themes } = await memory.overview({ tokenBudget })
    const shown = new Set(themes.flatMap(({ blocks }) => blocks.map(({ id }) => id)))
    const shows = (ids: readonly string[]) => ids.some((id) => shown.has(idOf(id)))
    const alone = chains.filter(({ asked, others }) => shows(others) && !shows(asked))
    found.push({ budget: tokenBudget, chains: chains.length, outdatedAlone: alone.length })
  }
  await memory.close()
  return found
}

async function timed(blocks: number, log: Log) {
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

function partsOf({ shares, broad, hints, steady, updates, time }: OverviewData): readonly Part[] {
  const share = (value: number | null) => (Number.isFinite(value) ? percent(Number(value)) : '–')
  const cost = time && [
    `${time.blocks} blocks: overview ${milliseconds(time.overview)} ms of the processor, recall ${milliseconds(time.recall)} ms, ratio ${(time.overview / time.recall).toFixed(1)}`,
  ]
  return [
    {
      name: 'shares',
      body: {
        head: ['about', 'tokens', 'way', 'sessions, %', 'sentences, %', 'evidence, %'],
        rows: shares.map(({ way, numbers }) => [...way.split('|'), ...Object.values(numbers).map(share)]),
        textColumns: 3,
      },
    },
    {
      name: 'broad',
      body: {
        head: ['answer to a broad question', 'notes, %', 'evidence, %', 'tokens'],
        rows: broad.map(({ way, numbers: { notes = 0, evidence = 0, tokens = 0 } }) => [
          ...[way, share(notes), share(evidence), String(Math.round(tokens))],
        ]),
      },
    },
    {
      name: 'hints',
      body: `${hints.answered} of ${hints.asked} broad questions get an overview, and ${hints.falsely} of ${hints.others} others`,
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
        `one note less: Jaccard ${steady.mean.toFixed(3)}, tenth percentile ${steady.p10.toFixed(2)}`,
        ...(cost ?? []),
      ].join('\n'),
    },
  ]
}
