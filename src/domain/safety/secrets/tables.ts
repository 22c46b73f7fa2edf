import { PASSWORD_NAMES } from './prose/names.ts'
import type { SecretRule, Span } from './rule.ts'
import { isKey, isPassword, isWordPassword } from './values.ts'

const PASSWORD_COLUMN = new RegExp(
  `^[\\W_]{0,4}(?:[\\w-]{1,16}[ _-]){0,2}(?:${PASSWORD_NAMES.filter((name) => name.length > 3).join('|')}|pass|pwd|pw|psk|pin|mdp|clave)(?:[ _-][\\w-]{1,16})?[\\W_]{0,4}$`,
  'iu',
)
const KEY_COLUMN =
  /^[\W_]{0,4}(?:[\w-]{1,16}[ _-]){0,2}(?:secret|token|(?:api|access|secret)[ _-]?key|credentials?)(?:[ _-][\w-]{1,16})?[\W_]{0,4}$/iu
/** No head of a table is longer, in UTF-16 units; of a longer line nothing is read. */
const LONGEST_LINE = 4000

type Accepts = (value: string) => boolean

interface Line extends Span {
  readonly text: string
}

function lineAt(text: string, at: number): Line {
  const start = text.lastIndexOf('\n', at - 1) + 1
  const end = text.indexOf('\n', at)
  return { start, end: end < 0 ? text.length : end, text: text.slice(start, end < 0 ? text.length : end) }
}

/** The same of a line that may be a head; undefined for a longer one, of which no more than that is looked at. */
function headAt(text: string, at: number): Line | undefined {
  const before = text.slice(Math.max(0, at - LONGEST_LINE), at)
  const after = text.slice(at, at + LONGEST_LINE + 1)
  const [back, ahead] = [before.lastIndexOf('\n'), after.indexOf('\n')]
  const start = back < 0 ? at - before.length : at - before.length + back + 1
  const end = ahead < 0 ? at + after.length : at + ahead
  const isWhole = (back >= 0 || start === 0) && (ahead >= 0 || end === text.length)
  return isWhole && end - start <= LONGEST_LINE ? { start, end, text: text.slice(start, end) } : undefined
}

function accepts(head: string): Accepts | undefined {
  if (head.length > 64) return undefined
  if (PASSWORD_COLUMN.test(head))
    return (value) => !/\s/.test(value) && value.length >= 4 && (isPassword(value) || isWordPassword(value))
  return KEY_COLUMN.test(head) ? (value) => value.length >= 12 && isKey(value) : undefined
}

/** The columns of a head that hold secrets; none when the head has too few cells to be one. */
function columnsOf(cells: readonly string[]): ReadonlyMap<number, Accepts> {
  const columns = new Map<number, Accepts>()
  for (const [nth, cell] of cells.entries()) {
    const test = accepts(cell.trim())
    if (test !== undefined) columns.set(nth, test)
  }
  return columns
}

interface Table {
  readonly separator: string
  readonly cells: number
  readonly columns: ReadonlyMap<number, Accepts>
  /** True for a line that belongs to the table no more. */
  readonly ends: (line: string, cells: readonly string[]) => boolean
}

/** The secrets of the rows from `from` on, up to the line that ends the table. */
function secretsOf(text: string, from: number, { separator, cells: most, columns, ends }: Table): Span[] {
  const found: Span[] = []
  for (let at = from; at < text.length; ) {
    const line = lineAt(text, at)
    const cells = line.text.split(separator)
    if (line.text.trim() === '' || cells.length < 2 || ends(line.text, cells)) break
    let start = line.start
    for (const [nth, cell] of cells.entries()) {
      const value = cell.trim().replace(/^["'`*]{1,3}|["'`*]{1,3}$/g, '')
      if (nth < most && columns.get(nth)?.(value)) {
        const begin = start + cell.indexOf(value)
        found.push({ start: begin, end: begin + value.length })
      }
      start += cell.length + separator.length
    }
    at = line.end + 1
  }
  return found
}

const RULER = /^[\s|:+-]{3,}$/

/** Each ruler has many bars, and is read once. */
function isFirstBar(text: string, at: number): boolean {
  for (let before = at - 1; before >= 0; before--) {
    const sign = text.charAt(before)
    if (sign === '\n') return true
    if (sign !== '-' && sign !== ' ' && sign !== ':') return false
  }
  return true
}

const MARKDOWN_RULE: SecretRule = {
  kind: 'password',
  keywords: ['|--', '|:-', '| -', '| :', '-|-', '- | -', '-|:'],
  isGuess: true,
  find: (text, at) => {
    if (!isFirstBar(text, at)) return []
    const ruler = headAt(text, at)
    if (ruler === undefined || ruler.start === 0 || !RULER.test(ruler.text)) return []
    const head = headAt(text, ruler.start - 1)
    if (head === undefined) return []
    const cells = head.text.split('|')
    const columns = columnsOf(cells)
    if (columns.size === 0) return []
    const ends = (line: string) => RULER.test(line)
    return secretsOf(text, ruler.end + 1, { separator: '|', cells: cells.length, columns, ends })
  },
}

const COLUMN_WORDS = [
  'password',
  'passwd',
  'pass',
  'pwd',
  'secret',
  'token',
  'api_key',
  'passwort',
  'kennwort',
  'senha',
]

const VALUES_RULE: SecretRule = {
  kind: 'password',
  keywords: [',', ';', '\t'].flatMap((separator) =>
    COLUMN_WORDS.flatMap((name) => [
      `${separator}${name}`,
      `${name}${separator}`,
      `${separator}"${name}"`,
      `"${name}"${separator}`,
    ]),
  ),
  isGuess: true,
  find: (text, at) => {
    const head = headAt(text, at)
    const separator = /[,;\t]/.exec(text.slice(at, at + 16))?.[0]
    if (separator === undefined || head === undefined) return []
    // Once for each head: at its first column.
    const before = text.slice(head.start, at).toLowerCase()
    if (COLUMN_WORDS.some((name) => before.includes(name))) return []
    const cells = head.text.split(separator)
    if (cells.length < 2 || !cells.every((cell) => /^\s?["']?[\w .-]{1,40}["']?\s{0,2}$/.test(cell)))
      return []
    const columns = columnsOf(cells)
    if (columns.size === 0) return []
    const ends = (_line: string, row: readonly string[]) =>
      row.length !== cells.length ||
      [...columns.keys()].some((nth) => accepts((row[nth] ?? '').trim()) !== undefined)
    return secretsOf(text, head.end + 1, { separator, cells: cells.length, columns, ends })
  },
}

/** Columns of tables, in Markdown and as values with separators, whose head says that they hold secrets. */
export const TABLE_RULES: readonly SecretRule[] = [MARKDOWN_RULE, VALUES_RULE]
