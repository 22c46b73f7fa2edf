import { unparsable } from './unparsable.ts'

/** A value of a JSON file and where it stands; offsets are in UTF-16 units of the text. */
export interface JsonNode {
  readonly start: number
  /** The place behind its last character. */
  readonly end: number
  readonly value: unknown
  /** The container, if the value is an object or an array. */
  readonly container?: JsonContainer
}

/** An object or an array with the places of what is in it. */
export interface JsonContainer {
  readonly kind: 'object' | 'array'
  readonly children: readonly JsonChild[]
}

/** A member of an object or an item of an array. */
export interface JsonChild {
  /** The place where its key begins, or the value of an item. */
  readonly start: number
  readonly end: number
  /** Offset of the comma behind it. */
  readonly comma?: number
  readonly key?: string
  readonly node: JsonNode
}

/** Levels that a file may nest; clients write five. */
const DEPTH_MAX = 200

const BLANKS = /[ \t\r\n]*/y
const LINE_COMMENT = /\/\/[^\r\n]*/y
const STRING = /"(?:[^"\\\r\n]|\\.)*"/y
const WORD = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y

/** The text that was read last, which is asked about several times, and its tree. */
let last: { readonly text: string; readonly tree: JsonNode | undefined } | undefined

/**
 * Reads JSON with comments and trailing commas. Linear in the text; the same text again costs nothing.
 *
 * @returns undefined if there is nothing but blanks and comments
 * @throws `CONFIG_INVALID` with line and column for what is no JSON
 */
export function readJsonTree(text: string): JsonNode | undefined {
  if (last?.text !== text) last = { text, tree: new TreeReader(text).document() }
  return last.tree
}

/** The member of a key. Of keys that are there twice the last one counts, as for every reader of JSON. */
export function childOf(node: JsonNode | undefined, key: string): JsonChild | undefined {
  return node?.container?.children.findLast((child) => child.key === key)
}

class TreeReader {
  #at: number
  readonly #text: string

  constructor(text: string) {
    this.#text = text
    this.#at = text.startsWith('\uFEFF') ? 1 : 0
  }

  document(): JsonNode | undefined {
    this.#skip()
    if (this.#at === this.#text.length) return undefined
    const node = this.#value(0)
    this.#skip()
    if (this.#at < this.#text.length) throw this.#wrong('its end')
    return node
  }

  #value(depth: number): JsonNode {
    const start = this.#at
    const first = this.#text[start]
    if (depth > DEPTH_MAX) throw this.#wrong(`no more than ${DEPTH_MAX} levels`)
    if (first === '{' || first === '[') return this.#container(first === '{' ? 'object' : 'array', depth)
    if (first === '"') {
      const value = this.#string()
      return { start, end: this.#at, value }
    }
    const word = this.#take(WORD)
    if (!word) throw this.#wrong('a value')
    return { start, end: this.#at, value: JSON.parse(word) }
  }

  #container(kind: JsonContainer['kind'], depth: number): JsonNode {
    const start = this.#at
    const close = kind === 'object' ? '}' : ']'
    this.#at += 1
    const children: JsonChild[] = []
    for (;;) {
      this.#skip()
      if (this.#text[this.#at] === close) break
      if (children.length > 0 && children.at(-1)?.comma === undefined)
        throw this.#wrong(`a comma or ${close}`)
      children.push(this.#child(kind, depth))
    }
    this.#at += 1
    return { start, end: this.#at, value: valueFrom(kind, children), container: { kind, children } }
  }

  #child(kind: JsonContainer['kind'], depth: number): JsonChild {
    const start = this.#at
    let key: string | undefined
    if (kind === 'object') {
      key = this.#string()
      this.#skip()
      if (this.#text[this.#at] !== ':') throw this.#wrong('a colon')
      this.#at += 1
      this.#skip()
    }
    const node = this.#value(depth + 1)
    this.#skip()
    const child = { start, end: node.end, node, ...(key === undefined ? {} : { key }) }
    if (this.#text[this.#at] !== ',') return child
    this.#at += 1
    return { ...child, comma: this.#at - 1 }
  }

  #string(): string {
    const start = this.#at
    const quoted = this.#take(STRING)
    try {
      return JSON.parse(quoted ?? '') as string
    } catch {
      this.#at = start
      throw this.#wrong('a text in double quotes')
    }
  }

  /** Blanks and comments. */
  #skip(): void {
    for (;;) {
      this.#take(BLANKS)
      if (this.#text.startsWith('//', this.#at)) this.#take(LINE_COMMENT)
      else if (this.#text.startsWith('/*', this.#at)) {
        const end = this.#text.indexOf('*/', this.#at + 2)
        if (end < 0) throw this.#wrong('the end of this comment')
        this.#at = end + 2
      } else return
    }
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#text) ?? []
    this.#at += found?.length ?? 0
    return found
  }

  #wrong(expected: string) {
    const before = this.#text.slice(0, this.#at).split('\n')
    const place = { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
    return unparsable('JSON', `${expected} was expected`, place)
  }
}

function valueFrom(kind: JsonContainer['kind'], children: readonly JsonChild[]): unknown {
  if (kind === 'array') return children.map(({ node }) => node.value)
  // A key such as __proto__ is one like any other.
  const members = children.map(({ key = '', node }) => [key, node.value] as const)
  return Object.fromEntries(members)
}
