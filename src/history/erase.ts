/** This interface erases from the files of a memory what its rows do not have any more. Each function may run again. */
export interface ErasingFiles {
  /** Returns the memory's own files that hold one of the texts; texts in the structure of the database do not count. */
  own(texts: readonly string[]): Promise<readonly string[]>
  /**
   * Returns the copies that hold one of the texts, or cannot be read.
   * @param known paths of copies at other places, which nothing deletes
   */
  copies(texts: readonly string[], known: readonly string[]): Promise<FoundCopies>
  /** Removes free pages, the log, packed indexes and the copies. Returns false if a process still reads an older state. */
  purge(copies: readonly string[]): Promise<boolean>
}

/** Backups and exports that hold the sought texts, beside the memory and at other places. */
interface FoundCopies {
  readonly beside: readonly string[]
  readonly elsewhere: readonly string[]
}

/** Key of `meta` that is present while an erasing is not finished. */
export const UNFINISHED_ERASING = 'unfinished_erasing'

/** Key of `meta` with the paths of copies that were made elsewhere, as a JSON list. */
export const COPIES_ELSEWHERE = 'copies_elsewhere'

/** Fewest bytes of a text that is searched for; shorter ones stand in any file by chance. */
const SHORTEST_BYTES = 8
/** Bits of a slot in the filter that says whether any text begins with four given bytes. */
const FILTER_BITS = 16

/**
 * Returns pieces of a text that a database and JSON hold unchanged, since JSON escapes the signs between them: all pieces that are long
 * enough to identify the text, or else only the longest. No piece has more than 128 characters, because a database may split a text.
 */
export function piecesOf(text: string): string[] {
  const all = text.split(/["\\\p{Cc}]+/u).flatMap((part) => part.match(/.{1,128}/gsu) ?? [])
  const long = all.filter(({ length }) => length >= 24)
  return long.length > 0 ? long : all.sort((one, other) => other.length - one.length).slice(0, 1)
}

/** A finder searches bytes for many texts in one pass. The time for a byte grows with the texts that share their first 8 bytes. */
export class Finder {
  /** The length of the longest text, in bytes. */
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

  /** Yields a text at each place before `end` where it begins; `bytes` may go on behind `end`. */
  *scan(bytes: Uint8Array, end = bytes.length): Generator<string> {
    const last = Math.min(end, bytes.length - SHORTEST_BYTES + 1)
    if (this.longest === 0 || last <= 0) return
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    let beginning = view.getInt32(0)
    for (let at = 0; at < last; at += 1) {
      if (at > 0) beginning = (beginning << 8) | (bytes[at + 3] as number)
      if (this.#filter[slotOf(beginning)] === 0) continue
      for (const each of this.#byBeginning.get(view.getBigUint64(at)) ?? [])
        if (each.bytes.every((byte, i) => bytes[at + i] === byte)) yield each.text
    }
  }

  /** Returns the texts of this finder that a text contains. */
  standingIn(text: string): Set<string> {
    return new Set(this.scan(new TextEncoder().encode(text)))
  }
}

function slotOf(beginning: number): number {
  return Math.imul(beginning, 0x9e3779b1) >>> (32 - FILTER_BITS)
}
