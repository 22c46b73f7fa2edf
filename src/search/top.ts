/** The slots of the highest values offered so far, best first. Cost of an offer: hardly anything below `least`. */
export class Top {
  readonly #count: number
  readonly #precedes: (slot: number, other: number) => boolean
  readonly #groupOf: ((slot: number) => number) | undefined
  readonly #slots: number[] = []
  readonly #values: number[] = []

  /**
   * @param precedes of equal values, whether the first slot comes before the second
   * @param groupOf of each group only the best slot is kept; each slot is its own group unless given
   */
  constructor(
    count: number,
    precedes: (slot: number, other: number) => boolean,
    groupOf?: (slot: number) => number,
  ) {
    this.#count = count
    this.#precedes = precedes
    this.#groupOf = groupOf
  }

  /** A value below it is not among the best. */
  least = Number.NEGATIVE_INFINITY

  get slots(): readonly number[] {
    return this.#slots
  }

  get values(): readonly number[] {
    return this.#values
  }

  /** True if the slot would be among the best with this value. */
  wants(slot: number, value: number): boolean {
    if (value !== this.least) return value > this.least
    return this.#slots.length < this.#count || this.#precedes(slot, this.#slots[this.#count - 1] as number)
  }

  /** Takes in a slot that is wanted. */
  take(slot: number, value: number): void {
    if (this.#groupOf !== undefined && !this.#makeWay(this.#groupOf(slot), slot, value)) return
    let at = this.#slots.length
    while (at > 0 && this.#isBefore(slot, value, at - 1)) at--
    this.#slots.splice(at, 0, slot)
    this.#values.splice(at, 0, value)
    if (this.#slots.length > this.#count) {
      this.#slots.pop()
      this.#values.pop()
    }
    if (this.#slots.length === this.#count) this.least = this.#values[this.#count - 1] as number
  }

  /** Removes a worse slot of the group; false if a better one is there. */
  #makeWay(group: number, slot: number, value: number): boolean {
    const at = this.#slots.findIndex((other) => this.#groupOf?.(other) === group)
    if (at < 0) return true
    if (!this.#isBefore(slot, value, at)) return false
    this.#slots.splice(at, 1)
    this.#values.splice(at, 1)
    return true
  }

  #isBefore(slot: number, value: number, at: number): boolean {
    const other = this.#values[at] as number
    return value === other ? this.#precedes(slot, this.#slots[at] as number) : value > other
  }
}
