import type { PackedIndex, PackedSection } from './columns.ts'
import { Column, packColumn, packNumbers, StringTable, unpackColumn, unpackNumbers } from './columns.ts'

/** A term that repeats more often in one text says nothing more. */
const MOST_REPEATS = 255
/** Postings that come one by one are packed when there are so many of them, and a quarter of what is packed. */
const LEAST_TO_PACK = 16_384
const SHARE_TO_PACK = 4

/** Postings of all terms in three arrays: those of term n lie from `starts[n]` to `starts[n + 1]`, in slot order. */
interface Packed {
  readonly terms: StringTable
  readonly starts: Int32Array<ArrayBuffer>
  readonly slots: Int32Array<ArrayBuffer>
  readonly counts: Uint8Array<ArrayBuffer>
}

const NOTHING: Packed = {
  terms: new StringTable(),
  starts: new Int32Array(1),
  slots: new Int32Array(0),
  counts: new Uint8Array(0),
}

/** Where one term stands, as it lies in memory, for loops that must be quick. Valid until the next change. */
export interface PostingList {
  /** Slots and counts from `start` to `end`; only those count whose slot holds 1 in `holds`. */
  readonly slots: Int32Array
  readonly counts: Uint8Array
  readonly start: number
  readonly end: number
  readonly holds: Uint8Array
  /** More of them: slot → count. */
  readonly recent: ReadonlyMap<number, number> | undefined
}

/**
 * An inverted index of whole texts: term → slots with counts. Most postings are packed, five bytes each; what came
 * lately lies beside them until there is enough to pack again. A slot whose text went or changed is skipped where it is
 * packed.
 */
export class Postings {
  #packed = NOTHING
  /** 1 where the packed postings of a slot still hold. */
  readonly #holds = new Column(Uint8Array)
  readonly #lengths = new Column(Int32Array)
  /** Term → slot → count, and the terms by slot. */
  readonly #recent = new Map<string, Map<number, number>>()
  readonly #recentTerms = new Map<number, ReadonlySet<string>>()
  #recentPostings = 0
  #stalePostings = 0

  /** Number of terms at the slot, repeats counted. */
  lengthOf(slot: number): number {
    return this.#lengths.values[slot] ?? 0
  }

  /** Number of texts with the term. Cost: its postings. */
  frequencyOf(term: string): number {
    const { slots, start, end, holds, recent } = this.find(term)
    let texts = recent?.size ?? 0
    for (let at = start; at < end; at++) texts += holds[slots[at] as number] as number
    return texts
  }

  /** True if the text at a slot holds a term. Cost: the term's postings. */
  has(term: string, slot: number): boolean {
    const { slots, start, end, holds, recent } = this.find(term)
    return recent?.has(slot) === true || (holds[slot] === 1 && slots.subarray(start, end).includes(slot))
  }

  /**
   * The slots of the texts that hold every one of some terms; undefined where there are more than `most`. Cost: the postings of
   * the rarest term, each looked up in those of the others, and no more as soon as there are too many.
   */
  holding(terms: readonly string[], most: number): readonly number[] | undefined {
    const [rarest, ...others] = terms.map((term) => this.find(term)).sort((a, b) => boundOf(a) - boundOf(b))
    const slots: number[] = []
    if (rarest === undefined) return slots
    const { slots: packed, start, end, holds, recent } = rarest
    const take = (slot: number): boolean => {
      if (others.every((list) => holdsAt(list, slot))) slots.push(slot)
      return slots.length <= most
    }
    for (let at = start; at < end; at++) {
      const slot = packed[at] as number
      if (holds[slot] === 1 && !take(slot)) return undefined
    }
    for (const slot of recent?.keys() ?? []) if (!take(slot)) return undefined
    return slots
  }

  /** The places of a term in use; empty where no text holds it. */
  find(term: string): PostingList {
    const { terms, starts, slots, counts } = this.#packed
    const number = terms.find(term)
    return {
      slots,
      counts,
      start: number === undefined ? 0 : (starts[number] as number),
      end: number === undefined ? 0 : (starts[number + 1] as number),
      holds: this.#holds.values,
      recent: this.#recent.get(term),
    }
  }

  /** Cost: its terms, and now and then a pass over all postings; a few nanoseconds a posting on average. */
  set(slot: number, terms: readonly string[]): void {
    this.remove(slot)
    this.#lengths.set(slot, terms.length)
    const distinct = new Set(terms)
    this.#recentTerms.set(slot, distinct)
    this.#recentPostings += distinct.size
    for (const term of terms) this.#count(term, slot)
    const waiting = this.#recentPostings + this.#stalePostings
    if (waiting >= LEAST_TO_PACK && waiting * SHARE_TO_PACK >= this.#packed.slots.length) this.#repack()
  }

  /** Removes the text at a slot; its places in packed lists count no longer. */
  remove(slot: number): void {
    this.#stalePostings += this.#holds.values[slot] === 1 ? this.lengthOf(slot) : 0
    this.#holds.set(slot, 0)
    this.#lengths.set(slot, 0)
    const terms = this.#recentTerms.get(slot)
    if (terms === undefined) return
    this.#recentTerms.delete(slot)
    this.#recentPostings -= terms.size
    for (const term of terms) this.#drop(term, slot)
  }

  /** The sections of the first slots, whose names begin with `name`; packs all lists first. */
  pack(name: string, slots: number): PackedSection[] {
    if (this.#recentPostings + this.#stalePostings > 0) this.#repack()
    const packed = this.#packed
    return [
      ...packed.terms.pack(`${name}-terms`),
      packNumbers(`${name}-starts`, packed.starts),
      packNumbers(`${name}-slots`, packed.slots),
      packNumbers(`${name}-counts`, packed.counts),
      packColumn(`${name}-holds`, this.#holds, slots),
      packColumn(`${name}-lengths`, this.#lengths, slots),
    ]
  }

  /** Fills lists that are still empty from a packed copy. */
  unpack(packed: PackedIndex, name: string, slots: number): void {
    this.#packed = {
      terms: new StringTable(),
      starts: unpackNumbers(packed, `${name}-starts`, Int32Array),
      slots: unpackNumbers(packed, `${name}-slots`, Int32Array),
      counts: unpackNumbers(packed, `${name}-counts`, Uint8Array),
    }
    this.#packed.terms.unpack(packed, `${name}-terms`)
    unpackColumn(packed, `${name}-holds`, this.#holds, slots)
    unpackColumn(packed, `${name}-lengths`, this.#lengths, slots)
  }

  #count(term: string, slot: number): void {
    let counts = this.#recent.get(term)
    if (counts === undefined) {
      counts = new Map()
      this.#recent.set(term, counts)
    }
    counts.set(slot, Math.min(MOST_REPEATS, (counts.get(slot) ?? 0) + 1))
  }

  #drop(term: string, slot: number): void {
    const counts = this.#recent.get(term)
    counts?.delete(slot)
    if (counts?.size === 0) this.#recent.delete(term)
  }

  *#terms(): Generator<string> {
    const { terms } = this.#packed
    for (let number = 0; number < terms.end; number++) yield terms.textOf(number)
    for (const term of this.#recent.keys()) if (terms.find(term) === undefined) yield term
  }

  #repack(): void {
    const terms = new StringTable()
    const most = this.#packed.slots.length + this.#recentPostings
    const slots = new Int32Array(most)
    const counts = new Uint8Array(most)
    const starts: number[] = []
    let at = 0
    for (const term of this.#terms()) {
      const start = at
      eachPosting(this.find(term), (slot, count) => {
        slots[at] = slot
        counts[at++] = count
      })
      if (at === start) continue
      if (this.#recent.has(term)) sortBySlot(slots.subarray(start, at), counts.subarray(start, at))
      terms.set(starts.length, term)
      starts.push(start)
    }
    this.#packed = {
      terms,
      starts: Int32Array.from([...starts, at]),
      slots: slots.slice(0, at),
      counts: counts.slice(0, at),
    }
    for (const slot of this.#recentTerms.keys()) this.#holds.set(slot, 1)
    this.#recent.clear()
    this.#recentTerms.clear()
    this.#recentPostings = 0
    this.#stalePostings = 0
  }
}

/** At least the number of texts in a list. */
function boundOf({ start, end, recent }: PostingList): number {
  return end - start + (recent?.size ?? 0)
}

/** True if a list has a slot. Cost: the logarithm of its length. */
function holdsAt({ slots, start, end, holds, recent }: PostingList, slot: number): boolean {
  if (holds[slot] !== 1) return recent?.has(slot) === true
  let [low, high] = [start, end]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((slots[middle] as number) < slot) low = middle + 1
    else high = middle
  }
  return low < end && slots[low] === slot
}

/** Sorts postings by slot, in which order a pass over them is quickest. */
function sortBySlot(slots: Int32Array, counts: Uint8Array): void {
  if (slots.every((slot, i) => i === 0 || slot > (slots[i - 1] as number))) return
  const order = Array.from(slots, (slot, i) => ({ slot, count: counts[i] as number }))
  order.sort((one, other) => one.slot - other.slot)
  order.forEach(({ slot, count }, i) => {
    slots[i] = slot
    counts[i] = count
  })
}

/** Every text with the term, once, with how often. */
export function eachPosting(
  { slots, counts, start, end, holds, recent }: PostingList,
  visit: (slot: number, count: number) => void,
): void {
  for (let at = start; at < end; at++) {
    const slot = slots[at] as number
    if (holds[slot] === 1) visit(slot, counts[at] as number)
  }
  recent?.forEach((count, slot) => {
    visit(slot, count)
  })
}
