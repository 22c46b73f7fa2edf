import type { AgentInputItem } from '@openai/agents'
import { withoutFences } from '../../frames/index.ts'
import { type Said, type TurnContext, turnTexts } from '../shared/turns.ts'

/** The key of an object that stands for bytes, which JSON has no form for. */
const BYTES = 'elfmem:bytes'
/** Matches keys of given data that look like ours. Each gets one more sign, so that it is not taken for ours. */
const LIKE_BYTES = /^elfmem:bytes=*$/

/** An item of a conversation as JSON keeps it. */
export function encoded(item: AgentInputItem): unknown {
  return JSON.parse(
    JSON.stringify(item, function (this: Record<string, unknown>, name, value) {
      const given = this[name]
      if (given instanceof Uint8Array) return { [BYTES]: Buffer.from(given).toString('base64') }
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
      const [key = '', ...others] = Object.keys(value)
      return others.length === 0 && LIKE_BYTES.test(key) ? { [`${key}=`]: value[key] } : value
    }),
  )
}

/** An item of a conversation as it was added. */
export function decoded(value: unknown): AgentInputItem {
  if (Array.isArray(value)) return value.map(decoded) as unknown as AgentInputItem
  if (typeof value !== 'object' || value === null) return value as AgentInputItem
  const fields = Object.entries(value)
  const [[name = '', bytes] = []] = fields
  if (fields.length === 1 && name === BYTES && typeof bytes === 'string')
    return new Uint8Array(Buffer.from(bytes, 'base64')) as unknown as AgentInputItem
  if (fields.length === 1 && name !== BYTES && LIKE_BYTES.test(name))
    return { [name.slice(0, -1)]: decoded(bytes) } as unknown as AgentInputItem
  return Object.fromEntries(fields.map(([key, each]) => [key, decoded(each)])) as unknown as AgentInputItem
}

/** A text that is the same for two values if they have the same fields, in any order. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([one], [other]) => (one < other ? -1 : 1)))
      : each,
  )
}

/** The words of the user or the model in an item, without frames of remembered text; undefined if it is none of theirs. */
export function saidIn(item: AgentInputItem): Said | undefined {
  const {
    type = 'message',
    role,
    content,
  } = Object(item) as {
    readonly type?: string
    readonly role?: string
    readonly content?: unknown
  }
  if (type !== 'message' || (role !== 'user' && role !== 'assistant')) return undefined
  return { role, text: withoutFences(textOf(content)).text.trim() }
}

/** True of a message that is a frame of remembered text and nothing else. */
export function isFrame(item: AgentInputItem): boolean {
  const { role, content } = Object(item) as { readonly role?: string; readonly content?: unknown }
  const text = role === 'user' ? textOf(content) : ''
  return text !== '' && withoutFences(text).text.trim() === ''
}

/** The texts that an item is to be found by, as turns of a conversation. */
export function turnsIn(item: AgentInputItem, context: TurnContext) {
  const said = saidIn(item)
  return said === undefined ? [] : turnTexts(said, context)
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
