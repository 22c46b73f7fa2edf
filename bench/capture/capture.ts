import { readFileSync } from 'node:fs'
import { Capture } from '../../src/frames/index.ts'
import { openMemory } from '../../src/index.ts'
import { saidForGood } from '../../src/language/said-for-good.ts'
import { type Chat, loadChats } from '../chats/loader.ts'
import { type Bench, folderFlag, listOf, textFlag } from '../lib/bench.ts'
import { type SharedEmbedder, sharedMiniLm } from '../lib/embedders.ts'
import { readData } from '../lib/files.ts'
import { dreamAll } from '../lib/memory.ts'
import { type Part, percent } from '../lib/table.ts'

/** Lists of prompts of coding agents. The rules were written with the first four at hand, and read the last two once. */
const LISTS = {
  leave: 'to leave',
  take: 'to take',
  leaveSecond: 'to leave, second',
  takeSecond: 'to take, second',
  leaveUnseen: 'to leave, unseen',
  takeUnseen: 'to take, unseen',
} as const

interface Row {
  readonly texts: string
  readonly count: number
  readonly taken: number
}

/** A captured block stands among 400 notes, or among the turns of the user; or those stand alone. */
const WAYS = ['notes', 'turns', 'turns alone'] as const

/** For each way, the places from 0 at which answers to situations have what was said; −1 if it is not among ten. */
type Places = Readonly<Record<(typeof WAYS)[number], readonly number[]>>

interface CaptureData {
  readonly rows: readonly Row[]
  /** Sentences that were taken from chats, for a person to judge. */
  readonly hits: readonly string[]
  readonly places?: Places
}

export const capture: Bench = {
  name: 'capture',
  summary: 'what is kept of prompts without a call: of own ones, and of chats with --data DIR',
  flags: {
    data: folderFlag('A folder with chats/100K/NUMBER, in the format of BEAM'),
    chats: textFlag('Numbers of chats', '1,2,3,4,5,6'),
    cache: folderFlag('Where vectors are kept between runs'),
  },
  run: async (flags, log): Promise<CaptureData> => {
    const prompts = JSON.parse(readFileSync(new URL('prompts.json', import.meta.url), 'utf8')) as Readonly<
      Record<string, readonly string[]>
    >
    const rows = Object.entries(LISTS).map(([list, texts]) => rowOf(texts, prompts[list] ?? []))
    if (typeof flags.data !== 'string') return { rows, hits: [] }
    const chats = loadChats(flags.data, '100K', listOf(flags, 'chats').map(Number))
    const said = chats.flatMap(ownTurns).map(({ content }) => content)
    const hits = said.flatMap((text) => saidForGood(text).map((each) => `${each.category}: ${each.text}`))
    const embedder = sharedMiniLm(flags.cache)
    const all: Places[] = []
    for (const chat of chats) {
      log(chat.id)
      all.push(await placesIn(chat, embedder))
    }
    const of = (way: keyof Places) => all.flatMap((places) => places[way])
    const places = { notes: of('notes'), turns: of('turns'), 'turns alone': of('turns alone') }
    return { rows: [...rows, rowOf('of users in chats', said)], hits, places }
  },
  present: ({ rows, hits, places }: CaptureData): readonly Part[] => {
    const taken = rows.map((row) => [
      ...[row.texts, String(row.count), String(row.taken), percent(row.taken / row.count)],
    ])
    const parts: Part[] = [
      { name: 'taken', body: { head: ['prompts', 'number', 'taken', 'share'], rows: taken } },
    ]
    if (places === undefined) return parts
    const among = (way: keyof Places, most: number) =>
      String(places[way].filter((at) => at >= 0 && at < most).length)
    const body = {
      head: ['found in', 'among five', 'among ten'],
      rows: WAYS.map((way) => [way, among(way, 5), among(way, 10)]),
    }
    const title = `${places.notes.length} situations`
    return [...parts, { name: 'found', title, body }, { name: 'hits', body: hits.join('\n') }]
  },
}

function rowOf(texts: string, all: readonly string[]): Row {
  return { texts, count: all.length, taken: all.filter((text) => saidForGood(text).length > 0).length }
}

function ownTurns({ turns }: Chat) {
  return turns.filter(({ speaker }) => speaker === 'user')
}

/** Asks about each situation of a chat: a question whose evidence is something that the user said for good. */
async function placesIn(chat: Chat, embedder: SharedEmbedder): Promise<Places> {
  const users = ownTurns(chat)
  const asked = chat.questions
    .filter(({ kind }) => kind === 'instruction following' || kind === 'preference following')
    .map(({ text, evidence }) => ({
      query: text,
      said: users.filter(({ id }) => evidence.has(id)).flatMap(({ content }) => saidForGood(content)),
    }))
    .filter(({ said }) => said.length > 0)
  const ask = async (way: keyof Places): Promise<number[]> => {
    if (asked.length === 0) return []
    await using memory = await openMemory(':memory:', { embedder, as: 'owner' })
    if (way === 'notes') {
      const notes = readData<readonly string[]>('notes.json')
      await memory.rememberMany({ blocks: notes.map((content) => ({ content })) })
    }
    for (const { content } of users) {
      if (way !== 'turns alone') await new Capture(memory).taken(chat.id, content)
      if (way !== 'notes')
        await memory.remember({ content, source: 'user', category: 'turn', session: chat.id })
    }
    await dreamAll(memory)
    return await Promise.all(
      asked.map(async ({ query, said }) => {
        const { blocks } = await memory.recall({ query, topK: 10, tokenBudget: 20_000 })
        return blocks.findIndex(({ content }) => said.some(({ text }) => content.includes(text)))
      }),
    )
  }
  return { notes: await ask('notes'), turns: await ask('turns'), 'turns alone': await ask('turns alone') }
}
