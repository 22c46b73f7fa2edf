import { beganTrace, type Earlier, type Trace, type TraceEvent, withEvent } from '../../src/frames/index.ts'
import type { Memory } from '../../src/memory.ts'

/** A command of an agent and how it ended. */
export const ran = (input: string, ok = true): TraceEvent => ({
  ...{ kind: 'tool', tool: 'Bash', input, isCommand: true, ok },
})

/** An edit of an agent. */
export const edit = (edited: string, input: string, ok = true): TraceEvent => ({
  ...{ kind: 'tool', tool: 'Edit', input, edited, ok },
})

/** What the user said next. */
export const reply = (text: string): TraceEvent => ({ kind: 'reply', text })

interface Began {
  readonly asked?: string
  readonly conversation?: string
  readonly message?: string
  readonly earlier?: Earlier
}

/** The trace of a recall and of what happened after it. */
export async function traced(
  memory: Memory,
  events: readonly TraceEvent[],
  { asked = 'How do I reach staging?', conversation = 'c', message = 'm', earlier }: Began = {},
): Promise<Trace> {
  const { blocks, recallId } = await memory.recall({ query: asked, minStrength: 0 })
  const began = beganTrace(
    { conversation, message, asked, blocks, ...(recallId === undefined ? {} : { recallId }) },
    earlier,
  )
  return events.reduce((trace, event) => withEvent(trace, event), began)
}
