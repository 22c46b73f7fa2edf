import { unreadable } from '../errors.ts'

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
  /** Valid until the next `set`, `reserve` or `load`; longer than the slots in use. */
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

/** The first slots of a column as a section. */
export function packColumn(name: string, column: Column<Numbers>, slots: number): PackedSection {
  return { name, bytes: column.bytes(slots) }
}

/** Fills a column from its section. */
export function unpackColumn(
  packed: PackedIndex,
  name: string,
  column: Column<Numbers>,
  slots: number,
): void {
  packed.read(name, column.room(slots))
}

/** A whole array as a section. */
export function packNumbers(name: string, numbers: Numbers): PackedSection {
  return { name, bytes: new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength) }
}

/** The array a section holds. */
export function unpackNumbers<T extends Numbers>(packed: PackedIndex, name: string, make: MakeNumbers<T>): T {
  const bytes = packed.sizeOf(name)
  const numbers = new make(bytes / new make(0).BYTES_PER_ELEMENT)
  packed.read(name, new Uint8Array(numbers.buffer))
  return numbers
}

const EMPTY = -1
const REMOVED = -2
const ABSENT = -1
const FIRST_BYTES = 4096
const FIRST_PLACES = 1024
/** UTF-8 of one UTF-16 unit. */
const MOST_UNIT_BYTES = 3

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/**
 * Texts by number and numbers by text, in a few blocks of memory that can be written and read as they are: a map of
 * 100,000 strings takes longer to fill than everything else of an index to read. Numbers are the caller's, or given from
 * 0 up by `numberOf`; each text is there at most once.
 */
export class StringTable {
  /** The UTF-8 of all texts, one after another. */
  #bytes = new Uint8Array(FIRST_BYTES)
  #used = 0
  readonly #starts = new Column(Int32Array)
  readonly #lengths = new Column(Int32Array, ABSENT)
  /** A hash table with linear probing: numbers, or why there is none. At most half of it is in use. */
  #places = new Int32Array(FIRST_PLACES).fill(EMPTY)
  #taken = 0
  #end = 0
  #scratch = new Uint8Array(256)

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
    const sought = this.#encode(text)
    const mask = this.#places.length - 1
    for (let place = hashOf(sought) & mask; ; place = (place + 1) & mask) {
      const number = this.#places[place] as number
      if (number === EMPTY) return undefined
      if (number !== REMOVED && this.#equals(number, sought)) return number
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
    return decoder.decode(this.#bytesOf(number))
  }

  /** Gives a number without text one that no other number has. */
  set(number: number, text: string): void {
    if ((this.#taken + 1) * 2 > this.#places.length) this.#rehash()
    const encoded = this.#encode(text)
    this.#store(number, encoded)
    this.#end = Math.max(this.#end, number + 1)
    this.#take(number, encoded)
  }

  /** Removes the text of a number, which must have one; its bytes stay. */
  remove(number: number): void {
    const mask = this.#places.length - 1
    let place = hashOf(this.#bytesOf(number)) & mask
    while (this.#places[place] !== number) place = (place + 1) & mask
    this.#places[place] = REMOVED
    this.#lengths.set(number, ABSENT)
  }

  /** The sections of the table, whose names begin with `name`. */
  pack(name: string): PackedSection[] {
    return [
      { name: `${name}-bytes`, bytes: this.#bytes.subarray(0, this.#used) },
      packColumn(`${name}-starts`, this.#starts, this.#end),
      packColumn(`${name}-lengths`, this.#lengths, this.#end),
      packNumbers(`${name}-places`, this.#places),
    ]
  }

  /** Fills a table that is still empty from a packed copy. */
  unpack(packed: PackedIndex, name: string): void {
    this.#bytes = unpackNumbers(packed, `${name}-bytes`, Uint8Array)
    this.#used = this.#bytes.length
    this.#end = packed.sizeOf(`${name}-lengths`) / Int32Array.BYTES_PER_ELEMENT
    unpackColumn(packed, `${name}-starts`, this.#starts, this.#end)
    unpackColumn(packed, `${name}-lengths`, this.#lengths, this.#end)
    this.#places = unpackNumbers(packed, `${name}-places`, Int32Array)
    this.#taken = this.#places.reduce((taken, number) => taken + Number(number !== EMPTY), 0)
  }

  /** Scratch memory; valid until the next call. */
  #encode(text: string): Uint8Array {
    const most = text.length * MOST_UNIT_BYTES
    if (most > this.#scratch.length) this.#scratch = new Uint8Array(most * 2)
    return this.#scratch.subarray(0, encoder.encodeInto(text, this.#scratch).written)
  }

  #bytesOf(number: number): Uint8Array {
    const start = this.#starts.values[number] as number
    return this.#bytes.subarray(start, start + (this.#lengths.values[number] as number))
  }

  #equals(number: number, sought: Uint8Array): boolean {
    if (this.#lengths.values[number] !== sought.length) return false
    const start = this.#starts.values[number] as number
    for (let i = 0; i < sought.length; i++) if (this.#bytes[start + i] !== sought[i]) return false
    return true
  }

  #store(number: number, encoded: Uint8Array): void {
    if (this.#used + encoded.length > this.#bytes.length) {
      const grown = new Uint8Array((this.#used + encoded.length) * 2)
      grown.set(this.#bytes)
      this.#bytes = grown
    }
    this.#bytes.set(encoded, this.#used)
    this.#starts.set(number, this.#used)
    this.#lengths.set(number, encoded.length)
    this.#used += encoded.length
  }

  #take(number: number, encoded: Uint8Array): void {
    const mask = this.#places.length - 1
    let place = hashOf(encoded) & mask
    while (this.#places[place] !== EMPTY) place = (place + 1) & mask
    this.#places[place] = number
    this.#taken++
  }

  /** Twice the room, without what was removed; texts that are gone leave their bytes. */
  #rehash(): void {
    this.#places = new Int32Array(this.#places.length * 2).fill(EMPTY)
    this.#taken = 0
    const old = { bytes: this.#bytes, used: this.#used }
    this.#bytes = new Uint8Array(old.bytes.length)
    this.#used = 0
    for (let number = 0; number < this.#end; number++) {
      if (!this.has(number)) continue
      const start = this.#starts.values[number] as number
      const text = old.bytes.subarray(start, start + (this.#lengths.values[number] as number))
      this.#store(number, text)
      this.#take(number, text)
    }
  }
}

/** One short text a slot, without line breaks; empty where none was set. A packed copy is split when one of its texts is first wanted. */
export class Texts {
  #texts: string[] = []
  #packed: string | undefined

  /** The text of a slot. */
  of(slot: number): string {
    return this.#all()[slot] ?? ''
  }

  /** Sets the text of a slot. */
  set(slot: number, text: string): void {
    this.#all()[slot] = text
  }

  /** Returns the section of the first slots. */
  pack(name: string, slots: number): PackedSection {
    const texts = Array.from({ length: slots }, (_, slot) => this.of(slot))
    return { name, bytes: encoder.encode(texts.join('\n')) }
  }

  /** Fills texts that are still empty from their section. */
  unpack(packed: PackedIndex, name: string): void {
    this.#packed = decoder.decode(unpackNumbers(packed, name, Uint8Array))
  }

  #all(): string[] {
    if (this.#packed !== undefined) this.#texts = this.#packed.split('\n')
    this.#packed = undefined
    return this.#texts
  }
}

/** FNV-1a, 32 bits. */
function hashOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < bytes.length; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193)
  return hash >>> 0
}

/** Milliseconds since 1970. A crafted file may have anything where a time should be. */
export function instantOf(text: string): number {
  const milliseconds = Date.parse(text)
  if (!Number.isNaN(milliseconds)) return milliseconds
  throw unreadable('A block of the memory has no time where one should be.')
}
