import { randomUUID } from 'node:crypto'
import { strategyLine } from '../operations/wording.ts'
import { beganTrace, type Trace, withEvent } from '../outcome/trace.ts'
import type { HookStep } from './event.ts'
import type { HookMemories } from './memory.ts'
import type { Running, Session, ShownBlock } from './session.ts'

/** Blocks of a session that a trace compares with what was done, the newest. */
const BLOCKS_MOST = 64
/** Characters of what was done that a correction is compared with. */
const DONE_MOST = 2_000

/**
 * Learns from what agents do with the blocks that stand in their conversations: follows each message to where the agent stops,
 * and to the user's next one, and has it settled.
 */
export class HookLearning {
  readonly #memories: HookMemories

  constructor(memories: HookMemories) {
    this.#memories = memories
  }

  /** A message came, with new blocks behind it; what the one before it was good for is known now. */
  async asked(session: Session, text: string, shown: readonly ShownBlock[]): Promise<void> {
    const before = session.running
    const known = (before?.blocks ?? []).filter(({ id }) => shown.every((each) => each.id !== id))
    const blocks = [...known, ...shown].slice(-BLOCKS_MOST)
    const trace = beganTrace({ conversation: session.name, message: randomUUID(), asked: text, blocks })
    // Kept first: what follows is of this message, whatever becomes of the one before.
    session.running = { blocks, trace, times: 0, done: '' }
    if (before !== undefined) await this.#replied(before, text)
  }

  /** The agent used a tool. A step of which nobody knows how it went says nothing. */
  acted(session: Session, { tool, words, command, path, ok }: HookStep): void {
    const { running } = session
    if (running === undefined || ok === undefined) return
    const event = {
      ...{ kind: 'tool' as const, tool, input: words, ok },
      ...(command === undefined ? {} : { isCommand: true }),
      ...(path === undefined ? {} : { edited: path }),
    }
    session.running = { ...running, trace: withEvent(running.trace, event) }
  }

  /** The agent stops: what it did so far is settled, since the session may be over. */
  async paused(session: Session, last: string): Promise<void> {
    const { running } = session
    if (running === undefined) return
    const trace = withEvent(running.trace, { kind: 'answer', text: last })
    const { blocks, times, done } = running
    const { conversation, asked, message } = trace
    const next = beganTrace({ conversation, message, asked, blocks })
    const all = `${done}\n${doneIn(trace)}`.slice(-DONE_MOST)
    session.running = { ...running, trace: next, times: times + 1, done: all }
    if (blocks.length === 0 && trace.did.length === 0) return
    const lesson = await this.#settle({ ...trace, message: `${message} ${times}` })
    if (lesson !== undefined) session.running = { ...session.running, lesson }
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
