import type { AgentInputItem, SessionInputCallback } from '@openai/agents'
import type { Memory } from '../../engine/memory.ts'
import { SELF_FRAME } from '../../frames/conversation.ts'
import {
  type ConversationFrames,
  conversationFrames,
  type FramingOptions,
  framesInMemory,
} from '../../frames/index.ts'
import { mustWork, taken } from '../shared/options.ts'
import { type OnMemoryError, orWithout } from '../shared/without-memory.ts'
import { isFrame, saidIn } from './transcript.ts'

/** The options of what is recalled for a turn. */
export interface RecallInputOptions extends Pick<FramingOptions, 'frame' | 'tokenBudget' | 'scope'> {
  /** The frames whose self frame stands in the instructions of the agent: blocks that it shows do not come again. */
  readonly besides?: Pick<ConversationFrames, 'framed'>
  /** Hears of a failure of the memory, after which the model is called without it. A warning of the process unless given. */
  readonly onError?: OnMemoryError
}

/** The ends of the types of items that a program answers a model with, so that it was called again. */
const ANSWERS = /_(?:call_result|call_output)$/
/** Names the one frame that is taken at a time. */
const ONE = { conversation: 'input', key: 'message' }

/**
 * Returns a `sessionInputCallback` that puts what bears on the user's message before it, as an item of its own. The runner keeps the
 * item in the session, so the next prompt begins with this one. The frame of a turn in which the model called no tool is left out of
 * later prompts, and stays in the session. Recalled once for each run.
 *
 * @throws ElfmemError `INVALID_INPUT` for options that cannot work
 */
export function recallInput(
  memory: Pick<Memory, 'recall'>,
  options: RecallInputOptions = {},
): SessionInputCallback {
  mustWork(memory, options, {
    ...{ maker: 'recallInput', needs: 'recall', example: "{ scope: 'support' }" },
    shape: {
      ...{ frame: taken.frame, tokenBudget: taken.tokenBudget, scope: taken.scope },
      ...{ besides: taken.anything, onError: taken.callback },
    },
  })
  const { besides, onError, ...framing } = options

  async function frameFor(text: string): Promise<string> {
    const frames = framesInMemory(1)
    const self = await besides?.framed()
    if (self !== undefined) await frames.set(ONE.conversation, SELF_FRAME, self)
    const conversation = conversationFrames(memory, { ...framing, conversation: ONE.conversation, frames })
    return (await conversation.behind([{ key: ONE.key, text }]))[0] ?? ''
  }

  return async (history, newItems) => {
    const kept = withoutIdleFrames(history)
    const at = newItems.findLastIndex((item) => isUsers(item) && !isFrame(item))
    const text = at < 0 ? '' : (saidIn(newItems[at] as AgentInputItem)?.text ?? '')
    const frame = text === '' ? '' : await orWithout(() => frameFor(text), '', onError)
    if (frame === '') return [...kept, ...newItems]
    const framed: AgentInputItem = { type: 'message', role: 'user', content: frame }
    return [...kept, ...newItems.slice(0, at), framed, ...newItems.slice(at)]
  }
}

/** The history without the frames of turns in which no tool was called: the same at every later turn. */
function withoutIdleFrames(history: readonly AgentInputItem[]): AgentInputItem[] {
  return history.filter((_, at) => !isOurs(history, at) || turnBehind(history, at).some(isAnswerToModel))
}

/** True of a frame before a message of the user, where frames are put. One that stands elsewhere was pasted by somebody, and stays. */
function isOurs(history: readonly AgentInputItem[], at: number): boolean {
  const [item, next] = history.slice(at, at + 2)
  return item !== undefined && isFrame(item) && next !== undefined && isUsers(next) && !isFrame(next)
}

/** The items between the message that a frame stands before and the next message of the user. */
function turnBehind(history: readonly AgentInputItem[], frame: number): readonly AgentInputItem[] {
  const turn = history.slice(frame + 2)
  const next = turn.findIndex(isUsers)
  return next < 0 ? turn : turn.slice(0, next)
}

function isUsers(item: AgentInputItem): boolean {
  return saidIn(item)?.role === 'user'
}

function isAnswerToModel({ type = '' }: { readonly type?: string | undefined }): boolean {
  return ANSWERS.test(type)
}
