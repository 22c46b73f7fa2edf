import { readFileSync } from 'node:fs'

/** What becomes a block: a turn, or a fact that somebody noted from turns. */
export const UNITS = ['turns', 'observations'] as const
export type Unit = (typeof UNITS)[number]

/** A turn of a conversation, or a fact noted from it, as it is remembered. */
interface Turn {
  readonly id: string
  /** The evidence ids it holds: its own, or those of the turns it was noted from. */
  readonly standsFor: readonly string[]
  readonly speaker: string
  readonly content: string
  readonly session: string
  /** ISO-8601 UTC; absent when the session has no readable date. */
  readonly at?: string
}

/** A question whose evidence lies in the conversation. */
interface Question {
  readonly text: string
  /** 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop. */
  readonly category: number
  readonly evidence: ReadonlySet<string>
  /** The gold answer. */
  readonly answer?: string
}

/** One conversation with its answerable questions. */
export interface Conversation {
  readonly id: string
  readonly turns: readonly Turn[]
  readonly questions: readonly Question[]
  /** Questions of the four categories that were left out because no evidence id exists. */
  readonly unresolvable: number
  readonly speakers: readonly string[]
}

interface RawTurn {
  readonly speaker: string
  readonly dia_id: string
  readonly text: string
  readonly blip_caption?: string
}

interface RawQuestion {
  readonly question: string
  readonly answer?: string | number
  readonly evidence?: readonly string[]
  readonly category: number
}

type RawFacts = Readonly<
  Record<string, readonly (readonly [fact: string, ids: string | readonly string[]])[]>
>

interface RawSample {
  readonly sample_id: string
  readonly conversation: Readonly<Record<string, unknown>>
  readonly observation?: Readonly<Record<string, RawFacts>>
  readonly qa: readonly RawQuestion[]
}

const SESSION = /^session_(\d+)$/
const EVIDENCE_ID = /^D\d+:\d+$/
const DATE = /^(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)$/i
const MONTHS = 'january february march april may june july august september october november december'.split(
  ' ',
)
const LAST_CATEGORY = 4

/** Reads a file in LoCoMo's format. */
export function loadConversations(path: string, unit: Unit = 'turns'): Conversation[] {
  const samples = JSON.parse(readFileSync(path, 'utf8')) as readonly RawSample[]
  return samples.map((sample) => {
    const conversation = toConversation(sample)
    return unit === 'turns' ? conversation : { ...conversation, turns: factsOf(sample) }
  })
}

/** One sample of the file: turns in order, questions of categories 1 to 4 whose evidence can be found. */
function toConversation({ sample_id, conversation, qa }: RawSample): Conversation {
  const numbers = Object.keys(conversation)
    .flatMap((key) => SESSION.exec(key)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
  const turns = numbers.flatMap((number) => {
    const at = isoOf(conversation[`session_${number}_date_time`])
    return (conversation[`session_${number}`] as readonly RawTurn[]).map(
      ({ speaker, dia_id, text, blip_caption }): Turn => ({
        id: dia_id,
        standsFor: [dia_id],
        speaker,
        content: blip_caption ? `${text} [shares ${blip_caption}]` : text,
        session: `${sample_id}/session-${number}`,
        ...(at === undefined ? {} : { at }),
      }),
    )
  })
  const known = new Set(turns.map(({ id }) => id))
  const asked = qa
    .filter(({ category }) => category >= 1 && category <= LAST_CATEGORY)
    .map(
      ({ question, answer, category, evidence = [] }): Question => ({
        text: question,
        ...(answer === undefined ? {} : { answer: String(answer) }),
        category,
        evidence: new Set(evidence.flatMap(idsIn).filter((id) => known.has(id))),
      }),
    )
  const questions = asked.filter(({ evidence }) => evidence.size > 0)
  return {
    id: sample_id,
    turns,
    questions,
    unresolvable: asked.length - questions.length,
    speakers: [...new Set(turns.map(({ speaker }) => speaker))],
  }
}

/** The facts of a sample in the order of its sessions; each stands for the turns it was noted from. */
function factsOf({ sample_id, conversation, observation = {} }: RawSample): Turn[] {
  return Object.entries(observation)
    .map(([key, facts]) => ({ number: Number(/\d+/.exec(key)?.[0]), facts }))
    .sort((a, b) => a.number - b.number)
    .flatMap(({ number, facts }) => {
      const at = isoOf(conversation[`session_${number}_date_time`])
      return Object.entries(facts).flatMap(([speaker, noted]) =>
        noted.map(
          ([content, ids], i): Turn => ({
            id: `${number}/${speaker}/${i}`,
            standsFor: [ids].flat().flatMap(idsIn),
            speaker,
            content,
            session: `${sample_id}/session-${number}`,
            ...(at === undefined ? {} : { at }),
          }),
        ),
      )
    })
}

/** Some evidence entries of the data hold several ids. */
function idsIn(entry: string): string[] {
  return entry.split(/[;,\s]+/).filter((part) => EVIDENCE_ID.test(part))
}

/** "1:56 pm on 8 May, 2023" as ISO-8601, the time read as UTC. */
function isoOf(spoken: unknown): string | undefined {
  const found = typeof spoken === 'string' ? DATE.exec(spoken.trim()) : null
  if (!found) return undefined
  const [, hour, minute, half, day, month, year] = found as unknown as string[]
  const hours = (Number(hour) % 12) + (half?.toLowerCase() === 'pm' ? 12 : 0)
  const at = Date.UTC(
    Number(year),
    MONTHS.indexOf((month as string).toLowerCase()),
    Number(day),
    hours,
    Number(minute),
  )
  return new Date(at).toISOString()
}
