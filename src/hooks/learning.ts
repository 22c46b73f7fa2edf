import { randomUUID } from 'node:crypto'
import { strategyLine } from '../operations/wording.ts'
import { beganTrace, type Trace, withEvent } from '../outcome/trace.ts'
import type { HookStep } from './event.ts'
import type { HookMemories } from './memory.ts'

/** A block that stands in a conversation. */
interface ShownBlock {
  readonly id: string
  readonly content: string
}

/** Blocks of a session that a trace compares with what was done, the newest. */
const BLOCKS_MOST = 64
/** Characters of what was done that a correction is compared with. */
const DONE_MOST = 2_000
/** Sessions with a trace at once; the one that was quiet for longest is dropped. */
const SESSIONS_MOST = 64

/** One message of a session and what came of it so far. */
interface Running {
  /** The blocks that have stood in the conversation since it began or was compacted. */
  readonly blocks: readonly ShownBlock[]
  /** Since the message, or since it was settled last. */
  readonly trace: Trace
  /** The number of times that the message was settled. */
  readonly times: number
  /** The words of what was done and settled, with which the next message may disagree. */
  readonly done: string
  /** A line about a check that failed and passes now, for the next prompt. */
  readonly lesson?: string
}

/**
 * Learns from what agents do with the blocks that stand in their conversations: follows each message to where the agent stops,
 * and to the user's next one, and has it settled.
 */
export class HookLearning {
  readonly #memories: HookMemories
  readonly #running = new Map<string, Running>()

  constructor(memories: HookMemories) {
    this.#memories = memories
  }

  /** A message came, with new blocks behind it; what the one before it was good for is known now. */
  async asked(session: string, text: string, shown: readonly ShownBlock[]): Promise<void> {
    const before = this.#running.get(session)
    const known = (before?.blocks ?? []).filter(({ id }) => shown.every((each) => each.id !== id))
    const blocks = [...known, ...shown].slice(-BLOCKS_MOST)
    const trace = beganTrace({ conversation: session, message: randomUUID(), asked: text, blocks })
    // Kept first: what follows is of this message, whatever becomes of the one before.
    this.#keep(session, { blocks, trace, times: 0, done: '' })
    if (before !== undefined) await this.#replied(before, text)
  }

  /** The agent used a tool. A step of which nobody knows how it went says nothing. */
  acted(session: string, { tool, words, command, path, ok }: HookStep): void {
    const running = this.#running.get(session)
    if (running === undefined || ok === undefined) return
    const event = {
      ...{ kind: 'tool' as const, tool, input: words, ok },
      ...(command === undefined ? {} : { isCommand: true }),
      ...(path === undefined ? {} : { edited: path }),
    }
    this.#keep(session, { ...running, trace: withEvent(running.trace, event) })
  }

  /** The agent stops: what it did so far is settled, since the session may be over. */
  async paused(session: string, last: string): Promise<void> {
    const running = this.#running.get(session)
    if (running === undefined) return
    const trace = withEvent(running.trace, { kind: 'answer', text: last })
    const { blocks, times, done } = running
    const { conversation, asked, message } = trace
    const next = beganTrace({ conversation, message, asked, blocks })
    const all = `${done}\n${doneIn(trace)}`.slice(-DONE_MOST)
    this.#keep(session, { ...running, trace: next, times: times + 1, done: all })
    if (blocks.length === 0 && trace.did.length === 0) return
    const lesson = await this.#settle({ ...trace, message: `${message} ${times}` })
    const now = this.#running.get(session)
    if (now !== undefined && lesson !== undefined) this.#keep(session, { ...now, lesson })
  }

  /** Returns the line about what the session did since the last prompt; empty if there is none. */
  lessonOf(session: string): string {
    return this.#running.get(session)?.lesson ?? ''
  }

  /** The conversation was compacted: nothing that stood in it is known to stand there. */
  compacted(session: string): void {
    const running = this.#running.get(session)
    if (running !== undefined) this.#keep(session, { ...running, blocks: [] })
  }

  /** The session is over. */
  ended(session: string): void {
    this.#running.delete(session)
  }

  #keep(session: string, running: Running): void {
    this.#running.delete(session)
    this.#running.set(session, running)
    const [oldest = ''] = this.#running.keys()
    if (this.#running.size > SESSIONS_MOST) this.#running.delete(oldest)
  }

  /** Settles what a message was good for, as the next one tells it. What was settled already is only held against the reply. */
  async #replied({ trace, times, done }: Running, reply: string): Promise<void> {
    if (trace.blocks.length === 0) return
    const step = { kind: 'tool' as const, tool: 'earlier', input: done, ok: false }
    const told = times === 0 || trace.did.length > 0 ? trace : withEvent(trace, step)
    await this.#settle({
      ...withEvent(told, { kind: 'reply', text: reply }),
      message: `${trace.message} reply`,
    })
  }

  /** Has a trace settled; returns a line about the strategy that it suggests. */
  async #settle(trace: Trace): Promise<string | undefined> {
    if (!this.#memories.mayWrite) return undefined
    const { strategy } = await this.#memories.own.settle(trace, { origin: 'hooks' })
    return strategy && strategyLine(strategy)
  }
}

/** The words of what was done. */
function doneIn({ did, answer }: Trace): string {
  const inputs = did.flatMap(({ edited = '', input }) => [edited, input])
  return [...inputs, answer].join('\n')
}
