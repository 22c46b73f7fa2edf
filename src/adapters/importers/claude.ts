import { join } from 'node:path'
import type { Imported, ImportedText } from '../../ports/importers.ts'
import { chatTitle, conversationFiles, expectFiles, left, noChat } from './chats.ts'
import {
  brokenItem,
  type Importer,
  ITEM_BOUNDS,
  listOf,
  recordOf,
  type Source,
  tagPart,
  textOf,
  timeOf,
} from './importer.ts'
import { jsonItems } from './reading/json-items.ts'

type Fields = Readonly<Record<string, unknown>>

/** Files of an export besides its conversations, and what an entry of each is. */
const BESIDE = { 'projects.json': projectTexts, 'memories.json': memoryTexts } as const

/** The export of claude.ai: conversations, and in its folder the documents of projects and what Claude remembers. */
export const claude: Importer = {
  name: 'claude',
  title: 'an export of Claude',
  detects: ({ first }) => Array.isArray(recordOf(first?.value).chat_messages),
  read: readExport,
}

function* readExport(source: Source): Generator<Imported> {
  const { path, names, reader } = source
  const isInside = names !== undefined
  const beside = Object.keys(BESIDE).filter((name) => names?.has(name)) as (keyof typeof BESIDE)[]
  const files = conversationFiles(source)
  expectFiles(source, [...files, ...beside.map((name) => join(path, name))])
  for (const file of files)
    for (const { value, number } of jsonItems(reader.pieces(file, isInside), ITEM_BOUNDS)) {
      const chat = recordOf(value)
      if (Array.isArray(chat.chat_messages)) yield* readChat(chat)
      else yield noChat(value, `conversation ${number}`)
    }
  for (const name of beside)
    for (const { value, number } of jsonItems(reader.pieces(join(path, name), isInside), ITEM_BOUNDS))
      if (value === undefined) yield brokenItem(`${name}, entry ${number}`)
      else yield* BESIDE[name](recordOf(value))
}

function* readChat(chat: Fields): Generator<Imported> {
  const title = chatTitle(textOf(chat.name))
  const session = `claude/${textOf(chat.uuid) ?? title}`
  const common = { session, place: title, tags: [`chat/${tagPart(title)}`] }
  for (const each of listOf(chat.chat_messages)) {
    const message = recordOf(each)
    const files = listOf(message.attachments).length + listOf(message.files).length
    if (files > 0) yield left('attached files', 'learn those that are worth it as documents', files)
    const content = wordsOf(message)
    if (content === undefined) continue
    const at = timeOf(message.created_at ?? chat.created_at)
    yield {
      kind: 'text',
      content,
      ...common,
      category: 'turn',
      speaker: message.sender === 'human' ? 'user' : 'model',
      ...(at === undefined ? {} : { at }),
    }
  }
}

/** The parts that are text; what tools were asked and said is left. */
function wordsOf({ content, text }: Fields): string | undefined {
  const parts = listOf(content).map(recordOf)
  const texts = parts.flatMap((part) => (part.type === 'text' ? (textOf(part.text) ?? []) : []))
  return texts.length > 0 ? texts.join('\n').trim() : textOf(text)?.trim()
}

function* projectTexts(project: Fields): Generator<ImportedText> {
  const name = chatTitle(textOf(project.name))
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

/** One text for all conversations, and one for each project. */
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
