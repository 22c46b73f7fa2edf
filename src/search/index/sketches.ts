import type { ScanKernel, SketchKernel } from '../../ports/scan-kernel.ts'
import { quantise } from './quantise.ts'

/** Place of a vector as seen from a centre: its product with the centre, and its distance from it. */
export interface Place {
  readonly along: number
  readonly away: number
}

/** So few that their limits are set at once, and so many that the rows of one hardly differ. */
const GROUPS = 64

/** Groups of rows by how far they lie along a centre, and the bounds of where those of each lie. */
class Groups {
  readonly #least: number
  readonly #perUnit: number
  readonly #along = new Float64Array(GROUPS).fill(Number.NEGATIVE_INFINITY)
  readonly #away = new Float64Array(GROUPS)
  readonly #awayLeast = new Float64Array(GROUPS).fill(Number.POSITIVE_INFINITY)

  /** @param alongs of some of the rows; others belong to the first or the last group */
  constructor(alongs: readonly number[]) {
    const [least, most] = [Math.min(...alongs), Math.max(...alongs)]
    this.#least = least
    this.#perUnit = most > least ? GROUPS / (most - least) : 0
  }

  /** Returns the group of a row, which is within its bounds from now on. */
  take({ along, away }: Place): number {
    const found = Math.floor((along - this.#least) * this.#perUnit)
    const group = Math.max(0, Math.min(GROUPS - 1, found || 0))
    this.#along[group] = Math.max(this.#along[group] as number, along)
    this.#away[group] = Math.max(this.#away[group] as number, away)
    this.#awayLeast[group] = Math.min(this.#awayLeast[group] as number, away)
    return group
  }

  /**
   * Calls back with a bound for each group: from the centre no row of it has a lower cosine with a query whose product with
   * the row, less both products with the centre, is `least` or more.
   */
  eachBound({ along, away }: Place, least: number, visit: (group: number, cosine: number) => void): void {
    for (let group = 0; group < GROUPS; group++) {
      const missing = least - along - (this.#along[group] as number)
      const distance = (missing > 0 ? this.#away[group] : this.#awayLeast[group]) as number
      visit(group, missing / (distance * away))
    }
  }
}

/** Signs of a sketch, of the half that lies apart, and of what is looked at first of all. */
const SIGNS = 1_024
const HALF_SIGNS = SIGNS / 2
const QUARTER_SIGNS = SIGNS / 4
const HALF_BYTES = HALF_SIGNS / 8
const SCRATCH_BYTES = 2_048

/** Queries whose sketches there is room for. */
export const MOST_QUERIES = 4

/** With fewer dimensions a sketch costs as much as the vector. */
const FEWEST_DIMENSIONS = 128
/** Fewer rows are looked at sooner than sketched. */
const FEWEST_ROWS = 4_096
/** Rows sketched a call: about two milliseconds. A memory that dreams of one block does not pay for all the others. */
const ROWS_A_CALL = 4_096

/** Rows whose mean is the centre. Any centre is right; one in the middle of the rows spares the most. */
const CENTRED = 1_024

/** Lengths that sums of 16 bits hold without losing the least of a vector, and how far it may be lengthened for that. */
const LENGTH = 2_048
const MOST_SHIFT = 6
const MOST_FACTOR = 32_767

/** More than rounding may take from a cosine. */
const ROUNDING = 1e-6

/** Cosines between -1 and 1 for which limits are reckoned beforehand. */
const STEPS = 2_048

/**
 * How far above the expected number of differing signs a row may lie and still be looked at, in standard deviations of
 * independent signs. Signs of one rotation vary less, 0.78 of that between real vectors: 4 is then 5. Of 1.8 million pairs
 * above a floor 2.5 missed 18, 3 one, and 3.5 and 4 none.
 */
const DEVIATIONS = 4

/** Where sketches and what makes them lie in the memory of a kernel. */
interface Layout {
  readonly signs: number
  readonly centre: number
  readonly limits: number
  readonly scratch: number
  readonly queries: number
  readonly first: number
  readonly second: number
  /** One byte a row. */
  readonly groups: number
  readonly end: number
}

/** The facts about rows from which sketches are made. */
interface Rows {
  readonly address: number
  /** Bytes of a row. */
  readonly stride: number
  /** Rows there is room for. */
  readonly capacity: number
  /** The value of one unit of a row's integers; 0 where there is no vector. */
  readonly unitOf: (row: number) => number
}

/** A query, and the floor that its limits are for. */
interface Taken extends Place {
  floor: number
}

/** Numbers of differing signs up to which a row is looked at: fewer than one in a million rows that are as near differ in more. */
function limitsOf(signs: number): Int32Array {
  return Int32Array.from({ length: STEPS }, (_, step) => {
    const share = Math.acos((2 * step) / STEPS - 1) / Math.PI
    return Math.ceil(signs * share + DEVIATIONS * Math.sqrt(signs * share * (1 - share)))
  })
}

const QUARTER_LIMITS = limitsOf(QUARTER_SIGNS)
const HALF_LIMITS = limitsOf(HALF_SIGNS)
const LIMITS = limitsOf(SIGNS)

/**
 * Sketches of the rows of a matrix, in the memory behind it, made little by little: they tell which rows cannot be near a
 * query (Charikar 2002), after rows are mixed so that it holds of any vectors (Ailon and Chazelle 2009). They are of the rows
 * less a centre, because vectors that all lean to one side hardly differ otherwise.
 * Memory: 129 bytes a row, once a scan has asked for them.
 */
export class Sketches {
  readonly #kernel: Pick<ScanKernel, 'dots' | 'memory'>
  readonly #sketching: SketchKernel
  readonly #taken: Taken[] = []
  #rows: Rows = { address: 0, stride: 0, capacity: 0, unitOf: () => 0 }
  #layout: Layout | undefined
  #ready = 0
  /** The value of one unit of the centre's integers, and its length squared. */
  #centre = { unit: 0, square: 0 }
  #groups = new Groups([])

  constructor(sketching: SketchKernel, kernel: Pick<ScanKernel, 'dots' | 'memory'>) {
    this.#sketching = sketching
    this.#kernel = kernel
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
      this.#begin(this.#layout, count)
    }
    const more = Math.min(ROWS_A_CALL, count - this.#ready)
    if (more > 0) this.#make(this.#ready, more)
    this.#ready += Math.max(0, more)
  }

  /** Makes the sketch of a query that lies at `address` as a row does; `unit` is what one of its integers is worth. */
  take(query: number, address: number, unit: number): void {
    const at = (this.#layout as Layout).queries + query * 2 * HALF_BYTES
    const place = this.#sketch(address, unit, at, at + HALF_BYTES)
    this.#taken[query] = { ...place, floor: Number.NaN }
  }

  /** Writes to `out` which of `count` rows from one on may have a cosine of `floor` or more with a query that was taken. */
  resembling(
    query: number,
    { from, count }: { readonly from: number; readonly count: number },
    floor: number,
    out: number,
  ): number {
    const { queries, first, second, groups, limits } = this.#layout as Layout
    const own = limits + query * LIMIT_BYTES
    this.#setLimits(query, floor)
    const part = from * HALF_BYTES
    return this.#sketching.resembling(
      queries + query * 2 * HALF_BYTES,
      first + part,
      second + part,
      groups + from,
      count,
      own,
      out,
    )
  }

  /** Sets the limits of a group to those of the row in it that needs the least. */
  #setLimits(query: number, floor: number): void {
    const taken = this.#taken[query] as Taken
    if (taken.floor === floor) return
    taken.floor = floor
    const at = (this.#layout as Layout).limits + query * LIMIT_BYTES
    const ints = new Int32Array(this.#kernel.memory.buffer, at, 3 * GROUPS)
    this.#groups.eachBound(taken, floor + this.#centre.square - ROUNDING, (group, cosine) => {
      // Of vectors that say the same, signs may differ where rounding decides: none is told by its last step.
      const step = Math.max(0, Math.min(STEPS - 1, Math.floor(((cosine + 1) * STEPS) / 2) || 0))
      ints[group] = QUARTER_LIMITS[step] as number
      ints[GROUPS + group] = HALF_LIMITS[step] as number
      ints[2 * GROUPS + group] = LIMITS[step] as number
    })
  }

  #begin({ signs, centre }: Layout, count: number): void {
    const { buffer } = this.#kernel.memory
    const { stride } = this.#rows
    writeSigns(new Int8Array(buffer, signs, stride + SIGNS))
    const some = this.#some(count)
    const { bytes, scale } = quantise(this.#meanOf(some))
    new Int8Array(buffer, centre, stride).set(bytes)
    this.#centre = { unit: scale, square: this.#kernel.dots(centre, centre, stride) * scale * scale }
    this.#groups = new Groups(
      some.map((row) => this.#placeOf(this.#addressOf(row), this.#rows.unitOf(row)).along),
    )
  }

  /** Some of the rows, from all over. */
  #some(count: number): number[] {
    const step = Math.max(1, count / CENTRED)
    const found = Array.from({ length: Math.min(count, CENTRED) }, (_, i) => Math.floor(i * step))
    return found.filter((row) => this.#rows.unitOf(row) > 0)
  }

  #meanOf(rows: readonly number[]): Float32Array {
    const { stride, unitOf } = this.#rows
    const mean = new Float32Array(stride)
    for (const row of rows) {
      const unit = unitOf(row) / rows.length
      const own = new Int8Array(this.#kernel.memory.buffer, this.#addressOf(row), stride)
      for (let at = 0; at < stride; at++) mean[at] = (mean[at] as number) + (own[at] as number) * unit
    }
    return mean
  }

  #addressOf(row: number): number {
    return this.#rows.address + row * this.#rows.stride
  }

  #make(row: number, count: number): void {
    const { first, second, groups } = this.#layout as Layout
    const written = new Uint8Array(this.#kernel.memory.buffer, groups + row, count)
    for (let i = 0; i < count; i++) {
      const at = (row + i) * HALF_BYTES
      const unit = this.#rows.unitOf(row + i)
      if (unit > 0)
        written[i] = this.#groups.take(this.#sketch(this.#addressOf(row + i), unit, first + at, second + at))
    }
  }

  /** Sketches a vector, lengthened as far as the sums hold it. */
  #sketch(address: number, unit: number, first: number, second: number): Place {
    const { signs, centre, scratch } = this.#layout as Layout
    const place = this.#placeOf(address, unit)
    const shift = Math.max(0, Math.min(MOST_SHIFT, Math.floor(Math.log2((LENGTH * unit) / place.away))))
    const factor = Math.min(MOST_FACTOR, Math.round((128 * 2 ** shift * this.#centre.unit) / unit))
    this.#sketching.sketch(address, centre, this.#rows.stride, shift, factor, signs, scratch, first, second)
    return place
  }

  #placeOf(address: number, unit: number): Place {
    const { centre } = this.#layout as Layout
    const { stride } = this.#rows
    const along = this.#kernel.dots(address, centre, stride) * unit * this.#centre.unit
    const square = this.#kernel.dots(address, address, stride) * unit * unit
    return { along, away: Math.sqrt(Math.max(0, square - 2 * along + this.#centre.square)) }
  }
}

/** Limits of the groups for one query. */
/** Bytes of a line of the cache, which holds half a sketch. */
const LINE_BYTES = 64
const LIMIT_BYTES = 3 * 4 * GROUPS

function layoutOf({ stride, capacity }: Rows, at: number): Layout {
  const centre = at + stride + SIGNS
  const limits = centre + stride
  const scratch = limits + MOST_QUERIES * LIMIT_BYTES
  const queries = Math.ceil((scratch + SCRATCH_BYTES) / LINE_BYTES) * LINE_BYTES
  const first = queries + MOST_QUERIES * 2 * HALF_BYTES
  const second = first + capacity * HALF_BYTES
  const groups = second + capacity * HALF_BYTES
  const end = groups + capacity
  return { signs: at, centre, limits, scratch, queries, first, second, groups, end }
}

/** Signs that are equal in every process, so that a memory always finds the same (linear congruences, Knuth). */
function writeSigns(signs: Int8Array): void {
  let state = 7
  for (let i = 0; i < signs.length; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0
    signs[i] = state < 0 ? -1 : 0
  }
}
