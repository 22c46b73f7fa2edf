import type { AgentInputItem } from '@openai/agents'
import { withoutFences } from '../../frames/index.ts'
import type { Message } from '../shared/turns.ts'

/** The key of an object that stands for bytes, which JSON has no form for. */
const BYTES = 'elfmem:bytes'

/** An item of a conversation as JSON keeps it. */
export function encoded(item: AgentInputItem): unknown {
  return JSON.parse(
    JSON.stringify(item, function (this: Record<string, unknown>, name, value) {
      const given = this[name]
      return given instanceof Uint8Array ? { [BYTES]: Buffer.from(given).toString('base64') } : value
    }),
  )
}

/** An item of a conversation as it was added. */
export function decoded(kept: unknown): AgentInputItem {
  return JSON.parse(JSON.stringify(kept), (_name, value) => {
    const bytes: unknown = Object(value)[BYTES]
    return typeof bytes === 'string' ? new Uint8Array(Buffer.from(bytes, 'base64')) : value
  })
}

/** The words of the user or the model in an item, without frames of remembered text; undefined if it is none of theirs. */
export function saidIn(item: AgentInputItem): Message | undefined {
  const { type = 'message', role, content } = Object(item) as Readonly<Record<string, unknown>>
  if (type !== 'message' || (role !== 'user' && role !== 'assistant')) return undefined
  return { role, text: withoutFences(textOf(content)).text.trim() }
}

/** True of a message that is a frame of remembered text and nothing else. */
export function isFrame(item: AgentInputItem): boolean {
  const { role, content } = Object(item) as Readonly<Record<string, unknown>>
  const text = role === 'user' ? textOf(content) : ''
  return text !== '' && withoutFences(text).text.trim() === ''
}

/** The text of a message: its words, or those of its parts, of a refusal and of speech. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  const texts = content.map((part) => {
    const { text, refusal, transcript } = Object(part) as Readonly<Record<string, unknown>>
    return [text, refusal, transcript].find((each) => typeof each === 'string')
  })
  return texts.filter((text) => text !== undefined).join('\n')
}
