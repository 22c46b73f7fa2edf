import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Conversation } from '../locomo/loader.ts'

interface RawBatch {
  readonly batch_number: number
  readonly turns: readonly (readonly RawMessage[])[]
}

interface RawMessage {
  readonly id: number
  readonly role: string
  readonly content: string
  /** "March-15-2024", on the first message of a batch. */
  readonly time_anchor?: string | null
}

interface RawQuestion {
  readonly question: string
  /** Ids of messages, in lists or named lists; absent when the chat has no evidence. */
  readonly source_chat_ids?: unknown
}

type Turn = Conversation['turns'][number]

/** A message with more bytes is no block, since `remember` refuses it (`memory.maxContentBytes`). */
const MOST_BYTES = 32_768

/** Kinds of questions by the numbers that the loader gives them. Questions of abstention have no evidence. */
export const KINDS = {
  0: 'information extraction',
  1: 'knowledge update',
  2: 'contradiction resolution',
  3: 'temporal reasoning',
  4: 'multi session reasoning',
  5: 'instruction following',
  6: 'preference following',
  7: 'event ordering',
  8: 'summarization',
} as const

/** Reads the chats of BEAM with the given numbers, `FOLDER/chats/SIZE/NUMBER`; all of the size if none are given. */
export function loadChats(folder: string, size: string, numbers: readonly number[]): Conversation[] {
  const home = join(folder, 'chats', size)
  const chosen =
    numbers.length > 0
      ? numbers
      : readdirSync(home)
          .map(Number)
          .sort((one, other) => one - other)
  return chosen.map((number) => loadChat(join(home, String(number)), `${size}-${number}`))
}

function loadChat(folder: string, id: string): Conversation {
  const read = (path: string) => JSON.parse(readFileSync(join(folder, path), 'utf8')) as unknown
  const turns = (read('chat.json') as readonly RawBatch[])
    .flatMap((batch) => turnsOf(batch, id))
    .filter(({ content }) => Buffer.byteLength(content) <= MOST_BYTES)
  const asked = read('probing_questions/probing_questions.json') as Record<string, readonly RawQuestion[]>
  const all = Object.entries(KINDS).flatMap(([number, kind]) =>
    (asked[kind.replaceAll(' ', '_')] ?? []).map(({ question, source_chat_ids }) => ({
      text: question,
      category: Number(number),
      evidence: new Set(idsIn(source_chat_ids)),
    })),
  )
  const questions = all.filter(({ evidence }) => evidence.size > 0)
  return {
    id,
    turns,
    questions,
    unresolvable: all.length - questions.length,
    speakers: ['user', 'assistant'],
  }
}

function turnsOf({ batch_number, turns }: RawBatch, chat: string): Turn[] {
  const messages = turns.flat()
  const date = messages.find(({ time_anchor }) => time_anchor)?.time_anchor
  const at = date ? new Date(`${date.replaceAll('-', ' ')} UTC`).toISOString() : undefined
  return messages.map(({ id, role, content }) => ({
    id: String(id),
    standsFor: [String(id)],
    speaker: role,
    // A user's message ends with its place in the plan of the chat, "->-> 1,1".
    content: content.replace(/\s*->->[^>]*$/, ''),
    session: `${chat}/${batch_number}`,
    ...(at === undefined ? {} : { at }),
  }))
}

function idsIn(given: unknown): string[] {
  if (typeof given === 'number') return [String(given)]
  return given !== null && typeof given === 'object' ? Object.values(given).flatMap(idsIn) : []
}
