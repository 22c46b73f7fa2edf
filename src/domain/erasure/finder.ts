/** Texts of fewer bytes are not looked for, because they stand in any file by chance. */
const SHORTEST_BYTES = 8
/** A longer text is looked for by its beginning. SQLite keeps this much of a row in one piece. */
const LONGEST_BYTES = 256
/** Size of the table that says whether any text has these first four bytes. */
const FILTER_BITS = 16

/** A text that is looked for. */
interface Wanted {
  readonly text: string
  readonly bytes: Uint8Array
  /** The longest other text that this one begins with. */
  readonly within: Wanted | undefined
}

/** Returns as much of a text as is looked for: its whole characters within the first 256 bytes. */
export function beginningOf(text: string): string {
  const bytes = new TextEncoder().encode(text.slice(0, LONGEST_BYTES)).subarray(0, LONGEST_BYTES)
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true })
}

/** Finds many texts in bytes in one pass. The time for each byte grows with the logarithm of their number, also if they begin alike. */
export class Finder {
  /** The length of the longest one, in bytes. */
  readonly longest: number
  /** The texts by their first four bytes, in the order of their bytes. */
  readonly #byBeginning = new Map<number, Wanted[]>()
  readonly #filter = new Uint8Array(1 << FILTER_BITS)

  constructor(texts: Iterable<string>) {
    const encoder = new TextEncoder()
    const all = [...new Set(texts)]
      .map((text) => ({ text, bytes: encoder.encode(text) }))
      .filter(({ bytes }) => bytes.length >= SHORTEST_BYTES)
      .sort((one, other) => compareAt(one.bytes, other.bytes, 0) || one.bytes.length - other.bytes.length)
    this.longest = all.reduce((most, { bytes }) => Math.max(most, bytes.length), 0)
    let last: Wanted | undefined
    for (const each of all) {
      while (last !== undefined && compareAt(last.bytes, each.bytes, 0) !== 0) last = last.within
      last = { ...each, within: last }
      const key = keyAt(each.bytes, 0)
      this.#filter[slotOf(key)] = 1
      const others = this.#byBeginning.get(key)
      if (others === undefined) this.#byBeginning.set(key, [last])
      else others.push(last)
    }
  }

  /** Calls `visit` for each text at each place where it begins, up to before `end`; more bytes may follow. */
  scan(bytes: Uint8Array, end: number, visit: (text: string) => void): void {
    const last = Math.min(end, bytes.length - SHORTEST_BYTES + 1)
    if (this.longest === 0 || last <= 0) return
    let key = keyAt(bytes, 0)
    for (let at = 0; at < last; at += 1) {
      if (at > 0) key = (key << 8) | (bytes[at + 3] as number)
      if (this.#filter[slotOf(key)] === 0) continue
      let each = lastNotAfter(this.#byBeginning.get(key) ?? [], bytes, at)
      for (; each !== undefined; each = each.within)
        if (compareAt(each.bytes, bytes, at) === 0) visit(each.text)
    }
  }

  /** Returns those of the texts that stand in this one. */
  standingIn(text: string): Set<string> {
    const found = new Set<string>()
    const bytes = new TextEncoder().encode(text)
    this.scan(bytes, bytes.length, (each) => found.add(each))
    return found
  }
}

function keyAt(bytes: Uint8Array, at: number): number {
  return new DataView(bytes.buffer, bytes.byteOffset + at, 4).getInt32(0)
}

function slotOf(key: number): number {
  return Math.imul(key, 0x9e3779b1) >>> (32 - FILTER_BITS)
}

/** Returns the last of sorted texts that is not after the bytes at a place. Each text that begins there is it, or one it begins with. */
function lastNotAfter(sorted: readonly Wanted[], bytes: Uint8Array, at: number): Wanted | undefined {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareAt((sorted[middle] as Wanted).bytes, bytes, at) > 0) high = middle
    else low = middle + 1
  }
  return sorted[low - 1]
}

/** Compares a text with the bytes at a place: 0 if it begins there, above 0 if it comes after them, else below 0. */
function compareAt(text: Uint8Array, bytes: Uint8Array, at: number): number {
  for (let i = 0; i < text.length; i += 1) {
    const there = bytes[at + i]
    if (there === undefined) return 1
    if (text[i] !== there) return (text[i] as number) - there
  }
  return 0
}
