import { join } from 'node:path'
import { defined } from '../../block/text.ts'
import type { Imported, ImportedText } from '../../engine/ports.ts'
import { chatFields, chatTitle, readChats } from './chats.ts'
import {
  brokenItem,
  type Fields,
  type Importer,
  itemsIn,
  left,
  listOf,
  recordOf,
  type Source,
  tagPart,
  textOf,
  timeOf,
} from './importer.ts'

/** Files of an export besides its conversations, and what an entry of each is. */
const BESIDE = { 'projects.json': projectTexts, 'memories.json': memoryTexts } as const

/** The export of claude.ai: conversations, and in its folder the documents of projects and what Claude remembers. */
export const claude: Importer = {
  name: 'claude',
  title: 'an export of Claude',
  detects: ({ first }) => isChat(recordOf(first?.value)),
  read: readExport,
}

function isChat({ chat_messages: messages }: Fields): boolean {
  return Array.isArray(messages)
}

function* readExport(source: Source): Generator<Imported> {
  const { path, names } = source
  const beside = Object.keys(BESIDE).filter((name) => names?.has(name)) as (keyof typeof BESIDE)[]
  yield* readChats(source, { isChat, readChat, beside })
  for (const name of beside)
    for (const { value, number } of itemsIn(source, join(path, name)))
      if (value === undefined) yield brokenItem(`${name}, entry ${number}`)
      else yield* BESIDE[name](recordOf(value))
}

function* readChat(chat: Fields): Generator<Imported> {
  const title = chatTitle(textOf(chat.name))
  const common = chatFields('claude', title, textOf(chat.uuid))
  for (const each of listOf(chat.chat_messages)) {
    const message = recordOf(each)
    const files = listOf(message.attachments).length + listOf(message.files).length
    if (files > 0) yield left('attached files', 'learn those that are worth it as documents', { many: files })
    const content = wordsOf(message)
    if (content === undefined) continue
    yield {
      kind: 'text',
      content,
      ...common,
      category: 'turn',
      speaker: message.sender === 'human' ? 'user' : 'model',
      ...defined({ at: timeOf(message.created_at ?? chat.created_at) }),
    }
  }
}

/** The parts that are text; what tools were asked and said is left. */
function wordsOf({ content, text }: Fields): string | undefined {
  const parts = listOf(content).map(recordOf)
  const texts = parts.flatMap((part) => (part.type === 'text' ? (textOf(part.text) ?? []) : []))
  return texts.length > 0 ? texts.join('\n').trim() : textOf(text)?.trim()
}

function* projectTexts(project: Fields): Generator<Imported> {
  const name = chatTitle(textOf(project.name))
  if (saysSomething(project.prompt_template))
    yield left('instructions of projects', 'remember what still holds of them', { example: name })
  if (saysSomething(project.description))
    yield left('descriptions of projects', 'remember what still holds of them', { example: name })
  for (const each of listOf(project.docs)) {
    const { filename, content } = recordOf(each)
    const words = textOf(content)
    if (words === undefined) continue
    const place = `${name}/${textOf(filename) ?? 'document'}`
    yield {
      kind: 'text',
      content: words,
      place,
      session: `claude/${place}`,
      speaker: 'document',
      tags: [`project/${tagPart(name)}`],
    }
  }
}

function saysSomething(value: unknown): boolean {
  return (textOf(value) ?? '').trim() !== ''
}

/** Yields one text for all conversations, and one for each project. */
function* memoryTexts(memories: Fields): Generator<ImportedText> {
  const projects = Object.values(recordOf(memories.project_memories))
  for (const content of [memories.conversations_memory, ...projects].flatMap((each) => textOf(each) ?? []))
    yield {
      kind: 'text',
      content,
      place: 'memories',
      session: 'claude/memories',
      speaker: 'model',
      tags: ['claude/memory'],
    }
}
