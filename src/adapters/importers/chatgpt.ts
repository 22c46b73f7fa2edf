import type { Imported, ImportedText } from '../../ports/importers.ts'
import { chatTitle, conversationFiles, expectFiles, left, noChat } from './chats.ts'
import {
  firstText,
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

/** The export of ChatGPT: conversations as trees of messages, of which the branch that was last shown is read. */
export const chatGpt: Importer = {
  name: 'chatgpt',
  title: 'an export of ChatGPT',
  detects: ({ first }) => Object.keys(recordOf(recordOf(first?.value).mapping)).length > 0,
  read: readExport,
}

function* readExport(source: Source): Generator<Imported> {
  const files = conversationFiles(source)
  expectFiles(source, files)
  for (const file of files)
    for (const { value, number } of jsonItems(
      source.reader.pieces(file, source.names !== undefined),
      ITEM_BOUNDS,
    )) {
      const chat = recordOf(value)
      if (typeof chat.mapping !== 'object') yield noChat(value, `conversation ${number}`)
      else if (chat.is_archived === true && !source.archived)
        yield left('archived conversations', 'they were put away there; the option archived takes them, too')
      else yield* readChat(chat)
    }
}

function* readChat(chat: Fields): Generator<Imported> {
  const nodes = recordOf(chat.mapping)
  const title = chatTitle(textOf(chat.title))
  if (Object.keys(nodes).length === 0)
    yield { kind: 'left', what: 'conversations', why: 'there are no messages in them', example: title }
  const current = textOf(chat.current_node) ?? ''
  const isKnown = Object.hasOwn(nodes, current)
  if (!isKnown && Object.keys(nodes).length > 0) yield unsaidBranch(title)
  const branch = branchOf(nodes, isKnown ? current : newestOf(nodes))
  const session = `chatgpt/${firstText(chat.conversation_id, chat.id) ?? title}`
  const common = { session, place: title, tags: [`chat/${tagPart(title)}`] }
  for (const message of branch) yield* readMessage(message, common, chat.create_time)
  const others = Object.values(nodes).filter((node) => isShown(recordOf(recordOf(node).message))).length
  const shown = branch.filter(isShown).length
  if (others > shown)
    yield left('messages of other branches', 'another answer was chosen there', others - shown)
}

function unsaidBranch(example: string): Imported {
  const why = 'they are missing or name no message, so the branch of the newest one counts'
  return { kind: 'left', what: 'marks of the branch that was shown last', why, example }
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

function newestOf(nodes: Fields): string | undefined {
  const timed = Object.entries(nodes).map(([id, node]) => {
    const { create_time: time } = recordOf(recordOf(node).message)
    return [id, typeof time === 'number' ? time : Number.NEGATIVE_INFINITY] as const
  })
  return timed.reduce<readonly [string, number] | undefined>(
    (best, each) => (best !== undefined && each[1] < best[1] ? best : each),
    undefined,
  )?.[0]
}

function isShown({ author, content, metadata }: Fields): boolean {
  const isSpoken = ['user', 'assistant'].includes(String(recordOf(author).role))
  return isSpoken && recordOf(metadata).is_visually_hidden_from_conversation !== true && content !== undefined
}

function* readMessage(
  message: Fields,
  common: Pick<ImportedText, 'session' | 'place' | 'tags'>,
  begun: unknown,
): Generator<Imported> {
  if (!isShown(message)) return
  const { parts, content_type: type } = recordOf(message.content)
  const texts = listOf(parts).flatMap((part) => firstText(part, recordOf(part).text) ?? [])
  const pictures = listOf(parts).length - texts.length
  if (pictures > 0 && type === 'multimodal_text')
    yield left('pictures and sounds', 'only words are kept', pictures)
  const content = withoutMarks(texts.join('\n')).trim()
  if (content === '') return
  const [recipient, isUsers] = [textOf(message.recipient) ?? 'all', recordOf(message.author).role === 'user']
  const isMemory = recipient === 'bio'
  if (recipient !== 'all' && !isMemory) return yield left('calls of tools', 'they are no words of anybody')
  const at = timeOf(message.create_time ?? begun)
  yield {
    kind: 'text',
    content,
    ...common,
    speaker: isUsers ? 'user' : 'model',
    ...(isMemory ? { tags: [...(common.tags ?? []), 'chatgpt/memory'] } : { category: 'turn' }),
    ...(at === undefined ? {} : { at }),
  }
}

/** Marks of quotations, which stand between two private signs and say nothing outside ChatGPT. */
const [MARK, MARK_END] = ['\ue200', '\ue201']

function withoutMarks(text: string): string {
  const [first = '', ...marked] = text.split(MARK)
  return [first, ...marked.map((part) => part.slice(part.indexOf(MARK_END) + 1))].join('')
}
