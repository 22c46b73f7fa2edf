/** A line that says nothing. */
export function isBlank(line: string): boolean {
  return /^[ \t]*$/.test(line)
}

const TAB = 4

/** Columns of white space before a line says something; a tab goes on to the next multiple of four. */
export function indentOf(line: string): number {
  let columns = 0
  for (const sign of line) {
    if (sign === ' ') columns++
    else if (sign === '\t') columns += TAB - (columns % TAB)
    else return columns
  }
  return columns
}

/** The indent from which a line is code, or belongs to the block above it. */
export const CODE_INDENT = 4

const HEADING = /^ {0,3}#{1,6}(?:[ \t]|$)/
const QUOTE = /^ {0,3}>/
/** Matches the beginning of fenced code. No backtick may follow those of a fence: that would be code within a line. */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
const BULLET = /^ {0,3}([-*+]|\d{1,9}[.)])(?=[ \t]|$)/
/** Matches the items that may follow a line of prose at once; another number is the end of a sentence there. */
const INTERRUPTING_ITEM = /^ {0,3}(?:[-*+]|1[.)])[ \t]+[^ \t]/
const UNDERLINE = /^ {0,3}(=+|-+)[ \t]*$/

/** A line across the page: `---`, `* * *`. */
export function isRule(line: string): boolean {
  const sign = line.trimStart().charAt(0)
  if (sign === '' || !'-_*'.includes(sign) || indentOf(line) >= CODE_INDENT) return false
  let signs = 0
  // A loop: on a line of millions of them the stack of a regular expression ends.
  for (const each of line)
    if (each === sign) signs++
    else if (each !== ' ' && each !== '\t') return false
  return signs >= 3
}

/** `# A heading`. */
export function isHeading(line: string): boolean {
  return HEADING.test(line)
}

/** `> quoted`. */
export function isQuote(line: string): boolean {
  return QUOTE.test(line)
}

/** The marks that open a block of code, such as three backticks; undefined if the line opens none. */
export function fenceOf(line: string): string | undefined {
  return FENCE.exec(line)?.[1]
}

/** True if a line closes the block of code that these marks opened. */
export function closesFence(line: string, fence: string): boolean {
  const sign = fence.charAt(0)
  const marks = line.trim()
  if (marks.length < fence.length || !marks.startsWith(fence) || indentOf(line) >= CODE_INDENT) return false
  return marks === sign.repeat(marks.length)
}

/** An item of a list: its mark, and the column in which its text begins. */
export interface Bullet {
  /** The mark that all items of one list share: the sign, or the sign behind the number. */
  readonly kind: string
  readonly column: number
}

/** The mark of a list item, if the line begins with one. */
export function bulletOf(line: string): Bullet | undefined {
  const [whole, mark = ''] = BULLET.exec(line) ?? []
  if (whole === undefined) return undefined
  const rest = line.slice(whole.length)
  const blanks = indentOf(rest)
  // So far away the text is code; then one blank is the mark's.
  const gap = isBlank(rest) || blanks > CODE_INDENT ? 1 : blanks
  return { kind: mark.slice(-1), column: whole.length + gap }
}

/** The depth of the heading that a line below a text makes of it: 1 for `===`, 2 for `---`. */
export function underlineDepth(line: string): 1 | 2 | undefined {
  const sign = UNDERLINE.exec(line)?.[1]?.charAt(0)
  if (sign === undefined) return undefined
  return sign === '=' ? 1 : 2
}

/** True if a line of prose ends before this line, though no empty line stands between. */
export function interruptsProse(line: string): boolean {
  return (
    isRule(line) ||
    isHeading(line) ||
    isQuote(line) ||
    fenceOf(line) !== undefined ||
    INTERRUPTING_ITEM.test(line) ||
    htmlOf(line)?.end !== undefined
  )
}

const TAG = /^ {0,3}<\/?[a-z][a-z0-9-]*(?:[\s/>]|$)/i
const RAW: readonly (readonly [begin: RegExp, end: RegExp])[] = [
  [/^ {0,3}<(?:script|pre|style|textarea)(?:[\s>]|$)/i, /<\/(?:script|pre|style|textarea)>/i],
  [/^ {0,3}<!--/, /-->/],
]

/** A block of HTML that a line begins: the mark that ends it, without one an empty line. */
export function htmlOf(line: string): { readonly end: RegExp | undefined } | undefined {
  if (!/^ {0,3}</.test(line)) return undefined
  const end = RAW.find(([begin]) => begin.test(line))?.[1]
  return end !== undefined || TAG.test(line) ? { end } : undefined
}

/** True if a line and the one below it are the head of a table: texts, and dashes, between bars. */
export function isTableHead(line: string, below = ''): boolean {
  return /^ {0,3}[|:-][ \t|:-]*$/.test(below) && [line, below].every((each) => each.includes('|'))
}
