import type { HookMemories } from './memory.ts'
import type { ShownBefore } from './shown.ts'

/** The operations that keep what an agent wants to last. */
const KEEPING = ['remember', 'rememberMany', 'learnDocument'] as const
/** Sessions that are counted at once; of one that was quiet for longest the count begins anew. */
const SESSIONS_MOST = 64
const REQUEST =
  'If a later session should know something of it that the code does not say, keep it with elfmem_remember: a decision and its reason, a wish of the user, a mistake and what was right. If there is nothing, say nothing about it.'

/** Messages and steps for which nothing was kept, and the newest operation when they began. */
interface Count {
  readonly steps: number
  readonly since: number
}

/**
 * Asks an agent for what should last, once in a session and once more after each compaction: only if nothing was kept for long, as
 * the log of the memory says, whoever called.
 */
export class KeepRequests {
  readonly #memories: HookMemories
  readonly #shown: ShownBefore
  readonly #after: number
  readonly #counts = new Map<string, Count>()

  /** @param after messages and steps with nothing kept after which it asks; 0: never */
  constructor(memories: HookMemories, shown: ShownBefore, after: number) {
    this.#memories = memories
    this.#shown = shown
    this.#after = memories.mayWrite ? after : 0
  }

  /** Counts one message or step. */
  async counted(session: string): Promise<void> {
    if (this.#after === 0) return
    // Learning goes on if the log cannot be read.
    const since = this.#counts.get(session)?.since ?? (await this.#newest().catch(() => 0))
    this.#keep(session, { steps: (this.#counts.get(session)?.steps ?? 0) + 1, since })
  }

  /** Returns what the agent is to be asked now, maybe when it has stopped; empty if nothing is. */
  async due(session: string, isPause: boolean): Promise<string> {
    const { steps, since } = this.#counts.get(session) ?? { steps: 0, since: 0 }
    if (this.#after === 0 || steps < this.#after || (await this.#shown.of(session)).isAsked) return ''
    const newest = Math.max(...(await Promise.all(KEEPING.map((operation) => this.#newest(operation)))))
    if (newest > since) {
      this.#keep(session, { steps: 0, since: newest })
      return ''
    }
    this.#counts.delete(session)
    const last = isPause ? ' Then stop: the user has your answer, so do not repeat it.' : ''
    return `For ${steps} messages and steps nothing was remembered. ${REQUEST}${last}`
  }

  #keep(session: string, count: Count): void {
    this.#counts.delete(session)
    this.#counts.set(session, count)
    const [oldest = ''] = this.#counts.keys()
    if (this.#counts.size > SESSIONS_MOST) this.#counts.delete(oldest)
  }

  /** The number of the newest operation, or of the newest one of a name. */
  async #newest(operation?: string): Promise<number> {
    const { operations } = await this.#memories.own.history({ operation, limit: 1 })
    return operations[0]?.id ?? 0
  }
}
