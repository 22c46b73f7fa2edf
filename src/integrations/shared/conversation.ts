import { defined } from '../../block/text.ts'
import type { Memory } from '../../engine/memory.ts'
import {
  beganTrace,
  conversationFrames,
  type FramingOptions,
  type UserMessage,
  withEvent,
} from '../../frames/index.ts'
import { type CapturingOptions, captureFrom } from './capturing.ts'
import { ownTools } from './tools.ts'
import { type OnMemoryError, orWithout } from './without-memory.ts'

/** A message or a call of a tool in a conversation, independent of a framework. */
export type Said =
  | ({ readonly role: 'user' } & UserMessage)
  | { readonly role: 'assistant'; readonly text: string }
  | {
      readonly role: 'tool'
      readonly tool: string
      readonly input: unknown
      /** Undefined if the call did not end. */
      readonly ok: boolean | undefined
    }

/** The options of memory in conversations. */
export interface ConversationOptions extends Omit<FramingOptions, 'conversation'>, CapturingOptions {
  /** False leaves the self frame out of the system prompt. */
  readonly self?: boolean
  /** `implicit`: learns from what was done with recalled blocks, when the next message comes (docs/implicit.md); `off` unless given. */
  readonly learn?: 'implicit' | 'off'
  /**
   * Hears of a failure of the memory, after which the model is called without it; throw the error to refuse the call. A warning of the
   * process unless given.
   */
  readonly onError?: OnMemoryError
}

/** The texts that memory adds to a prompt. */
interface Shown {
  /** The self frame for the end of the system prompt; empty if there is none. */
  readonly self: string
  /** The text behind each message of the user; empty where there is none. */
  readonly behind: readonly string[]
}

/** A conversation of a framework, whose name stands in the log, and the signal that ends its recalls. */
interface Place {
  readonly conversation: string
  readonly actor: string
  readonly signal?: AbortSignal | undefined
}

/**
 * Returns what each prompt of a conversation is shown, by the rules of `elfmem/frames`. With the first prompt for a message of the user it
 * also learns what the blocks before it were good for, and keeps what the user says for good.
 */
export function inConversation(
  memory: Pick<Memory, 'recall' | 'settle'> & Parameters<typeof captureFrom>[0],
  { conversation, actor, signal }: Place,
  options: ConversationOptions,
) {
  const { self = true, learn = 'off', scope, onError } = options
  const recall: Memory['recall'] = (request) => memory.recall(request, defined({ signal }))
  const framing = conversationFrames({ recall }, { ...options, conversation })
  const attempt = <T>(work: () => Promise<T>, otherwise: T) => orWithout(work, otherwise, onError)

  /** Learns what became of the blocks that were shown for the message before the newest one. */
  async function learnFrom(said: readonly Said[]): Promise<void> {
    const at = said.findLastIndex(({ role }, place) => role === 'user' && place < said.length - 1)
    const [asked, reply] = [said[at], said.at(-1)]
    if (asked?.role !== 'user' || reply?.role !== 'user') return
    const blocks = (await framing.framed(asked.key))?.blocks ?? []
    if (blocks.length === 0) return
    let trace = beganTrace({ conversation, message: asked.key, asked: asked.text, blocks })
    for (const each of said.slice(at + 1, -1)) {
      if (each.role === 'assistant') trace = withEvent(trace, { kind: 'answer', text: each.text })
      // Calls of the memory's own tools teach nothing.
      if (each.role !== 'tool' || each.ok === undefined || ownTools(memory).has(each.tool)) continue
      const { tool, input, ok } = each
      trace = withEvent(trace, { kind: 'tool', tool, ...wordsOf(input), ok })
    }
    trace = withEvent(trace, { kind: 'reply', text: reply.text })
    await memory.settle(trace, { origin: 'program', ...defined({ scope }) }, { actor })
  }

  /** @param isNew true: no cached prompt is continued, so the self frame may change */
  return async (said: readonly Said[], isNew = false): Promise<Shown> => {
    const users = said.filter((each) => each.role === 'user')
    const newest = users.at(-1)
    const isFirst = newest !== undefined && said.at(-1) === newest
    // Learning comes before new frames, because it compares the old frames with what was done.
    if (learn === 'implicit' && isFirst) await attempt(() => learnFrom(said), undefined)
    const frames = async () => {
      if (self && isNew) await framing.compacted()
      return { self: self ? await framing.self() : '', behind: await framing.behind(users, { isFirst }) }
    }
    const shown = await attempt<Shown>(frames, { self: '', behind: [] })
    if (isFirst) {
      const words = { session: conversation, text: newest.text, scope }
      await attempt(() => captureFrom(memory, words, options), undefined)
    }
    return shown
  }
}

/** Returns the words of a call of a tool: its argument `command` as a line of a shell, else all arguments. */
function wordsOf(given: unknown): { readonly input: string; readonly isCommand?: true } {
  const { command } = Object(given) as { readonly command?: unknown }
  if (typeof command === 'string') return { input: command, isCommand: true }
  return { input: typeof given === 'string' ? given : (JSON.stringify(given) ?? '') }
}
