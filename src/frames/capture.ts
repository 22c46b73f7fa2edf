import { count, defined, preview, shownLine } from '../block/text.ts'
import type { Memory } from '../engine/memory.ts'
import { type SaidForGood, saidForGood } from '../language/said-for-good.ts'
import { shortId } from '../recall/render.ts'

/** A capture memory is the part of a memory that capturing needs. */
export type CaptureMemory = Pick<Memory, 'rememberMany' | 'ls'> & Partial<Pick<Memory, 'settings'>>

/** The options of capturing. */
export interface CaptureOptions {
  /** False keeps nothing. The setting `capture.instructions` of the memory decides unless given. */
  readonly isOn?: boolean
  /** The class of the words, such as `document` if the user may be anybody. The highest one that the caller may claim unless given. */
  readonly sourceClass?: 'agent' | 'document'
  readonly scope?: string
  /** Returns how a reader takes an operation back, in the words of the surface; `undo({ operationId: 42 })` unless given. */
  readonly undo?: (operationId: number) => string
}

/** A captured message has the blocks that were made of it. */
export interface Captured {
  /** Ids of the new blocks. */
  readonly ids: readonly string[]
  /** One line that says what was kept and how to take it back; empty if nothing was. */
  readonly line: string
}

const NOTHING: Captured = { ids: [], line: '' }
/** The most blocks that a session captures. */
const MOST = 5
/** The tag by which captured blocks are listed and counted. */
const CAPTURED_TAG = 'captured'

/**
 * Keeps the standing instructions and preferences that a user states, word for word. Give it only what the user wrote: a prompt
 * as a client hands it over, or a message of the role `user`, never the output of a tool. The words count as the owner's only if the
 * memory was opened as the owner; else as the agent's, with the label `user`.
 */
export class Capture {
  readonly #memory: CaptureMemory
  readonly #options: CaptureOptions

  constructor(memory: CaptureMemory, options: CaptureOptions = {}) {
    this.#memory = memory
    this.#options = options
  }

  /** Keeps what a message of a session says for good. It never fails: what cannot be kept is not. */
  async taken(session: string, text: string): Promise<Captured> {
    const said = saidForGood(text)
    if (said.length === 0) return NOTHING
    try {
      const isOn = this.#options.isOn ?? (await isSet(this.#memory))
      return isOn ? await this.#keep(session, said) : NOTHING
    } catch {
      return NOTHING
    }
  }

  async #keep(session: string, said: readonly SaidForGood[]): Promise<Captured> {
    const { scope, sourceClass, undo = undoCall } = this.#options
    const known = await this.#count(session)
    const blocks = said.slice(0, Math.max(0, MOST - known)).map(({ category, text }) => ({
      ...{ content: text, category, session, source: 'user', tags: [CAPTURED_TAG] },
      ...defined({ sourceClass }),
    }))
    if (blocks.length === 0) return NOTHING
    const { results, operationId } = await this.#memory.rememberMany({ blocks, ...defined({ scope }) })
    const kept = results.flatMap(({ blockId, status }, at) =>
      status === 'created' ? [{ id: blockId, ...(said[at] as SaidForGood) }] : [],
    )
    if (kept.length === 0 || operationId === undefined) return NOTHING
    const words = kept.map(({ id, text }) => `"${preview(shownLine(text), SHOWN)}" (${shortId(id)})`)
    return {
      ids: kept.map(({ id }) => id),
      line: `Kept ${whatOf(kept)} of the user's: ${words.join(', ')}; ${undo(operationId)} takes it back.`,
    }
  }

  /** Counts the blocks that the session captured, also before a restart. */
  async #count(session: string): Promise<number> {
    const { scope } = this.#options
    const pages = await Promise.all(
      (['inbox', 'active'] as const).map((status) =>
        this.#memory.ls({ tag: CAPTURED_TAG, session, status, limit: MOST, ...defined({ scope }) }),
      ),
    )
    return pages.reduce((sum, { blocks }) => sum + blocks.length, 0)
  }
}

/** Signs of a kept text in the line about it. */
const SHOWN = 120

function whatOf(kept: readonly SaidForGood[]): string {
  const [category = '', other] = new Set(kept.map((each) => each.category))
  return count(kept.length, other === undefined ? category : 'statement')
}

function undoCall(operationId: number): string {
  return `undo({ operationId: ${operationId} })`
}

/** Returns the setting of a memory; true for one that has no settings to ask. */
async function isSet(memory: CaptureMemory): Promise<boolean> {
  const { settings = [] } = (await memory.settings?.()) ?? {}
  return settings.find(({ name }) => name === 'capture.instructions')?.value !== false
}
