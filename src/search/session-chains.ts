/** How far a block's words and likeness reach: three back, two ahead in its session. */
export const REACH_BACK = 3
export const REACH_AHEAD = 2

const NONE = -1
const REACH = Math.max(REACH_BACK, REACH_AHEAD)

/**
 * The order of slots within their sessions, and how related near neighbours are.
 *
 * `gate(k, slot)` is the relatedness of a slot and the one k places before it in the same session, 0..1.
 * Links and gates of changed surroundings are recomputed once, in `settle`.
 */
export class SessionChains {
  readonly #relatedness: (a: number, b: number) => number
  readonly #sessions = new Map<string, { slots: number[]; positions: number[] }>()
  readonly #dirty = new Set<number>()
  readonly #sessionOf: (string | undefined)[] = []
  readonly #positionOf: number[] = []
  #before: Int32Array<ArrayBuffer>[] = []
  #gates: Float32Array<ArrayBuffer>[] = []
  #after: Int32Array<ArrayBuffer>[] = []

  /** @param relatedness of two slots, 0..1; asked up to `REACH_BACK` times a changed slot */
  constructor(relatedness: (a: number, b: number) => number) {
    this.#relatedness = relatedness
    this.#resize(256)
  }

  add(slot: number, session: string, position: number): void {
    if (slot >= (this.#before[0]?.length ?? 0)) this.#resize(slot * 2)
    if (this.#sessionOf[slot] === session && this.#positionOf[slot] === position) {
      this.#touch(slot)
      return
    }
    this.remove(slot)
    let chain = this.#sessions.get(session)
    if (!chain) {
      chain = { slots: [], positions: [] }
      this.#sessions.set(session, chain)
    }
    const at = lowerBound(chain.positions, position)
    chain.slots.splice(at, 0, slot)
    chain.positions.splice(at, 0, position)
    this.#sessionOf[slot] = session
    this.#positionOf[slot] = position
    this.#touch(slot)
  }

  remove(slot: number): void {
    const session = this.#sessionOf[slot]
    const chain = session === undefined ? undefined : this.#sessions.get(session)
    if (!chain) return
    this.#touch(slot)
    const at = this.#placeIn(chain, slot)
    chain.slots.splice(at, 1)
    chain.positions.splice(at, 1)
    if (chain.slots.length === 0) this.#sessions.delete(session as string)
    this.#sessionOf[slot] = undefined
    this.#dirty.delete(slot)
    for (let k = 1; k <= REACH; k++) this.#unlink(k, slot)
  }

  /** Brings links and gates up to date; returns the slots whose surroundings changed. */
  settle(): number[] {
    const changed = [...this.#dirty]
    for (const slot of changed) this.#link(slot)
    this.#dirty.clear()
    return changed
  }

  /** The slot k places before, or -1. */
  before(k: number, slot: number): number {
    return this.#before[k - 1]?.[slot] ?? NONE
  }

  /** The slot k places after, or -1. */
  after(k: number, slot: number): number {
    return this.#after[k - 1]?.[slot] ?? NONE
  }

  /** Relatedness of the slot and the one k places before it; 0 where there is none. */
  gate(k: number, slot: number): number {
    return this.#gates[k - 1]?.[slot] ?? 0
  }

  /** The raw columns for loops over all slots: element [k - 1][slot]; valid until the next `add`. */
  get columns(): {
    readonly before: readonly Int32Array[]
    readonly after: readonly Int32Array[]
    readonly gates: readonly Float32Array[]
  } {
    return { before: this.#before, after: this.#after, gates: this.#gates }
  }

  // Everything within reach of the slot sees other neighbours now.
  #touch(slot: number): void {
    const chain = this.#sessions.get(this.#sessionOf[slot] as string)
    if (!chain) return
    const at = this.#placeIn(chain, slot)
    for (let i = Math.max(0, at - REACH); i <= Math.min(chain.slots.length - 1, at + REACH); i++) {
      this.#dirty.add(chain.slots[i] as number)
    }
  }

  #placeIn(chain: { slots: number[]; positions: number[] }, slot: number): number {
    let at = lowerBound(chain.positions, this.#positionOf[slot] as number)
    while (chain.slots[at] !== slot) at++
    return at
  }

  #link(slot: number): void {
    const chain = this.#sessions.get(this.#sessionOf[slot] as string)
    if (!chain) return
    const at = this.#placeIn(chain, slot)
    for (let k = 1; k <= REACH; k++) {
      const before = chain.slots[at - k] ?? NONE
      ;(this.#before[k - 1] as Int32Array)[slot] = before
      ;(this.#after[k - 1] as Int32Array)[slot] = chain.slots[at + k] ?? NONE
      ;(this.#gates[k - 1] as Float32Array)[slot] = before === NONE ? 0 : this.#relatedness(slot, before)
    }
  }

  #unlink(k: number, slot: number): void {
    ;(this.#before[k - 1] as Int32Array)[slot] = NONE
    ;(this.#after[k - 1] as Int32Array)[slot] = NONE
    ;(this.#gates[k - 1] as Float32Array)[slot] = 0
  }

  #resize(capacity: number): void {
    this.#before = grown(this.#before, () => new Int32Array(capacity).fill(NONE))
    this.#after = grown(this.#after, () => new Int32Array(capacity).fill(NONE))
    this.#gates = grown(this.#gates, () => new Float32Array(capacity))
  }
}

function grown<T extends Int32Array | Float32Array>(old: readonly T[], make: () => T): T[] {
  return Array.from({ length: REACH }, (_, k) => {
    const fresh = make()
    const before = old[k]
    if (before) fresh.set(before)
    return fresh
  })
}

/** First index whose value is not below `value`. */
function lowerBound(sorted: readonly number[], value: number): number {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as number) < value) low = middle + 1
    else high = middle
  }
  return low
}
