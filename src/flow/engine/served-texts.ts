import type { Block } from '../../domain/block/block.ts'
import {
  type EchoFacts,
  echoFacts,
  isEcho,
  mayBeEcho,
  SKETCH_NUMBERS,
  sketchEcho,
} from '../../domain/similarity/echo.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { stemOf } from '../../search/analyse.ts'

/** Blocks whose texts are kept in mind, those shown last. */
const KEPT_MOST = 200
/** Recalls of earlier commands that are looked up once, where each command is a process of its own. */
const RECALLS_LOOKED_UP = 3

/**
 * Texts that recall returned recently, so that an agent that pastes one back tells the memory nothing new.
 * New texts are compared with sketches of them: some ten microseconds, no statement.
 */
export class ServedTexts {
  /** By block, the one shown last at the end. */
  readonly #shown = new Map<string, Shown>()
  /** The same by place. */
  readonly #places: Shown[] = []
  /** Of all that is shown, each in its place: looked through without a look at anything else. */
  readonly #sketches = new Int32Array(KEPT_MOST * SKETCH_NUMBERS)
  #lookedUp = false

  /** Keeps what an answer showed. */
  note(blocks: readonly Block[]): void {
    for (const block of blocks) {
      const known = this.#shown.get(block.id)
      this.#shown.delete(block.id)
      if (known?.block.content === block.content) this.#shown.set(block.id, known)
      else this.#add(block, known?.place ?? this.#freePlace())
    }
  }

  /**
   * The active block whose text, as it still is, a text only says again; of several the one shown last. Two statements the
   * first time when nothing was shown yet, one when there is an echo, none otherwise.
   */
  async echoOf(tx: StoreReader, content: string, scope: string | undefined): Promise<Block | undefined> {
    if (this.#shown.size === 0) await this.#lookUp(tx)
    const shown = this.#likeliest(content, scope)
    if (shown === undefined) return undefined
    const [now] = await tx.blocks([shown.block.id])
    return now?.status === 'active' && now.content === shown.block.content ? now : undefined
  }

  #likeliest(content: string, scope: string | undefined): Shown | undefined {
    const said = new Int32Array(SKETCH_NUMBERS)
    sketchEcho(content, said)
    const alike = this.#places.filter(
      (shown, place) =>
        mayBeEcho(said, this.#sketches, place * SKETCH_NUMBERS) && shown.block.scope === scope,
    )
    if (alike.length === 0) return undefined
    const facts = echoFacts(content, stemOf)
    const echoed = new Set(alike.filter((shown) => isEcho(facts, shown.facts)))
    return [...this.#shown.values()].findLast((shown) => echoed.has(shown))
  }

  #add(block: Block, place: number): void {
    const shown = new Shown(block, place)
    sketchEcho(block.content, this.#sketches, place * SKETCH_NUMBERS)
    this.#places[place] = shown
    this.#shown.set(block.id, shown)
  }

  /** That of the block shown longest ago, when all are taken. */
  #freePlace(): number {
    if (this.#shown.size < KEPT_MOST) return this.#shown.size
    const [id, { place }] = this.#shown.entries().next().value as [string, Shown]
    this.#shown.delete(id)
    return place
  }

  async #lookUp(tx: StoreReader): Promise<void> {
    if (this.#lookedUp) return
    this.#lookedUp = true
    const recalls = await tx.operations({ operation: 'recall', limit: RECALLS_LOOKED_UP })
    const ids = recalls.reverse().flatMap(({ blockIds }) => blockIds)
    if (ids.length > 0) this.note(await tx.blocks(ids))
  }
}

class Shown {
  readonly block: Block
  readonly place: number
  #facts: EchoFacts | undefined

  constructor(block: Block, place: number) {
    this.block = block
    this.place = place
  }

  get facts(): EchoFacts {
    this.#facts ??= echoFacts(this.block.content, stemOf)
    return this.#facts
  }
}
