import type { Memory } from '../../engine/memory.ts'
import {
  beganTrace,
  type ConversationFrames,
  type Framed,
  type Trace,
  type UserMessage,
  withEvent,
} from '../../frames/index.ts'
import { inputOf, settleTrace } from '../shared/learning.ts'
import { type PromptMessage, textOf } from './prompt.ts'

/** The choice of what is learned from a conversation. */
export interface LearningOptions {
  readonly conversation: string
  /** `implicit`: from what was done with recalled blocks, when the next message comes (docs/implicit.md); `off` unless given. */
  readonly learn?: 'implicit' | 'off'
  readonly scope?: string
}

/** A part of a message that tells of a call of a tool. */
interface ToolPart {
  readonly type?: unknown
  readonly toolCallId?: unknown
  readonly toolName?: unknown
  readonly input?: unknown
  readonly output?: { readonly type?: unknown }
}

/**
 * Learns what became of the blocks that were shown for the message before the newest one. All that was done stands in the prompt,
 * so that nothing has to be kept between calls.
 *
 * @param isOwn true of a tool of the memory itself
 */
export async function learnFrom(
  memory: Pick<Memory, 'settle'>,
  { prompt, messages, framing, isOwn }: Conversation,
  { conversation, scope }: LearningOptions,
): Promise<void> {
  const [message, next] = messages.slice(-2)
  if (message === undefined || next === undefined) return
  const framed = await framing.framed(message.key)
  const turn = { message, framed, did: turnsIn(prompt)[messages.length - 2] ?? [], next: next.text }
  await settleTrace(memory, traceOf(conversation, turn, isOwn), { actor: 'ai-sdk', scope })
}

/** The conversation in a call of a model. */
export interface Conversation {
  readonly prompt: readonly PromptMessage[]
  readonly messages: readonly UserMessage[]
  readonly framing: Pick<ConversationFrames, 'framed'>
  readonly isOwn: (tool: string) => boolean
}

/** A message of the user, what was shown for it, and what was done until the next. */
interface Turn {
  readonly message: UserMessage
  readonly framed: Framed | undefined
  readonly did: readonly PromptMessage[]
  readonly next: string
}

/** Returns for each message of the user the messages behind it until the next. */
function turnsIn(prompt: readonly PromptMessage[]): PromptMessage[][] {
  const turns: PromptMessage[][] = []
  for (const message of prompt) {
    if (message.role === 'user') turns.push([])
    else turns.at(-1)?.push(message)
  }
  return turns
}

function traceOf(
  conversation: string,
  { message, framed, did, next }: Turn,
  isOwn: Conversation['isOwn'],
): Trace {
  const shown = framed?.blocks ?? []
  const began = beganTrace({ conversation, message: message.key, asked: message.text, blocks: shown })
  const results = resultsIn(did)
  const trace = did
    .filter(({ role }) => role === 'assistant')
    .reduce((all, { content }) => {
      const said = withEvent(all, { kind: 'answer', text: textOf(content) })
      return partsOf(content).reduce((each, part) => {
        const ok = results.get(part.toolCallId)
        // A call without a result did not end.
        if (part.type !== 'tool-call' || ok === undefined || isOwn(String(part.toolName))) return each
        return withEvent(each, { kind: 'tool', tool: String(part.toolName), ...inputOf(part.input), ok })
      }, said)
    }, began)
  return withEvent(trace, { kind: 'reply', text: next })
}

/** Returns for each call that ended whether it succeeded. */
function resultsIn(did: readonly PromptMessage[]): ReadonlyMap<unknown, boolean> {
  return new Map(
    did
      .flatMap(({ content }) => partsOf(content))
      .filter(({ type }) => type === 'tool-result')
      .map(({ toolCallId, output }) => [
        toolCallId,
        !/^error-|^execution-denied$/.test(String(output?.type)),
      ]),
  )
}

function partsOf(content: unknown): readonly ToolPart[] {
  return Array.isArray(content) ? content : []
}
