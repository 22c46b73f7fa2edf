import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import { type AgentMiddleware, createMiddleware } from 'langchain'
import * as z from 'zod'
import { defined } from '../../block/text.ts'
import type { Memory } from '../../engine/memory.ts'
import type { CaptureMemory } from '../../frames/capture.ts'
import { fencedFrame, SELF_FRAME } from '../../frames/conversation.ts'
import {
  beganTrace,
  conversationFrames,
  type Framed,
  type Frames,
  type FramingOptions,
  type Trace,
  withEvent,
} from '../../frames/index.ts'
import { type CapturingOptions, captureFrom } from '../shared/capturing.ts'
import { mustBeOpen, mustFrame, mustTake, taken } from '../shared/check-options.ts'
import { inputOf, settleTrace } from '../shared/learning.ts'
import { ownTools } from '../shared/own-tools.ts'
import { mustMayTrust } from '../shared/turns.ts'
import { type OnMemoryError, orWithout } from '../shared/without-memory.ts'
import { isUsers, keyOf, summaryIn, userMessages, withTextAtEnd, withTextBehind } from './messages.ts'
import { type Configurable, scopeOf } from './user-scope.ts'

/** The options of memory in the conversations of an agent. */
export interface ElfmemMiddlewareOptions
  extends Pick<FramingOptions, 'frame' | 'tokenBudget' | 'scope'>,
    CapturingOptions {
  /** False leaves the self frame out of the system prompt. */
  readonly self?: boolean
  /**
   * `implicit`: learns from what was done with recalled blocks, when the next message comes (docs/implicit.md); needs a checkpointer.
   * `off` unless given.
   */
  readonly learn?: 'implicit' | 'off'
  /** Hears of a failure of the memory, after which the model is called without it. A warning of the process unless given. */
  readonly onError?: OnMemoryError
}

/** The key of the state; its beginning makes it private to the agent. */
const KEY = '_elfmem'
/** Stands for the conversation, because each state is of one alone. */
const CONVERSATION = 'thread'

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
  mustWork(memory, options)
  const { self = true, learn = 'off', onError, capture, trustUser, ...framing } = options

  async function framed(
    { messages, [KEY]: state }: Pick<AgentState, 'messages' | typeof KEY>,
    { signal, configurable }: Runtime,
  ): Promise<FrameState | undefined> {
    const frames = framesInState(state)
    const scope = scopeOf(memory, framing.scope, configurable)
    const learning = async () =>
      learnFrom(
        memory,
        {
          ...{ messages, conversation: configurable?.thread_id ?? '' },
          framed: (key) => frames.get(CONVERSATION, key),
          isOwn: (tool) => ownTools(memory).has(tool),
        },
        scope,
      )
    const isFirst = isUsers(messages.at(-1))
    // Before the frames are decided about: what they showed is compared with what was done.
    if (learn === 'implicit' && isFirst) await orWithout(learning, { otherwise: undefined, onError })
    const recall: Memory['recall'] = (request) =>
      memory.recall(request, signal === undefined ? {} : { signal })
    const conversation = conversationFrames(
      { recall },
      { ...framing, ...defined({ scope }), conversation: CONVERSATION, frames },
    )
    const users = userMessages(messages)
    const newest = users.at(-1)
    if (isFirst && newest !== undefined) {
      const said = { session: String(configurable?.thread_id ?? newest.key), text: newest.text, scope }
      const capturing = () => captureFrom(memory, said, defined({ capture, trustUser }))
      await orWithout(capturing, { otherwise: undefined, onError })
    }
    const summary = summaryIn(messages)
    const keys = new Set([SELF_FRAME, ...users.map(({ key }) => key)])
    frames.keepOnly((key) => keys.has(key))
    if (self) await (isNewSummary(summary, state) ? conversation.compacted() : conversation.self())
    await conversation.behind(users, { isFirst })
    return frames.changed(summary === undefined ? {} : { summary })
  }

  return createMiddleware({
    name: 'elfmem',
    stateSchema,
    beforeModel: async (state, runtime) => {
      const work = () => framed(state as unknown as AgentState, runtime)
      const changed = await orWithout(work, { otherwise: undefined, onError })
      return changed === undefined ? undefined : ({ [KEY]: changed } as object)
    },
    wrapModelCall: (request, handler) => {
      const { frames = {} } = (request.state as unknown as AgentState)[KEY] ?? {}
      const messages = request.messages.map((message) =>
        withTextBehind(message, fenceOf(frames, keyOf(message.id ?? ''))),
      )
      const systemMessage = withTextAtEnd(request.systemMessage, fenceOf(frames, SELF_FRAME))
      // The deprecated systemPrompt stays as it was: LangChain refuses a request that changes both.
      return handler({ ...request, messages, systemMessage })
    },
  }) as AgentMiddleware
}

function mustWork(memory: object, options: ElfmemMiddlewareOptions): void {
  mustBeOpen(memory, 'recall')
  mustTake('elfmemMiddleware', options, {
    shape: {
      ...{ frame: taken.anything, tokenBudget: taken.anything, scope: taken.anything, learn: taken.anything },
      ...{ self: taken.flag, onError: taken.callback, capture: taken.capture, trustUser: taken.flag },
    },
    example: "elfmemMiddleware(memory, { learn: 'implicit' })",
  })
  mustFrame(options)
  mustMayTrust(memory, options.trustUser ?? false)
}

/** The parts of a run's own words that count here. */
interface Runtime {
  readonly signal?: AbortSignal | undefined
  readonly configurable?: Configurable | undefined
}

interface AgentState {
  readonly messages: Parameters<typeof userMessages>[0]
  readonly [KEY]?: FrameState
}

/** True if a summary took the place of messages since: the prompt begins anew anyhow. */
function isNewSummary(summary: string | undefined, state: FrameState | undefined): boolean {
  return state !== undefined && summary !== undefined && summary !== state.summary
}

/** The text that stands behind a message; a frame that was dropped has none. */
function fenceOf(frames: FrameState['frames'], key: string): string {
  const framed: Framed | undefined = Object.hasOwn(frames, key) ? frames[key] : undefined
  return framed === undefined ? '' : fencedFrame(framed)
}

/** Frames of a conversation as the state of its graph keeps them. */
interface FrameState {
  /** The frames by the key of the message they stand behind; the self frame has a name of its own. */
  readonly frames: Readonly<Record<string, Framed>>
  /** The mark of the summary that replaced earlier messages; absent while none did. */
  readonly summary?: string
}

/** Frames that are read from the state of a graph, and what they became. */
interface FramesInState extends Frames {
  /** The new state; undefined if nothing changed. */
  changed(others: Omit<FrameState, 'frames'>): FrameState | undefined
  /** Lets go of the frames of messages that are gone. */
  keepOnly(isThere: (key: string) => boolean): void
}

/** The frames of one conversation, as the state of its graph has them. The state itself is left as it is. */
function framesInState(state: FrameState | undefined): FramesInState {
  const frames = new Map(Object.entries(state?.frames ?? {}))
  let isChanged = state === undefined
  const set = (key: string, framed: Framed) => {
    frames.set(key, framed.fate === undefined ? framed : settled(framed))
    isChanged = true
  }
  return {
    get: async (_conversation, message) => frames.get(message),
    set: async (_conversation, message, framed) => set(message, framed),
    end: async () => frames.clear(),
    keepOnly: (isThere) => {
      for (const key of frames.keys()) if (!isThere(key)) isChanged = frames.delete(key) || isChanged
    },
    changed: (others) => {
      const isSame = others.summary === state?.summary
      return isChanged || !isSame ? { frames: Object.fromEntries(frames), ...others } : undefined
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

/** A conversation whose newest message is the user's. */
interface Learnt {
  /** Tells it from all others. */
  readonly conversation: string
  readonly messages: readonly BaseMessage[]
  /** Returns the frame that stands behind a message. */
  readonly framed: (key: string) => Promise<Framed | undefined>
  /** True of a tool of the memory itself. */
  readonly isOwn: (tool: string) => boolean
}

/** Learns what became of the blocks that were shown for the message before the newest one. */
async function learnFrom(
  memory: Pick<Memory, 'settle'>,
  learnt: Learnt,
  scope: string | undefined,
): Promise<void> {
  const trace = await traceOf(learnt)
  if (trace !== undefined) await settleTrace(memory, trace, { actor: 'langchain', scope })
}

async function traceOf({ conversation, messages, framed, isOwn }: Learnt): Promise<Trace | undefined> {
  const [asked, newest] = userMessages(messages).slice(-2)
  if (asked === undefined || newest === undefined) return undefined
  const from = messages.findIndex(({ id }) => id !== undefined && keyOf(id) === asked.key)
  const did = messages.slice(from + 1)
  const ended = new Map(
    did.filter((each) => ToolMessage.isInstance(each)).map((each) => [each.tool_call_id, each]),
  )
  const blocks = (await framed(asked.key))?.blocks ?? []
  let trace = beganTrace({ conversation, message: asked.key, asked: asked.text, blocks })
  for (const message of did.filter((each) => AIMessage.isInstance(each))) {
    trace = withEvent(trace, { kind: 'answer', text: message.text })
    for (const { id = '', name, args } of message.tool_calls ?? []) {
      const result = ended.get(id)
      // A call without a result did not end.
      if (result === undefined || isOwn(name)) continue
      trace = withEvent(trace, { kind: 'tool', tool: name, ...inputOf(args), ok: result.status !== 'error' })
    }
  }
  return withEvent(trace, { kind: 'reply', text: newest.text })
}
