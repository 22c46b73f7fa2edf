import { defined } from '../block/text.ts'
import { withoutFences } from '../block/visible.ts'

/** A block as a frame showed it. */
export interface ShownBlock {
  /** The whole id. */
  readonly id: string
  readonly content: string
}

/** What happened after a recall: a tool call that ended, words of the agent, or the user's next message, which ends the trace. */
export type TraceEvent =
  | Step
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'reply'; readonly text: string }

/** A tool call of an agent. There is no place for what it answered: that is nobody's word about a block. */
export interface ToolCall {
  readonly tool: string
  /** A command, the new text of an edit, or arguments as JSON. */
  readonly input: string
  /** True if `input` is a line of a shell. */
  readonly isCommand?: boolean | undefined
  /** The file that it changed. */
  readonly edited?: string | undefined
  /** False if it failed: an error, or an exit code other than 0. */
  readonly ok: boolean
}

/** A step of a trace: a tool call that ended. */
export type Step = { readonly kind: 'tool' } & ToolCall

/** The blocks that were recalled for one message of a user, and what happened until the next. Plain data. */
export interface Trace {
  readonly conversation: string
  readonly message: string
  /** The message. */
  readonly asked: string
  /** The recall that showed the blocks, as its answer names it. */
  readonly recallId?: string | undefined
  /** In the order they were shown. */
  readonly blocks: readonly ShownBlock[]
  readonly did: readonly Step[]
  /** The end of what the agent said. */
  readonly answer: string
  /** The next message. */
  readonly reply: string
}

/**
 * The bounds of a trace: characters of one input, characters of the end of the answer and of the beginning of the reply, and
 * steps, of which the oldest go first.
 */
export const TRACE_BOUNDS = { inputCharacters: 2_000, answerCharacters: 1_000, steps: 200 } as const

/** A command line that runs elfmem, or names it as a word by itself. */
const RUNS_MEMORY = /(?:^|[\s;&|]|npm:|bin\/)elfmem(?:@\S*)?(?:\s|$)/

/** A trace begins: something was recalled for a message. */
export function beganTrace(
  began: Pick<Trace, 'conversation' | 'message' | 'asked' | 'blocks' | 'recallId'>,
): Trace {
  const { conversation, message, recallId } = began
  const blocks = [...new Map(began.blocks.map(({ id, content }) => [id, { id, content }])).values()]
  const asked = own(began.asked)
  return { conversation, message, asked, blocks, ...defined({ recallId }), did: [], answer: '', reply: '' }
}

/**
 * The trace with one event more. What is too long is cut. Fenced memory in a text is no word of the agent's, and the memory's
 * own tools say by themselves what they are to say, so both are left out.
 */
export function withEvent(trace: Trace, event: TraceEvent): Trace {
  const { inputCharacters, answerCharacters, steps } = TRACE_BOUNDS
  if (event.kind === 'answer') {
    const answer = [trace.answer, own(event.text)].filter((text) => text !== '').join('\n')
    return { ...trace, answer: answer.slice(-answerCharacters) }
  }
  if (event.kind === 'reply') return { ...trace, reply: own(event.text).slice(0, answerCharacters) }
  if (/elfmem/i.test(event.tool) || (event.isCommand && RUNS_MEMORY.test(event.input))) return trace
  const step = { ...event, input: own(event.input).slice(0, inputCharacters) }
  return { ...trace, did: [...trace.did, step].slice(-steps) }
}

function own(text: string): string {
  return withoutFences(text).text
}
