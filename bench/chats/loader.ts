import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Conversation, Question, Turn } from '../locomo/loader.ts'

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

/** A chat, and its questions with their kinds. */
export interface Chat extends Conversation {
  readonly questions: readonly (Question & { readonly kind: string })[]
}

/** A message with more bytes is no block, since `remember` refuses it (`memory.maxContentBytes`). */
const MOST_BYTES = 32_768

/** Kinds of questions. Questions of abstention have no evidence. */
export const KINDS = [
  ...['information extraction', 'knowledge update', 'contradiction resolution', 'temporal reasoning'],
  ...['multi session reasoning', 'instruction following', 'preference following', 'event ordering'],
  'summarization',
]

/** Reads the chats of BEAM with the given numbers, `FOLDER/chats/SIZE/NUMBER`; all of the size if none are given. */
export function loadChats(folder: string, size: string, numbers: readonly number[]): Chat[] {
  const home = join(folder, 'chats', size)
  const all = () => readdirSync(home).map(Number)
  const chosen = numbers.length > 0 ? numbers : all().sort((one, other) => one - other)
  return chosen.map((number) => loadChat(join(home, String(number)), `${size}-${number}`))
}

function loadChat(folder: string, id: string): Chat {
  const read = (path: string) => JSON.parse(readFileSync(join(folder, path), 'utf8')) as unknown
  const turns = (read('chat.json') as readonly RawBatch[])
    .flatMap((batch) => turnsOf(batch, id))
    .filter(({ content }) => Buffer.byteLength(content) <= MOST_BYTES)
  const asked = read('probing_questions/probing_questions.json') as Record<string, readonly RawQuestion[]>
  const questions = KINDS.flatMap((kind) =>
    (asked[kind.replaceAll(' ', '_')] ?? []).map(({ question, source_chat_ids }) => ({
      ...{ text: question, kind, evidence: new Set(idsIn(source_chat_ids)) },
    })),
  )
  const speakers = ['user', 'assistant']
  return { id, turns, questions: questions.filter(({ evidence }) => evidence.size > 0), speakers }
}

function turnsOf({ batch_number, turns }: RawBatch, chat: string): Turn[] {
  const messages = turns.flat()
  const date = messages.find(({ time_anchor }) => time_anchor)?.time_anchor
  const at = date ? new Date(`${date.replaceAll('-', ' ')} UTC`).toISOString() : undefined
  return messages.map(({ id, role, content }) => ({
    ...{ id: String(id), standsFor: [String(id)], speaker: role, session: `${chat}/${batch_number}`, at },
    // A user's message ends with its place in the plan of the chat, "->-> 1,1".
    content: content.replace(/\s*->->[^>]*$/, ''),
  }))
}

function idsIn(given: unknown): string[] {
  if (typeof given === 'number') return [String(given)]
  return given !== null && typeof given === 'object' ? Object.values(given).flatMap(idsIn) : []
}
