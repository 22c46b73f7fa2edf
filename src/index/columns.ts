/** Origin of a packed index; a reader checks it before it trusts the sections. */
export type PackedHeader = Readonly<Record<string, unknown>>

/** A named range of bytes; sections are written and read in their order. */
export interface PackedSection {
  readonly name: string
  readonly bytes: Uint8Array
}

/** A packed index being read. */
export interface PackedIndex {
  readonly header: PackedHeader
  /** Length of the section in bytes; 0 when there is none of that name. */
  sizeOf(name: string): number
  /** Copies a section into memory the caller gives; throws `STORE_CORRUPT` when it is not what was written. */
  read(name: string, into: Uint8Array): void
  close(): void
}

/**
 * Where a packed index is kept between processes.
 *
 * What must hold: it is a cache and never the truth, so it may be lost or left out at any time; `open` gives a whole one
 * or nothing; what `keep` writes is seen whole or not at all, and no failure of it is ever thrown.
 */
export interface IndexCache {
  open(): PackedIndex | undefined | Promise<PackedIndex | undefined>
  /** Removes the copy, if there is one. */
  drop(): void
  /** Returns whether the copy was kept. The bytes are those in use, so they are read before the call returns. */
  keep(header: PackedHeader, sections: readonly PackedSection[]): boolean | Promise<boolean>
}

/** The kinds of numbers a column may hold. */
type Numbers =
  | Uint8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>

/** How a kind of array is made. */
type MakeNumbers<T extends Numbers> = new (length: number) => T

const FIRST_CAPACITY = 256

/** One number a slot in one block of memory, which grows as slots come. */
export class Column<T extends Numbers> {
  readonly #make: MakeNumbers<T>
  readonly #empty: number
  /** Valid until the next `set`, `reserve` or `unpack`. May be longer than the slots in use, or shorter where the last were never set. */
  values: T

  /** @param empty what slots hold that were never set */
  constructor(make: MakeNumbers<T>, empty = 0) {
    this.#make = make
    this.#empty = empty
    this.values = this.#filled(FIRST_CAPACITY)
  }

  /** Sets the value of a slot; makes room where the column is too short. */
  set(slot: number, value: number): void {
    if (slot >= this.values.length) this.reserve(slot + 1)
    this.values[slot] = value
  }

  /** Grows the column where it has fewer slots. */
  reserve(slots: number): void {
    if (slots <= this.values.length) return
    const grown = this.#filled(Math.max(slots, this.values.length * 2))
    grown.set(this.values as never)
    this.values = grown
  }

  /** Returns the section of the first slots, whose bytes are those in use. */
  pack(name: string, slots: number): PackedSection {
    this.reserve(slots)
    return packNumbers(name, this.values.subarray(0, slots))
  }

  /** Fills the column from its section. */
  unpack(packed: PackedIndex, name: string): void {
    this.values = unpackNumbers(packed, name, this.#make)
  }

  #filled(length: number): T {
    const values = new this.#make(length)
    if (this.#empty !== 0) values.fill(this.#empty)
    return values
  }
}

/** Returns an array as a section. */
export function packNumbers(name: string, numbers: Numbers): PackedSection {
  return { name, bytes: new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength) }
}

/** Returns the array that a section holds. */
export function unpackNumbers<T extends Numbers>(packed: PackedIndex, name: string, make: MakeNumbers<T>): T {
  const numbers = new make(packed.sizeOf(name) / new make(0).BYTES_PER_ELEMENT)
  packed.read(name, new Uint8Array(numbers.buffer))
  return numbers
}

/** Stands in the hash table where there is no number, and for the length of a text that is not there. */
const ABSENT = -1

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Texts by number and numbers by text, in a few blocks of memory that can be written and read as they are: a map of
 * 100,000 strings takes ten times as long to fill. Numbers are the caller's, or given from 0 up by `numberOf`; each text is
 * there at most once.
 */
export class StringTable {
  /** The UTF-8 of all texts, one after another. */
  #bytes = new Uint8Array(4096)
  #used = 0
  readonly #starts = new Column(Int32Array)
  readonly #lengths = new Column(Int32Array, ABSENT)
  /** A hash table of numbers with linear probing, at most half full. A number whose text went may stand there still. */
  #places = new Int32Array(1024).fill(ABSENT)
  #taken = 0
  #end = 0

  /** Numbers in use lie below it. */
  get end(): number {
    return this.#end
  }

  /** True if a number has a text. */
  has(number: number): boolean {
    return (this.#lengths.values[number] ?? ABSENT) !== ABSENT
  }

  /** The number of a text; undefined if it is not here. */
  find(text: string): number | undefined {
    const sought = encoder.encode(text)
    const mask = this.#places.length - 1
    for (let place = hashOf(sought) & mask; ; place = (place + 1) & mask) {
      const number = this.#places[place] as number
      if (number === ABSENT) return undefined
      if (this.#equals(number, sought)) return number
    }
  }

  /** The number of the text, the next one when it is new. For a table nothing is removed from. */
  numberOf(text: string): number {
    const known = this.find(text)
    if (known !== undefined) return known
    const number = this.#end
    this.set(number, text)
    return number
  }

  /** The text of a number that has one. */
  textOf(number: number): string {
    const start = this.#starts.values[number] as number
    return decoder.decode(this.#bytes.subarray(start, start + (this.#lengths.values[number] as number)))
  }

  /** Gives a number without text one that no other number has. */
  set(number: number, text: string): void {
    if ((this.#taken + 1) * 2 > this.#places.length) this.#rehash()
    const encoded = encoder.encode(text)
    if (this.#used + encoded.length > this.#bytes.length) {
      const grown = new Uint8Array((this.#used + encoded.length) * 2)
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    this.#bytes.set(encoded, this.#used)
    this.#starts.set(number, this.#used)
    this.#lengths.set(number, encoded.length)
    this.#used += encoded.length
    this.#end = Math.max(this.#end, number + 1)
    const mask = this.#places.length - 1
    let place = hashOf(encoded) & mask
    while (this.#places[place] !== ABSENT) place = (place + 1) & mask
    this.#places[place] = number
    this.#taken++
  }

  /** Removes the text of a number; its bytes stay until the table grows. */
  remove(number: number): void {
    this.#lengths.set(number, ABSENT)
  }

  /** The sections of the table, whose names begin with `name`. */
  pack(name: string): PackedSection[] {
    return [
      packNumbers(`${name}-bytes`, this.#bytes.subarray(0, this.#used)),
      this.#starts.pack(`${name}-starts`, this.#end),
      this.#lengths.pack(`${name}-lengths`, this.#end),
      packNumbers(`${name}-places`, this.#places),
    ]
  }

  /** Fills a table that is still empty from a packed copy. */
  unpack(packed: PackedIndex, name: string): void {
    this.#bytes = unpackNumbers(packed, `${name}-bytes`, Uint8Array)
    this.#used = this.#bytes.length
    this.#starts.unpack(packed, `${name}-starts`)
    this.#lengths.unpack(packed, `${name}-lengths`)
    this.#end = this.#lengths.values.length
    this.#places = unpackNumbers(packed, `${name}-places`, Int32Array)
    this.#taken = this.#places.reduce((taken, number) => taken + Number(number !== ABSENT), 0)
  }

  #equals(number: number, sought: Uint8Array): boolean {
    if (this.#lengths.values[number] !== sought.length) return false
    const start = this.#starts.values[number] as number
    for (let i = 0; i < sought.length; i++) if (this.#bytes[start + i] !== sought[i]) return false
    return true
  }

  /** Makes a hash table with twice the room, without what was removed. */
  #rehash(): void {
    const texts = Array.from({ length: this.#end }, (_, i) => (this.has(i) ? this.textOf(i) : undefined))
    this.#places = new Int32Array(this.#places.length * 2).fill(ABSENT)
    this.#taken = 0
    this.#used = 0
    for (const [number, text] of texts.entries()) if (text !== undefined) this.set(number, text)
  }
}

/** FNV-1a, 32 bits. */
function hashOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193)
  return hash >>> 0
}
