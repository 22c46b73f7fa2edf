/** Texts of fewer bytes are not looked for, because they stand in any file by chance. */
const SHORTEST_BYTES = 8
/** A longer text is looked for in pieces of 24 to so many characters, since a database may break it anywhere. */
const PIECE = /.{1,128}/gsu
const PIECE_LEAST = 24
/** Size of the table that says whether any text has these first four bytes. */
const FILTER_BITS = 16

/**
 * Returns pieces of a text that stand the same in a database and in JSON, which escapes what is between them: all that are long
 * enough to stand for the text, or else the longest.
 */
export function piecesOf(text: string): string[] {
  const all = text.split(/["\\\p{Cc}]+/u).flatMap((part) => part.match(PIECE) ?? [])
  const long = all.filter(({ length }) => length >= PIECE_LEAST)
  return long.length > 0 ? long : all.sort((one, other) => other.length - one.length).slice(0, 1)
}

/** Finds many texts in bytes in one pass. The time for each byte grows with the number of texts that begin with the same 8 bytes. */
export class Finder {
  /** The length of the longest one, in bytes. */
  readonly longest: number
  /** The texts by their first eight bytes. */
  readonly #byBeginning = new Map<bigint, { readonly text: string; readonly bytes: Uint8Array }[]>()
  readonly #filter = new Uint8Array(1 << FILTER_BITS)

  constructor(texts: Iterable<string>) {
    const encoder = new TextEncoder()
    let longest = 0
    for (const text of new Set(texts)) {
      const bytes = encoder.encode(text)
      if (bytes.length < SHORTEST_BYTES) continue
      const view = new DataView(bytes.buffer)
      const key = view.getBigUint64(0)
      this.#filter[slotOf(view.getInt32(0))] = 1
      this.#byBeginning.set(key, [...(this.#byBeginning.get(key) ?? []), { text, bytes }])
      longest = Math.max(longest, bytes.length)
    }
    this.longest = longest
  }

  /** Calls `visit` for each text at each place where it begins, up to before `end`; more bytes may follow. */
  scan(bytes: Uint8Array, end: number, visit: (text: string) => void): void {
    const last = Math.min(end, bytes.length - SHORTEST_BYTES + 1)
    if (this.longest === 0 || last <= 0) return
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    let beginning = view.getInt32(0)
    for (let at = 0; at < last; at += 1) {
      if (at > 0) beginning = (beginning << 8) | (bytes[at + 3] as number)
      if (this.#filter[slotOf(beginning)] === 0) continue
      for (const each of this.#byBeginning.get(view.getBigUint64(at)) ?? [])
        if (each.bytes.every((byte, i) => bytes[at + i] === byte)) visit(each.text)
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

function slotOf(beginning: number): number {
  return Math.imul(beginning, 0x9e3779b1) >>> (32 - FILTER_BITS)
}
