import { readFileSync } from 'node:fs'

/** What becomes a block: a turn, or a fact that somebody noted from turns. */
type Unit = 'turns' | 'observations'

/** A turn of a conversation, or a fact noted from it, as it is remembered. */
export interface Turn {
  readonly id: string
  /** The evidence ids it holds: its own, or those of the turns it was noted from. */
  readonly standsFor: readonly string[]
  readonly speaker?: string
  readonly content: string
  readonly session: string
  /** ISO-8601 UTC; undefined when the session has no readable date. */
  readonly at?: string | undefined
}

/** A question whose evidence lies in the conversation. */
export interface Question {
  readonly text: string
  readonly evidence: ReadonlySet<string>
}

/** One conversation with its answerable questions. */
export interface Conversation {
  readonly id: string
  readonly turns: readonly Turn[]
  readonly questions: readonly Question[]
  readonly speakers: readonly string[]
}

interface RawTurn {
  readonly speaker: string
  readonly dia_id: string
  readonly text: string
  readonly blip_caption?: string
}

type RawFacts = Readonly<
  Record<string, readonly (readonly [fact: string, ids: string | readonly string[]])[]>
>

interface RawSample {
  readonly sample_id: string
  readonly conversation: Readonly<Record<string, unknown>>
  readonly observation?: Readonly<Record<string, RawFacts>>
  readonly qa: readonly {
    readonly question: string
    readonly evidence?: readonly string[]
    readonly category: number
  }[]
}

const SESSION = /^session_(\d+)$/
const EVIDENCE_ID = /^D\d+:\d+$/
const DATE = /^(\d+:\d+ [ap]m) on (\d+ \w+), (\d+)$/i
const LAST_CATEGORY = 4

/** Reads a file in LoCoMo's format, and its questions of categories 1 to 4 whose evidence can be found. */
export function loadConversations(path: string, unit: Unit = 'turns'): Conversation[] {
  const samples = JSON.parse(readFileSync(path, 'utf8')) as readonly RawSample[]
  return samples.map((sample) => {
    const turns = turnsOf(sample)
    const known = new Set(turns.map(({ id }) => id))
    const questions = sample.qa
      .filter(({ category }) => category >= 1 && category <= LAST_CATEGORY)
      .map(({ question, evidence = [] }) => ({
        text: question,
        evidence: new Set(evidence.flatMap(idsIn).filter((id) => known.has(id))),
      }))
    return {
      id: sample.sample_id,
      turns: unit === 'turns' ? turns : factsOf(sample),
      questions: questions.filter(({ evidence }) => evidence.size > 0),
      speakers: [...new Set(turns.map(({ speaker = '' }) => speaker))],
    }
  })
}

/** Returns the turns in order. */
function turnsOf({ sample_id, conversation }: RawSample): Turn[] {
  const numbers = Object.keys(conversation).flatMap((key) => SESSION.exec(key)?.[1] ?? [])
  return numbers
    .map(Number)
    .sort((a, b) => a - b)
    .flatMap((number) =>
      (conversation[`session_${number}`] as readonly RawTurn[]).map(
        ({ speaker, dia_id, text, blip_caption }) => ({
          ...{ id: dia_id, standsFor: [dia_id], speaker, session: `${sample_id}/session-${number}` },
          content: blip_caption ? `${text} [shares ${blip_caption}]` : text,
          at: isoOf(conversation[`session_${number}_date_time`]),
        }),
      ),
    )
}

/** Returns the facts of a sample in the order of its sessions; each stands for the turns it was noted from. */
function factsOf({ sample_id, conversation, observation = {} }: RawSample): Turn[] {
  return Object.entries(observation)
    .map(([key, facts]) => ({ number: Number(/\d+/.exec(key)?.[0]), facts }))
    .sort((a, b) => a.number - b.number)
    .flatMap(({ number, facts }) =>
      Object.entries(facts).flatMap(([speaker, noted]) =>
        noted.map(([content, ids], i) => ({
          ...{ speaker, content, session: `${sample_id}/session-${number}` },
          id: `${number}/${speaker}/${i}`,
          standsFor: [ids].flat().flatMap(idsIn),
          at: isoOf(conversation[`session_${number}_date_time`]),
        })),
      ),
    )
}

/** Some evidence entries of the data hold several ids. */
function idsIn(entry: string): string[] {
  return entry.split(/[;,\s]+/).filter((part) => EVIDENCE_ID.test(part))
}

/** Returns a time such as "1:56 pm on 8 May, 2023" as ISO-8601, read as UTC. */
function isoOf(spoken: unknown): string | undefined {
  const [, time, day, year] = (typeof spoken === 'string' && DATE.exec(spoken.trim())) || []
  return time === undefined ? undefined : new Date(`${day} ${year} ${time} UTC`).toISOString()
}
