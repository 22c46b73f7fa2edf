/** Texts of fewer bytes are not looked for, because they stand in any file by chance. */
const SHORTEST_BYTES = 8
/** The beginning of a longer text is looked for. SQLite keeps so much of a row in one piece. */
const LONGEST_BYTES = 256
/** Size of the table that says whether any text has these first four bytes. */
const FILTER_BITS = 16

/** Finds many texts in bytes in one pass. */
export class Finder {
  /** The length of the longest one, in bytes. */
  readonly longest: number
  readonly #byBeginning = new Map<number, { readonly text: string; readonly bytes: Uint8Array }[]>()
  readonly #filter = new Uint8Array(1 << FILTER_BITS)

  constructor(texts: Iterable<string>) {
    let longest = 0
    const encoder = new TextEncoder()
    for (const text of new Set(texts)) {
      const bytes = encoder.encode(text).subarray(0, LONGEST_BYTES)
      if (bytes.length < SHORTEST_BYTES) continue
      longest = Math.max(longest, bytes.length)
      const key = keyAt(bytes, 0)
      this.#filter[slotOf(key)] = 1
      const others = this.#byBeginning.get(key)
      if (others === undefined) this.#byBeginning.set(key, [{ text, bytes }])
      else others.push({ text, bytes })
    }
    this.longest = longest
  }

  /** Calls `visit` for each text at each place where it begins, up to before `end`; more bytes may follow. */
  scan(bytes: Uint8Array, end: number, visit: (text: string) => void): void {
    const last = Math.min(end, bytes.length - SHORTEST_BYTES + 1)
    if (this.longest === 0 || last <= 0) return
    let key = keyAt(bytes, 0)
    for (let at = 0; at < last; at += 1) {
      if (at > 0) key = (key << 8) | (bytes[at + 3] as number)
      if (this.#filter[slotOf(key)] === 0) continue
      for (const each of this.#byBeginning.get(key) ?? [])
        if (beginsAt(each.bytes, bytes, at)) visit(each.text)
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

function beginsAt(text: Uint8Array, bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < text.length; i += 1) if (text[i] !== bytes[at + i]) return false
  return true
}
