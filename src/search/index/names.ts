import type { PackedIndex, PackedSection } from '../../ports/index-cache.ts'
import { Column, packColumn, packNumbers, unpackColumn, unpackNumbers } from './columns.ts'

const FIRST_BYTES = 4096
/** UTF-8 of one UTF-16 unit. */
const MOST_UNIT_BYTES = 3

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The names in the text of each slot as they are kept, one text after another in one block of memory: some 75 bytes each. */
export class BlockNames {
  #bytes = new Uint8Array(FIRST_BYTES)
  #used = 0
  /** Bytes of names that went or changed. */
  #stale = 0
  readonly #starts = new Column(Int32Array)
  readonly #lengths = new Column(Int32Array)

  /** The names at a slot; empty where there are none. */
  of(slot: number): string {
    const start = this.#starts.values[slot] ?? 0
    return decoder.decode(this.#bytes.subarray(start, start + (this.#lengths.values[slot] ?? 0)))
  }

  /** Puts names in the place of those at a slot; an empty text removes them. */
  set(slot: number, names: string): void {
    this.remove(slot)
    if (names === '') return
    this.#reserve(names.length * MOST_UNIT_BYTES)
    const { written } = encoder.encodeInto(names, this.#bytes.subarray(this.#used))
    this.#starts.set(slot, this.#used)
    this.#lengths.set(slot, written)
    this.#used += written
  }

  /** Removes the names at a slot; none of their bytes stay. */
  remove(slot: number): void {
    const length = this.#lengths.values[slot] ?? 0
    if (length === 0) return
    const start = this.#starts.values[slot] as number
    this.#bytes.fill(0, start, start + length)
    this.#lengths.set(slot, 0)
    this.#stale += length
  }

  /** The sections of the first slots; bytes of names that went are left out. */
  pack(slots: number): PackedSection[] {
    if (this.#stale > 0) this.#refresh(slots, this.#used)
    // Slots behind the last one with a name were never set.
    for (const column of [this.#starts, this.#lengths]) column.reserve(slots)
    return [
      packNumbers('names-bytes', this.#bytes.subarray(0, this.#used)),
      packColumn('names-starts', this.#starts, slots),
      packColumn('names-lengths', this.#lengths, slots),
    ]
  }

  /** Fills names that are still empty. */
  unpack(packed: PackedIndex, slots: number): void {
    this.#bytes = unpackNumbers(packed, 'names-bytes', Uint8Array)
    this.#used = this.#bytes.length
    unpackColumn(packed, 'names-starts', this.#starts, slots)
    unpackColumn(packed, 'names-lengths', this.#lengths, slots)
  }

  #reserve(more: number): void {
    if (this.#used + more <= this.#bytes.length) return
    const live = this.#used - this.#stale
    this.#refresh(this.#lengths.values.length, (live + more) * 2)
  }

  /** Moves what is there into room of its own, without gaps. */
  #refresh(slots: number, room: number): void {
    const bytes = new Uint8Array(room)
    let used = 0
    for (let slot = 0; slot < slots; slot++) {
      const length = this.#lengths.values[slot] ?? 0
      if (length === 0) continue
      const start = this.#starts.values[slot] as number
      bytes.set(this.#bytes.subarray(start, start + length), used)
      this.#starts.set(slot, used)
      used += length
    }
    this.#bytes = bytes
    this.#used = used
    this.#stale = 0
  }
}

/** Constants of the step through names; `RANKING` has the values. */
export interface NameStepOptions {
  readonly throughNames: number
  readonly throughNamesShare: number
  readonly throughNamesCap: number
}

/** A place in a ranking. */
export interface Placed {
  readonly slot: number
  readonly rank: number
}

/** The gain of a slot by a name that it shares with a better one. */
export interface NameGain {
  /** Added to its rank, above 0. */
  readonly amount: number
  /** The slot that led to it. */
  readonly from: number
  /** The words of the name. */
  readonly terms: readonly string[]
}

/** The input of the step. */
interface NameLookUp {
  /** Number of blocks. */
  readonly blocks: number
  /** The comparable words of the question. */
  readonly question: ReadonlySet<string>
  /** The words of each name at a slot. */
  readonly namesAt: (slot: number) => readonly (readonly string[])[]
  /** A slot of each block that holds all words of a name; undefined if they are more than `most`. */
  readonly holding: (terms: readonly string[], most: number) => readonly number[] | undefined
  /** Loneliness of a slot times the weight of one word in a text of its length, 0..1. */
  readonly shareAt: (slot: number) => number
  /** The rank of a slot by the question alone; undefined where it may not be found. Asked at most once a slot. */
  readonly rankAt: (slot: number) => number | undefined
  /** Ranks above this one are looked for. */
  readonly least: number
  /** Upper limit of the rank of a slot, cheaper than the rank. */
  readonly mostAt: (slot: number) => number
}

/** A name that this many blocks hold may lead on in any store. */
const FEWEST_HOLDERS = 3
/** A name that only one block holds leads nowhere. */
const FEWEST_SHARED = 2

/** The best name that leads to a slot. */
interface Link {
  readonly terms: readonly string[]
  /** Rarity of the name, 0..1. */
  readonly worth: number
}

/**
 * The second step: the names of the best match that the question does not give lead to the blocks that share them, as far as these have
 * no words of neighbours. A gain never brings a block past the cap times the rank of the best.
 *
 *     gain(b) = min(r(b) + throughNames · share(b) · v(b), cap · r(1)) − r(b)
 *     v(b)    = ln(1 + (N − h + ½)/(h + ½)) / ln(1 + N)     the best of all names
 *
 * where h, 2 to max(3, share · N), is the number of blocks that hold all words of the name. No content is read.
 *
 * @param ranked best first
 * @returns the gains by slot
 */
export function throughNames(
  [best]: readonly Placed[],
  look: NameLookUp,
  options: NameStepOptions,
): ReadonlyMap<number, NameGain> {
  const gains = new Map<number, NameGain>()
  if (best === undefined || best.rank <= 0) return gains
  for (const [slot, { worth, terms }] of linksFrom(best.slot, look, options)) {
    const amount = options.throughNames * look.shareAt(slot) * worth
    if (!(amount > 0) || look.mostAt(slot) + amount <= look.least) continue
    const rank = look.rankAt(slot)
    if (rank === undefined) continue
    const raised = Math.min(rank + amount, options.throughNamesCap * best.rank)
    if (raised > rank && raised > look.least)
      gains.set(slot, { amount: raised - rank, from: best.slot, terms })
  }
  return gains
}

/** The best name that leads from a slot to each other one. */
function linksFrom(
  from: number,
  { namesAt, question, holding, blocks }: NameLookUp,
  { throughNames: weight, throughNamesShare }: NameStepOptions,
): ReadonlyMap<number, Link> {
  const links = new Map<number, Link>()
  if (weight === 0) return links
  const most = Math.max(FEWEST_HOLDERS, Math.floor(throughNamesShare * blocks))
  for (const terms of namesAt(from)) {
    if (terms.every((term) => question.has(term))) continue
    const holders = holding(terms, most) ?? []
    const worth = rarity(holders.length, blocks)
    if (holders.length < FEWEST_SHARED) continue
    for (const slot of holders)
      if (slot !== from && worth > (links.get(slot)?.worth ?? 0)) links.set(slot, { terms, worth })
  }
  return links
}

/** Rarity of a name by the number of blocks that hold it, 0..1: its idf as a share of the greatest possible one. */
function rarity(holders: number, blocks: number): number {
  return Math.log(1 + (blocks - holders + 0.5) / (holders + 0.5)) / Math.log(1 + blocks)
}
