/** The kinds of numbers a column may hold. */
export type Numbers =
  | Uint8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>

/** How a kind of array is made. */
export type MakeNumbers<T extends Numbers> = new (length: number) => T

const FIRST_CAPACITY = 256

/** One number a slot in one block of memory, which grows as slots come. */
export class Column<T extends Numbers> {
  readonly #make: MakeNumbers<T>
  readonly #empty: number
  /** Valid until the next `set`, `reserve` or `load`; longer than the slots in use. */
  values: T

  /** @param empty what slots hold that were never set */
  constructor(make: MakeNumbers<T>, empty = 0) {
    this.#make = make
    this.#empty = empty
    this.values = this.#filled(FIRST_CAPACITY)
  }

  set(slot: number, value: number): void {
    if (slot >= this.values.length) this.reserve(slot + 1)
    this.values[slot] = value
  }

  /** Makes room for so many slots. */
  reserve(slots: number): void {
    if (slots <= this.values.length) return
    const grown = this.#filled(Math.max(slots, this.values.length * 2))
    grown.set(this.values as never)
    this.values = grown
  }

  /** The bytes of the first slots, as they lie in memory. */
  bytes(slots: number): Uint8Array {
    return new Uint8Array(this.values.buffer, 0, slots * this.values.BYTES_PER_ELEMENT)
  }

  /** Room for so many slots, whose bytes the caller fills. */
  room(slots: number): Uint8Array {
    this.values = this.#filled(Math.max(slots, FIRST_CAPACITY))
    return this.bytes(slots)
  }

  #filled(length: number): T {
    const values = new this.#make(length)
    if (this.#empty !== 0) values.fill(this.#empty)
    return values
  }
}
