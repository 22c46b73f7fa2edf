import type { HookMemories } from './memory.ts'
import type { ShownBefore } from './shown.ts'

/** The operations that keep what an agent wants to last. */
const KEEPING = ['remember', 'rememberMany', 'learnDocument'] as const
/** The state of a session whose agent was asked just now. */
export const ASKED = { isAsked: true, steps: 0, since: undefined } as const

/**
 * Asks an agent for what should last, once in a session and once more after each compaction: only if nothing was kept for long, as
 * the log of the memory says, whoever called.
 */
export class KeepRequests {
  readonly #memories: HookMemories
  readonly #shown: ShownBefore
  readonly #after: number

  /** @param after messages and steps with nothing kept after which it asks; 0: never */
  constructor(memories: HookMemories, shown: ShownBefore, after: number) {
    this.#memories = memories
    this.#shown = shown
    this.#after = memories.mayWrite ? after : 0
  }

  /** Counts messages and steps. A number that is not written is known to this process alone. */
  async counted(session: string, number: number, isWritten: boolean): Promise<void> {
    if (this.#after === 0) return
    // Learning goes on without the number, and the next message asks for it again.
    const { steps, since = await this.#newest().catch(() => undefined) } = await this.#shown.of(session)
    this.#shown.change(session, { steps: steps + number, since }, isWritten)
  }

  /** Returns what the agent is to be asked now, maybe when it has stopped; empty if nothing is. */
  async due(session: string, isPause: boolean): Promise<string> {
    if (this.#after === 0) return ''
    const { steps, isAsked, since = 0 } = await this.#shown.of(session)
    if (isAsked || steps < this.#after) return ''
    const newest = await Promise.all(KEEPING.map((operation) => this.#newest(operation)))
    if (newest.some((id) => id > since)) {
      this.#shown.change(session, { steps: 0, since: Math.max(...newest) })
      return ''
    }
    const last = isPause ? ' Then stop: the user has your answer, so do not repeat it.' : ''
    return `For ${steps} messages and steps nothing was remembered. ${REQUEST}${last}`
  }

  /** The number of the newest operation, or of the newest one of a name. */
  async #newest(operation?: string): Promise<number> {
    const { operations } = await this.#memories.own.history({ operation, limit: 1 })
    return operations[0]?.id ?? 0
  }
}

const REQUEST =
  'If a later session should know something of it that the code does not say, keep it with elfmem_remember: a decision and its reason, a wish of the user, a mistake and what was right. If there is nothing, say nothing about it.'
