import type { Memory } from '../../engine/memory.ts'
import { type Frames, framesInMemory, messageKey } from '../../frames/index.ts'
import { type ConversationOptions, inConversation, type Said } from '../shared/conversation.ts'
import { conversationName, mustWork, ofConversations, taken } from '../shared/options.ts'

/** The options of memory in a conversation. */
export interface WithMemoryOptions extends ConversationOptions {
  /** Tells the conversation from all others. */
  readonly conversation: string
}

/** The parts of a prompt of the AI SDK 6 or 7 that memory reads; the others stay as they are. */
interface PromptMessage {
  readonly role: string
  readonly content: unknown
}

/** A middleware for `wrapLanguageModel` of the AI SDK 6 and 7. */
export interface MemoryMiddleware {
  readonly specificationVersion: 'v3'
  readonly transformParams: <P extends { readonly prompt: readonly PromptMessage[] }>(call: {
    readonly params: P
  }) => Promise<P>
}

/**
 * Puts what is remembered into each prompt of a conversation: who the agent is into the system prompt, and what bears on a message behind
 * it, by the rules of `elfmem/frames`, so that providers go on reading the prompt from their caches. Two middlewares of one conversation
 * in a process share its frames. Of what is said it keeps instructions and preferences that the user states for good, unless `capture` is
 * false.
 *
 * @throws ElfmemError `INVALID_INPUT` for options that cannot work
 */
export function withMemory(memory: Memory, options: WithMemoryOptions): MemoryMiddleware {
  mustWork(memory, options, {
    ...{ maker: 'withMemory', needs: 'recall', example: "{ conversation: 'support-42' }" },
    shape: { ...ofConversations, conversation: conversationName, frames: taken.anything },
  })
  const { conversation, scope, frames = sharedFrames(memory, scope) } = options
  const shownIn = inConversation(memory, { conversation, actor: 'ai-sdk' }, { ...options, frames })
  return {
    specificationVersion: 'v3',
    transformParams: async ({ params }) => {
      const { self, behind } = await shownIn(saidIn(params.prompt))
      return { ...params, prompt: framedPrompt(params.prompt, self, behind) }
    },
  }
}

/** Frames of this process, by memory and scope: a server makes a middleware for each request. */
const inProcess = new WeakMap<object, Map<string, Frames>>()

function sharedFrames(memory: Memory, scope = memory.scope ?? ''): Frames {
  const byScope = inProcess.get(memory) ?? new Map<string, Frames>()
  inProcess.set(memory, byScope)
  const known = byScope.get(scope) ?? framesInMemory()
  byScope.set(scope, known)
  return known
}

/** A part of a message. */
interface Part {
  readonly type?: unknown
  readonly text?: unknown
  readonly toolCallId?: unknown
  readonly toolName?: unknown
  readonly input?: unknown
  readonly output?: { readonly type?: unknown }
}

/** What is said and done in a prompt. It has no ids, so each message of the user is known by its number and its words. */
function saidIn(prompt: readonly PromptMessage[]): Said[] {
  const results = prompt
    .flatMap(({ content }) => partsOf(content))
    .filter(({ type }) => type === 'tool-result')
  const succeeded = new Map(
    results.map((each) => [each.toolCallId, !/^error-|^execution-denied$/.test(String(each.output?.type))]),
  )
  let number = 0
  return prompt.flatMap(({ role, content }): Said[] => {
    const text = textOf(content)
    if (role === 'user') return [{ role, key: messageKey(number++, text), text }]
    if (role !== 'assistant') return []
    const calls = partsOf(content).filter(({ type }) => type === 'tool-call')
    return [
      { role, text },
      ...calls.map(({ toolName, toolCallId, input }) => {
        return { role: 'tool', tool: String(toolName), input, ok: succeeded.get(toolCallId) } as const
      }),
    ]
  })
}

/**
 * Returns a prompt with the self frame at the end of its first system message, and a frame as a part of its own behind each message of
 * the user that has one. Nothing of the prompt itself is changed.
 */
function framedPrompt<M extends PromptMessage>(
  prompt: readonly M[],
  self: string,
  behind: readonly string[],
): M[] {
  const system = prompt.findIndex(({ role }) => role === 'system')
  let number = 0
  const framed = prompt.map((message, at) => {
    if (at === system && self !== '')
      return { ...message, content: message.content === '' ? self : `${message.content}\n\n${self}` }
    if (message.role !== 'user') return message
    const text = behind[number++] ?? ''
    if (text === '' || !Array.isArray(message.content)) return message
    return { ...message, content: [...message.content, { type: 'text', text }] }
  })
  // The compiler cannot know that each message of a prompt may be one of the system.
  return system < 0 && self !== '' ? [{ role: 'system', content: self } as M, ...framed] : framed
}

/** The text of the parts of a message or of an answer. */
function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return partsOf(content)
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('\n')
}

function partsOf(content: unknown): readonly Part[] {
  return Array.isArray(content) ? content : []
}
