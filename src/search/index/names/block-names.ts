import type { PackedIndex, PackedSection } from '../../../ports/index-cache.ts'
import { Column, packColumn, packNumbers, unpackColumn, unpackNumbers } from '../column.ts'

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

  /** Of names that went no byte stays. */
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
