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
  /** Ids of the blocks: new ones, and known ones with the same words. */
  readonly ids: readonly string[]
  /** One line that says what was kept and how to take it back; empty if nothing was. */
  readonly line: string
}

const NOTHING: Captured = { ids: [], line: '' }
/** The most blocks that a session captures. */
const MOST = 5
/** Blocks that are read to tell what was stored of the words. */
const READ_MOST = 100
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
    try {
      const said = saidForGood(text)
      if (said.length === 0) return NOTHING
      const isOn = this.#options.isOn ?? (await isSet(this.#memory))
      return isOn ? await this.#keep(session, said) : NOTHING
    } catch {
      return NOTHING
    }
  }

  async #keep(session: string, said: readonly SaidForGood[]): Promise<Captured> {
    const { scope, sourceClass, undo = undoCall } = this.#options
    const known = (await this.#captured(MOST, session)).length
    const blocks = said.slice(0, Math.max(0, MOST - known)).map(({ category, text }) => ({
      ...{ content: text, category, session, source: 'user', tags: [CAPTURED_TAG] },
      ...defined({ sourceClass }),
    }))
    if (blocks.length === 0) return NOTHING
    const { results, operationId } = await this.#memory.rememberMany({ blocks, ...defined({ scope }) })
    // Words that were captured before gain no tag.
    const kept = results.flatMap(({ blockId: id, status, mergedTags }, at) => {
      const { category } = said[at] as SaidForGood
      return status === 'created' || mergedTags ? [{ id, category, isKnown: status !== 'created' }] : []
    })
    if (kept.length === 0 || operationId === undefined) return NOTHING
    const stored = new Map((await this.#captured(READ_MOST)).map(({ id, content }) => [id, content]))
    const words = kept.map(({ id, isKnown }) => {
      const text = preview(shownLine(stored.get(id) ?? ''), SHOWN)
      return `${text === '' ? '' : `"${text}" `}(${shortId(id)}${isKnown ? ', known already' : ''})`
    })
    return {
      ids: kept.map(({ id }) => id),
      line: `Kept ${whatOf(kept)} of the user's: ${words.join(', ')}; ${undo(operationId)} takes it back.`,
    }
  }

  /** Returns captured blocks as they are stored, of each status the newest; those of a session also after a restart. */
  async #captured(limit: number, session?: string) {
    const { scope } = this.#options
    const pages = await Promise.all(
      (['inbox', 'active'] as const).map((status) =>
        this.#memory.ls({ tag: CAPTURED_TAG, status, limit, ...defined({ scope, session }) }),
      ),
    )
    return pages.flatMap(({ blocks }) => blocks)
  }
}

/** Signs of a kept text in the line about it. */
const SHOWN = 120

function whatOf(kept: readonly Pick<SaidForGood, 'category'>[]): string {
  const [category = '', other] = new Set(kept.map((each) => each.category))
  return count(kept.length, other === undefined ? category : 'statement')
}

function undoCall(operationId: number): string {
  return `undo({ operationId: ${operationId} })`
}

/** Returns the setting of a memory; true if this caller may not read its settings. */
async function isSet(memory: CaptureMemory): Promise<boolean> {
  const { settings = [] } = (await memory.settings?.().catch(() => undefined)) ?? {}
  return settings.find(({ name }) => name === 'capture.instructions')?.value !== false
}
