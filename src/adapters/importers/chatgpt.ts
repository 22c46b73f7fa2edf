import { defined } from '../../block/text.ts'
import type { Imported } from '../../engine/ports.ts'
import { type ChatFields, chatFields, chatTitle, readChats } from './chats.ts'
import { type Fields, firstText, type Importer, left, listOf, recordOf, textOf, timeOf } from './importer.ts'

/** The export of ChatGPT: conversations as trees of messages, of which the branch that was last shown is read. */
export const chatGpt: Importer = {
  name: 'chatgpt',
  title: 'an export of ChatGPT',
  detects: ({ first }) => {
    const { mapping, current_node: current } = recordOf(first?.value)
    return Object.keys(recordOf(mapping)).length > 0 || (isTree(mapping) && current !== undefined)
  },
  read: (source) =>
    readChats(source, {
      isChat: ({ mapping }) => isTree(mapping),
      readChat: (chat) => readChat(chat, source.archived),
    }),
}

function isTree(mapping: unknown): boolean {
  return typeof mapping === 'object'
}

function* readChat(chat: Fields, archived: boolean): Generator<Imported> {
  if (chat.is_archived === true && !archived)
    return yield left(
      'archived conversations',
      'they were put away there; the option archived takes them, too',
    )
  const nodes = recordOf(chat.mapping)
  const title = chatTitle(textOf(chat.title))
  if (Object.keys(nodes).length === 0)
    yield left('conversations', 'there are no messages in them', { example: title })
  const current = textOf(chat.current_node) ?? ''
  const isKnown = Object.hasOwn(nodes, current)
  if (!isKnown && Object.keys(nodes).length > 0) yield unsaidBranch(title)
  const branch = branchOf(nodes, isKnown ? current : newestOf(nodes))
  const common = chatFields('chatgpt', title, firstText(chat.conversation_id, chat.id))
  for (const message of branch) yield* readMessage(message, common, chat.create_time)
  const others = Object.values(nodes).filter((node) => isShown(recordOf(recordOf(node).message))).length
  const shown = branch.filter(isShown).length
  if (others > shown)
    yield left('messages of other branches', 'another answer was chosen there', { many: others - shown })
}

function unsaidBranch(example: string): Imported {
  const why = 'they are missing or name no message, so the branch of the newest one counts'
  return left('marks of the branch that was shown last', why, { example })
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
