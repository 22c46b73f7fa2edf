/** What may be chosen by `topSlots`. */
export interface TopOptions {
  /** Values below it never count; all do when left out. */
  readonly floor?: number
  /** Asked only about slots that would be chosen by their value. */
  readonly allowed: (slot: number) => boolean
  /** Of equal values, whether the first slot comes before the second; slot order when left out. */
  readonly precedes?: (slot: number, other: number) => boolean
}

/** The slots of the highest values offered so far, best first. Cost of an offer: hardly anything below `least`. */
export class Top {
  readonly #count: number
  readonly #precedes: (slot: number, other: number) => boolean
  readonly #slots: number[] = []
  readonly #values: number[] = []

  /** @param precedes of equal values, whether the first slot comes before the second */
  constructor(count: number, precedes: (slot: number, other: number) => boolean) {
    this.#count = count
    this.#precedes = precedes
  }

  /** A value below it is not among the best. */
  least = Number.NEGATIVE_INFINITY

  get slots(): readonly number[] {
    return this.#slots
  }

  get values(): readonly number[] {
    return this.#values
  }

  /** Whether the slot would be among the best with this value. */
  wants(slot: number, value: number): boolean {
    if (value !== this.least) return value > this.least
    return this.#slots.length < this.#count || this.#precedes(slot, this.#slots[this.#count - 1] as number)
  }

  /** Takes in a slot that is wanted. */
  take(slot: number, value: number): void {
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

  #isBefore(slot: number, value: number, at: number): boolean {
    const other = this.#values[at] as number
    return value === other ? this.#precedes(slot, this.#slots[at] as number) : value > other
  }
}

const inSlotOrder = (slot: number, other: number): boolean => slot < other

/** Slots of the highest values, best first. One pass: cost grows with the values, hardly with `count`. */
export function topSlots(
  values: Float32Array,
  count: number,
  { floor, allowed, precedes = inSlotOrder }: TopOptions,
): number[] {
  if (count === 0) return []
  const top = new Top(count, precedes)
  const lowest = floor ?? Number.NEGATIVE_INFINITY
  for (let slot = 0; slot < values.length; slot++) {
    const value = values[slot] as number
    if (value >= lowest && value >= top.least && top.wants(slot, value) && allowed(slot))
      top.take(slot, value)
  }
  return [...top.slots]
}
