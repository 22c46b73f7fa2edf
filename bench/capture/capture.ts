import { readFileSync } from 'node:fs'
import { createMiniLmEmbedder } from '../../src/adapters/embed/minilm/minilm.ts'
import type { Embedder } from '../../src/engine/ports.ts'
import { Capture } from '../../src/frames/index.ts'
import { openMemory } from '../../src/index.ts'
import { saidForGood } from '../../src/language/said-for-good.ts'
import { KINDS, loadChats } from '../chats/loader.ts'
import { type Bench, listOf } from '../lib/bench.ts'
import { readData } from '../lib/data.ts'
import { dreamAll } from '../lib/dream-all.ts'
import { type Part, textOf } from '../lib/part.ts'
import { shareEmbedder } from '../lib/shared-embedder.ts'
import { percent } from '../lib/table.ts'

/** Prompts of coding agents. The rules were written with the first four lists at hand, and read the last two once. */
interface Prompts {
  readonly leave: readonly string[]
  readonly take: readonly string[]
  readonly leaveSecond: readonly string[]
  readonly takeSecond: readonly string[]
  readonly leaveUnseen: readonly string[]
  readonly takeUnseen: readonly string[]
}

interface Row {
  readonly texts: string
  readonly count: number
  readonly taken: number
}

/** A captured block stands among 400 notes, or among the turns of the user; or those stand alone. */
const WAYS = ['notes', 'turns', 'turns alone'] as const
type Way = (typeof WAYS)[number]
/** Questions for which what was said is among the first five, and the first ten. */
type Places = readonly [five: number, ten: number]
const NOWHERE: Places = [0, 0]

/** Situations of chats, which are questions whose evidence is something that the user said for good. */
interface Found extends Readonly<Record<Way, Places>> {
  readonly questions: number
}

interface CaptureData {
  readonly rows: readonly Row[]
  /** Sentences that were taken from chats, for a person to judge. */
  readonly hits: readonly string[]
  readonly found?: Found
}

const notes = readData<readonly string[]>('notes.json')

export const capture: Bench = {
  name: 'capture',
  summary: 'what is kept of prompts without a call: of own ones, and of chats with --data DIR',
  flags: {
    data: {
      type: 'string',
      place: 'DIR',
      description: 'A folder with chats/100K/NUMBER, in the format of BEAM',
    },
    chats: { type: 'string', default: '1,2,3,4,5,6', description: 'Numbers of chats' },
  },
  run: async (flags, log) => {
    const prompts = JSON.parse(readFileSync(new URL('prompts.json', import.meta.url), 'utf8')) as Prompts
    const rows = [
      rowOf('to leave', prompts.leave),
      rowOf('to take', prompts.take),
      rowOf('to leave, second', prompts.leaveSecond),
      rowOf('to take, second', prompts.takeSecond),
      rowOf('to leave, unseen', prompts.leaveUnseen),
      rowOf('to take, unseen', prompts.takeUnseen),
    ]
    if (typeof flags.data !== 'string') return resultOf({ rows, hits: [] })
    const chats = loadChats(flags.data, '100K', listOf(flags, 'chats').map(Number))
    const own = chats.flatMap(({ turns }) => turns.filter(({ speaker }) => speaker === 'user'))
    const texts = own.map(({ content }) => content)
    const hits = texts.flatMap((text) => saidForGood(text).map((each) => `${each.category}: ${each.text}`))
    const embedder = shareEmbedder(createMiniLmEmbedder())
    const found: Found[] = []
    for (const chat of chats) {
      log(chat.id)
      found.push(await findIn(chat, embedder))
    }
    return resultOf({ rows: [...rows, rowOf('of users in chats', texts)], hits, found: sumOf(found) })
  },
  present: partsOf,
}

function rowOf(texts: string, all: readonly string[]): Row {
  return { texts, count: all.length, taken: all.filter((text) => saidForGood(text).length > 0).length }
}

/** Asks about each situation of a chat. */
async function findIn(
  { id, turns, questions }: ReturnType<typeof loadChats>[number],
  embedder: Embedder,
): Promise<Found> {
  const users = turns.filter(({ speaker }) => speaker === 'user')
  const asked = questions.flatMap(({ text, category, evidence }) => {
    const kind = KINDS[category as keyof typeof KINDS]
    const said = users.filter((turn) => evidence.has(turn.id)).flatMap(({ content }) => saidForGood(content))
    const isSituation = kind === 'instruction following' || kind === 'preference following'
    return isSituation && said.length > 0 ? [{ text, said: new Set(said.map((each) => each.text)) }] : []
  })
  const ask = async (way: Way): Promise<Places> => {
    const memory = await openMemory(':memory:', { embedder, as: 'owner' })
    if (way === 'notes') await memory.rememberMany({ blocks: notes.map((content) => ({ content })) })
    for (const { content } of users) {
      if (way !== 'turns alone') await new Capture(memory).taken(id, content)
      if (way !== 'notes') await memory.remember({ content, source: 'user', category: 'turn', session: id })
    }
    await dreamAll(memory)
    const places = await Promise.all(
      asked.map(async ({ text, said }) => {
        const recalled = await memory.recall({ query: text, topK: 10, tokenBudget: 20_000 })
        return recalled.blocks.findIndex(({ content }) => [...said].some((each) => content.includes(each)))
      }),
    )
    await memory.close()
    const among = (most: number) => places.filter((at) => at >= 0 && at < most).length
    return [among(5), among(10)]
  }
  const found = { questions: asked.length, notes: NOWHERE, turns: NOWHERE, 'turns alone': NOWHERE }
  if (asked.length > 0) for (const way of WAYS) found[way] = await ask(way)
  return found
}

function sumOf(all: readonly Found[]): Found {
  const sum = (way: Way, at: 0 | 1) => all.reduce((total, each) => total + each[way][at], 0)
  const placesOf = (way: Way): Places => [sum(way, 0), sum(way, 1)]
  const questions = all.reduce((total, each) => total + each.questions, 0)
  return {
    ...{ questions, notes: placesOf('notes'), turns: placesOf('turns') },
    'turns alone': placesOf('turns alone'),
  }
}

function resultOf(data: CaptureData) {
  const hits = data.hits.length === 0 ? '' : `\n\n${data.hits.join('\n')}`
  return { report: `${textOf(partsOf(data))}${hits}`, data }
}

function partsOf({ rows, found }: CaptureData): readonly Part[] {
  const taken: Part = {
    name: 'taken',
    body: {
      head: ['prompts', 'number', 'taken', 'share'],
      rows: rows.map(({ texts, count, taken }) => [
        texts,
        String(count),
        String(taken),
        percent(taken / count),
      ]),
    },
  }
  if (found === undefined) return [taken]
  const situations: Part = {
    name: 'found',
    title: `${found.questions} situations`,
    body: {
      head: ['found in', 'among five', 'among ten'],
      rows: WAYS.map((way) => [way, ...found[way].map(String)]),
    },
  }
  return [taken, situations]
}
