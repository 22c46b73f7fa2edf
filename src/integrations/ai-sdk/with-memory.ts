import * as z from 'zod'
import { defined } from '../../block/text.ts'
import type { Memory } from '../../engine/memory.ts'
import { type Frames, framesInMemory, messageKey, type UserMessage } from '../../frames/index.ts'
import { type ConversationOptions, inConversation, type Said } from '../shared/conversation.ts'
import { mustWork, taken } from '../shared/options.ts'
import { isConversationName, type Message, turnTexts } from '../shared/turns.ts'
import { orWithout } from '../shared/without-memory.ts'

/** The options of memory in a conversation. */
export interface WithMemoryOptions extends ConversationOptions {
  /** The name of the conversation, different from all others. */
  readonly conversation: string
  /** `none` unless given; `both` also keeps the last words of the model to each message. */
  readonly remember?: 'none' | 'user' | 'both'
}

interface Params {
  readonly prompt: readonly PromptMessage[]
}

/** The parts of a prompt of the AI SDK 6 or 7 that memory reads; the others stay as they are. */
interface PromptMessage {
  readonly role: string
  readonly content: unknown
}

interface Generated {
  readonly content: readonly { readonly type: string }[]
}

interface Streamed {
  readonly stream: ReadableStream<{ readonly type: string }>
}

/** A middleware for `wrapLanguageModel` of the AI SDK 6 and 7. */
export interface MemoryMiddleware {
  readonly specificationVersion: 'v3'
  readonly transformParams: <P extends Params>(call: { readonly params: P }) => Promise<P>
  readonly wrapGenerate: <R extends Generated>(call: {
    readonly doGenerate: () => PromiseLike<R>
    readonly params: Params
  }) => Promise<R>
  readonly wrapStream: <R extends Streamed>(call: {
    readonly doStream: () => PromiseLike<R>
    readonly params: Params
  }) => Promise<R>
}

/**
 * Puts what is remembered into each prompt of a conversation: who the agent is into the system prompt, and what bears on a message behind
 * it, by the rules of `elfmem/frames`, so that providers go on reading the prompt from their caches. Two middlewares of one conversation
 * in a process share its frames. Of what is said it keeps instructions and preferences that the user states for good, unless `capture` is
 * false, and whole turns if `remember` says so.
 *
 * @throws ElfmemError `INVALID_INPUT` for options that cannot work
 */
export function withMemory(memory: Memory, options: WithMemoryOptions): MemoryMiddleware {
  mustWork(memory, options, {
    ...{ maker: 'withMemory', needs: 'recall', example: "{ conversation: 'support-42' }" },
    shape: {
      conversation: z.custom(
        isConversationName,
        'must be a name of 1 to 128 characters, without NUL and U+001F',
      ),
      remember: z.enum(['none', 'user', 'both']).optional(),
      ...{ frames: taken.anything, frame: taken.frame, tokenBudget: taken.tokenBudget, scope: taken.scope },
      ...{ learn: taken.learn, self: taken.flag, onError: taken.callback },
      ...{ capture: taken.capture, trustUser: taken.flag },
    },
  })
  const { conversation, scope, frames = sharedFrames(memory, scope), onError } = options
  const { remember = 'none', trustUser = false } = options
  const shownIn = inConversation(memory, { conversation, actor: 'ai-sdk' }, { ...options, frames })
  const turns = memory.items(SPACE, { undoable: false, ...defined({ scope }) })
  /** The newest message of the user in each call. */
  const asked = new WeakMap<object, UserMessage>()
  /** Keys of the kept messages. */
  const kept = new Set<string>()

  /** Keeps a turn as a named item, so that a repeated turn is kept once. A new answer replaces the earlier one. */
  async function keep({ key }: UserMessage, said: Message): Promise<void> {
    const place = { namespace: [conversation], key: `${key} ${said.role}` }
    const texts = turnTexts(said, conversation, trustUser)
    if (texts.length === 0) await turns.delete(place)
    else await turns.put({ ...place, value: { role: said.role }, texts })
  }

  async function answered(params: object, text: string): Promise<void> {
    const message = asked.get(params)
    if (message === undefined || remember !== 'both') return
    await orWithout(() => keep(message, { role: 'assistant', text }), undefined, onError)
  }

  return {
    specificationVersion: 'v3',
    transformParams: async ({ params }) => {
      const said = saidIn(params.prompt)
      const { self, behind } = await shownIn(said)
      const framed = { ...params, prompt: framedPrompt(params.prompt, self, behind) }
      const newest = said.findLast(({ role }) => role === 'user')
      if (newest?.role !== 'user') return framed
      asked.set(framed, newest)
      if (remember === 'none' || kept.has(newest.key)) return framed
      const keeping = () => keep(newest, { role: 'user', text: newest.text }).then(() => kept.add(newest.key))
      await orWithout<unknown>(keeping, undefined, onError)
      return framed
    },
    wrapGenerate: async ({ doGenerate, params }) => {
      const result = await doGenerate()
      if (!result.content.some(isCall)) await answered(params, textOf(result.content))
      return result
    },
    wrapStream: async ({ doStream, params }) => {
      const result = await doStream()
      const answer = listenTo((text) => answered(params, text))
      return { ...result, stream: result.stream.pipeThrough(answer) }
    },
  }
}

/** The space of the turns of conversations. */
const SPACE = 'turns'

/** Passes a stream on as it is, and tells the text of an answer that came to its end and calls no tool. */
function listenTo(tell: (text: string) => Promise<void>): TransformStream<{ readonly type: string }> {
  let text = ''
  let isWhole = false
  let calls = false
  return new TransformStream({
    transform: (part, controller) => {
      const { type, delta } = part as { readonly type: string; readonly delta?: unknown }
      if (type === 'text-start' && text !== '') text += '\n'
      if (type === 'text-delta' && typeof delta === 'string') text += delta
      calls ||= isCall(part)
      isWhole ||= type === 'finish'
      controller.enqueue(part)
    },
    flush: async () => {
      if (isWhole && !calls) await tell(text)
    },
  })
}

/** True of a call of a tool that the program runs: the model will be called again. */
function isCall(part: { readonly type: string }): boolean {
  const { type, providerExecuted } = part as typeof part & { readonly providerExecuted?: boolean }
  return type === 'tool-call' && providerExecuted !== true
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

/** Returns messages and calls of tools in a prompt. It has no ids, so number and words name a message of the user. */
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
  // The cast is needed: the compiler does not know that `M` may be a message of the system.
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
