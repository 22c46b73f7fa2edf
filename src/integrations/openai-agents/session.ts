import { randomUUID } from 'node:crypto'
import type { AgentInputItem, Session } from '@openai/agents'
import * as z from 'zod'
import { defined } from '../../block/text.ts'
import type { Memory } from '../../engine/memory.ts'
import { ElfmemError } from '../../errors.ts'
import type { CaptureMemory } from '../../frames/capture.ts'
import { type CapturingOptions, captureFrom } from '../shared/capturing.ts'
import { mustWork, taken } from '../shared/options.ts'
import { isConversationName, turnTexts } from '../shared/turns.ts'
import { decoded, encoded, saidIn } from './transcript.ts'

/** The options of a session. */
export interface ElfmemSessionOptions extends CapturingOptions {
  /** Tells the conversation from all others; a random one unless given. */
  readonly sessionId?: string
  /** `none`: messages are kept as a transcript alone; unless given each is also found by `recall`. */
  readonly remember?: 'turns' | 'none'
  /** True: `clearSession` also forgets what was said. */
  readonly forgetOnClear?: boolean
  /** The scope it is of, in a memory without one. */
  readonly scope?: string
}

type Items = ReturnType<Memory['items']>
type Kept = Awaited<ReturnType<Items['list']>>['items'][number]

/** The space of conversations. */
const SPACE = 'session'
/** Items read at once, and written at once at most. */
const PAGE = 500
const WRITES = 10_000

/**
 * A session of the OpenAI Agents SDK in a memory: the transcript of a conversation, which goes on after a restart and in several
 * processes at once. Each message of the user and of the model is also a block of category `turn`, which `recall` finds in
 * every conversation, and instructions and preferences that the user states for good are kept, unless `capture` is false. Frames of
 * remembered text are part of the transcript and never a block. Errors are those of the
 * memory (`ElfmemError`).
 */
export class ElfmemSession implements Session {
  readonly #items: Items
  readonly #memory: Partial<CaptureMemory>
  readonly #options: ElfmemSessionOptions
  readonly #id: string

  constructor(memory: Pick<Memory, 'items'> & Partial<CaptureMemory>, options: ElfmemSessionOptions = {}) {
    mustWork(memory, options, {
      ...{ maker: 'ElfmemSession', needs: 'items', example: "{ sessionId: 'support-42' }" },
      shape: {
        sessionId: z
          .custom(isConversationName, 'must be a name of 1 to 128 characters, without NUL and U+001F')
          .optional(),
        ...{ scope: taken.scope, remember: z.enum(['turns', 'none']).optional() },
        ...{ trustUser: taken.flag, forgetOnClear: taken.flag, capture: taken.capture },
      },
    })
    // An agent that takes back what it did last means no part of the transcript.
    this.#items = memory.items(SPACE, { undoable: false, ...defined({ scope: options.scope }) })
    this.#memory = memory
    this.#options = options
    this.#id = options.sessionId ?? randomUUID()
  }

  /** Returns the id of the conversation. */
  async getSessionId(): Promise<string> {
    return this.#id
  }

  /** Returns the newest items, the oldest first: all, or at most `limit`. */
  async getItems(limit?: number): Promise<AgentInputItem[]> {
    if (limit !== undefined && limit <= 0) return []
    const items = await this.#all()
    return items.slice(limit === undefined ? 0 : -Math.ceil(limit)).map(({ value }) => decoded(value))
  }

  /** Appends items, all or none; those of other processes stand before or behind them. */
  async addItems(items: AgentInputItem[]): Promise<void> {
    if (items.length === 0) return
    const { scope } = this.#options
    // Capture comes first, so that the turn becomes another occurrence of the captured block.
    for (const { role, text } of items.flatMap((item) => saidIn(item) ?? []))
      if (role === 'user') await captureFrom(this.#memory, { session: this.#id, text, scope }, this.#options)
    await this.#items.batch(items.map((item) => this.#added(item, this.#textsOf(item))))
  }

  /** Takes the newest item out and forgets its blocks; undefined if there is none. */
  async popItem(): Promise<AgentInputItem | undefined> {
    for (;;) {
      const newest = (await this.#all()).at(-1)
      if (newest === undefined) return undefined
      try {
        const { namespace, key, version } = newest
        await this.#items.delete({ namespace, key, ifVersion: version })
        return decoded(newest.value)
      } catch (error) {
        // On a conflict another process took this item; the next round takes the one before it.
        if (!ElfmemError.is(error) || error.code !== 'CONFLICT') throw error
      }
    }
  }

  /** Takes all items out. Blocks stay, so what was said can be recalled, unless the session has `forgetOnClear`. */
  async clearSession(): Promise<void> {
    await this.#replace([], this.#options.forgetOnClear !== true)
  }

  /** Puts other items in the place of all, in one transaction. What was said stays to be recalled; the new items make no blocks. */
  async replaceHistoryWithCompaction(items: AgentInputItem[]): Promise<void> {
    await this.#replace(items, true)
  }

  async #replace(items: readonly AgentInputItem[], keepTexts: boolean): Promise<void> {
    const gone = (await this.#all()).map(({ namespace, key }) => {
      return { do: 'delete', namespace, key, keepTexts } as const
    })
    while (gone.length + items.length > WRITES) await this.#items.batch(gone.splice(0, WRITES))
    if (gone.length + items.length > 0)
      await this.#items.batch([...gone, ...items.map((item) => this.#added(item, []))])
  }

  /** Reads all items, in the order they came. */
  async #all(): Promise<Kept[]> {
    const all: Kept[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await this.#items.list({ namespace: [this.#id], limit: PAGE, ...defined({ cursor }) })
      all.push(...page.items)
      if (page.cursor === undefined) return all
      cursor = page.cursor
    }
  }

  #added(item: AgentInputItem, texts: ReturnType<typeof turnTexts>) {
    return { do: 'put', namespace: [this.#id], key: randomUUID(), value: encoded(item), texts } as const
  }

  /** Returns the texts that an item is found by. */
  #textsOf(item: AgentInputItem): ReturnType<typeof turnTexts> {
    const { remember, trustUser = false } = this.#options
    const said = remember === 'none' ? undefined : saidIn(item)
    return said === undefined ? [] : turnTexts(said, this.#id, trustUser)
  }
}
