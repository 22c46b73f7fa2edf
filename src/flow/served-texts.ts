import type { Block } from '../domain/block.ts'
import { type EchoFacts, echoFacts, isEcho, unframed } from '../domain/echo.ts'
import type { StoreReader } from '../ports/store.ts'
import { stemOf } from '../search/analyse.ts'

/** Blocks whose texts are kept in mind, those shown last. */
const KEPT_MOST = 200
/** Recalls of earlier commands that are looked up once, where each command is a process of its own. */
const RECALLS_LOOKED_UP = 3

/** What recall showed lately, so that an agent that pastes it back tells the memory nothing new. */
export class ServedTexts {
  readonly #shown = new Map<string, Shown>()
  #lookedUp = false

  /** Keeps what an answer showed. */
  note(blocks: readonly Block[]): void {
    for (const block of blocks) {
      this.#shown.delete(block.id)
      this.#shown.set(block.id, new Shown(block))
    }
    const surplus = this.#shown.size - KEPT_MOST
    for (const id of [...this.#shown.keys()].slice(0, Math.max(0, surplus))) this.#shown.delete(id)
  }

  /**
   * The active block whose text, as it still is, a text only says again; of several the one shown last. Two statements the
   * first time when nothing was shown yet, one when there is an echo, none otherwise.
   */
  async echoOf(tx: StoreReader, content: string, scope: string | undefined): Promise<Block | undefined> {
    if (this.#shown.size === 0) await this.#lookUp(tx)
    const said = new Shown({ content })
    const shown = [...this.#shown.values()].findLast(
      (each) => each.block.scope === scope && each.mayBeEchoedBy(said) && isEcho(said.facts, each.facts),
    )
    if (shown === undefined) return undefined
    const [now] = await tx.blocks([shown.block.id])
    return now?.status === 'active' && now.content === shown.block.content ? now : undefined
  }

  async #lookUp(tx: StoreReader): Promise<void> {
    if (this.#lookedUp) return
    this.#lookedUp = true
    const recalls = await tx.operations({ operation: 'recall', limit: RECALLS_LOOKED_UP })
    const ids = recalls.reverse().flatMap(({ blockIds }) => blockIds)
    if (ids.length > 0) this.note(await tx.blocks(ids))
  }
}

/** So many of the words of a text, and of the one shown, must be common before they are read. */
const COMMON_LEAST = 0.7

/** A text that is compared with many, read only when a first look asks for it. */
class Shown<B extends { readonly content: string } = Block> {
  readonly block: B
  #words: ReadonlySet<string> | undefined
  #facts: EchoFacts | undefined

  constructor(block: B) {
    this.block = block
  }

  get facts(): EchoFacts {
    this.#facts ??= echoFacts(this.block.content, stemOf)
    return this.#facts
  }

  mayBeEchoedBy(said: Shown<{ readonly content: string }>): boolean {
    const [theirs, ours] = [said.words, this.words]
    const least = COMMON_LEAST * Math.max(theirs.size, ours.size)
    if (Math.min(theirs.size, ours.size) < least) return false
    let strange = theirs.size - least
    for (const word of theirs) if (!ours.has(word) && --strange < 0) return false
    return true
  }

  get words(): ReadonlySet<string> {
    this.#words ??= new Set(
      unframed(this.block.content)
        .toLowerCase()
        .match(/[\p{L}\p{N}]+/gu),
    )
    return this.#words
  }
}
