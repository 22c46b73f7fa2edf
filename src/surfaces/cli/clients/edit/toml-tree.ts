import { TomlDefinitions } from './toml-definitions.ts'
import { unparsable } from './unparsable.ts'

/** A table header or a key with its value, and the lines that it stands on. */
export interface TomlStatement {
  readonly kind: 'table' | 'list' | 'pair'
  /** From the top of the file. */
  readonly path: readonly string[]
  /** Of a pair. */
  readonly value?: unknown
  /** Where its first line begins, and behind the end of its last line. */
  readonly start: number
  readonly end: number
}

/** Levels that a value may nest, and parts of a dotted key. */
const DEPTH_MAX = 100
const TOO_DEEP = `no more than ${DEPTH_MAX} levels`
const UNTAKEN = 'a key or table that is not defined yet'

const BLANKS = /[ \t]*/y
const BARE_KEY = /[A-Za-z0-9_-]+/y
const BASIC = /"(?:[^"\\\r\n]|\\.)*"/y
const LITERAL = /'[^'\r\n]*'/y
const SCALAR = /[^\s,#\]}=]+(?: \d\d:[\d:.]+[^\s,#\]}]*)?/y
const IS_SCALAR =
  /^(?:true|false|[+-]?(?:inf|nan)|[+-]?\d[\d_]*(?:\.[\d_]+)?(?:[eE][+-]?[\d_]+)?|0[xob][\da-fA-F_]+|\d[\d:.TZtz +-]*)$/
const LINE_END = /(?:#[^\r\n]*)?(?:\r?\n|$)/y

/**
 * Reads the statements of TOML 1.0, with the line breaks of 1.1 inside of braces.
 *
 * @throws `CONFIG_INVALID` with line and column for what is no TOML, such as a key that is defined twice
 */
export function readTomlStatements(text: string): readonly TomlStatement[] {
  return new StatementReader(text).all()
}

class StatementReader {
  #at: number
  readonly #text: string

  constructor(text: string) {
    this.#text = text
    this.#at = text.startsWith('\uFEFF') ? 1 : 0
  }

  all(): readonly TomlStatement[] {
    const statements: TomlStatement[] = []
    const defined = new TomlDefinitions()
    let table: readonly string[] = []
    for (;;) {
      this.#skip()
      if (this.#at >= this.#text.length) return statements
      const statement = this.#statement(table)
      const { kind, path, start } = statement
      const isFree = kind === 'pair' ? defined.takes(path.slice(table.length)) : defined.begins(kind, path)
      if (!isFree) throw this.#wrong(UNTAKEN, start)
      if (kind !== 'pair') table = path
      statements.push(statement)
    }
  }

  #statement(table: readonly string[]): TomlStatement {
    const start = Math.max(this.#text.lastIndexOf('\n', this.#at - 1) + 1, this.#bom())
    const kind = this.#text.startsWith('[[', this.#at)
      ? 'list'
      : this.#text[this.#at] === '['
        ? 'table'
        : 'pair'
    if (kind === 'pair') {
      const path = [...table, ...this.#key()]
      this.#expect('=')
      const value = this.#value(0)
      this.#lineEnd()
      return { kind, path, value, start, end: this.#at }
    }
    const brackets = kind === 'list' ? 2 : 1
    this.#at += brackets
    const path = this.#key()
    this.#expect(']'.repeat(brackets))
    this.#lineEnd()
    return { kind, path, start, end: this.#at }
  }

  #bom(): number {
    return this.#text.startsWith('\uFEFF') ? 1 : 0
  }

  #key(): string[] {
    const parts: string[] = []
    for (;;) {
      this.#take(BLANKS)
      const quote = this.#text[this.#at]
      const part = quote === '"' ? this.#basic() : quote === "'" ? this.#literal() : this.#take(BARE_KEY)
      if (part === undefined || (part === '' && quote !== '"' && quote !== "'")) throw this.#wrong('a key')
      parts.push(part)
      if (parts.length > DEPTH_MAX) throw this.#wrong(TOO_DEEP)
      this.#take(BLANKS)
      if (this.#text[this.#at] !== '.') return parts
      this.#at += 1
    }
  }

  #value(depth: number): unknown {
    this.#take(BLANKS)
    if (depth > DEPTH_MAX) throw this.#wrong(TOO_DEEP)
    const first = this.#text[this.#at]
    if (first === '"') return this.#text.startsWith('"""', this.#at) ? this.#long('"""') : this.#basic()
    if (first === "'") return this.#text.startsWith("'''", this.#at) ? this.#long("'''") : this.#literal()
    if (first === '[') return this.#array(depth)
    if (first === '{') return this.#inlineTable(depth)
    const at = this.#at
    const word = this.#take(SCALAR) ?? ''
    if (IS_SCALAR.test(word)) return scalarOf(word)
    throw this.#wrong('a value', at)
  }

  #array(depth: number): unknown[] {
    const items: unknown[] = []
    this.#list(']', () => items.push(this.#value(depth + 1)))
    return items
  }

  #inlineTable(depth: number): unknown {
    const table = emptyTable()
    const defined = new TomlDefinitions()
    this.#list('}', () => {
      const at = this.#at
      const path = this.#key()
      if (!defined.takes(path)) throw this.#wrong(UNTAKEN, at)
      this.#expect('=')
      putAt(table, path, this.#value(depth + 1))
    })
    return table
  }

  /** Parts between commas, on one line or several. */
  #list(close: string, part: () => void): void {
    this.#at += 1
    for (let isFirst = true; ; isFirst = false) {
      this.#skip()
      if (this.#text[this.#at] === close) break
      if (!isFirst) {
        this.#expect(',')
        this.#skip()
        if (this.#text[this.#at] === close) break
      }
      part()
    }
    this.#at += 1
  }

  #basic(): string {
    const at = this.#at
    const quoted = this.#take(BASIC)
    try {
      return unescaped(quoted?.slice(1, -1) ?? '\\')
    } catch {
      throw this.#wrong('a text in double quotes', at)
    }
  }

  #literal(): string {
    const quoted = this.#take(LITERAL)
    if (quoted === undefined) throw this.#wrong('a text in single quotes')
    return quoted.slice(1, -1)
  }

  /** A text of several lines; of one with escapes only that it has an end is looked at. */
  #long(quotes: string): string {
    const from = this.#at + quotes.length
    let end = from
    for (;;) {
      end = this.#text.indexOf(quotes, end)
      if (end < 0) throw this.#wrong('the end of this text')
      if (quotes === "'''" || !isEscaped(this.#text, end)) break
      end += 1
    }
    // Up to two more quotes belong to the text.
    while (this.#text[end + quotes.length] === quotes[0] && end - from < this.#text.length) end += 1
    this.#at = end + quotes.length
    return this.#text.slice(from, end)
  }

  /** Blanks, ends of lines and comments. */
  #skip(): void {
    for (;;) {
      this.#take(BLANKS)
      const before = this.#at
      this.#take(LINE_END)
      if (this.#at === before) return
    }
  }

  #lineEnd(): void {
    this.#take(BLANKS)
    if (this.#take(LINE_END) === undefined) throw this.#wrong('the end of the line')
  }

  #expect(word: string): void {
    this.#take(BLANKS)
    if (!this.#text.startsWith(word, this.#at)) throw this.#wrong(word)
    this.#at += word.length
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    const [found] = pattern.exec(this.#text) ?? []
    this.#at += found?.length ?? 0
    return found
  }

  #wrong(expected: string, offset = this.#at) {
    return unparsable(this.#text, { format: 'TOML', offset, expected })
  }
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text[at - 1 - slashes] === '\\') slashes += 1
  return slashes % 2 === 1
}

function scalarOf(word: string): unknown {
  if (word === 'true' || word === 'false') return word === 'true'
  const number = Number(word.replaceAll('_', ''))
  return Number.isFinite(number) ? number : word
}

const ESCAPE = /\\(?:u[\da-fA-F]{4}|U[\da-fA-F]{8}|x[\da-fA-F]{2}|.|$)/gs
const ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  t: '\t',
  n: '\n',
  f: '\f',
  r: '\r',
  e: '\u001b',
  '"': '"',
  '\\': '\\',
}

function unescaped(text: string): string {
  return text.replace(ESCAPE, (written) => {
    if (written.length > 2) return String.fromCodePoint(Number.parseInt(written.slice(2), 16))
    const sign = ESCAPES[written[1] ?? '']
    if (sign === undefined) throw new Error('no escape')
    return sign
  })
}

type Table = Record<string, unknown>

function emptyTable(): Table {
  // A key such as __proto__ is one like any other.
  return Object.create(null) as Table
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function putAt(table: Table, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    table[key] = value
    return
  }
  const below = isTable(table[key]) ? table[key] : emptyTable()
  table[key] = below
  putAt(below, rest, value)
}

/** The table or value that statements say stands at a path; undefined if nothing does. */
export function tomlValueAt(statements: readonly TomlStatement[], at: readonly string[]): unknown {
  const table = emptyTable()
  for (const { kind, path, value } of statements) {
    if (kind === 'pair') putAt(table, path, value)
    else if (kind === 'table' && !isTable(valueIn(table, path))) putAt(table, path, emptyTable())
  }
  return valueIn(table, at)
}

function valueIn(table: unknown, at: readonly string[]): unknown {
  return at.reduce((inner: unknown, key) => (isTable(inner) ? inner[key] : undefined), table)
}
