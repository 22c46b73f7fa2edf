import { createHash } from 'node:crypto'
import type { CallableMemory } from '../../../engine/open-memory.ts'
import { ElfmemError, type ErrorCode } from '../../../errors.ts'
import { WATCH_BOUNDS } from '../../bounds.ts'

/** The functions by which the resources of one caller are read and watched. */
export interface Watched {
  /** Tells at each look at the memory if anything was committed since; returns what ends that. */
  readonly onLook: CallableMemory['onLook']
  /** The text of a resource as the caller may read it now; rejects with why there is none. */
  readonly read: (uri: string) => Promise<string>
  /** Called for each watched resource whose text is another one than before. */
  readonly changed: (uri: string) => void
}

/** The errors of reading a block that is not there, or no more the only one of its id. */
const NOT_THERE: readonly ErrorCode[] = ['NOT_FOUND', 'AMBIGUOUS_ID']

/** A resource that is watched: by how many, and the hash of its text as it was last. */
interface Watch {
  watchers: number
  text: Promise<string | undefined>
}

/**
 * Watches resources of one caller: when the memory changed, each is read anew through the door, and who watches it hears of it
 * only if its text is another one. So nobody learns from a notice that something else changed. Looks only while it is asked to.
 */
export class ResourceWatch {
  readonly #watched: Watched
  readonly #watches = new Map<string, Watch>()
  #endLooking: (() => void) | undefined
  /** The changes that all was compared after. */
  #seen: number | undefined
  #looking = false
  /** Time before which it does not look again, by the clock of the process. */
  #restsUntil = 0

  constructor(watched: Watched) {
    this.#watched = watched
  }

  /**
   * Begins to watch a resource, which may be a block that is not there yet: whatever changes after it resolved is reported. What
   * it resolves to ends it. Rejects with `LIMIT_EXCEEDED` when it is one too many, and as reading does when that cannot be read.
   */
  async watch(uri: string): Promise<() => void> {
    const known = this.#watches.get(uri)
    if (known === undefined && this.#watches.size >= WATCH_BOUNDS.uris)
      throw new ElfmemError('LIMIT_EXCEEDED', `${WATCH_BOUNDS.uris} resources are watched already.`, {
        recovery: 'Let go of one first, or watch elfmem://status.',
        details: {
          ...{ arguments: ['uri'], found: WATCH_BOUNDS.uris + 1, limit: WATCH_BOUNDS.uris },
          ...{ unit: 'resources', setting: '' },
        },
      })
    const watch = known ?? { watchers: 0, text: this.#hashOf(uri) }
    watch.watchers += 1
    this.#watches.set(uri, watch)
    this.#endLooking ??= this.#watched.onLook((looked) => {
      if (typeof looked === 'number') void this.look(looked)
    })
    let isOver = false
    const end = () => {
      if (isOver) return
      isOver = true
      watch.watchers -= 1
      if (watch.watchers === 0 && this.#watches.get(uri) === watch) this.#watches.delete(uri)
      if (this.#watches.size === 0) this.close()
    }
    try {
      await watch.text
    } catch (cause) {
      end()
      throw cause
    }
    return end
  }

  /** Reads all anew, unless the memory is as it was. Never rejects. */
  async look(changes: number): Promise<void> {
    const begun = performance.now()
    if (this.#looking || changes === this.#seen || begun < this.#restsUntil) return
    this.#looking = true
    this.#seen = changes
    try {
      for (const [uri, watch] of [...this.#watches]) await this.#compare(uri, watch)
    } finally {
      this.#looking = false
      // Reading anew never takes more than a fifth of the time.
      this.#restsUntil = performance.now() + 4 * (performance.now() - begun)
    }
  }

  /** Ends all. */
  close(): void {
    this.#endLooking?.()
    this.#endLooking = undefined
    this.#watches.clear()
  }

  /** Reads a resource anew. One that cannot be read now is what it was, until a later look can. */
  async #compare(uri: string, watch: Watch): Promise<void> {
    try {
      const [before, now] = [await watch.text, await this.#hashOf(uri)]
      if (before === now || this.#watches.get(uri) !== watch) return
      watch.text = Promise.resolve(now)
      this.#watched.changed(uri)
    } catch {
      this.#seen = undefined
    }
  }

  /** Undefined for a block that is not there. */
  async #hashOf(uri: string): Promise<string | undefined> {
    try {
      return createHash('sha256')
        .update(await this.#watched.read(uri))
        .digest('base64')
    } catch (cause) {
      if (ElfmemError.is(cause) && NOT_THERE.includes(cause.code)) return undefined
      throw cause
    }
  }
}
