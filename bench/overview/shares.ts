import { estimateTokens } from '../../src/block/text.ts'
import { dot } from '../../src/index/columns.ts'
import type { Memory } from '../../src/index.ts'
import type { SharedEmbedder } from '../lib/embedders.ts'
import { openStill } from '../lib/memory.ts'
import { createRandom } from '../lib/random.ts'
import { mean } from '../lib/statistics.ts'
import type { Kept } from '../locomo/ask.ts'
import type { Conversation } from '../locomo/loader.ts'

const BUDGETS = [500, 1_500, 4_000] as const
/** Cosine from which on a note tells a sentence of a session's summary. */
const TELLS = 0.65
const DRAWS = 20
const STEADY = 12

/** Broad questions about a person. */
const BROAD = [
  (name: string) => `What do you know about ${name}?`,
  (name: string) => `Tell me about ${name}.`,
  (name: string) => `Who is ${name}?`,
]
/** Token budgets of an overview alone. 0 means as many tokens as the entries of recall take. */
const BROAD_BUDGETS = [0, 500, 1_500]

/** One way to answer, with means over all its answers by their names, such as shares of 0..1. */
export interface Row {
  readonly way: string
  readonly numbers: Readonly<Record<string, number>>
}

/** Overviews of a conversation and of its speakers beside recall and notes drawn by chance, and broad questions about its speakers. */
export interface Measured {
  readonly shares: readonly Row[]
  /** Jaccard of the notes shown before and after one note is forgotten, once for each of some notes. */
  readonly steady: readonly number[]
  readonly broad: readonly Row[]
  /** Number of broad questions, of own questions of the conversation, and of each kind how many got an overview. */
  readonly hints: Readonly<Record<'asked' | 'answered' | 'others' | 'falsely', number>>
}

/** Returns the mean of each number of each way, in the order of the ways. */
export function meansByWay(rows: readonly Row[]): Row[] {
  return [...Map.groupBy(rows, ({ way }) => way)].map(([way, group]) => ({
    way,
    numbers: Object.fromEntries(
      Object.keys(group[0]?.numbers ?? {}).map((name) => [
        name,
        mean(group.map(({ numbers }) => numbers[name] ?? Number.NaN)),
      ]),
    ),
  }))
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

/** Measures overviews of a conversation. */
export async function measureConversation(
  { path, turnsOf }: Kept,
  { questions, speakers }: Conversation,
  { embedder, sentences }: { readonly embedder: SharedEmbedder; readonly sentences: readonly string[] },
): Promise<Measured> {
  await using memory = await openStill(path, embedder)
  const evidence = new Set(questions.flatMap((each) => [...each.evidence]))
  const { blocks: all } = await memory.ls({ limit: 500 })
  const vectors = await embedder.vectorsOf(all.map(({ content }) => content))
  const notes = all.map(({ id, session, content, source = '' }, i) => ({
    ...{ id, session, content, source, vector: vectors[i] as Float32Array },
    isEvidence: turnsOf.get(id)?.some((turn) => evidence.has(turn)) === true,
  }))
  const summaries = await embedder.vectorsOf(sentences)
  const named = (text: string, name: string) => new RegExp(`\\b${name}\\b`).test(text)
  const subjects: Subject[] = [
    { notes, sentences: summaries },
    ...speakers.map((about) => ({
      about,
      notes: notes.filter(({ content, source }) => source === about || named(content, about)),
      sentences: summaries.filter((_, i) => named(sentences[i] ?? '', about)),
    })),
  ]
  const shares: Row[] = []
  for (const subject of subjects)
    for (const budget of BUDGETS) shares.push(...(await sharesOfWays(memory, subject, budget)))
  const steady = await steadiness(memory, notes)
  const known = new Set(notes.filter(({ isEvidence }) => isEvidence).map(({ id }) => id))
  return { shares, steady, ...(await askBroadly(memory, { questions, speakers }, known)) }
}

async function sharesOfWays(memory: Memory, subject: Subject, tokenBudget: number): Promise<Row[]> {
  const { about, notes } = subject
  const kind = about === undefined ? 'whole' : 'speaker'
  const row = (way: string, answers: readonly (readonly string[])[]): Row => {
    const name = `${kind}|${tokenBudget}|${way}`
    const rows = answers.map((ids) => ({ way: name, numbers: sharesOf(subject, ids) }))
    return meansByWay(rows)[0] as Row
  }
  const found = await memory.overview({ ...(about && { about }), tokenBudget })
  const asked = about
    ? [`What do you know about ${about}?`, `Tell me about ${about}.`]
    : ['What do you know about all of this?', 'Give me an overview of everything that happened.']
  const recalls = (limit: object) =>
    Promise.all(
      asked.map(
        async (query) => (await memory.recall({ query, tokenBudget, reinforce: false, ...limit })).blockIds,
      ),
    )
  const random = createRandom(20_264, tokenBudget)
  const draws = Array.from({ length: DRAWS }, () => {
    let left = tokenBudget
    return random.shuffled(notes).flatMap(({ id, content }) => {
      left -= (Math.min(content.length, 240) + 26) / 4
      return left >= 0 ? [id] : []
    })
  })
  return [
    row('overview', [idsOf(found)]),
    row('recall', await recalls({})),
    row('recall, limit 40', await recalls({ limit: 40 })),
    row(`random, ${DRAWS} draws`, draws),
  ]
}

const idsOf = ({ themes }: Awaited<ReturnType<Memory['overview']>>) =>
  themes.flatMap(({ blocks }) => blocks.map(({ id }) => id))

/** Returns the shares of sessions, of sentences of summaries, and of notes with evidence, that an answer has. */
function sharesOf({ notes, sentences }: Subject, ids: readonly string[]): Row['numbers'] {
  const shown = new Set(ids)
  const own = notes.filter(({ id }) => shown.has(id))
  const isTold = (sentence: Float32Array) => own.some(({ vector }) => dot(vector, sentence) >= TELLS)
  const share = (some: number, all: number) => (all === 0 ? Number.NaN : some / all)
  const sessions = (of: readonly Note[]) => new Set(of.map(({ session }) => session)).size
  const withEvidence = (of: readonly Note[]) => of.filter(({ isEvidence }) => isEvidence).length
  return {
    sessions: share(sessions(own), sessions(notes)),
    sentences: share(sentences.filter(isTold).length, sentences.length),
    evidence: share(withEvidence(own), withEvidence(notes)),
  }
}

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

/** Asks broad questions about the speakers, and the conversation's own, and counts what answers and overviews have. */
async function askBroadly(
  memory: Memory,
  { questions, speakers }: Pick<Conversation, 'questions' | 'speakers'>,
  evidence: ReadonlySet<string>,
): Promise<Pick<Measured, 'broad' | 'hints'>> {
  const broad: Row[] = []
  let [answered, falsely] = [0, 0]
  for (const name of speakers) {
    const all = idsOf(await memory.overview({ about: name, tokenBudget: 1_000_000 }))
    const add = (way: string, ids: readonly string[], text: string) => {
      const own = all.filter((id) => ids.includes(id))
      const part = own.filter((id) => evidence.has(id)).length / all.filter((id) => evidence.has(id)).length
      const numbers = { notes: own.length / all.length, evidence: part, tokens: estimateTokens(text) }
      broad.push({ way, numbers })
    }
    for (const question of BROAD) {
      const { text, blockIds, overview } = await memory.recall({ query: question(name), reinforce: false })
      if (overview !== undefined) answered++
      add('entries of recall', blockIds, text)
      for (const budget of BROAD_BUDGETS) {
        const tokenBudget = Math.max(100, budget || estimateTokens(text))
        const found = await memory.overview({ about: name, tokenBudget })
        add(`overview, ${budget || 'as many'} tokens`, idsOf(found), found.text)
      }
    }
  }
  for (const { text: query } of questions)
    if ((await memory.recall({ query, reinforce: false })).overview !== undefined) falsely++
  const asked = speakers.length * BROAD.length
  return { broad, hints: { asked, answered, others: questions.length, falsely } }
}
