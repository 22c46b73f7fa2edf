import type { Block } from '../../domain/block/block.ts'
import { shown } from '../../domain/safety/visible.ts'
import { CUT_MARK } from '../../domain/text/budget.ts'
import { undressed } from '../../domain/text/same-text.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'

/** Blocks whose texts are kept in mind, those shown last. */
const KEPT_MOST = 200
/** Recalls of earlier commands that are looked up once, where each command is a process of its own. */
const RECALLS_LOOKED_UP = 3
/** How a version line ends that is too long. */
const PREVIEW_MARK = '…'

/** Texts that recall showed lately, by what they say, so that an agent that pastes one back makes no copy of it. */
export class ServedTexts {
  /** By id, the one shown last at the end. */
  readonly #shown = new Map<string, { readonly block: Block; readonly said: string }>()
  readonly #byText = new Map<string, Block>()
  #lookedUp = false

  /** Keeps what an answer showed. */
  note(blocks: readonly Block[]): void {
    for (const block of blocks) {
      this.#forget(block.id)
      const said = keyOf(block.content, block.scope)
      this.#shown.set(block.id, { block, said })
      this.#byText.set(said, block)
    }
    for (const id of [...this.#shown.keys()].slice(0, Math.max(0, this.#shown.size - KEPT_MOST)))
      this.#forget(id)
  }

  /** Looks up what other processes showed last, the first time when nothing was shown yet: two statements. */
  async lookUp(tx: StoreReader): Promise<void> {
    if (this.#lookedUp || this.#shown.size > 0) return
    this.#lookedUp = true
    const recalls = await tx.operations({ operation: 'recall', limit: RECALLS_LOOKED_UP })
    const ids = recalls.reverse().flatMap(({ blockIds }) => blockIds)
    if (ids.length > 0) this.note(await tx.blocks(ids))
  }

  /** The block that was shown with these words, whole or cut by a budget; its content may be another by now. */
  blockOf(text: string, scope: string | undefined): Block | undefined {
    const whole = this.#byText.get(keyOf(text, scope))
    const mark = [CUT_MARK, PREVIEW_MARK].find((each) => text.endsWith(each))
    if (whole !== undefined || mark === undefined) return whole
    const start = keyOf(text.slice(0, -mark.length), scope)
    return [...this.#shown.values()].findLast(({ said }) => said.startsWith(start))?.block
  }

  #forget(id: string): void {
    const known = this.#shown.get(id)
    if (known === undefined) return
    this.#shown.delete(id)
    if (this.#byText.get(known.said)?.id === id) this.#byText.delete(known.said)
  }
}

/** The key of a text as a reader sees it, in its scope. */
function keyOf(text: string, scope = ''): string {
  return `${scope}\0${undressed(shown(text))}`
}
