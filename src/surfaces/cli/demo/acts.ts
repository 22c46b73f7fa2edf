import type { CallContext } from '../../../flow/engine/engine.ts'
import type { Memory } from '../../../memory.ts'
import type { Clock } from '../../../ports/clock.ts'
import { type DemoQuestion, demoQuestions, type JournalSession } from './journal.ts'

const MINUTE_MS = 60_000

/** A clock that stands where the journal says it is; it moves by a second with every look, as time does. */
export class DemoClock implements Clock {
  #ms = 0

  now(): number {
    this.#ms += 1000
    return this.#ms
  }

  /** Goes to so many minutes after a moment, never backwards. */
  moveTo(iso: string, minutes = 0): void {
    this.#ms = Math.max(this.#ms, Date.parse(iso) + minutes * MINUTE_MS)
  }

  skipHours(hours: number): void {
    this.#ms += hours * 60 * MINUTE_MS
  }
}

/** The memory being watched, and its clock. */
export interface Stage {
  readonly memory: Memory
  readonly clock: DemoClock
}

type Recalled = Awaited<ReturnType<Memory['recall']>>

/**
 * Remembers one session of the journal at its times; returns how many notes, how many of them had been
 * said before word for word, and milliseconds for each.
 */
export async function rememberSession({ memory, clock }: Stage, session: JournalSession) {
  clock.moveTo(session.startedAt)
  await memory.beginSession({ taskType: session.name })
  const begun = performance.now()
  let repeated = 0
  for (const { minute, content, tags, source, category, cue } of session.entries) {
    clock.moveTo(session.startedAt, minute)
    const { status } = await memory.remember({
      content,
      ...(tags && { tags: [...tags] }),
      ...(source && { source }),
      ...(category && { category }),
      ...(cue && { cue }),
    })
    if (status === 'duplicate') repeated++
  }
  const milliseconds = (performance.now() - begun) / Math.max(1, session.entries.length)
  await memory.endSession()
  return { notes: session.entries.length, repeated, milliseconds }
}

/** One dream over everything that waits. */
export async function dreamAll({ memory }: Stage, context: CallContext) {
  const begun = performance.now()
  const { processed, promoted, deduplicated, edgesCreated, nearDuplicatesFlagged } = await memory.dream(
    {},
    context,
  )
  return {
    processed,
    promoted,
    deduplicated,
    edgesCreated,
    nearDuplicatesFlagged,
    seconds: (performance.now() - begun) / 1000,
  }
}

/** How a question of the demo was answered. */
export interface Asked {
  readonly question: string
  readonly kind: DemoQuestion['kind']
  /** Where the first block stands that answers it, from 1; absent when none was found. */
  readonly rank?: number
  /** Content of the first right block, else of the first found; absent when nothing was found. */
  readonly first?: string
  /** How sure the memory itself is of its answer. */
  readonly match: Recalled['match']
  readonly right: boolean
  readonly milliseconds: number
}

/** Asks everything the journal can answer, and one thing it cannot. Looks only: nothing is changed. */
export async function askAll({ memory }: Stage): Promise<Asked[]> {
  const asked: Asked[] = []
  for (const { question, kind, expected } of demoQuestions) {
    const begun = performance.now()
    const { blocks, match } = await memory.recall({ query: question, reinforce: false })
    const milliseconds = performance.now() - begun
    const rank = blocks.findIndex(({ content }) => holdsAny(content, expected)) + 1
    const found = rank > 0
    asked.push({
      question,
      kind,
      ...(found && { rank }),
      ...(blocks[0] && { first: (found ? blocks[rank - 1] : blocks[0])?.content ?? '' }),
      match,
      right: expected.length === 0 ? match === 'nothing' || match === 'weak' : found,
      milliseconds,
    })
  }
  return asked
}

/** Returns the score of each block of a recall, term by term. */
export async function explain({ memory }: Stage, query: string) {
  const { blocks } = await memory.recall({ query, topK: 3, reinforce: false, explain: true })
  return blocks.map(({ content, score, explanation }) => ({
    content,
    score,
    terms: explanation?.terms ?? [],
    ...(explanation?.match && { match: explanation.match }),
  }))
}

/** The place of a block in an answer before and after its outcome was reported. */
export interface Moved {
  readonly content: string
  readonly verdict: 'helped' | 'misled'
  readonly before: number
  /** 0 when the answer no longer holds it. */
  readonly after: number
  readonly confidence: number
}

/** Tells the memory which of two answers was out of date, and asks again. */
export async function learn({ memory }: Stage) {
  const chosen = await pickContest(memory)
  if (chosen === undefined) return undefined
  const { question, before, helped, misled } = chosen
  for (let report = 0; report < 2; report++)
    await memory.outcome({ helped, notHelped: misled, source: 'the demo checked' })
  const after = await memory.recall({ query: question, reinforce: false })
  const moved = [...helped, ...misled].map((id): Moved => {
    const now = after.blocks.find((block) => block.id === id)
    return {
      content: before.blocks.find((block) => block.id === id)?.content ?? '',
      verdict: helped.includes(id) ? 'helped' : 'misled',
      before: before.blockIds.indexOf(id) + 1,
      after: after.blockIds.indexOf(id) + 1,
      confidence: now?.confidence ?? 0,
    }
  })
  return { question, moved }
}

/** The question whose outdated answer stands highest: where there is most to learn. */
async function pickContest(memory: Memory) {
  const contests: {
    readonly question: string
    readonly before: Recalled
    readonly helped: string[]
    readonly misled: string[]
  }[] = []
  for (const { question, expected, outdated = [] } of demoQuestions) {
    const before = await memory.recall({ query: question, reinforce: false })
    const idsOf = (words: readonly string[]) =>
      before.blocks.filter(({ content }) => holdsAny(content, words)).map(({ id }) => id)
    const [helped, misled] = [idsOf(expected), idsOf(outdated)]
    if (helped.length > 0 && misled.length > 0) contests.push({ question, before, helped, misled })
  }
  const lead = ({ before, helped, misled }: (typeof contests)[number]) =>
    before.blockIds.indexOf(misled[0] ?? '') - before.blockIds.indexOf(helped[0] ?? '')
  return contests.sort((a, b) => lead(a) - lead(b))[0]
}

/** Knowledge of an agent that no similarity shows: why something happened. */
const CAUSE = {
  question: 'Why were three bakers quoted absurd freight?',
  symptom: 'absurd freight for a single sack',
  cause: 'article weights in grams',
  relation: 'elaborates',
} as const

/** Joins a cause to its effect, and asks again. */
export async function connectCause({ memory }: Stage) {
  const { question, relation } = CAUSE
  const idOf = async (words: string) => {
    const { blocks } = await memory.recall({ query: words, reinforce: false })
    return blocks.find(({ content }) => content.includes(words))?.id
  }
  const [source, target] = [await idOf(CAUSE.cause), await idOf(CAUSE.symptom)]
  if (source === undefined || target === undefined) return undefined
  const before = await memory.recall({ query: question, reinforce: false })
  await memory.connect({ source, target, relation, note: 'kilograms were expected' })
  const after = await memory.recall({ query: question, reinforce: false })
  const brought = after.blocks.find(({ id }) => id === source)
  const { text } = await memory.graph({ blockId: target, depth: 1 })
  return {
    question,
    cause: brought?.content ?? '',
    before: before.blockIds.indexOf(source) + 1,
    after: after.blockIds.indexOf(source) + 1,
    wasExpanded: brought?.wasExpanded === true,
    tree: text.split('\n'),
  }
}

/** Lets working hours pass without use, curates, and brings one block back. */
export async function fade({ memory, clock }: Stage, hours: number) {
  clock.skipHours(hours)
  const { archived } = await memory.curate()
  const faded = await Promise.all(
    archived.slice(0, 3).map(async (blockId) => (await memory.show({ blockId })).block.content),
  )
  const [first] = archived
  if (first !== undefined) await memory.restore({ blockId: first })
  const { activeCount } = await memory.status()
  return {
    hours,
    archived: archived.length,
    faded,
    ...(first && { restored: faded[0] ?? '' }),
    active: activeCount,
  }
}

const holdsAny = (content: string, words: readonly string[]) => words.some((each) => content.includes(each))
