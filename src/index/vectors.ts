import type { PackedIndex, PackedSection } from './columns.ts'
import { Column } from './columns.ts'

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
