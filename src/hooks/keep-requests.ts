import type { HookMemories } from './memory.ts'
import type { Session } from './session.ts'

/** The operations that keep what an agent wants to last. */
const KEEPING = ['remember', 'rememberMany', 'learnDocument'] as const
const REQUEST =
  'If a later session should know something of it that the code does not say, keep it with elfmem_remember: a decision and its reason, a wish of the user, a mistake and what was right. If there is nothing, say nothing about it.'

/**
 * Asks an agent for what should last, once in a session and once more after each compaction: only if nothing was kept for long, as
 * the log of the memory says, whoever called.
 */
export class KeepRequests {
  readonly #memories: HookMemories
  readonly #after: number

  /** @param after messages and steps with nothing kept after which it asks; 0: never */
  constructor(memories: HookMemories, after: number) {
    this.#memories = memories
    this.#after = memories.mayWrite ? after : 0
  }

  /** Counts one message or step. */
  async counted(session: Session): Promise<void> {
    if (this.#after === 0) return
    // A log that cannot be read must not stop learning.
    const since = session.count.since ?? (await this.#newest().catch(() => 0))
    session.count = { steps: session.count.steps + 1, since }
  }

  /** Returns what the agent is to be asked now, maybe when it has stopped; empty if nothing is. */
  async due(session: Session, isPause: boolean): Promise<string> {
    const { steps, since = 0 } = session.count
    if (this.#after === 0 || steps < this.#after || session.shown?.isAsked) return ''
    const newest = Math.max(...(await Promise.all(KEEPING.map((operation) => this.#newest(operation)))))
    session.count = newest > since ? { steps: 0, since: newest } : { steps: 0 }
    if (newest > since) return ''
    const last = isPause ? ' Then stop: the user has your answer, so do not repeat it.' : ''
    return `For ${steps} messages and steps nothing was remembered. ${REQUEST}${last}`
  }

  /** The number of the newest operation, or of the newest one of a name. */
  async #newest(operation?: string): Promise<number> {
    const { operations } = await this.#memories.own.history({ operation, limit: 1 })
    return operations[0]?.id ?? 0
  }
}
