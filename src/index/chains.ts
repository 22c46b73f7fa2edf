import type { PackedIndex, PackedSection } from './columns.ts'
import { Column, packColumn, packNumbers, unpackColumn, unpackNumbers } from './columns.ts'
import { RANKING } from './strength.ts'
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
/** Least number of compared slots of a session that is taken for a talk, and the number of its last slots that are looked at. */
const [FEWEST_COMPARED, MOST_LOOKED_AT] = [4, 64]
/** The least difference of the mean cosines in a talk. Notes that a client puts into one session have less, and nearly all talk has more. */
const TALK = 0.085

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
 * The order of slots within their sessions, and how much each takes of its neighbours, need · relatedness: a list linked both ways a
 * session. Blocks without a source take something in a talk alone: a session whose neighbours are more alike than its blocks far apart.
 * The shares around changed places are computed once, in `settle`.
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
  /** 1 for each session whose neighbours belong together, though nobody is said to speak. */
  readonly #isTalk = new Column(Uint8Array)
  readonly #dirty = new Set<number>()
  readonly #dirtySessions = new Set<number>()

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
  }

  /** Takes a slot out of its session and joins its neighbours; nothing happens if it is in none. */
  remove(slot: number): void {
    const session = this.sessionOf(slot)
    if (session === NONE) return
    this.#touch(slot)
    this.#dirty.delete(slot)
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
    for (const session of this.#dirtySessions) this.#judge(session)
    this.#dirtySessions.clear()
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

  /** Returns the sections of the first slots; expects `settle` to have run. */
  pack(slots: number): PackedSection[] {
    return [
      ...Object.entries(this.#packed()).map(([name, column]) => packColumn(name, column, slots)),
      packNumbers('talks', this.#isTalk.values),
    ]
  }

  /** Fills chains that are still empty with the first slots. */
  unpack(packed: PackedIndex, slots: number): void {
    for (const [name, column] of Object.entries(this.#packed())) unpackColumn(packed, name, column, slots)
    this.#isTalk.values = unpackNumbers(packed, 'talks', Uint8Array)
    for (let slot = 0; slot < slots; slot++) {
      const session = this.sessionOf(slot)
      if (session !== NONE && this.after(1, slot) === NONE) this.#last.set(session, slot)
    }
  }

  #packed() {
    return {
      sessions: this.#session,
      positions: this.#position,
      before: this.#before,
      after: this.#after,
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

  /** Marks everything within reach of a slot, which sees other neighbours now. */
  #touch(slot: number): void {
    this.#dirtySessions.add(this.sessionOf(slot))
    this.#dirty.add(slot)
    for (let k = 1; k <= REACH_BACK; k++) {
      for (const near of [this.before(k, slot), this.after(k, slot)]) if (near !== NONE) this.#dirty.add(near)
    }
  }

  /** Decides whether a session is a talk; all its slots are related anew if that changed. Cost: a few cosines for each slot looked at. */
  #judge(session: number): void {
    const last = this.#last.values[session] ?? NONE
    let [sum, count, looked] = [0, 0, 0]
    for (let at = last; at !== NONE && looked < MOST_LOOKED_AT; at = this.before(1, at), looked++) {
      const nearness = this.#nearnessOf(at)
      if (nearness === undefined) continue
      sum += nearness
      count++
    }
    const isTalk = Number(count >= FEWEST_COMPARED && sum >= TALK * count)
    if (isTalk === (this.#isTalk.values[session] ?? 0)) return
    this.#isTalk.set(session, isTalk)
    for (let at = last; at !== NONE; at = this.before(1, at)) this.#dirty.add(at)
  }

  /** Returns the cosine of a slot with the one before it, minus the mean with those far before it; undefined where nothing is compared. */
  #nearnessOf(slot: number): number | undefined {
    const { cosine, isSaid, isOneBlock } = this.#sharing
    const before = this.before(1, slot)
    if (before === NONE || isSaid(slot) || isOneBlock(slot, before)) return undefined
    let [far, count, at] = [0, 0, this.before(FAR_FROM, slot)]
    for (let k = FAR_FROM; k <= FAR_TO && at !== NONE; k++) {
      far += cosine(slot, at)
      count++
      at = this.before(1, at)
    }
    return count === 0 ? undefined : cosine(slot, before) - far / count
  }

  /** The share that a slot takes of another, 0..1, without its need. */
  #related(slot: number, other: number): number {
    const { isSaid, isOneBlock, relatedness } = this.#sharing
    const mayTake =
      isOneBlock(slot, other) ||
      (isSaid(slot) && isSaid(other)) ||
      this.#isTalk.values[this.sessionOf(slot)] === 1
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
 * @param answer where the result goes; at least as long as `cosines`
 */
function windowedCosines(
  cosines: Float32Array,
  { before, after, back, ahead }: ChainColumns,
  answer: Float32Array<ArrayBuffer>,
): Float32Array<ArrayBuffer> {
  const window = RANKING.vectorWindow.map((weight) => weight / GATE_ONE)
  const [back2 = 0, back1 = 0, ahead1 = 0, ahead2 = 0] = window
  const sides = [
    { links: before, shares: back, weights: [back1, back2] },
    { links: after, shares: ahead, weights: [ahead1, ahead2] },
  ]
  for (let slot = 0; slot < cosines.length; slot++) {
    let sum = cosines[slot] as number
    let total = 1
    for (const { links, shares, weights } of sides)
      for (let k = 0, at = links[slot] as number; k < 2 && at >= 0; at = links[at] as number, k++) {
        const weight = (weights[k] as number) * ((shares[k] as Uint16Array)[slot] as number)
        sum += weight * (cosines[at] as number)
        total += weight
      }
    answer[slot] = sum / total
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
  #own = new Float32Array(0)
  #windowed = new Float32Array(0)

  /** The cosines of the last question before the window. */
  get own(): Float32Array<ArrayBuffer> {
    return this.#own
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
    return windowedCosines(own, chains.columns, this.#windowed.subarray(0, slots))
  }
}
