import { attempt } from '../../../errors.ts'

/** An item of a list in a JSON text. */
export interface JsonItem {
  /** The key of the outermost object that holds the list; undefined if the list is the whole text. */
  readonly key: string | undefined
  /** Place in its list, counted from 1. */
  readonly number: number
  /** Undefined if it is no JSON, too long or too deep. */
  readonly value: unknown
}

/** Bounds of one item: signs, and lists and objects within each other. */
export interface JsonBounds {
  readonly mostSigns: number
  readonly mostLevels: number
}

const [QUOTE, ESCAPE, COMMA] = [0x22, 0x5c, 0x2c]
/** Signs of a name that are kept. */
const KEY_MOST = 100
const [LIST, LIST_END, OBJECT, OBJECT_END] = [0x5b, 0x5d, 0x7b, 0x7d]

/** Signs that say where something begins or ends, outside of texts and in them; each is looked for from a place on. */
const SIGN = /["[\]{},:]/g
const SIGN_IN_TEXT = /["\\]/g

/**
 * The items of the outermost list of a JSON text, or of the lists that are values of its outermost object, one after the
 * other: no more than one is held in memory. What stands between them is passed over, so a text that was cut off gives the
 * items that are whole. One look at each sign.
 */
export function* jsonItems(pieces: Iterable<string>, bounds: JsonBounds): Generator<JsonItem> {
  const scan = new Scan(bounds)
  for (const piece of pieces) yield* scan.take(piece)
  yield* scan.end()
}

class Scan {
  readonly #bounds: JsonBounds
  #depth = 0
  /** The depth in which items stand: inside the list. */
  #listDepth: number | undefined
  /** True if the outermost value is an object. */
  #isObject = false
  #isInText = false
  #isEscaped = false
  /** Signs of the running item, or of the last text of the outermost object. */
  #held: string[] = []
  #signs = 0
  #deepest = 0
  #key: string | undefined
  #isKeyNext = true
  #number = 0
  #piece = ''
  /** The place in the piece from which text is held. */
  #start = 0

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds
  }

  *take(piece: string): Generator<JsonItem> {
    this.#piece = piece
    this.#start = 0
    let at = this.#isEscaped ? 1 : 0
    this.#isEscaped = false
    for (;;) {
      const found = nextSign(this.#isInText ? SIGN_IN_TEXT : SIGN, piece, at)
      if (found < 0) break
      const sign = piece.charCodeAt(found)
      at = found + 1
      if (sign === ESCAPE) {
        // What follows says nothing; it may be in the next piece.
        this.#isEscaped = at === piece.length
        at += 1
      } else if (this.#isInText) this.#endsText(found)
      else yield* this.#at(sign, found)
    }
    if (this.#isInList || this.#isInText) this.#hold(piece.slice(this.#start))
  }

  *#at(sign: number, at: number): Generator<JsonItem> {
    if (sign === QUOTE) this.#opensText(at)
    else if (sign === LIST || sign === OBJECT) this.#opens(sign, at)
    else if (sign === LIST_END || sign === OBJECT_END) yield* this.#closes(at)
    else if (sign === COMMA) yield* this.#parts(at)
    else if (this.#depth === 1 && !this.#isInList) this.#isKeyNext = false
  }

  /** An item that the text ended in. */
  *end(): Generator<JsonItem> {
    if (this.#depth > 0) yield { key: this.#key, number: this.#number + 1, value: undefined }
  }

  get #isInList(): boolean {
    return this.#listDepth !== undefined
  }

  #opensText(at: number): void {
    this.#isInText = true
    if (this.#isInList) return
    this.#start = at + 1
    this.#reset()
  }

  #endsText(at: number): void {
    this.#isInText = false
    if (this.#isInList || this.#depth !== 1 || !this.#isObject || !this.#isKeyNext) return
    this.#hold(this.#piece.slice(this.#start, at))
    this.#key = this.#held.join('').slice(0, KEY_MOST)
    this.#reset()
  }

  #opens(sign: number, at: number): void {
    if (this.#depth === 0) this.#isObject = sign === OBJECT
    this.#depth += 1
    this.#deepest = Math.max(this.#deepest, this.#depth)
    const isItems = this.#depth === 1 || (this.#depth === 2 && this.#isObject)
    if (sign !== LIST || this.#isInList || !isItems) return
    this.#listDepth = this.#depth
    this.#number = 0
    this.#start = at + 1
    this.#reset()
  }

  *#closes(at: number): Generator<JsonItem> {
    if (this.#depth === this.#listDepth) {
      yield* this.#ends(this.#piece.slice(this.#start, at))
      this.#listDepth = undefined
      this.#reset()
    }
    this.#depth = Math.max(0, this.#depth - 1)
  }

  *#parts(at: number): Generator<JsonItem> {
    if (this.#depth === this.#listDepth) {
      yield* this.#ends(this.#piece.slice(this.#start, at))
      this.#start = at + 1
    } else if (this.#depth === 1) this.#isKeyNext = true
  }

  *#ends(rest: string): Generator<JsonItem> {
    this.#hold(rest)
    const isFit =
      this.#signs <= this.#bounds.mostSigns && this.#deepest - this.#depth <= this.#bounds.mostLevels
    const text = isFit ? this.#held.join('') : undefined
    this.#reset()
    if (text?.trim() === '') return
    this.#number += 1
    const value: unknown = text === undefined ? undefined : attempt(() => JSON.parse(text))
    yield { key: this.#isObject ? this.#key : undefined, number: this.#number, value }
  }

  #hold(part: string): void {
    this.#signs += part.length
    if (this.#signs > this.#bounds.mostSigns) this.#held = []
    else this.#held.push(part)
  }

  #reset(): void {
    this.#held = []
    this.#signs = 0
    this.#deepest = this.#depth
  }
}

function nextSign(signs: RegExp, piece: string, from: number): number {
  signs.lastIndex = from
  return signs.exec(piece)?.index ?? -1
}
