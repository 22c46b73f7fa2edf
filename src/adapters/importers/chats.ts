import { join } from 'node:path'
import { defined } from '../../block/text.ts'
import type { Imported, ImportedText } from '../../engine/ports.ts'
import {
  type Fields,
  firstText,
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

/** Parts of an export that has more conversations than one file takes. */
const CONVERSATIONS = /^conversations(?:-\d{1,6})?\.json$/

/** The names of the files with conversations in an unpacked export. */
export function conversationNames(names: ReadonlySet<string>): string[] {
  return [...names].filter((name) => CONVERSATIONS.test(name)).sort()
}

/** Reads the entries of all files with conversations, and of files beside them in a folder. */
function* readEntries(
  source: Source,
  readChat: (chat: Fields) => Iterable<Imported> | undefined,
  beside: Readonly<Record<string, (entry: Fields) => Iterable<Imported>>> = {},
): Generator<Imported> {
  const { path, name: own, names = new Set([own]), reader } = source
  const files = [...conversationNames(names), ...Object.keys(beside).filter((name) => names.has(name))]
  if (source.names !== undefined) reader.expectFiles(files.map((name) => join(path, name)))
  for (const name of source.names === undefined ? [own] : files) {
    const items = itemsIn(source, name)
    const read = beside[name] ?? readChat
    if ('kind' in items) yield items
    else
      for (const item of items) yield* read(recordOf(item)) ?? [left('entries', 'they are no conversations')]
  }
}

const UNTITLED = 'untitled'

/** The fields that all turns of a conversation share. */
type ChatFields = Required<Pick<ImportedText, 'session' | 'place' | 'tags'>>

function chatFields(program: 'chatgpt' | 'claude', title: string, id: string | undefined): ChatFields {
  return { session: `${program}/${id ?? title}`, place: title, tags: [`chat/${tagPart(title)}`] }
}

/** The export of ChatGPT: conversations as trees of messages, of which the branch that was last shown is read. */
export const chatGpt: Importer = {
  name: 'chatgpt',
  title: 'an export of ChatGPT',
  detects: ({ first }) => isTree(recordOf(first).mapping),
  read: (source) =>
    readEntries(source, (chat) => (isTree(chat.mapping) ? readGptChat(chat, source.archived) : undefined)),
}

function isTree(mapping: unknown): boolean {
  return typeof mapping === 'object' && mapping !== null
}

function* readGptChat(chat: Fields, archived: boolean): Generator<Imported> {
  if (chat.is_archived === true && !archived)
    return yield left(
      'archived conversations',
      'they were put away there; the option archived takes them, too',
    )
  const nodes = recordOf(chat.mapping)
  const title = textOf(chat.title) ?? UNTITLED
  const branch = branchOf(nodes, textOf(chat.current_node))
  if (branch.length === 0) yield left('conversations', 'there are no messages in them', { example: title })
  const common = chatFields('chatgpt', title, firstText(chat.conversation_id, chat.id))
  for (const message of branch) yield* readMessage(message, common, chat.create_time)
  const others = Object.values(nodes).filter((node) => isShown(recordOf(recordOf(node).message))).length
  const shown = branch.filter(isShown).length
  if (others > shown)
    yield left('messages of other branches', 'another answer was chosen there', { many: others - shown })
}

/** The messages from the first to the last that was shown; a tree that leads in circles ends where it meets itself. */
function branchOf(nodes: Fields, last: string | undefined): Fields[] {
  const messages: Fields[] = []
  const seen = new Set<string>()
  for (let id = last; id !== undefined && !seen.has(id) && Object.hasOwn(nodes, id); ) {
    seen.add(id)
    const { message, parent } = recordOf(nodes[id])
    messages.push(recordOf(message))
    id = textOf(parent)
  }
  return messages.reverse()
}

function isShown({ author, content, metadata }: Fields): boolean {
  const isSpoken = ['user', 'assistant'].includes(String(recordOf(author).role))
  return isSpoken && recordOf(metadata).is_visually_hidden_from_conversation !== true && content !== undefined
}

function* readMessage(message: Fields, common: ChatFields, begun: unknown): Generator<Imported> {
  if (!isShown(message)) return
  const { parts, content_type: type } = recordOf(message.content)
  const texts = listOf(parts).flatMap((part) => firstText(part, recordOf(part).text) ?? [])
  const pictures = listOf(parts).length - texts.length
  if (pictures > 0 && type === 'multimodal_text')
    yield left('pictures and sounds', 'only words are kept', { many: pictures })
  const content = withoutMarks(texts.join('\n')).trim()
  if (content === '') return
  const [recipient, isUsers] = [textOf(message.recipient) ?? 'all', recordOf(message.author).role === 'user']
  const isMemory = recipient === 'bio'
  if (recipient !== 'all' && !isMemory) return yield left('calls of tools', 'they are no words of anybody')
  yield {
    kind: 'text',
    content,
    ...common,
    speaker: isUsers ? 'user' : 'model',
    ...(isMemory ? { tags: [...common.tags, 'chatgpt/memory'] } : { category: 'turn' }),
    ...defined({ at: timeOf(message.create_time ?? begun) }),
  }
}

/** Marks of quotations, which stand between two private signs and say nothing outside ChatGPT. */
const [MARK, MARK_END] = ['\ue200', '\ue201']

function withoutMarks(text: string): string {
  const [first = '', ...marked] = text.split(MARK)
  return [first, ...marked.map((part) => part.slice(part.indexOf(MARK_END) + 1))].join('')
}

/** The export of claude.ai: conversations, and in its folder the documents of projects and what Claude remembers. */
export const claude: Importer = {
  name: 'claude',
  title: 'an export of Claude',
  detects: ({ first }) => isChat(recordOf(first)),
  read: (source) =>
    readEntries(source, (chat) => (isChat(chat) ? readClaudeChat(chat) : undefined), {
      'projects.json': projectTexts,
      'memories.json': memoryTexts,
    }),
}

function isChat({ chat_messages: messages }: Fields): boolean {
  return Array.isArray(messages)
}

function* readClaudeChat(chat: Fields): Generator<Imported> {
  const title = textOf(chat.name) ?? UNTITLED
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
  const name = textOf(project.name) ?? UNTITLED
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
