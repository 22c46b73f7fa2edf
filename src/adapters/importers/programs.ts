import { defined } from '../../block/text.ts'
import type { Imported, ImportedText } from '../../engine/ports.ts'
import { attempt } from '../../errors.ts'
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
  wantedFiles,
} from './importer.ts'
import { JSON_MOST } from './reader.ts'

type Said = Required<Pick<ImportedText, 'content' | 'place' | 'session' | 'speaker'>>

function said(text: Said & Pick<ImportedText, 'tags' | 'category' | 'key'>, time?: unknown): ImportedText {
  return { kind: 'text', ...text, ...defined({ at: timeOf(time) }) }
}

/** Reads the entries of JSON: of the source, or of the files in it that `wants` names. */
function* readEntries(
  source: Source,
  read: (entry: Fields, file: string) => Iterable<Imported> | undefined,
  wants: (name: string) => boolean = isConversations,
): Generator<Imported> {
  for (const file of wantedFiles(source, wants, { isFlat: true }).files) {
    const items = itemsIn(source, file)
    if ('kind' in items) yield items
    else
      for (const item of items) yield* read(recordOf(item), file) ?? [left('entries', 'they are of no use')]
  }
}

/** Returns true for the file of conversations, and for a part of it in a large export. */
export function isConversations(name: string): boolean {
  return /^conversations(?:-\d{1,6})?\.json$/.test(name)
}

const UNTITLED = 'untitled'

/** Returns the fields that all turns of a conversation share. */
function chatFields(program: 'chatgpt' | 'claude', title: string, id: string | undefined) {
  return { session: `${program}/${id ?? title}`, place: title, tags: [`chat/${tagPart(title)}`] }
}

/** Reads the export of ChatGPT. Its conversations are trees of messages; the branch that was last shown is read. */
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
    return yield left('archived conversations', 'the option archived takes them, too')
  const nodes = recordOf(chat.mapping)
  const branch = branchOf(nodes, textOf(chat.current_node))
  const common = chatFields(
    'chatgpt',
    textOf(chat.title) ?? UNTITLED,
    firstText(chat.conversation_id, chat.id),
  )
  for (const message of branch) yield* readMessage(message, common, chat.create_time)
  const others = Object.values(nodes).filter((node) => isShown(recordOf(recordOf(node).message))).length
  const many = others - branch.filter(isShown).length
  if (many > 0) yield left('messages of other branches', 'another answer was chosen there', { many })
}

/** Returns the messages from the first to the last that was shown; a tree that leads in circles ends where it meets itself. */
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

function* readMessage(
  message: Fields,
  common: ReturnType<typeof chatFields>,
  begun: unknown,
): Generator<Imported> {
  if (!isShown(message)) return
  const { parts, content_type: type } = recordOf(message.content)
  const texts = listOf(parts).flatMap((part) => firstText(part, recordOf(part).text) ?? [])
  const pictures = listOf(parts).length - texts.length
  if (pictures > 0 && type === 'multimodal_text')
    yield left('pictures and sounds', 'only words are kept', { many: pictures })
  const content = withoutMarks(texts.join('\n')).trim()
  if (content === '') return
  const recipient = textOf(message.recipient) ?? 'all'
  const isMemory = recipient === 'bio'
  if (recipient !== 'all' && !isMemory) return yield left('calls of tools', 'they are no words of anybody')
  const speaker = recordOf(message.author).role === 'user' ? 'user' : 'model'
  const kind = isMemory ? { tags: [...common.tags, 'chatgpt/memory'] } : { category: 'turn' }
  yield said({ ...common, content, speaker, ...kind }, message.create_time ?? begun)
}

/** Marks of quotations, which stand between two private signs and say nothing outside ChatGPT. */
const [MARK, MARK_END] = ['\ue200', '\ue201']

function withoutMarks(text: string): string {
  const [first = '', ...marked] = text.split(MARK)
  return [first, ...marked.map((part) => part.slice(part.indexOf(MARK_END) + 1))].join('')
}

/** The export of claude.ai: conversations, and in its folder the documents of projects and the memories of Claude. */
export const claude: Importer = {
  name: 'claude',
  title: 'an export of Claude',
  detects: ({ first }) => Array.isArray(recordOf(first).chat_messages),
  read: (source) =>
    readEntries(
      source,
      (entry, file) => {
        if (file === 'projects.json') return projectTexts(entry)
        if (file === 'memories.json') return memoryTexts(entry)
        return Array.isArray(entry.chat_messages) ? readClaudeChat(entry) : undefined
      },
      (name) => isConversations(name) || name === 'projects.json' || name === 'memories.json',
    ),
}

function* readClaudeChat(chat: Fields): Generator<Imported> {
  const common = chatFields('claude', textOf(chat.name) ?? UNTITLED, textOf(chat.uuid))
  for (const message of listOf(chat.chat_messages).map(recordOf)) {
    const many = listOf(message.attachments).length + listOf(message.files).length
    if (many > 0) yield left('attached files', 'learn those that are worth it as documents', { many })
    const content = wordsOf(message)
    const speaker = message.sender === 'human' ? 'user' : 'model'
    if (content !== undefined)
      yield said({ ...common, content, category: 'turn', speaker }, message.created_at ?? chat.created_at)
  }
}

/** Returns the parts that are text, without calls of tools and their answers. */
function wordsOf({ content, text }: Fields): string | undefined {
  const parts = listOf(content).map(recordOf)
  const texts = parts.flatMap((part) => (part.type === 'text' ? (textOf(part.text) ?? []) : []))
  return texts.length > 0 ? texts.join('\n').trim() : textOf(text)?.trim()
}

function* projectTexts(project: Fields): Generator<Imported> {
  const name = textOf(project.name) ?? UNTITLED
  for (const { filename, content } of listOf(project.docs).map(recordOf)) {
    const words = textOf(content)
    const place = `${name}/${textOf(filename) ?? 'document'}`
    const common = { place, session: `claude/${place}`, tags: [`project/${tagPart(name)}`] }
    if (words !== undefined) yield said({ ...common, content: words, speaker: 'document' })
  }
}

/** Yields one text for all conversations, and one for each project. */
function* memoryTexts(memories: Fields): Generator<Imported> {
  const projects = Object.values(recordOf(memories.project_memories))
  const common = { place: 'memories', session: 'claude/memories', tags: ['claude/memory'] }
  for (const content of [memories.conversations_memory, ...projects].flatMap((each) => textOf(each) ?? []))
    yield said({ ...common, content, speaker: 'model' })
}

/**
 * The memories of mem0: the JSON of `get_all()`, and the database of its TypeScript version. The pickles of its Python
 * version are not read, because a pickle runs code when it is read.
 */
export const mem0: Importer = {
  name: 'mem0',
  title: 'memories of mem0',
  detects: ({ tables, first }) => {
    if (tables !== undefined) return tables.columns.get('vectors')?.includes('payload') === true
    const { memory, id, hash, user_id, userId } = recordOf(first)
    return typeof memory === 'string' && [id, hash, user_id, userId].some((each) => each !== undefined)
  },
  *read(source) {
    if (source.tables === undefined) return yield* readEntries(source, (entry) => [memoryOf(entry)])
    for (const { payload } of source.tables.rows('vectors'))
      yield memoryOf(recordOf(attempt(() => JSON.parse(String(payload)))))
  },
}

function memoryOf(memory: Fields): Imported {
  const content = firstText(memory.data, memory.memory)
  if (content === undefined) return left('entries without words', 'there is nothing to keep')
  const user = firstText(memory.user_id, memory.userId)
  const [agent, run] = [firstText(memory.agent_id, memory.agentId), firstText(memory.run_id, memory.runId)]
  const tags = [user && `user/${tagPart(user)}`, agent && `agent/${tagPart(agent)}`].flatMap(
    (tag) => tag ?? [],
  )
  const session = `mem0/${run ?? user ?? agent ?? 'all'}`
  const place = user ?? agent ?? 'memories'
  return said({ content, place, session, tags, speaker: 'agent' }, memory.created_at ?? memory.createdAt)
}

/** The file of the MCP server "memory": a knowledge graph, an entity or relation a line. */
export const serverMemory: Importer = {
  name: 'server-memory',
  title: 'the knowledge graph of the MCP server "memory"',
  detects: ({ firstLine }) => {
    const { type, name, from } = recordOf(firstLine)
    return (
      (type === 'entity' && typeof name === 'string') || (type === 'relation' && typeof from === 'string')
    )
  },
  *read({ path, reader }) {
    for (const [at, line] of reader.text(path, false, JSON_MOST).text.split('\n').entries()) {
      if (line.trim() === '') continue
      const { type, ...record } = recordOf(attempt(() => JSON.parse(line)))
      const [name, from, to] = [record.name, record.from, record.to].map(textOf)
      if (type === 'entity' && name !== undefined) yield* entity(name, record)
      else if (type === 'relation' && from !== undefined && to !== undefined)
        yield* relation(from, to, textOf(record.relationType) ?? 'relates to')
      else yield left('broken lines', 'they are no entity and no relation', { example: `line ${at + 1}` })
    }
  },
}

/** Returns the fields of a text about an entity. */
function about(name: string) {
  return { place: name, speaker: 'agent', session: `server-memory/${tagPart(name)}` } as const
}

/** Yields each observation as a text; an entity without any is one by itself, so that relations have something to join. */
function* entity(name: string, { entityType, observations }: Fields): Generator<Imported> {
  const kind = textOf(entityType)
  const listed: readonly unknown[] = [observations ?? []].flat()
  const known = listed.flatMap((each) => textOf(each) ?? [])
  const many = listed.length - known.length
  if (many > 0) yield left('observations', 'they are no text with words', { many, example: name })
  const texts = known.map((each) => `${name}: ${each}`)
  if (texts.length === 0) texts.push(kind === undefined ? `There is ${name}.` : `${name}: a ${kind}`)
  const tags = [`entity/${tagPart(name)}`, ...(kind === undefined ? [] : [`kind/${tagPart(kind)}`])]
  for (const content of texts) yield said({ ...about(name), content, key: name, tags })
}

/** Yields a relation as a sentence, which is found by its words, and as a link between both entities. */
function* relation(from: string, to: string, relationType: string): Generator<Imported> {
  const words = relationType
    .replaceAll(/[_-]/g, ' ')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase()
  const tags = [from, to].map((name) => `entity/${tagPart(name)}`)
  yield said({ ...about(from), content: `${from} ${words} ${to}.`, tags })
  yield { kind: 'link', from, to, relation: relationType, declaredBy: from }
}
