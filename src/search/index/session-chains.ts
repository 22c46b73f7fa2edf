import type { PackedIndex, PackedSection } from '../../ports/index-cache.ts'
import { Column, packColumn, unpackColumn } from './column.ts'
import type { VectorMatrix } from './vector-matrix.ts'

/** How far a block's words and similarity reach at most, back and ahead in its session. */
export const REACH_BACK = 3
/** Relatedness is counted in whole steps of 1/1024, so that sums of it are exact in any order. */
export const GATE_ONE = 1024

const NONE = -1

/** A block is compared with the one before it and with those at these distances before it. */
const [FAR_FROM, FAR_TO] = [8, 11]
/** A session is taken for a talk from so many compared blocks on. */
const FEWEST_COMPARED = 4
/** The least difference of the mean cosines in a talk. Notes that a client puts into one session have less, and nearly all talk has more. */
const TALK = 0.085
const UNCOMPARED = -0x8000

/** The properties of blocks that decide whether neighbours lend each other words and similarity. */
interface LendingFacts {
  /** Cosine of two slots, -1..1. */
  readonly cosine: (a: number, b: number) => number
  /** True if a slot has a source, as turns of a talk have. */
  readonly isSaid: (slot: number) => boolean
}

/** All blocks are said by somebody. */
const SAID: LendingFacts = { cosine: () => 0, isSaid: () => true }

/** The raw columns for loops over all slots; valid until the next change. */
export interface ChainColumns {
  /** The slot just before in the session, or -1. */
  readonly before: Int32Array
  /** The slot just after, or -1. */
  readonly after: Int32Array
  /** Element k - 1: relatedness of a slot and the one k places before it, in steps of 1/`GATE_ONE`. */
  readonly gates: readonly Uint16Array[]
}

/**
 * The order of slots within their sessions, and how related near neighbours are: a list linked both ways a session.
 * Relatedness around changed places is recomputed once, in `settle`. Blocks without a source are related only in a talk: a session
 * whose neighbours are more alike than its blocks far apart.
 */
export class SessionChains {
  readonly #relatedness: (a: number, b: number) => number
  readonly #session = new Column(Int32Array, NONE)
  readonly #position = new Column(Int32Array)
  readonly #before = new Column(Int32Array, NONE)
  readonly #after = new Column(Int32Array, NONE)
  readonly #gates = Array.from({ length: REACH_BACK }, () => new Column(Uint16Array))
  /** The last slot of each session. */
  readonly #last = new Column(Int32Array, NONE)
  /** How much more alike a slot is with the one before it than with those far before it, in steps of 1/`GATE_ONE`. */
  readonly #nearness = new Column(Int32Array, UNCOMPARED)
  /** The sum of that in each session, and the number of slots that have it. */
  readonly #sums = new Column(Int32Array)
  readonly #counts = new Column(Int32Array)
  readonly #dirty = new Set<number>()
  readonly #uncompared = new Set<number>()
  /** Whether sessions with changes were talks before. */
  readonly #wereTalks = new Map<number, boolean>()
  readonly #facts: LendingFacts

  /** @param relatedness of two slots, 0..1; asked up to `REACH_BACK` times a changed slot */
  constructor(relatedness: (a: number, b: number) => number, facts: LendingFacts = SAID) {
    this.#relatedness = relatedness
    this.#facts = facts
  }

  get columns(): ChainColumns {
    return {
      before: this.#before.values,
      after: this.#after.values,
      gates: this.#gates.map(({ values }) => values),
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
    for (const gate of this.#gates) gate.set(slot, 0)
  }

  /** Brings relatedness up to date; returns the slots whose surroundings changed. */
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

  /** Relatedness of the slot and the one k places before it, 0..1; 0 where there is none. */
  gate(k: number, slot: number): number {
    return (this.#gates[k - 1]?.values[slot] ?? 0) / GATE_ONE
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
  }

  #packed() {
    return {
      sessions: this.#session,
      positions: this.#position,
      before: this.#before,
      after: this.#after,
      nearness: this.#nearness,
      ...Object.fromEntries(this.#gates.map((gate, i) => [`gates-${i + 1}`, gate])),
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
    for (const gate of this.#gates) gate.set(slot, 0)
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

  /** True if the neighbours of a session belong together, though nobody is said to speak. */
  #isTalk(session: number): boolean {
    const count = this.#counts.values[session] ?? 0
    return count >= FEWEST_COMPARED && (this.#sums.values[session] as number) >= TALK * GATE_ONE * count
  }

  // A changed slot stands before others, near or far.
  #compareAgain(slot: number): void {
    const session = this.sessionOf(slot)
    if (!this.#wereTalks.has(session)) this.#wereTalks.set(session, this.#isTalk(session))
    for (let at = slot, k = 0; at !== NONE && k <= FAR_TO; at = this.after(1, at), k++)
      this.#uncompared.add(at)
  }

  /** Compares changed slots; all slots of a session that became a talk or ceased to be one are related anew. */
  #compare(): void {
    for (const slot of this.#uncompared) this.#setNearness(slot, this.#nearnessOf(slot))
    this.#uncompared.clear()
    for (const [session, wasTalk] of this.#wereTalks) {
      if (this.#isTalk(session) === wasTalk) continue
      for (const slot of this.slotsOf(session, Number.POSITIVE_INFINITY) ?? []) this.#dirty.add(slot)
    }
    this.#wereTalks.clear()
  }

  #nearnessOf(slot: number): number {
    const { cosine, isSaid } = this.#facts
    if (isSaid(slot)) return UNCOMPARED
    let far = 0
    let count = 0
    for (
      let k = FAR_FROM, at = this.before(k, slot);
      k <= FAR_TO && at !== NONE;
      k++, at = this.before(1, at)
    ) {
      far += cosine(slot, at)
      count++
    }
    if (count === 0) return UNCOMPARED
    return Math.round((cosine(slot, this.before(1, slot)) - far / count) * GATE_ONE)
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
  }

  #related(slot: number, before: number): number {
    const { isSaid } = this.#facts
    const mayLend = (isSaid(slot) && isSaid(before)) || this.#isTalk(this.sessionOf(slot))
    return mayLend ? this.#relatedness(slot, before) : 0
  }

  #relate(slot: number): void {
    let before = slot
    for (const gate of this.#gates) {
      before = before === NONE ? NONE : (this.#before.values[before] as number)
      const relatedness = before === NONE ? 0 : this.#related(slot, before)
      gate.set(slot, Math.round(relatedness * GATE_ONE))
    }
  }
}

/**
 * Cosines that lean on their neighbours in the session: (c + Σ w·g·c′) / (1 + Σ w·g), g being how related the two
 * are. Normalised, so that an isolated block loses nothing.
 *
 * @param window weights of the cosines 2, 1 before and 1, 2 after
 * @param answer where the result goes; at least as long as `cosines`
 */
function windowedCosines(
  cosines: Float32Array,
  { before, after, gates }: ChainColumns,
  window: readonly number[],
  answer: Float32Array<ArrayBuffer>,
): Float32Array<ArrayBuffer> {
  const [back2 = 0, back1 = 0, ahead1 = 0, ahead2 = 0] = window.map((weight) => weight / GATE_ONE)
  const [gate1, gate2] = gates as [Uint16Array, Uint16Array]
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
      const w = ahead1 * (gate1[a1] as number)
      sum += w * (cosines[a1] as number)
      weights += w
      const a2 = after[a1] as number
      if (a2 >= 0) {
        const w2 = ahead2 * (gate2[a2] as number)
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
  readonly #window: readonly number[] | undefined
  #own = new Float32Array(0)
  #windowed = new Float32Array(0)

  /** The cosines of the last question before the window. */
  get own(): Float32Array<ArrayBuffer> {
    return this.#own
  }

  /** @param window weights of the neighbours' cosines; undefined: they have no share */
  constructor(window: readonly number[] | undefined) {
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
    return this.#window === undefined
      ? own
      : windowedCosines(own, chains.columns, this.#window, this.#windowed.subarray(0, slots))
  }
}
