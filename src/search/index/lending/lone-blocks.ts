import { loneliness } from '../../../domain/score/lone.ts'
import type { PackedIndex, PackedSection } from '../../../ports/index-cache.ts'
import { Column, packColumn, unpackColumn } from '../column.ts'
import type { SessionChains } from '../session-chains.ts'
import { type LendingOptions, type LendingWeights, lentTo, ONE, weightsOf } from './lending.ts'

/** How alone a block is, is kept in steps of 1/`LONE_ONE`: one byte. */
export const LONE_ONE = 255

/** The weights of neighbours, and how much of them is enough. */
export interface LoneOptions extends LendingOptions {
  /** Sum of the neighbours' weights from which a block is not alone at all, above 0. */
  readonly lentEnough: number
}

/** The facts about slots besides their place. */
interface LoneFacts {
  readonly hasVector: (slot: number) => boolean
  /** The slot of the block that a passage is of. */
  readonly headOf: (slot: number) => number
}

/** How far the block at a slot has no words of other blocks; renewed where its surroundings changed, never in recall. */
export class LoneBlocks {
  readonly #column = new Column(Uint8Array)
  readonly #chains: SessionChains
  readonly #facts: LoneFacts
  readonly #weights: LendingWeights | undefined
  readonly #enough: number

  constructor(chains: SessionChains, facts: LoneFacts, options: LoneOptions) {
    this.#chains = chains
    this.#facts = facts
    this.#weights = weightsOf(options)
    this.#enough = options.lentEnough * ONE
  }

  /** In steps; 0 without a vector, which would tell whether neighbours are related. Valid until the next change. */
  get steps(): Uint8Array {
    return this.#column.values
  }

  /** Looks again at slots whose surroundings or vector changed. */
  settle(slots: readonly number[]): void {
    for (const slot of slots) this.#column.set(slot, this.#stepsOf(slot))
  }

  /** The section of the first slots; a slot without a value counts as 0. */
  pack(slots: number): PackedSection {
    this.#column.reserve(slots)
    return packColumn('lone', this.#column, slots)
  }

  /** Fills a column that is still empty with the first slots. */
  unpack(packed: PackedIndex, slots: number): void {
    unpackColumn(packed, 'lone', this.#column, slots)
  }

  #stepsOf(slot: number): number {
    if (!this.#facts.hasVector(slot)) return 0
    const { headOf } = this.#facts
    const head = headOf(slot)
    const isOther = (lender: number) => Number(headOf(lender) !== head)
    const lent = this.#weights ? lentTo(slot, this.#chains.columns, this.#weights, isOther) : 0
    return Math.round(LONE_ONE * loneliness(lent, this.#enough))
  }
}
