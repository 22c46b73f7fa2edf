import { randomUUID } from 'node:crypto'
import { HOOK_COUNTS, HOOK_COUNTS_MOST, type HookCounts } from '../engine/counts.ts'
import { type HookMemories, putAmongNewest } from './memory.ts'

const { space, namespace } = HOOK_COUNTS

/** Counts how the hooks of this process go, and keeps it as a named item, so that `status` and `doctor` tell of it anywhere. */
export class HookTally {
  readonly #memories: HookMemories
  readonly #key = randomUUID()
  readonly #counts = { handled: 0, late: 0, failed: 0 }
  /** The counts as they were saved last. */
  #kept: HookCounts = { ...this.#counts }

  constructor(memories: HookMemories) {
    this.#memories = memories
  }

  /** The counts of this process. */
  get counts(): HookCounts {
    return { ...this.#counts }
  }

  /** Adds one. */
  count(what: keyof HookCounts): void {
    this.#counts[what] += 1
  }

  /** True if something went wrong that is not kept yet. */
  get hasTrouble(): boolean {
    return this.#counts.late > this.#kept.late || this.#counts.failed > this.#kept.failed
  }

  /** Keeps the counts, if there are any new ones and it may; a failure costs that they are not known elsewhere. */
  async keep(): Promise<void> {
    const { counts } = this
    const { own, mayWrite } = this.#memories
    if (!mayWrite || counts.handled === this.#kept.handled) return
    const before = this.#kept
    this.#kept = counts
    const items = own.items(space, { undoable: false })
    const put = { namespace, key: this.#key, value: counts }
    await putAmongNewest(items, put, HOOK_COUNTS_MOST).catch(() => {
      this.#kept = before
    })
  }
}
