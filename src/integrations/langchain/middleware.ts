import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { type AgentMiddleware, createMiddleware } from 'langchain'
import * as z from 'zod'
import { defined } from '../../block/text.ts'
import type { Memory } from '../../engine/memory.ts'
import type { CaptureMemory } from '../../frames/capture.ts'
import { fencedFrame, SELF_FRAME } from '../../frames/conversation.ts'
import type { Framed, Frames } from '../../frames/index.ts'
import { type ConversationOptions, inConversation, type Said } from '../shared/conversation.ts'
import { mustWork, taken } from '../shared/options.ts'
import { orWithout } from '../shared/without-memory.ts'
import { type Configurable, scopeOf } from './tools.ts'

/** The options of memory in the conversations of an agent; learning needs a checkpointer. */
export type ElfmemMiddlewareOptions = Omit<ConversationOptions, 'frames'>

/** The key of the state; its beginning makes it private to the agent. */
const KEY = '_elfmem'
const stateSchema = z.object({ [KEY]: z.record(z.string(), z.any()).optional() })

/**
 * Puts what is remembered into each prompt of an agent of LangChain: who the agent is into the system prompt, and what bears on a message
 * behind it, by the rules of `elfmem/frames`, so that providers go on reading the prompt from their caches. The frames are private state
 * of the graph. With a checkpointer they are kept as long as the thread, whatever restarts. Of what is said only instructions and
 * preferences that the user states for good are kept, unless `capture` is false. Give the agent `langchainTools` for the rest. A run that
 * names its user (`configurable.user_id`) stays in the scope of that user.
 *
 * @throws ElfmemError `INVALID_INPUT` for options that cannot work
 */
export function elfmemMiddleware(
  memory: Pick<Memory, 'recall' | 'settle'> & Partial<CaptureMemory & Pick<Memory, 'scope'>>,
  options: ElfmemMiddlewareOptions = {},
): AgentMiddleware {
  mustWork(memory, options, {
    ...{ maker: 'elfmemMiddleware', needs: 'recall', example: "{ learn: 'implicit' }" },
    shape: {
      ...{ frame: taken.frame, tokenBudget: taken.tokenBudget, scope: taken.scope, learn: taken.learn },
      ...{ self: taken.flag, onError: taken.callback, capture: taken.capture, trustUser: taken.flag },
    },
  })

  async function framed(
    { messages, [KEY]: state }: AgentState,
    { signal, configurable }: Runtime,
  ): Promise<FrameState | undefined> {
    const frames = framesInState(state)
    const said = saidIn(messages)
    const users = said.filter((each) => each.role === 'user')
    const conversation = String(configurable?.thread_id ?? users.at(-1)?.key)
    const scope = scopeOf(memory, options.scope, configurable)
    const place = { conversation, actor: 'langchain', signal }
    const summary = messages.findLast(isSummary)?.text
    const isNew = state !== undefined && summary !== undefined && summary !== state.summary
    await inConversation(memory, place, { ...options, ...defined({ scope }), frames })(said, isNew)
    const keys = new Set([SELF_FRAME, ...users.map(({ key }) => key)])
    return frames.changed(keys, summary === undefined ? {} : { summary })
  }

  return createMiddleware({
    name: 'elfmem',
    stateSchema,
    beforeModel: async (state, runtime) => {
      const work = () => framed(state as unknown as AgentState, runtime)
      const changed = await orWithout(work, undefined, options.onError)
      return changed === undefined ? undefined : ({ [KEY]: changed } as object)
    },
    wrapModelCall: (request, handler) => {
      const { frames = {} } = (request.state as unknown as AgentState)[KEY] ?? {}
      const messages = request.messages.map((message) =>
        withTextBehind(message, fenceOf(frames, keyOf(message))),
      )
      const systemMessage = withTextAtEnd(request.systemMessage, fenceOf(frames, SELF_FRAME))
      // The deprecated systemPrompt stays as it was: LangChain refuses a request that changes both.
      return handler({ ...request, messages, systemMessage })
    },
  }) as AgentMiddleware
}

/** The parts of a run's own words that count here. */
interface Runtime {
  readonly signal?: AbortSignal | undefined
  readonly configurable?: Configurable | undefined
}

interface AgentState {
  readonly messages: readonly BaseMessage[]
  readonly [KEY]?: FrameState
}

/** Frames of a conversation as the state of its graph keeps them. */
interface FrameState {
  /** The frames by the key of the message they stand behind; the self frame has a name of its own. */
  readonly frames: Readonly<Record<string, Framed>>
  /** The summary that replaced earlier messages; absent while none did. */
  readonly summary?: string
}

/** The text that stands behind a message; a frame that was dropped has none. */
function fenceOf(frames: FrameState['frames'], key: string): string {
  const framed: Framed | undefined = Object.hasOwn(frames, key) ? frames[key] : undefined
  return framed === undefined ? '' : fencedFrame(framed)
}

/** Frames that are read from the state of a graph, and what they became. */
interface FramesInState extends Frames {
  /** Returns the new state, with the frames of some keys alone; undefined if nothing changed. */
  changed(keys: ReadonlySet<string>, others: Omit<FrameState, 'frames'>): FrameState | undefined
}

/** The frames of one conversation, as the state of its graph has them. The state itself is left as it is. */
function framesInState(state: FrameState | undefined): FramesInState {
  const frames = new Map(Object.entries(state?.frames ?? {}))
  let isChanged = state === undefined
  return {
    get: async (_conversation, message) => frames.get(message),
    set: async (_conversation, message, framed) => {
      frames.set(message, framed.fate === undefined ? framed : settled(framed))
      isChanged = true
    },
    end: async () => frames.clear(),
    changed: (keys, others) => {
      const kept = [...frames].filter(([key]) => keys.has(key))
      const isSame = kept.length === frames.size && others.summary === state?.summary
      return isChanged || !isSame ? { frames: Object.fromEntries(kept), ...others } : undefined
    },
  }
}

/** A frame about which all is decided, without what only the decision needed: each checkpoint has it. */
function settled({ text, blocks, fate }: Framed): Framed {
  const kept = blocks.map(({ id }) => ({ id, content: '' }))
  return fate === 'dropped'
    ? { text: '', blocks: [], asked: '', fate }
    : { text, blocks: kept, asked: '', isLoop: true, fate: 'kept' }
}

/** Returns what the messages of a thread say and do. A message of the user without an id is left out. */
function saidIn(messages: readonly BaseMessage[]): Said[] {
  const ended = new Map(
    messages.filter((each) => ToolMessage.isInstance(each)).map((each) => [each.tool_call_id, each]),
  )
  return messages.flatMap((message): Said[] => {
    const { id, text } = message
    if (isUsers(message)) return id === undefined ? [] : [{ role: 'user', key: keyOf(message), text }]
    if (!AIMessage.isInstance(message)) return []
    return [
      { role: 'assistant', text },
      ...(message.tool_calls ?? []).map(({ id: call = '', name, args }) => {
        const result = ended.get(call)
        return { role: 'tool', tool: name, input: args, ok: result && result.status !== 'error' } as const
      }),
    ]
  })
}

/** The key of the frame behind a message, which may have any id. */
function keyOf({ id = '' }: BaseMessage): string {
  return `message ${id}`
}

/** A copy of a message with a text part of its own behind it; the message itself if there is no text. */
function withTextBehind(message: BaseMessage, text: string): BaseMessage {
  if (text === '' || !isUsers(message)) return message
  const { id, name, additional_kwargs, response_metadata } = message
  const content = [...partsOf(message), { type: 'text' as const, text }]
  return new HumanMessage({ additional_kwargs, response_metadata, content, ...defined({ id, name }) })
}

/** A system message with a text at its end, which leaves marks for caches before it where they are. */
function withTextAtEnd(message: SystemMessage, text: string): SystemMessage {
  if (text === '') return message
  if (message.text === '') return new SystemMessage(text)
  if (typeof message.content === 'string') return new SystemMessage(`${message.content}\n\n${text}`)
  return new SystemMessage({ content: [...partsOf(message), { type: 'text', text }] })
}

/** Returns true for a message that the user wrote; false for a summary of earlier messages. */
function isUsers(message: BaseMessage): boolean {
  return HumanMessage.isInstance(message) && !isSummary(message)
}

function isSummary({ additional_kwargs }: BaseMessage): boolean {
  return additional_kwargs?.lc_source === 'summarization'
}

function partsOf({ content }: BaseMessage) {
  return typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
}
