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

/**
 * Exact integer dot products over int8 rows in one WebAssembly memory.
 *
 * What must hold: all implementations give the same integers; nothing outside the named places is touched;
 * `dimensions` is a multiple of 16 and every address a multiple of 16. Addresses are byte offsets into `memory`.
 */
export interface ScanKernel {
  readonly memory: WebAssembly.Memory
  dots(a: number, b: number, dimensions: number): number
  /** out[r] = query · row r, as i32. */
  scan(query: number, matrix: number, rows: number, dimensions: number, out: number): void
  /** out[q · rows + r] = query q · row r; the queries lie one after another. */
  scanMany(
    queries: number,
    count: number,
    matrix: number,
    rows: number,
    dimensions: number,
    out: number,
  ): void
  /** Numbers of the rows with sums[r] · scales[r] ≥ least, reckoned as f32, to `out`; returns how many. */
  above(sums: number, scales: number, rows: number, least: number, out: number): number
}

const ALIGN = 16
/** Queries scanned at once; more gain nothing. */
export const SCAN_BATCH = 4
/** Rows between two looks at the floor: few enough for the nearest cache, so that all queries share them. */
const PART = 1_024

/** The rows that a scan looks at, and the least cosine that it reports. */
interface AboveOptions {
  /** The scan looks at the slots below it. */
  readonly slots: number
  /** The least cosine that is wanted of a query; asked again and again, and may rise. */
  readonly floorOf: (query: number) => number
}

/** Takes what is at or above the floor: a query's place, slot and cosine. */
type Visit = (query: number, slot: number, cosine: number) => void

/**
 * Unit vectors as int8 rows in one contiguous memory, one row a slot; cosines are exact, whichever rows a scan looks at.
 *
 * A cosine read here differs from the float one by about 0.005 at most; who needs it closer rescores.
 * Memory: dimensions + 20 bytes a slot. A scan costs about 60 ns a row of 384.
 */
export class VectorMatrix {
  readonly #kernel: ScanKernel
  /** Bytes of a row, padded with zeros. 0 until the first vector tells the dimensions. */
  #stride = 0
  #capacity = 0
  #rows = 0
  /** Per slot: what one unit of the integers is worth; 0 where there is no vector. */
  readonly #scales = new Column(Float32Array)

  constructor(kernel: ScanKernel) {
    this.#kernel = kernel
  }

  /** True if a slot has a vector. */
  has(slot: number): boolean {
    return (this.#scales.values[slot] ?? 0) > 0
  }

  /** Keeps a vector as int8 at a slot; the first one decides the number of components. */
  set(slot: number, vector: Float32Array): void {
    if (this.#stride === 0) this.#stride = Math.ceil(vector.length / ALIGN) * ALIGN
    if (slot >= this.#capacity) this.#grow(slot + 1)
    this.#rows = Math.max(this.#rows, slot + 1)
    this.#scales.set(slot, this.#write(this.#rowAddress(slot), vector))
  }

  /** Makes a slot one without a vector. */
  remove(slot: number): void {
    this.#scales.set(slot, 0)
  }

  /** Cosine of two slots; 0 where one has no vector. */
  between(a: number, b: number): number {
    const scales = this.#scales.values
    const scale = (scales[a] ?? 0) * (scales[b] ?? 0)
    return scale === 0 ? 0 : this.#kernel.dots(this.#rowAddress(a), this.#rowAddress(b), this.#stride) * scale
  }

  /** Cosine of the query with every slot below `slots`; 0 where there is no vector. */
  cosines(query: Float32Array, slots: number): Float32Array<ArrayBuffer> {
    const answer = new Float32Array(slots)
    const known = Math.min(slots, this.#rows)
    if (known === 0) return answer
    const unit = this.#write(0, query)
    const out = this.#outAddress()
    this.#kernel.scan(0, this.#rowAddress(0), known, this.#stride, out)
    const sums = new Int32Array(this.#kernel.memory.buffer, out, known)
    const scales = this.#scales.values
    for (let slot = 0; slot < known; slot++)
      answer[slot] = (sums[slot] as number) * (scales[slot] as number) * unit
    return answer
  }

  /** Calls `visit` where the cosine of one of up to `SCAN_BATCH` queries is at least its floor, older slots first; a row is loaded once for all. */
  eachAbove(queries: readonly Float32Array[], { slots, floorOf }: AboveOptions, visit: Visit): void {
    const known = Math.min(slots, this.#rows)
    if (known === 0) return
    const units = queries.map((query, i) => this.#write(i * this.#stride, query))
    const ints = new Int32Array(this.#kernel.memory.buffer)
    const scales = this.#scales.values
    const sums = this.#outAddress()
    const [places, unitsAt] = [this.#placesAddress(), this.#placesAddress() + PART * 4]
    for (let from = 0; from < known; from += PART) {
      const count = Math.min(PART, known - from)
      this.#kernel.scanMany(0, units.length, this.#rowAddress(from), count, this.#stride, sums)
      new Float32Array(ints.buffer, unitsAt, count).set(scales.subarray(from, from + count))
      for (const [q, unit] of units.entries()) {
        const own = sums + q * count * 4
        let floor = floorOf(q)
        // Rounding to f32 may take a millionth from a scaled sum.
        const least = floor / unit - Math.abs(floor / unit) * 1e-6
        const found = this.#kernel.above(own, unitsAt, count, least, places)
        for (let i = 0; i < found; i++) {
          const at = ints[places / 4 + i] as number
          const cosine = Math.fround((ints[own / 4 + at] as number) * (scales[from + at] as number) * unit)
          if (cosine < floor) continue
          visit(q, from + at, cosine)
          floor = floorOf(q)
        }
      }
    }
  }

  /** The sections of the rows and their scales; their bytes are those in use. */
  pack(): PackedSection[] {
    return [{ name: 'vectors', bytes: this.#rowBytes() }, this.#scales.pack('scales', this.#rows)]
  }

  /** Fills a matrix that is still empty. */
  unpack(packed: PackedIndex): void {
    this.#scales.unpack(packed, 'scales')
    this.#rows = this.#scales.values.length
    if (this.#rows === 0) return
    this.#stride = packed.sizeOf('vectors') / this.#rows
    this.#grow(this.#rows)
    packed.read('vectors', this.#rowBytes())
  }

  #rowBytes(): Uint8Array {
    return new Uint8Array(this.#kernel.memory.buffer, this.#rowAddress(0), this.#rows * this.#stride)
  }

  // The memory holds the queries, the rows, room for the sums, then for places and scales of a part.
  #rowAddress(slot: number): number {
    return (SCAN_BATCH + slot) * this.#stride
  }

  #outAddress(): number {
    return this.#rowAddress(this.#capacity)
  }

  #placesAddress(): number {
    return this.#outAddress() + 4 * Math.max(this.#capacity, SCAN_BATCH * PART)
  }

  #write(address: number, vector: Float32Array): number {
    const { bytes, scale } = quantise(vector)
    const row = new Int8Array(this.#kernel.memory.buffer, address, this.#stride)
    row.fill(0)
    row.set(bytes)
    return scale
  }

  #grow(slots: number): void {
    this.#capacity = Math.max(256, slots, this.#capacity * 2)
    this.#scales.reserve(this.#capacity)
    const end = this.#placesAddress() + 2 * 4 * PART
    const missing = end - this.#kernel.memory.buffer.byteLength
    if (missing > 0) this.#kernel.memory.grow(Math.ceil(missing / 65_536))
  }
}

const INT8_MAX = 127

/** A vector in a quarter of the space: component ≈ byte · scale. */
export interface QuantisedVector {
  readonly bytes: Int8Array
  readonly scale: number
}

/** Symmetric int8: scale = greatest magnitude / 127, each component off by at most half a scale; zero gives scale 0. */
export function quantise(vector: Float32Array): QuantisedVector {
  let greatest = 0
  for (let at = 0; at < vector.length; at++) {
    const magnitude = Math.abs(vector[at] as number)
    if (magnitude > greatest) greatest = magnitude
  }
  const scale = greatest / INT8_MAX
  const bytes = new Int8Array(vector.length)
  // Halves go up, as with Math.round, which takes three times as long.
  if (scale > 0)
    for (let at = 0; at < vector.length; at++)
      bytes[at] = (((vector[at] as number) / scale + INT8_MAX + 1.5) | 0) - INT8_MAX - 1
  return { bytes, scale }
}

/**
 * The cosine of a question with a row as a matrix of quantised unit vectors reads it: to the bit what a scan gives, so
 * that vectors inside and outside of one are ranked alike.
 */
export function quantisedCosine(question: QuantisedVector, row: QuantisedVector): number {
  const { bytes } = question
  let sum = 0
  for (let at = 0; at < bytes.length; at++) sum += (bytes[at] as number) * (row.bytes[at] as number)
  return Math.fround(sum * Math.fround(row.scale) * question.scale)
}

/** A unit vector as int8, in a quarter of the space; its cosines are off by about 0.005 at most. */
export function packUnit(vector: Float32Array): Uint8Array {
  return new Uint8Array(quantise(vector).bytes.buffer)
}

/** The unit vector that was packed; undefined for one without a direction, as a damaged file may have. */
export function unpackUnit(packed: Uint8Array): Float32Array | undefined {
  const bytes = new Int8Array(packed.buffer, packed.byteOffset, packed.byteLength)
  let squares = 0
  for (let i = 0; i < bytes.length; i++) squares += (bytes[i] as number) ** 2
  if (squares === 0) return undefined
  const scale = 1 / Math.sqrt(squares)
  const vector = new Float32Array(bytes.length)
  for (let i = 0; i < bytes.length; i++) vector[i] = (bytes[i] as number) * scale
  return vector
}

/** Sum of products; both vectors have the same length. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += (a[at] ?? 0) * (b[at] ?? 0)
  return sum
}

/** Cosine of two vectors of one dimension and any length, clamped to −1..1; 0 when one is zero. */
export function cosine(a: Float32Array, b: Float32Array): number {
  const norms = Math.sqrt(dot(a, a) * dot(b, b))
  return norms > 0 ? Math.min(1, Math.max(-1, dot(a, b) / norms)) : 0
}

/** A copy of length 1; a zero vector stays zero. */
export function normalise(vector: Float32Array): Float32Array {
  const length = Math.sqrt(dot(vector, vector))
  return length > 0 ? vector.map((value) => value / length) : vector.slice()
}
