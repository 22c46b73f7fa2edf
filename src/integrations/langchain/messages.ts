import { type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages'
import type { UserMessage } from '../../frames/index.ts'

/** The mark by which LangChain tells a summary from what somebody wrote. */
const SUMMARY = 'summarization'

/** The messages of the user, by their ids; a summary of earlier ones is none. */
export function userMessages(messages: readonly BaseMessage[]): UserMessage[] {
  return messages.flatMap((message) =>
    isUsers(message) && message.id !== undefined ? [{ key: keyOf(message.id), text: message.text }] : [],
  )
}

/** The key of the frame behind a message; a message may have any id. */
export function keyOf(id: string): string {
  return `message ${id}`
}

/** The text of the newest summary that took the place of messages; undefined if there is none. */
export function summaryIn(messages: readonly BaseMessage[]): string | undefined {
  return messages.findLast(isSummary)?.text
}

/** A copy of a message with a text part of its own behind it; the message itself if there is no text. */
export function withTextBehind(message: BaseMessage, text: string): BaseMessage {
  if (text === '' || !isUsers(message)) return message
  const { id, name, additional_kwargs, response_metadata } = message
  return new HumanMessage({
    ...{ additional_kwargs, response_metadata, content: [...partsOf(message), { type: 'text', text }] },
    ...(id === undefined ? {} : { id }),
    ...(name === undefined ? {} : { name }),
  })
}

/** A system message with a text at its end, which leaves marks for caches before it where they are. */
export function withTextAtEnd(message: SystemMessage, text: string): SystemMessage {
  if (text === '') return message
  if (message.text === '') return new SystemMessage(text)
  if (typeof message.content === 'string') return new SystemMessage(`${message.content}\n\n${text}`)
  return new SystemMessage({ content: [...partsOf(message), { type: 'text', text }] })
}

/** True of what the user wrote. */
export function isUsers(message: BaseMessage | undefined): boolean {
  return message !== undefined && HumanMessage.isInstance(message) && !isSummary(message)
}

function isSummary({ additional_kwargs }: BaseMessage): boolean {
  return additional_kwargs?.lc_source === SUMMARY
}

function partsOf({ content }: BaseMessage) {
  return typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
}
