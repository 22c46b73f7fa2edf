import type { PackedIndex, PackedSection } from './columns.ts'
import { Column, packNumbers, unpackNumbers } from './columns.ts'

/** Constants of the ranking; the recipe and its ablations are in docs/retrieval.md. */
export const RANKING = {
  /** Share of the reachable BM25 that already counts as full. */
  lexicalNorm: 0.5,
  /** Exponent of a share that rests on one word of three or more: chance words lift nothing above a similarity. */
  loneWordExponent: 2,
  /** Words of a question below which its words say (n + 1) / (this + 1) of their share. */
  fullWords: 4,
  /** Share less that words say for each e-fold of blocks: in a large store some block shares a word by chance. */
  wordsSizeLoss: 0.03,
  /** Exponent of the mean of both signals; lets one strong signal carry a match. */
  powerMean: 1.5,
  /** Sum of lexicalWindow times relatedness from which a block is not alone at all. */
  lentEnough: 0.5,
  /** Rank score that a name shared with the best match adds at most to a block without words of neighbours. */
  throughNames: 0.25,
  /** Least number of blocks of a store whose shares tell something: among fewer, a name that few of them have is not rare. */
  fewestBlocks: 50,
  /** Share of blocks in which a name tells nothing, if it is in more than three. */
  throughNamesShare: 0.01,
  /** Share of the best rank that a name brings at most; without it hit@1 on notes falls. */
  throughNamesCap: 0.95,
  /** Rank score of a block whose source the question names. */
  sourceWeight: 0.08,
  /** Rank score that a block loses that asks: it is rarely the answer. */
  questionPenalty: 0.05,
  /** Rank score of a block that speaks of a time, if the question asks when. */
  whenBonus: 0.07,
  /** Rank score that a block loses for each e-fold of its passages: the best of many is high by chance. */
  chanceLoss: 0.03,
  /** Rank score of a standing instruction, which has few words of the situations that it is for. */
  standingBonus: 0.1,
  /** Rank score of a stated preference. */
  preferenceBonus: 0.04,
  /** Rank score that a look-alike loses, times the difference of the squared shares of the words asked. */
  lookAlikePenalty: 0.2,
  /** Cosine from which two blocks of one lexical share look alike. */
  lookAlikeCosine: 0.5,
  /** Share of blocks above which a capitalised word is left out of the embedded question. */
  nameShare: 0.1,
  /** Cosine below which neighbours share no words. */
  gateFloor: 0.1,
  /** Cosine from the floor to the full share. */
  gateWidth: 0.2,
  /** Weights of the words 3, 2, 1 before and 1, 2 after a block in its session, times how related they are. */
  lexicalWindow: [0.2, 0.4, 0.6, 0.4, 0.25],
  /** Weights of the cosines 2, 1 before and 1, 2 after a block, times how related they are. */
  vectorWindow: [0.2, 0.2, 0.1, 0.1],
  /** True: a block is found by its date in words. */
  dateWords: true,
}

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

/** The properties of slots that decide how much one takes of a neighbour. */
interface Sharing {
  /** Cosine of two slots, -1..1. */
  readonly cosine: (a: number, b: number) => number
  /** Number of terms in the text of a slot. */
  readonly termsOf: (slot: number) => number
  /** Returns true if a slot has a source, as turns of a talk have. */
  readonly isSaid: (slot: number) => boolean
  /** Returns true if two slots are passages of one block. */
  readonly isOneBlock: (a: number, b: number) => boolean
}

/** The places before a slot that are far from it, the fewest and the most slots by which a session is judged, and the least nearness. */
const TALK = { farFrom: 8, farTo: 11, fewest: 4, most: 64, nearness: 0.085 }

/** A text of more terms, some 30 words, needs less of its neighbours. */
const ENOUGH_TERMS = 18

/**
 * The order of slots within their sessions, and how much each takes of its neighbours, need · relatedness: a list linked both ways a
 * session. Blocks without a source take something in a talk alone: a session in which neighbours are more alike than blocks far apart.
 * The shares around changed places are computed once, in `settle`.
 */
export class SessionChains {
  readonly #sharing: Sharing
  readonly #session = new Column(Int32Array, NONE)
  readonly #position = new Column(Int32Array)
  readonly #before = new Column(Int32Array, NONE)
  readonly #after = new Column(Int32Array, NONE)
  /** Shares taken of the slots 1, 2 and 3 before, and of those 1 and 2 after. */
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
    const [before, after] = [walk(this.#before.values, slot, 1), walk(this.#after.values, slot, 1)]
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

  /** Returns the sections of the first slots; expects `settle` to have run. */
  pack(slots: number): PackedSection[] {
    const talks = packNumbers('talks', this.#isTalk.values)
    return [...this.#named().map(([name, column]) => column.pack(name, slots)), talks]
  }

  /** Fills chains that are still empty. */
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

  /** Marks everything within reach of a slot, which sees other neighbours now. */
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
 * Cosines that lean on their neighbours in the session: (c + Σ w·g·c′) / (1 + Σ w·g), g being the share that a slot
 * takes of the neighbour. Normalised, so that an isolated block loses nothing.
 */
export function windowedCosines(
  cosines: Float32Array,
  { before, after, back, ahead }: ChainColumns,
): Float32Array<ArrayBuffer> {
  const window = RANKING.vectorWindow.map((weight) => weight / GATE_ONE)
  const [back2 = 0, back1 = 0, ahead1 = 0, ahead2 = 0] = window
  const sides = [
    { links: before, shares: back, weights: [back1, back2] },
    { links: after, shares: ahead, weights: [ahead1, ahead2] },
  ]
  const answer = new Float32Array(cosines.length)
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
