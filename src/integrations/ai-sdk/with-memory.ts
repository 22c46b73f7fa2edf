import type { Memory } from '../../engine/memory.ts'
import { ElfmemError } from '../../errors.ts'
import {
  conversationFrames,
  type Frames,
  type FramingOptions,
  framesInMemory,
  type UserMessage,
} from '../../frames/index.ts'
import { type CapturingOptions, captureFrom } from '../shared/capturing.ts'
import { mustBeOpen, mustFrame, mustTake, taken } from '../shared/check-options.ts'
import { isConversationName } from '../shared/conversation-name.ts'
import { ownTools } from '../shared/own-tools.ts'
import { mustMayTrust } from '../shared/turns.ts'
import { type OnMemoryError, orWithout } from '../shared/without-memory.ts'
import { type LearningOptions, learnFrom } from './learning.ts'
import { framedPrompt, type PromptMessage, textOf, userMessages } from './prompt.ts'
import { type TurnOptions, turnsOf } from './turns.ts'

/** The options of memory in a conversation. */
export interface WithMemoryOptions extends FramingOptions, TurnOptions, LearningOptions, CapturingOptions {
  /** False leaves the self frame out of the system prompt. */
  readonly self?: boolean
  /**
   * Hears of a failure of the memory, after which the model is called without it; throw the error to refuse the call. A warning of the
   * process unless given.
   */
  readonly onError?: OnMemoryError
}

interface Params {
  readonly prompt: readonly PromptMessage[]
}

interface Generated {
  readonly content: readonly { readonly type: string }[]
}

interface Streamed {
  readonly stream: ReadableStream<StreamPart>
}

interface StreamPart {
  readonly type: string
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
  mustWork(memory, options)
  const { self = true, scope, frames = sharedFrames(memory, scope), onError } = options
  const framing = conversationFrames(memory, { ...options, frames })
  const turns = turnsOf(memory, options)
  /** The newest message of the user in each call. */
  const asked = new WeakMap<object, UserMessage>()

  const attempt = <T>(work: () => Promise<T>, otherwise: T) => orWithout(work, { otherwise, onError })

  async function answered(params: object, text: string): Promise<void> {
    const message = asked.get(params)
    if (message !== undefined) await attempt(() => turns.answered(message, text), undefined)
  }

  function learn(prompt: readonly PromptMessage[], messages: readonly UserMessage[]): Promise<void> {
    const isOwn = (tool: string) => ownTools(memory).has(tool)
    return learnFrom(memory, { prompt, messages, framing, isOwn }, options)
  }

  return {
    specificationVersion: 'v3',
    transformParams: async ({ params }) => {
      const messages = userMessages(params.prompt)
      const isFirst = params.prompt.at(-1)?.role === 'user'
      const identity = self ? await attempt(() => framing.self(), '') : ''
      const behind = await attempt(() => framing.behind(messages, { isFirst }), [])
      const framed = { ...params, prompt: framedPrompt(params.prompt, identity, behind) }
      const newest = messages.at(-1)
      if (newest === undefined) return framed
      asked.set(framed, newest)
      const said = { session: options.conversation, text: newest.text, scope }
      // First, so that a turn with the same words is said again and takes no place.
      if (isFirst) await attempt(() => captureFrom(memory, said, options), undefined)
      await attempt(() => turns.asked(newest), undefined)
      if (options.learn === 'implicit' && isFirst)
        await attempt(() => learn(params.prompt, messages), undefined)
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

/** Passes a stream on as it is, and tells the text of an answer that came to its end and calls no tool. */
function listenTo(tell: (text: string) => Promise<void>): TransformStream<StreamPart, StreamPart> {
  let text = ''
  let isWhole = false
  let calls = false
  return new TransformStream({
    transform: (part, controller) => {
      const { type, delta } = part as StreamPart & { readonly delta?: unknown }
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

const SHAPE = {
  ...{ conversation: taken.anything, frames: taken.anything, frame: taken.anything },
  ...{ tokenBudget: taken.anything, scope: taken.anything, remember: taken.anything, learn: taken.anything },
  ...{ trustUser: taken.flag, self: taken.flag, onError: taken.callback, capture: taken.capture },
}

function mustWork(memory: Memory, options: WithMemoryOptions): void {
  const refuse = (message: string, recovery: string): never => {
    throw new ElfmemError('INVALID_INPUT', message, { recovery })
  }
  mustBeOpen(memory, 'recall')
  mustTake('withMemory', options, {
    shape: SHAPE,
    example: "withMemory(memory, { conversation: 'support-42' })",
  })
  const { conversation, trustUser = false, remember = 'none' } = options
  mustFrame(options)
  if (!isConversationName(conversation))
    refuse(
      'A conversation has a name of 1 to 128 characters, none of them NUL, U+001F or half a character.',
      'Pass conversation, the id that your program has for it; of a longer one a hash.',
    )
  if (!['none', 'user', 'both'].includes(remember))
    refuse('remember is none, user or both.', 'Leave it out for none.')
  mustMayTrust(memory, trustUser)
}
