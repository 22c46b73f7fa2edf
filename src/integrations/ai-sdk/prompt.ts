import { messageKey, type UserMessage } from '../../frames/index.ts'

/** The parts of a prompt of the AI SDK 6 or 7 that memory reads; the others stay as they are. */
export interface PromptMessage {
  readonly role: string
  readonly content: unknown
}

/** A text part of a message. */
interface TextPart {
  readonly type: 'text'
  readonly text: string
}

/** Returns the messages of the user in a prompt, which has no ids: each by its number and its words. */
export function userMessages(prompt: readonly PromptMessage[]): UserMessage[] {
  return prompt
    .filter(({ role }) => role === 'user')
    .map(({ content }, number) => {
      const text = textOf(content)
      return { key: messageKey(number, text), text }
    })
}

/**
 * Returns a prompt with the self frame at the end of its first system message, and a frame as a part of its own behind each message of
 * the user that has one. Nothing of the prompt itself is changed.
 *
 * @param frames one for each message of the user, empty where there is none
 */
export function framedPrompt<M extends PromptMessage>(
  prompt: readonly M[],
  self: string,
  frames: readonly string[],
): M[] {
  const system = prompt.findIndex(({ role }) => role === 'system')
  let number = 0
  const framed = prompt.map((message, at) => {
    if (at === system && self !== '')
      return { ...message, content: message.content === '' ? self : `${message.content}\n\n${self}` }
    if (message.role !== 'user') return message
    const frame = frames[number++] ?? ''
    if (frame === '' || !Array.isArray(message.content)) return message
    return { ...message, content: [...message.content, { type: 'text', text: frame }] }
  })
  // The compiler cannot know that each message of a prompt may be one of the system.
  return system < 0 && self !== '' ? [{ role: 'system', content: self } as M, ...framed] : framed
}

/** The text of the parts of a message or of an answer. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content
    .filter(isText)
    .map(({ text }) => text)
    .join('\n')
}

function isText(part: unknown): part is TextPart {
  const { type, text } = Object(part) as Partial<TextPart>
  return type === 'text' && typeof text === 'string'
}
