import type { PackedIndex, PackedSection } from '../../ports/index-cache.ts'
import type { ScanKernel } from '../../ports/scan-kernel.ts'
import { Column, packColumn, unpackColumn } from './column.ts'

const ALIGN = 16
const PAGE_BYTES = 65_536
const FIRST_CAPACITY = 256
/** Queries scanned at once; more gain nothing. */
export const SCAN_BATCH = 4

/**
 * Unit vectors as int8 rows in one contiguous memory, one row a slot, scanned exactly.
 *
 * A cosine read here differs from the float one by about 0.005 at most; whoever needs it closer rescores.
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

  has(slot: number): boolean {
    return (this.#scales.values[slot] ?? 0) > 0
  }

  set(slot: number, vector: Float32Array): void {
    if (this.#stride === 0) this.#stride = Math.ceil(vector.length / ALIGN) * ALIGN
    if (slot >= this.#capacity) this.#grow(slot + 1)
    this.#rows = Math.max(this.#rows, slot + 1)
    this.#scales.set(slot, this.#write(this.#rowAddress(slot), vector))
  }

  remove(slot: number): void {
    this.#scales.set(slot, 0)
  }

  /** Cosine of two slots; 0 where one has no vector. */
  between(a: number, b: number): number {
    const scales = this.#scales.values
    const scale = (scales[a] ?? 0) * (scales[b] ?? 0)
    return scale === 0 ? 0 : this.#kernel.dots(this.#rowAddress(a), this.#rowAddress(b), this.#stride) * scale
  }

  /** Cosine of the query with every slot below `slots`; 0 where there is no vector. Written to `answer`, if given. */
  cosines(query: Float32Array, slots: number, answer = new Float32Array(slots)): Float32Array<ArrayBuffer> {
    const known = Math.min(slots, this.#rows)
    answer.fill(0, known, slots)
    const { sums, units } = this.#dots([query], known)
    const [unit = 0] = units
    const scales = this.#scales.values
    for (let slot = 0; slot < known; slot++)
      answer[slot] = (sums[slot] as number) * (scales[slot] as number) * unit
    return answer
  }

  /**
   * The same for up to `SCAN_BATCH` queries, each row loaded once for all of them, where the cosine is not below a floor:
   * hands over the query's place, slot and cosine. Nothing is allocated a row.
   */
  eachAbove(
    queries: readonly Float32Array[],
    { slots, floor }: { readonly slots: number; readonly floor: number },
    visit: (query: number, slot: number, cosine: number) => void,
  ): void {
    const known = Math.min(slots, this.#rows)
    const { sums, units } = this.#dots(queries, known)
    const scales = this.#scales.values
    for (const [q, unit] of units.entries()) {
      const at = q * known
      for (let slot = 0; slot < known; slot++) {
        const cosine = (sums[at + slot] as number) * (scales[slot] as number) * unit
        if (cosine >= floor) visit(q, slot, Math.fround(cosine))
      }
    }
  }

  pack(): PackedSection[] {
    const rows = new Uint8Array(this.#kernel.memory.buffer, this.#rowAddress(0), this.#rows * this.#stride)
    return [{ name: 'vectors', bytes: rows }, packColumn('scales', this.#scales, this.#rows)]
  }

  /** Fills a matrix that is still empty. */
  unpack(packed: PackedIndex): void {
    const rows = packed.sizeOf('scales') / Float32Array.BYTES_PER_ELEMENT
    if (rows === 0) return
    this.#stride = packed.sizeOf('vectors') / rows
    this.#rows = rows
    this.#grow(rows)
    unpackColumn(packed, 'scales', this.#scales, rows)
    packed.read(
      'vectors',
      new Uint8Array(this.#kernel.memory.buffer, this.#rowAddress(0), rows * this.#stride),
    )
  }

  /** The integer dots of all queries with the first rows, and what one unit of each query is worth. */
  #dots(queries: readonly Float32Array[], rows: number): { sums: Int32Array; units: readonly number[] } {
    if (rows === 0) return { sums: new Int32Array(0), units: [] }
    const units = queries.map((query, i) => this.#write(i * this.#stride, query))
    const out = this.#outAddress()
    this.#kernel.scanMany(0, queries.length, this.#rowAddress(0), rows, this.#stride, out)
    return { sums: new Int32Array(this.#kernel.memory.buffer, out, queries.length * rows), units }
  }

  // The memory holds the queries, then the rows, then room for the sums.
  #rowAddress(slot: number): number {
    return (SCAN_BATCH + slot) * this.#stride
  }

  #outAddress(): number {
    return this.#rowAddress(this.#capacity)
  }

  #write(address: number, vector: Float32Array): number {
    const { bytes, scale } = quantise(vector)
    const row = new Int8Array(this.#kernel.memory.buffer, address, this.#stride)
    row.fill(0)
    row.set(bytes)
    return scale
  }

  #grow(slots: number): void {
    this.#capacity = Math.max(FIRST_CAPACITY, slots, this.#capacity * 2)
    this.#scales.reserve(this.#capacity)
    const needed = this.#outAddress() + SCAN_BATCH * 4 * this.#capacity
    const missing = needed - this.#kernel.memory.buffer.byteLength
    if (missing > 0) this.#kernel.memory.grow(Math.ceil(missing / PAGE_BYTES))
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
  if (scale > 0)
    for (let at = 0; at < vector.length; at++) bytes[at] = Math.round((vector[at] as number) / scale)
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
