import { readFileSync } from 'node:fs'
import { dot } from '../../src/index/columns.ts'
import { type Memory, openMemory } from '../../src/index.ts'
import { fixedClock } from '../lib/fixed-clock.ts'
import { createRandom } from '../lib/random.ts'
import type { SharedEmbedder } from '../lib/shared-embedder.ts'
import { mean } from '../lib/statistics.ts'
import type { Conversation } from '../locomo/loader.ts'
import type { Remembered } from '../locomo/ours.ts'

export const BUDGETS = [500, 1_500, 4_000] as const
/** Cosine from which on a note tells a sentence of a session's summary. */
const TELLS = 0.65
const DRAWS = 20
const STEADY = 12

/** The shares of sessions, of sentences of summaries, and of notes with evidence, that an answer has, 0..1. */
export interface Shares {
  readonly sessions: number
  readonly sentences: number
  readonly evidence: number
}

/** The shares of one way to answer, by its name and its budget, about everything or about a speaker. */
export interface Row extends Shares {
  readonly way: string
  readonly about: 'whole' | 'speaker'
  readonly budget: number
}

interface Note {
  readonly id: string
  readonly session: string
  readonly vector: Float32Array
  readonly content: string
  readonly isEvidence: boolean
}

/** The notes of a subject, and the sentences of the summaries that name it, with their vectors. */
interface Subject {
  readonly about?: string
  readonly notes: readonly Note[]
  readonly sentences: readonly Float32Array[]
}

/** Reads the sentences of the summaries of sessions, by conversation, from a file in LoCoMo's format; none if it has none. */
export function readSentences(path: string): ReadonlyMap<string, readonly string[]> {
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

/** Measures overviews of a conversation, of everything and of each speaker, beside recall and notes drawn by chance. */
export async function measureConversation(
  { path, turnsOf }: Remembered,
  conversation: Conversation,
  { embedder, sentences }: { readonly embedder: SharedEmbedder; readonly sentences: readonly string[] },
): Promise<{ readonly rows: readonly Row[]; readonly steady: readonly number[] }> {
  await using memory = await openMemory(path, { embedder, clock: fixedClock, config: {} })
  const evidence = new Set(conversation.questions.flatMap((each) => [...each.evidence]))
  const { blocks } = await memory.ls({ limit: 500, cursor: undefined })
  const all = [...blocks]
  for (let { cursor } = await memory.ls({ limit: 500 }); cursor !== undefined; ) {
    const page = await memory.ls({ limit: 500, cursor })
    all.push(...page.blocks)
    cursor = page.cursor
  }
  const vectors = await embedder.vectorsOf(all.map(({ content }) => content))
  const notes = all.map(({ id, session, content, source = '' }, i) => ({
    ...{ id, session, content, source, vector: vectors[i] as Float32Array },
    isEvidence: turnsOf.get(id)?.some((turn) => evidence.has(turn)) === true,
  }))
  const summaries = await embedder.vectorsOf(sentences)
  const subjects: Subject[] = [
    { notes, sentences: summaries },
    ...conversation.speakers.map((about) => ({
      about,
      notes: notes.filter(({ content, source }) => source === about || named(content, about)),
      sentences: summaries.filter((_, i) => named(sentences[i] ?? '', about)),
    })),
  ]
  const rows: Row[] = []
  for (const subject of subjects)
    for (const budget of BUDGETS) rows.push(...(await measureSubject(memory, subject, budget)))
  return { rows, steady: await steadiness(memory, notes) }
}

const named = (text: string, name: string) => new RegExp(`\\b${name}\\b`).test(text)

async function measureSubject(memory: Memory, subject: Subject, tokenBudget: number): Promise<Row[]> {
  const { about, notes } = subject
  const kind = about === undefined ? 'whole' : 'speaker'
  const row = (way: string, shares: Shares): Row => ({ way, about: kind, budget: tokenBudget, ...shares })
  const found = await memory.overview({ ...(about && { about }), tokenBudget })
  const questions = about
    ? [`What do you know about ${about}?`, `Tell me about ${about}.`]
    : ['What do you know about all of this?', 'Give me an overview of everything that happened.']
  const recalls = async (limit: object) => {
    const answers = await Promise.all(
      questions.map((query) => memory.recall({ query, tokenBudget, reinforce: false, ...limit })),
    )
    return meanOf(answers.map(({ blockIds }) => sharesOf(subject, blockIds)))
  }
  const random = createRandom(20_264, tokenBudget)
  const draws = Array.from({ length: DRAWS }, () => {
    let left = tokenBudget
    return random.shuffled(notes).flatMap(({ id, content }) => {
      left -= (Math.min(content.length, 240) + 26) / 4
      return left >= 0 ? [id] : []
    })
  })
  return [
    row('overview', sharesOf(subject, idsOf(found))),
    row('recall', await recalls({})),
    row('recall, limit 40', await recalls({ limit: 40 })),
    row(`random, ${DRAWS} draws`, meanOf(draws.map((ids) => sharesOf(subject, ids)))),
  ]
}

const idsOf = ({ themes }: Awaited<ReturnType<Memory['overview']>>) =>
  themes.flatMap(({ blocks }) => blocks.map(({ id }) => id))

function sharesOf({ notes, sentences }: Subject, ids: readonly string[]): Shares {
  const shown = new Set(ids)
  const own = notes.filter(({ id }) => shown.has(id))
  const isTold = (sentence: Float32Array) => own.some(({ vector }) => dot(vector, sentence) >= TELLS)
  const share = (some: number, all: number) => (all === 0 ? Number.NaN : some / all)
  return {
    sessions:
      new Set(own.map(({ session }) => session)).size / new Set(notes.map(({ session }) => session)).size,
    sentences: share(sentences.filter(isTold).length, sentences.length),
    evidence: share(
      own.filter(({ isEvidence }) => isEvidence).length,
      notes.filter(({ isEvidence }) => isEvidence).length,
    ),
  }
}

/** Returns the mean of each share. */
export function meanOf(shares: readonly Shares[]): Shares {
  const of = (key: keyof Shares) => mean(shares.map((each) => each[key]))
  return { sessions: of('sessions'), sentences: of('sentences'), evidence: of('evidence') }
}

/** Returns how much the notes of an overview stay the same when one note is forgotten: Jaccard, once for each of some notes. */
async function steadiness(memory: Memory, notes: readonly Note[]): Promise<number[]> {
  const before = new Set(idsOf(await memory.overview({})))
  const found: number[] = []
  for (const { id } of createRandom(20_264).sample(notes, STEADY)) {
    const { operationId } = await memory.forget({ blockId: id })
    const after = idsOf(await memory.overview({}))
    if (operationId !== undefined) await memory.undo({ operationId })
    const both = after.filter((each) => before.has(each)).length
    found.push(both / (before.size + after.length - both))
  }
  return found
}
