import type { SketchKernel } from '../../../ports/scan-kernel.ts'

/** Signs of a sketch, and of the half that is looked at first. */
const SIGNS = 1_024
const HALF_SIGNS = SIGNS / 2
const HALF_BYTES = HALF_SIGNS / 8
const SCRATCH_BYTES = 3_072

/** Queries whose sketches there is room for. */
export const MOST_QUERIES = 4

/** With fewer dimensions a sketch costs as much as the vector. */
const FEWEST_DIMENSIONS = 128
/** Fewer rows are looked at sooner than sketched. */
const FEWEST_ROWS = 4_096
/** Rows sketched a call: about a millisecond. A memory that dreams of one block does not pay for all the others. */
const ROWS_A_CALL = 1_024

/**
 * How far above the expected number of differing signs a row may lie and still be looked at, in standard deviations of
 * independent signs. Signs of one rotation vary less, 0.78 of that between real vectors: 4 is then 5. Of 1.8 million pairs
 * above a floor 2.5 missed 18, 3 one, and 3.5 and 4 none.
 */
const DEVIATIONS = 4

/** How far a cosine read from integers may be off: a row that is read as near may be as far as that. */
const COSINE_ERROR = 0.005

/** Where sketches and what makes them lie in the memory of a kernel. */
interface Layout {
  readonly signs: number
  readonly scratch: number
  readonly queries: number
  readonly first: number
  readonly second: number
  readonly end: number
}

/** The facts about rows from which sketches are made. */
interface Rows {
  readonly address: number
  /** Bytes of a row. */
  readonly stride: number
  /** Rows there is room for. */
  readonly capacity: number
}

/** Numbers of differing signs up to which a row is looked at. */
interface Limits {
  readonly half: number
  readonly all: number
}

/** Limits for a cosine: fewer than one of a million rows that are as near differ in more signs. */
export function limitsFor(cosine: number): Limits {
  const share = Math.acos(Math.max(-1, Math.min(1, cosine) - COSINE_ERROR)) / Math.PI
  const limit = (signs: number) =>
    Math.ceil(signs * share + DEVIATIONS * Math.sqrt(signs * share * (1 - share)))
  return { half: limit(HALF_SIGNS), all: limit(SIGNS) }
}

/**
 * Sketches of the rows of a matrix, in the memory behind it, made little by little: they tell which rows cannot be near a
 * query (Charikar 2002), after rows are mixed so that it holds of any vectors (Ailon and Chazelle 2009).
 * Memory: 128 bytes a row, once a scan has asked for them.
 */
export class Sketches {
  readonly #kernel: SketchKernel
  readonly #memory: WebAssembly.Memory
  #rows: Rows = { address: 0, stride: 0, capacity: 0 }
  #layout: Layout | undefined
  #ready = 0

  constructor(kernel: SketchKernel, memory: WebAssembly.Memory) {
    this.#kernel = kernel
    this.#memory = memory
  }

  /** Sketches of rows with a lower number are there. */
  get ready(): number {
    return this.#ready
  }

  /** Lets go of all sketches: the rows have moved, or what lies before the sketches needs their place. */
  clear(): void {
    this.#layout = undefined
    this.#ready = 0
  }

  /** Brings the sketch of a row that changed up to date. */
  update(row: number): void {
    if (row < this.#ready) this.#make(row, 1)
  }

  /**
   * Makes sketches of some of the first `count` rows that have none, in memory from `at` on, where the caller needs nothing.
   * `room` makes sure that the memory is that long.
   */
  prepare(rows: Rows, count: number, at: number, room: (end: number) => void): void {
    if (rows.stride < FEWEST_DIMENSIONS || count < FEWEST_ROWS) return
    if (this.#layout === undefined) {
      this.#rows = rows
      this.#layout = layoutOf(rows, at)
      room(this.#layout.end)
      writeSigns(new Int8Array(this.#memory.buffer, this.#layout.signs, rows.stride + SIGNS))
    }
    const more = Math.min(ROWS_A_CALL, count - this.#ready)
    if (more > 0) this.#make(this.#ready, more)
    this.#ready += Math.max(0, more)
  }

  /** Makes the sketch of a query that lies at `address` as a row does. */
  take(query: number, address: number): void {
    const { signs, scratch, queries } = this.#layout as Layout
    const at = queries + query * 2 * HALF_BYTES
    this.#kernel.sketch(address, 1, this.#rows.stride, signs, scratch, at, at + HALF_BYTES)
  }

  /** Writes to `out` which of `count` rows from one on may be as near to a query that was taken as limits say. */
  resembling(
    query: number,
    { from, count }: { readonly from: number; readonly count: number },
    { half, all }: Limits,
    out: number,
  ): number {
    const { queries, first, second } = this.#layout as Layout
    const at = from * HALF_BYTES
    return this.#kernel.resembling(
      queries + query * 2 * HALF_BYTES,
      first + at,
      second + at,
      count,
      half,
      all,
      out,
    )
  }

  #make(row: number, count: number): void {
    const { signs, scratch, first, second } = this.#layout as Layout
    const { address, stride } = this.#rows
    const at = row * HALF_BYTES
    this.#kernel.sketch(address + row * stride, count, stride, signs, scratch, first + at, second + at)
  }
}

function layoutOf({ stride, capacity }: Rows, at: number): Layout {
  const scratch = at + stride + SIGNS
  const queries = scratch + SCRATCH_BYTES
  const first = queries + MOST_QUERIES * 2 * HALF_BYTES
  const second = first + capacity * HALF_BYTES
  return { signs: at, scratch, queries, first, second, end: second + capacity * HALF_BYTES }
}

/** The same signs always, so that the same memory finds the same (linear congruences, Knuth). */
function writeSigns(signs: Int8Array): void {
  let state = 7
  for (let i = 0; i < signs.length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    signs[i] = state < 0 ? -1 : 0
  }
}
