import { Column, type PackedIndex, type PackedSection, packNumbers, unpackNumbers } from './columns.ts'

/** Constants of the ranking; the recipe and its ablations are in docs/retrieval.md. */
export const RANKING = {
  /** Part of the reachable BM25 that already counts as full. */
  lexicalNorm: 0.5,
  /** Exponent of a share that rests on one word of three or more, so that chance words lift nothing above a similarity. */
  loneWordExponent: 2,
  /** Fewest words of a question that have their full weight; n words of fewer have (n + 1) / (this + 1) of it. */
  fullWords: 4,
  /** Loss of weight of words for each e-fold of blocks: in a large store some block shares a word by chance. */
  wordsSizeLoss: 0.03,
  /** Exponent of the mean of both signals; lets one strong signal carry a match. */
  powerMean: 1.5,
  /** Sum of `lexicalWindow` times relatedness from which a block is not lonely at all. */
  lentEnough: 0.5,
  /** The greatest rank score that a name shared with the best match adds to a block without words of neighbours. */
  throughNames: 0.25,
  /** Fewest blocks of a store whose shares mean something: among fewer, a name that few blocks have is not rare. */
  fewestBlocks: 50,
  /** Share of blocks above which a name that more than three blocks have is not rare. */
  throughNamesShare: 0.01,
  /** Share of the best rank up to which a name may raise another; without this cap hit@1 on notes falls. */
  throughNamesCap: 0.95,
  /** Rank score of a block whose source the question names. */
  sourceWeight: 0.08,
  /** Rank score that a block loses if it asks something: such a block is rarely the answer. */
  questionPenalty: 0.05,
  /** Rank score of a block that speaks of a time, if the question asks when. */
  whenBonus: 0.07,
  /** Rank score that a block loses for each e-fold of its passages: the best of many passages is high by chance. */
  chanceLoss: 0.03,
  /** Rank score of a standing instruction, which shares few words with the situations that it is for. */
  standingBonus: 0.1,
  /** Rank score of a stated preference. */
  preferenceBonus: 0.04,
  /** Rank score that a look-alike loses, times the difference of the squared coverages of the question's words. */
  lookAlikePenalty: 0.2,
  /** Least cosine of two blocks that look alike, if their lexical shares are equal. */
  lookAlikeCosine: 0.5,
  /** Share of blocks with a capitalised word above which the embedded question leaves the word out. */
  nameShare: 0.1,
  /** Cosine up to which neighbours lend no words. */
  gateFloor: 0.1,
  /** Difference of cosine between the floor and the full share. */
  gateWidth: 0.2,
  /** Weights of words lent by the blocks 3, 2, 1 before and 1, 2 after in the session, each times relatedness. */
  lexicalWindow: [0.2, 0.4, 0.6, 0.4, 0.25],
  /** Weights of the cosines of the blocks 2, 1 before and 1, 2 after in the session, each times relatedness. */
  vectorWindow: [0.2, 0.2, 0.1, 0.1],
  /** True: words of its date find a block, too. */
  dateWords: true,
}

/** Relatedness is counted in whole steps of 1/1024, so that sums of it are exact in any order. */
export const GATE_ONE = 1024

const NONE = -1

/** Chain columns are raw columns for loops over all slots, valid until the next change. */
export interface ChainColumns {
  /** The slot just before a slot in the session, or -1. */
  readonly before: Int32Array
  /** The slot just after a slot in the session, or -1. */
  readonly after: Int32Array
  /** Element k - 1 has the share that a slot takes of the slot k places before it, in steps of 1/`GATE_ONE`. */
  readonly back: readonly Uint16Array[]
  /** Element k - 1 has the share that a slot takes of the slot k places after it. */
  readonly ahead: readonly Uint16Array[]
}

/** The properties of slots that decide which share a slot takes of a neighbour. */
interface Sharing {
  /** Returns the cosine of two slots, -1..1. */
  readonly cosine: (a: number, b: number) => number
  /** Returns the number of terms in the text of a slot. */
  readonly termsOf: (slot: number) => number
  /** Returns true if a slot has a source, as turns of a talk have. */
  readonly isSaid: (slot: number) => boolean
  /** Returns true if two slots are passages of one block. */
  readonly isOneBlock: (a: number, b: number) => boolean
}

/** The places before a slot that are far from it, the fewest and the most slots by which a session is judged, and the least nearness. */
const TALK = { farFrom: 8, farTo: 11, fewest: 4, most: 64, nearness: 0.085 }

/** Terms of a text, some 30 words, above which it needs less of its neighbours. */
const ENOUGH_TERMS = 18

/**
 * Session chains link slots in both directions within their sessions, and know the share that each slot takes of its neighbours, need ·
 * relatedness. Blocks without a source take something in a talk alone: a session in which neighbours are more alike than blocks far apart.
 * `settle` computes the shares around changed places once.
 */
export class SessionChains {
  readonly #sharing: Sharing
  readonly #session = new Column(Int32Array, NONE)
  readonly #position = new Column(Int32Array)
  readonly #before = new Column(Int32Array, NONE)
  readonly #after = new Column(Int32Array, NONE)
  /** Shares that slots take of the slots 1, 2 and 3 before; `ahead` has those of the slots 1 and 2 after. */
  readonly #back = [1, 2, 3].map(() => new Column(Uint16Array))
  readonly #ahead = [1, 2].map(() => new Column(Uint16Array))
  /** The last slot of each session. */
  readonly #last = new Column(Int32Array, NONE)
  /** 1 for each session that is a talk, though nobody is said to speak. */
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

  sessionOf(slot: number): number {
    return this.#session.values[slot] ?? NONE
  }

  /** Returns the position of a slot in its session, as it was added. */
  positionOf(slot: number): number {
    return this.#position.values[slot] as number
  }

  /** Puts a slot into its place in a session. Cost: the blocks that come after it in the session, usually none. */
  add(slot: number, session: number, position: number): void {
    if (this.sessionOf(slot) !== session || this.positionOf(slot) !== position) {
      this.remove(slot)
      this.#insert(slot, session, position)
    }
    this.#touch(slot)
  }

  /** Takes a slot out of its session and links its neighbours; does nothing if the slot is in no session. */
  remove(slot: number): void {
    const session = this.sessionOf(slot)
    if (session === NONE) return
    this.#touch(slot)
    this.#dirty.delete(slot)
    const [before, after] = [walk(this.#before.values, slot, 1), walk(this.#after.values, slot, 1)]
    if (before !== NONE) this.#after.set(before, after)
    if (after === NONE) this.#last.set(session, before)
    else this.#before.set(after, before)
    for (const column of [this.#session, this.#before, this.#after]) column.set(slot, NONE)
    for (const share of [...this.#back, ...this.#ahead]) share.set(slot, 0)
  }

  /** Brings shares up to date; returns the slots whose neighbours changed. */
  settle(): number[] {
    for (const session of this.#dirtySessions) this.#judge(session)
    this.#dirtySessions.clear()
    const changed = [...this.#dirty]
    for (const slot of changed) this.#relate(slot)
    this.#dirty.clear()
    return changed
  }

  /** Returns the sections of the first slots; the chains must be settled. */
  pack(slots: number): PackedSection[] {
    const talks = packNumbers('talks', this.#isTalk.values)
    return [...this.#named().map(([name, column]) => column.pack(name, slots)), talks]
  }

  unpack(packed: PackedIndex): void {
    for (const [name, column] of this.#named()) column.unpack(packed, name)
    this.#isTalk.values = unpackNumbers(packed, 'talks', Uint8Array)
    for (const [slot, session] of this.#session.values.entries())
      if (session !== NONE && this.#after.values[slot] === NONE) this.#last.set(session, slot)
  }

  #named() {
    return Object.entries({
      sessions: this.#session,
      positions: this.#position,
      before: this.#before,
      after: this.#after,
      ...Object.fromEntries([...this.#back, ...this.#ahead].map((share, i) => [`share-${i}`, share])),
    })
  }

  #insert(slot: number, session: number, position: number): void {
    let after = NONE
    let before = this.#last.values[session] ?? NONE
    while (before !== NONE && this.positionOf(before) > position) {
      after = before
      before = this.#before.values[before] as number
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

  /** Marks a slot and the slots within reach of it, whose neighbours change. */
  #touch(slot: number): void {
    this.#dirty.add(slot)
    this.#dirtySessions.add(this.sessionOf(slot))
    for (let k = 1; k <= this.#back.length; k++)
      for (const links of [this.#before.values, this.#after.values]) {
        const near = walk(links, slot, k)
        if (near !== NONE) this.#dirty.add(near)
      }
  }

  /** Decides whether a session is a talk; all its slots are related anew if that changed. Cost: a few cosines for each slot looked at. */
  #judge(session: number): void {
    const last = this.#last.values[session] ?? NONE
    const found: number[] = []
    for (
      let at = last, looked = 0;
      at !== NONE && looked < TALK.most;
      at = walk(this.#before.values, at, 1), looked++
    )
      found.push(...this.#nearnessOf(at))
    const mean = found.reduce((sum, each) => sum + each, 0) / found.length
    const isTalk = Number(found.length >= TALK.fewest && mean >= TALK.nearness)
    if (isTalk === (this.#isTalk.values[session] ?? 0)) return
    this.#isTalk.set(session, isTalk)
    for (let at = last; at !== NONE; at = walk(this.#before.values, at, 1)) this.#dirty.add(at)
  }

  /** Returns the cosine of a slot with the one before it, minus the mean with those far before it; empty where nothing is compared. */
  #nearnessOf(slot: number): readonly number[] {
    const { cosine, isSaid, isOneBlock } = this.#sharing
    const before = walk(this.#before.values, slot, 1)
    if (before === NONE || isSaid(slot) || isOneBlock(slot, before)) return []
    const far: number[] = []
    for (let k = TALK.farFrom, at = walk(this.#before.values, slot, k); k <= TALK.farTo && at !== NONE; k++) {
      far.push(cosine(slot, at))
      at = walk(this.#before.values, at, 1)
    }
    const mean = far.reduce((sum, each) => sum + each, 0) / far.length
    return far.length === 0 ? [] : [cosine(slot, before) - mean]
  }

  /** Computes the shares that a slot takes: GATE_ONE · need · clip((cosine − gateFloor) / gateWidth, 0, 1) of each neighbour. */
  #relate(slot: number): void {
    const { cosine, termsOf, isSaid, isOneBlock } = this.#sharing
    const isTalk = this.#isTalk.values[this.sessionOf(slot)] === 1
    const mayTake = (at: number) => isTalk || isOneBlock(slot, at) || (isSaid(slot) && isSaid(at))
    const { gateFloor, gateWidth } = RANKING
    const most = GATE_ONE * Math.min(1, ENOUGH_TERMS / Math.max(1, termsOf(slot)))
    const set = (columns: readonly Column<Uint16Array<ArrayBuffer>>[], links: Int32Array): void => {
      let at = slot
      for (const column of columns) {
        at = walk(links, at, 1)
        const isRelated = at !== NONE && mayTake(at)
        const related = isRelated ? Math.min(1, Math.max(0, (cosine(slot, at) - gateFloor) / gateWidth)) : 0
        column.set(slot, Math.round(most * related))
      }
    }
    set(this.#back, this.#before.values)
    set(this.#ahead, this.#after.values)
  }
}

/** Returns the slot some steps along the links, or -1. */
function walk(links: Int32Array, slot: number, steps: number): number {
  let at = slot
  for (let k = 0; k < steps && at !== NONE; k++) at = links[at] ?? NONE
  return at
}

/**
 * Returns cosines that lean on their neighbours in the session: (c + Σ w·g·c′) / (1 + Σ w·g), g being the share that a slot
 * takes of the neighbour. They are normalised, so that an isolated block loses nothing.
 */
export function windowedCosines(
  cosines: Float32Array,
  { before, after, back, ahead }: ChainColumns,
): Float32Array<ArrayBuffer> {
  const [back2 = 0, back1 = 0, ahead1 = 0, ahead2 = 0] = RANKING.vectorWindow
  const sums = new Float64Array(cosines)
  const totals = new Float64Array(cosines.length).fill(1)
  const lean = (
    links: Int32Array,
    shares: Uint16Array | undefined,
    weight: number,
    isSecond: boolean,
  ): void => {
    if (shares === undefined) return
    const perStep = weight / GATE_ONE
    for (let slot = 0; slot < cosines.length; slot++) {
      const next = links[slot] as number
      const at = isSecond && next >= 0 ? (links[next] as number) : next
      if (at < 0) continue
      const share = perStep * (shares[slot] as number)
      sums[slot] = (sums[slot] as number) + share * (cosines[at] as number)
      totals[slot] = (totals[slot] as number) + share
    }
  }
  lean(before, back[0], back1, false)
  lean(before, back[1], back2, true)
  lean(after, ahead[0], ahead1, false)
  lean(after, ahead[1], ahead2, true)
  const answer = new Float32Array(cosines.length)
  for (let slot = 0; slot < answer.length; slot++)
    answer[slot] = (sums[slot] as number) / (totals[slot] as number)
  return answer
}
