import { AIMessage, type BaseMessage, ToolMessage } from '@langchain/core/messages'
import type { Memory } from '../../engine/memory.ts'
import { beganTrace, type Framed, type Trace, withEvent } from '../../frames/index.ts'
import { inputOf, settleTrace } from '../shared/learning.ts'
import { keyOf, userMessages } from './messages.ts'

/** A conversation whose newest message is the user's. */
export interface Learnt {
  /** Tells it from all others. */
  readonly conversation: string
  readonly messages: readonly BaseMessage[]
  /** Returns the frame that stands behind a message. */
  readonly framed: (key: string) => Promise<Framed | undefined>
  /** True of a tool of the memory itself. */
  readonly isOwn: (tool: string) => boolean
}

/** Learns what became of the blocks that were shown for the message before the newest one. */
export async function learnFrom(
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
