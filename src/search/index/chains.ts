import type { PackedIndex, PackedSection } from '../../ports/index-cache.ts'
import { Column, packColumn, unpackColumn } from './columns.ts'
import type { VectorMatrix } from './vectors.ts'

/** Numbers of places before and after a passage that lend it words and similarity. */
const REACH_BACK = 3
const REACH_AHEAD = 2
/** Relatedness is counted in whole steps of 1/1024, so that sums of it are exact in any order. */
export const GATE_ONE = 1024

const NONE = -1

/** The raw columns for loops over all slots; valid until the next change. */
export interface ChainColumns {
  /** The slot just before in the session, or -1. */
  readonly before: Int32Array
  /** The slot just after, or -1. */
  readonly after: Int32Array
  /** Element k - 1: the share that a slot takes of the one k places before it, in steps of 1/`GATE_ONE`. */
  readonly back: readonly Uint16Array[]
  /** Element k - 1: the share that a slot takes of the one k places after it. */
  readonly ahead: readonly Uint16Array[]
}

/** A slot is compared with the one before it and with the slots at these distances before it. */
const [FAR_FROM, FAR_TO] = [8, 11]
/** Least number of compared slots of a session that is taken for a talk. */
const FEWEST_COMPARED = 4
/** The least difference of the mean cosines in a talk. Notes that a client puts into one session have less, and nearly all talk has more. */
const TALK = 0.085
const UNCOMPARED = -0x8000

/** The properties of slots that decide how much one takes of a neighbour. */
interface Sharing {
  /** Cosine of two slots, -1..1. */
  readonly cosine: (a: number, b: number) => number
  /** Relatedness of two slots by their cosine, 0..1. */
  readonly relatedness: (a: number, b: number) => number
  /** Need of a slot for the words of neighbours, 0..1: a long text says itself what it is about. */
  readonly need: (slot: number) => number
  /** True if a slot has a source, as turns of a talk have. */
  readonly isSaid: (slot: number) => boolean
  /** True if two slots are passages of one block. */
  readonly isOneBlock: (a: number, b: number) => boolean
}

/**
 * The order of slots within their sessions, and how much each takes of its neighbours, need · relatedness: a list linked both
 * ways a session. Blocks without a source take something in a talk alone: a session whose neighbours are more alike than its blocks
 * far apart. The shares around changed places are recomputed once, in `settle`.
 */
export class SessionChains {
  readonly #sharing: Sharing
  readonly #session = new Column(Int32Array, NONE)
  readonly #position = new Column(Int32Array)
  readonly #before = new Column(Int32Array, NONE)
  readonly #after = new Column(Int32Array, NONE)
  readonly #back = Array.from({ length: REACH_BACK }, () => new Column(Uint16Array))
  readonly #ahead = Array.from({ length: REACH_AHEAD }, () => new Column(Uint16Array))
  /** The last slot of each session. */
  readonly #last = new Column(Int32Array, NONE)
  /** Cosine of a slot with the one before it minus the mean with those far before it, in steps of 1/`GATE_ONE`. */
  readonly #nearness = new Column(Int32Array, UNCOMPARED)
  /** Sum of `#nearness` in each session, and the number of slots that have one. */
  readonly #sums = new Column(Int32Array)
  readonly #counts = new Column(Int32Array)
  /** Sessions whose neighbours belong together, though nobody is said to speak. */
  readonly #talks = new Set<number>()
  readonly #dirty = new Set<number>()
  readonly #uncompared = new Set<number>()
  /** Sessions of which a sum changed since `settle`. */
  readonly #summed = new Set<number>()

  constructor(sharing: Sharing) {
    this.#sharing = sharing
  }

  get columns(): ChainColumns {
    return {
      before: this.#before.values,
      after: this.#after.values,
      back: this.#back.map(({ values }) => values),
      ahead: this.#ahead.map(({ values }) => values),
    }
  }

  /** The session a slot is in, or -1. */
  sessionOf(slot: number): number {
    return this.#session.values[slot] ?? NONE
  }

  /** The slots of a session, last first; undefined if they are more than `most`. */
  slotsOf(session: number, most: number): number[] | undefined {
    const slots: number[] = []
    for (let at = this.#last.values[session] ?? NONE; at !== NONE; at = this.before(1, at)) {
      if (slots.length === most) return undefined
      slots.push(at)
    }
    return slots
  }

  /** The place of a slot in its session, as it was added. */
  positionOf(slot: number): number {
    return this.#position.values[slot] as number
  }

  /** Puts a slot into its place. Cost: the blocks of the session that come after it, none as a rule. */
  add(slot: number, session: number, position: number): void {
    if (this.sessionOf(slot) !== session || this.positionOf(slot) !== position) {
      this.remove(slot)
      this.#insert(slot, session, position)
    }
    this.#touch(slot)
    this.#compareAgain(slot)
  }

  /** Takes a slot out of its session and joins its neighbours; nothing happens if it is in none. */
  remove(slot: number): void {
    const session = this.sessionOf(slot)
    if (session === NONE) return
    this.#touch(slot)
    this.#dirty.delete(slot)
    this.#compareAgain(slot)
    this.#uncompared.delete(slot)
    this.#setNearness(slot, UNCOMPARED)
    const before = this.before(1, slot)
    const after = this.after(1, slot)
    if (before !== NONE) this.#after.set(before, after)
    if (after === NONE) this.#last.set(session, before)
    else this.#before.set(after, before)
    for (const column of [this.#session, this.#before, this.#after]) column.set(slot, NONE)
    for (const share of [...this.#back, ...this.#ahead]) share.set(slot, 0)
  }

  /** Brings shares up to date; returns the slots whose surroundings changed. */
  settle(): number[] {
    this.#compare()
    const changed = [...this.#dirty]
    for (const slot of changed) this.#relate(slot)
    this.#dirty.clear()
    return changed
  }

  /** The slot k places before, or -1. */
  before(k: number, slot: number): number {
    return walk(this.#before.values, slot, k)
  }

  /** The slot k places after, or -1. */
  after(k: number, slot: number): number {
    return walk(this.#after.values, slot, k)
  }

  /** Expects `settle` to have run. */
  pack(slots: number): PackedSection[] {
    return Object.entries(this.#packed()).map(([name, column]) => packColumn(name, column, slots))
  }

  /** Fills chains that are still empty with the first slots. */
  unpack(packed: PackedIndex, slots: number): void {
    for (const [name, column] of Object.entries(this.#packed())) unpackColumn(packed, name, column, slots)
    for (let slot = 0; slot < slots; slot++) {
      const session = this.sessionOf(slot)
      if (session === NONE) continue
      if (this.after(1, slot) === NONE) this.#last.set(session, slot)
      this.#count(session, this.#nearness.values[slot] as number, 1)
    }
    for (const session of this.#summed) this.#judge(session)
    this.#summed.clear()
  }

  #packed() {
    return {
      sessions: this.#session,
      positions: this.#position,
      before: this.#before,
      after: this.#after,
      nearness: this.#nearness,
      ...Object.fromEntries(this.#back.map((share, i) => [`back-${i + 1}`, share])),
      ...Object.fromEntries(this.#ahead.map((share, i) => [`ahead-${i + 1}`, share])),
    }
  }

  #insert(slot: number, session: number, position: number): void {
    let after = NONE
    let before = this.#last.values[session] ?? NONE
    while (before !== NONE && this.positionOf(before) > position) {
      after = before
      before = this.before(1, before)
    }
    this.#session.set(slot, session)
    this.#position.set(slot, position)
    this.#before.set(slot, before)
    this.#after.set(slot, after)
    for (const share of [...this.#back, ...this.#ahead]) share.set(slot, 0)
    if (before !== NONE) this.#after.set(before, slot)
    if (after === NONE) this.#last.set(session, slot)
    else this.#before.set(after, slot)
  }

  // Everything within reach of the slot sees other neighbours now.
  #touch(slot: number): void {
    this.#dirty.add(slot)
    for (let k = 1; k <= REACH_BACK; k++) {
      for (const near of [this.before(k, slot), this.after(k, slot)]) if (near !== NONE) this.#dirty.add(near)
    }
  }

  // A changed slot stands before others, near or far.
  #compareAgain(slot: number): void {
    for (let at = slot, k = 0; at !== NONE && k <= FAR_TO; at = this.after(1, at), k++)
      this.#uncompared.add(at)
  }

  /** Compares changed slots; all slots of a session that became a talk or ceased to be one are related anew. */
  #compare(): void {
    for (const slot of this.#uncompared) this.#setNearness(slot, this.#nearnessOf(slot))
    this.#uncompared.clear()
    for (const session of this.#summed)
      if (this.#judge(session))
        for (const slot of this.slotsOf(session, Number.POSITIVE_INFINITY) ?? []) this.#dirty.add(slot)
    this.#summed.clear()
  }

  /** Decides whether a session is a talk; returns true if that changed. */
  #judge(session: number): boolean {
    const count = this.#counts.values[session] ?? 0
    const isTalk =
      count >= FEWEST_COMPARED && (this.#sums.values[session] as number) >= TALK * GATE_ONE * count
    if (isTalk === this.#talks.has(session)) return false
    if (isTalk) this.#talks.add(session)
    else this.#talks.delete(session)
    return true
  }

  #nearnessOf(slot: number): number {
    const { cosine, isSaid, isOneBlock } = this.#sharing
    const before = this.before(1, slot)
    if (before === NONE || isSaid(slot) || isOneBlock(slot, before)) return UNCOMPARED
    let [far, count, at] = [0, 0, this.before(FAR_FROM, slot)]
    for (let k = FAR_FROM; k <= FAR_TO && at !== NONE; k++) {
      far += cosine(slot, at)
      count++
      at = this.before(1, at)
    }
    return count === 0 ? UNCOMPARED : Math.round((cosine(slot, before) - far / count) * GATE_ONE)
  }

  #setNearness(slot: number, nearness: number): void {
    const session = this.sessionOf(slot)
    this.#count(session, this.#nearness.values[slot] ?? UNCOMPARED, -1)
    this.#count(session, nearness, 1)
    this.#nearness.set(slot, nearness)
  }

  #count(session: number, nearness: number, times: 1 | -1): void {
    if (nearness === UNCOMPARED) return
    this.#sums.set(session, (this.#sums.values[session] ?? 0) + times * nearness)
    this.#counts.set(session, (this.#counts.values[session] ?? 0) + times)
    this.#summed.add(session)
  }

  /** The share that a slot takes of another, 0..1, without its need. */
  #related(slot: number, other: number): number {
    const { isSaid, isOneBlock, relatedness } = this.#sharing
    const mayTake =
      isOneBlock(slot, other) || (isSaid(slot) && isSaid(other)) || this.#talks.has(this.sessionOf(slot))
    return mayTake ? relatedness(slot, other) : 0
  }

  #relate(slot: number): void {
    const share = GATE_ONE * this.#sharing.need(slot)
    const set = (columns: readonly Column<Uint16Array<ArrayBuffer>>[], links: Int32Array): void => {
      let at = slot
      for (const column of columns) {
        at = at === NONE ? NONE : (links[at] as number)
        column.set(slot, at === NONE ? 0 : Math.round(share * this.#related(slot, at)))
      }
    }
    set(this.#back, this.#before.values)
    set(this.#ahead, this.#after.values)
  }
}

/**
 * Cosines that lean on their neighbours in the session: (c + Σ w·g·c′) / (1 + Σ w·g), g being the share that a slot
 * takes of the neighbour. Normalised, so that an isolated block loses nothing.
 *
 * @param window weights of the cosines 2, 1 before and 1, 2 after
 * @param answer where the result goes; at least as long as `cosines`
 */
function windowedCosines(
  cosines: Float32Array,
  { before, after, back, ahead }: ChainColumns,
  window: readonly number[],
  answer: Float32Array<ArrayBuffer>,
): Float32Array<ArrayBuffer> {
  const [back2 = 0, back1 = 0, ahead1 = 0, ahead2 = 0] = window.map((weight) => weight / GATE_ONE)
  const [gate1, gate2] = back as [Uint16Array, Uint16Array]
  const [aheadGate1, aheadGate2] = ahead as [Uint16Array, Uint16Array]
  for (let slot = 0; slot < cosines.length; slot++) {
    let sum = cosines[slot] as number
    let weights = 1
    const b1 = before[slot] as number
    if (b1 >= 0) {
      const w = back1 * (gate1[slot] as number)
      sum += w * (cosines[b1] as number)
      weights += w
      const b2 = before[b1] as number
      if (b2 >= 0) {
        const w2 = back2 * (gate2[slot] as number)
        sum += w2 * (cosines[b2] as number)
        weights += w2
      }
    }
    const a1 = after[slot] as number
    if (a1 >= 0) {
      const w = ahead1 * (aheadGate1[slot] as number)
      sum += w * (cosines[a1] as number)
      weights += w
      const a2 = after[a1] as number
      if (a2 >= 0) {
        const w2 = ahead2 * (aheadGate2[slot] as number)
        sum += w2 * (cosines[a2] as number)
        weights += w2
      }
    }
    answer[slot] = sum / weights
  }
  return answer
}

function walk(links: Int32Array, slot: number, steps: number): number {
  let at = slot
  for (let k = 0; k < steps && at !== NONE; k++) at = links[at] ?? NONE
  return at
}

/** A straight line that maps cosines: factor · c + offset. */
export interface CosineScale {
  readonly factor: number
  readonly offset: number
}

/** Maps cosines in place; 0, of slots without a vector, stays. */
function rescale(cosines: Float32Array, { factor, offset }: CosineScale): void {
  for (let slot = 0; slot < cosines.length; slot++) {
    const cosine = cosines[slot] as number
    if (cosine !== 0) cosines[slot] = factor * cosine + offset
  }
}

/** Cosines of a question with all blocks, after the session's window; in memory that the next question uses again. */
export class QuestionCosines {
  readonly #window: readonly number[]
  #own = new Float32Array(0)
  #windowed = new Float32Array(0)

  /** The cosines of the last question before the window. */
  get own(): Float32Array<ArrayBuffer> {
    return this.#own
  }

  /** @param window weights of the neighbours' cosines, see `windowedCosines` */
  constructor(window: readonly number[]) {
    this.#window = window
  }

  /** On the scale of the constants; all 0 without a vector. Valid until the next call. */
  of(
    { vectors, chains }: { readonly vectors: VectorMatrix; readonly chains: SessionChains },
    slots: number,
    vector: Float32Array | undefined,
    onScale: CosineScale | undefined,
  ): Float32Array<ArrayBuffer> {
    if (slots > this.#own.length) {
      this.#own = new Float32Array(slots * 2)
      this.#windowed = new Float32Array(slots * 2)
    }
    const own = this.#own.subarray(0, slots)
    if (vector === undefined) return own.fill(0)
    vectors.cosines(vector, slots, own)
    if (onScale) rescale(own, onScale)
    return windowedCosines(own, chains.columns, this.#window, this.#windowed.subarray(0, slots))
  }
}
