/** A place where a keyword begins. */
export interface KeywordHit<T> {
  readonly at: number
  /** Of the keyword, in UTF-16 units. */
  readonly length: number
  readonly values: readonly T[]
}

const TRIGRAMS = 1 << 15
const LEAST_LENGTH = 3

/**
 * Finds keywords in a text in one pass, whatever their case. A table over three signs, five bits each, lets nearly all
 * places of ordinary text pass with one look. The low five bits of a letter are the same in both cases.
 */
export class KeywordScan<T> {
  /** For each trigram the number of its bucket; 0 is none. */
  readonly #bucketOf = new Uint16Array(TRIGRAMS)
  readonly #buckets: (readonly [keyword: string, values: readonly T[]])[][] = [[]]

  /** Keywords are in lower case and have three UTF-16 units or more. */
  constructor(valuesOf: ReadonlyMap<string, readonly T[]>) {
    for (const [keyword, values] of valuesOf) {
      if (keyword.length < LEAST_LENGTH || keyword !== keyword.toLowerCase())
        throw new Error(`No keyword: ${keyword}`)
      // Outside of ASCII, capitals may differ in these bits.
      const capital = keyword.charAt(0).toUpperCase() + keyword.slice(1)
      for (const trigram of new Set([keyword, capital, keyword.toUpperCase()].map(trigramOf))) {
        const bucket = this.#buckets[this.#bucketOf[trigram] || -1]
        if (bucket !== undefined) bucket.push([keyword, values])
        else this.#bucketOf[trigram] = this.#buckets.push([[keyword, values]]) - 1
      }
    }
  }

  /** The keywords that begin in `text` from `from` to before `to`, in the order of their places. */
  hits(text: string, from: number, to: number): KeywordHit<T>[] {
    const found: KeywordHit<T>[] = []
    const bucketOf = this.#bucketOf
    const last = Math.min(text.length, to + LEAST_LENGTH - 1)
    let trigram = 0
    for (let at = from; at < last; at++) {
      trigram = ((trigram << 5) | (text.charCodeAt(at) & 31)) & (TRIGRAMS - 1)
      const number = bucketOf[trigram] as number
      if (number === 0 || at - from < LEAST_LENGTH - 1) continue
      const start = at - LEAST_LENGTH + 1
      for (const [keyword, values] of this.#buckets[number] ?? [])
        if (beginsAt(text, start, keyword)) found.push({ at: start, length: keyword.length, values })
    }
    return found
  }
}

function trigramOf(text: string): number {
  let trigram = 0
  for (let at = 0; at < LEAST_LENGTH; at++) trigram = (trigram << 5) | (text.charCodeAt(at) & 31)
  return trigram
}

function beginsAt(text: string, start: number, keyword: string): boolean {
  for (let at = 0; at < keyword.length; at++) {
    const sign = text.charCodeAt(start + at)
    const wanted = keyword.charCodeAt(at)
    if (sign === wanted || (sign >= 65 && sign <= 90 && sign + 32 === wanted)) continue
    if (!(sign > 127) || String.fromCharCode(sign).toLowerCase() !== keyword.charAt(at)) return false
  }
  return true
}
