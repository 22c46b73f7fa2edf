/** The shortest text that is looked for, in bytes. */
export const SHORTEST_BYTES = 4
/** Of a longer text its beginning is looked for: it stands wherever the whole does. */
const LONGEST_BYTES = 512
/** Bits of the table that says of four bytes whether anything begins so. */
const FILTER_BITS = 20

/**
 * Finds many texts in bytes in one pass. The texts are sorted by their bytes; four bytes say where those lie that begin
 * so, and most places are passed over by one look into a table of bits. Time is linear in the bytes, times the logarithm
 * of the number of texts where many begin alike.
 */
export class Finder {
  /** The texts looked for, without those that are too short. */
  readonly texts: readonly string[]
  /** Of the longest, in bytes. */
  readonly longest: number
  readonly #bytes: readonly Uint8Array[]
  /** For each the longest other one it begins with; -1 for none. */
  readonly #within: Int32Array
  readonly #filter = new Uint32Array(1 << (FILTER_BITS - 5))
  /** By the first four bytes, the first and the end of those that begin so. */
  readonly #ranges = new Map<number, readonly [first: number, end: number]>()

  constructor(texts: Iterable<string>) {
    const encoder = new TextEncoder()
    const known = [...new Set(texts)]
      .map((text) => ({ text, bytes: encoder.encode(text).subarray(0, LONGEST_BYTES) }))
      .filter(({ bytes }) => bytes.length >= SHORTEST_BYTES)
      .sort((one, other) => compareBytes(one.bytes, other.bytes))
    this.texts = known.map(({ text }) => text)
    this.#bytes = known.map(({ bytes }) => bytes)
    this.longest = this.#bytes.reduce((most, { length }) => Math.max(most, length), 0)
    this.#within = new Int32Array(known.length).fill(-1)
    this.#settle()
  }

  /**
   * Calls `visit` for each text at each place it begins at, from `from` to before `to`; more bytes may follow.
   * The place is passed as well, and the length in bytes.
   */
  scan(
    bytes: Uint8Array,
    { from, to }: { readonly from: number; readonly to: number },
    visit: (text: number, at: number, length: number) => void,
  ): void {
    if (this.texts.length === 0) return
    const last = Math.min(to, bytes.length - SHORTEST_BYTES + 1)
    if (from >= last) return
    const filter = this.#filter
    let key = keyAt(bytes, from)
    for (let at = from; at < last; at += 1) {
      if (at > from) key = (key << 8) | (bytes[at + 3] as number)
      const slot = slotOf(key)
      if (((filter[slot >>> 5] as number) & (1 << (slot & 31))) !== 0) this.#matchesAt(bytes, at, key, visit)
    }
  }

  /** True if any of the texts stands in this one. */
  isIn(text: string): boolean {
    const bytes = new TextEncoder().encode(text)
    let found = false
    this.scan(bytes, { from: 0, to: bytes.length }, () => {
      found = true
    })
    return found
  }

  #matchesAt(
    bytes: Uint8Array,
    at: number,
    key: number,
    visit: (text: number, at: number, length: number) => void,
  ): void {
    const range = this.#ranges.get(key | 0)
    if (range === undefined) return
    // The last text that is not after what stands here; whatever begins here is it, or is what it begins with.
    let [low, high] = range
    while (low < high) {
      const middle = (low + high) >>> 1
      if (isAfter(this.#bytes[middle] as Uint8Array, bytes, at)) high = middle
      else low = middle + 1
    }
    for (let each = low - 1; each >= range[0]; each = this.#within[each] as number) {
      const text = this.#bytes[each] as Uint8Array
      if (beginsAt(text, bytes, at)) visit(each, at, text.length)
    }
  }

  #settle(): void {
    const open: number[] = []
    for (const [each, bytes] of this.#bytes.entries()) {
      while (open.length > 0 && !beginsAt(this.#bytes[open.at(-1) as number] as Uint8Array, bytes, 0))
        open.pop()
      this.#within[each] = open.at(-1) ?? -1
      open.push(each)
      const key = keyAt(bytes, 0)
      const slot = slotOf(key)
      this.#filter[slot >>> 5] = (this.#filter[slot >>> 5] as number) | (1 << (slot & 31))
      this.#ranges.set(key, [this.#ranges.get(key)?.[0] ?? each, each + 1])
    }
  }
}

function keyAt(bytes: Uint8Array, at: number): number {
  const [a, b, c, d] = [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]] as [
    number,
    number,
    number,
    number,
  ]
  return (a << 24) | (b << 16) | (c << 8) | d
}

function slotOf(key: number): number {
  return Math.imul(key, 0x9e3779b1) >>> (32 - FILTER_BITS)
}

function compareBytes(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at += 1) {
    const difference = (one[at] as number) - (other[at] as number)
    if (difference !== 0) return difference
  }
  return one.length - other.length
}

/** True if a text comes, by its bytes, after what stands at a place. */
function isAfter(text: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < text.length; i += 1) {
    const there = bytes[at + i]
    if (there === undefined) return true
    const difference = (text[i] as number) - there
    if (difference !== 0) return difference > 0
  }
  return false
}

function beginsAt(text: Uint8Array, bytes: Uint8Array, at: number): boolean {
  if (at + text.length > bytes.length) return false
  for (let i = 0; i < text.length; i += 1) if (text[i] !== bytes[at + i]) return false
  return true
}
