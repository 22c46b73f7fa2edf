/** A part of a text at its outermost level. */
export interface MarkdownBlock {
  readonly kind: 'heading' | 'rule' | 'code' | 'list' | 'table' | 'prose'
  /** The lines of the block as they stand in the document; only the words of a heading. */
  readonly text: string
  /** The level of a heading, 1 to 6; absent for other blocks. */
  readonly depth?: number
}

const BLANK = /^[ \t]*$/
const HEADING = /^ {0,3}(#{1,6})(?:[ \t]|$)/
/** Matches the beginning of fenced code. No backtick may follow those of a fence: that would be code within a line. */
const FENCE = /^ {0,3}(`{3,}(?=[^`]*$)|~{3,})/
const BULLET = /^ {0,3}(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)/
/** Matches a list item that may follow a line of prose directly. Another number may end a sentence there. */
const INTERRUPTING_ITEM = /^ {0,3}(?:[-*+]|1[.)])[ \t]+[^ \t]/
const UNDERLINE = /^ {0,3}(?:(=+)|-+)[ \t]*$/
const COMMENT = /^ {0,3}<!--/
const TABLE_DASHES = /^ {0,3}[|:-][ \t|:-]*$/

/**
 * Returns the blocks of a Markdown text in order, without empty lines. Only the outermost level is separated: a quote or a list keeps
 * what it holds. Each line is looked at a fixed number of times, so the cost is linear in the text.
 */
export function blocksOf(markdown: string): MarkdownBlock[] {
  const lines = markdown.replaceAll(/\r\n?/g, '\n').split('\n')
  const blocks: MarkdownBlock[] = []
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? ''
    if (BLANK.test(line)) {
      at += 1
      continue
    }
    const { end, ...block } = blockAt(lines, at)
    blocks.push(block)
    at = end
  }
  return blocks
}

type Ended = MarkdownBlock & { readonly end: number }

/** Reads the block that begins at a line which is not empty. */
function blockAt(lines: readonly string[], at: number): Ended {
  const line = lines[at] ?? ''
  const taken = (kind: MarkdownBlock['kind'], end: number): Ended => {
    return { kind, end, text: lines.slice(at, end).join('\n').trimEnd() }
  }
  const fence = FENCE.exec(line)?.[1]
  if (fence !== undefined)
    return taken(
      'code',
      endOf(lines, at, (each) => closes(each, fence)),
    )
  const marks = HEADING.exec(line)?.[1]
  if (marks !== undefined) return { ...heading(line, marks.length), end: at + 1 }
  if (isRule(line)) return taken('rule', at + 1)
  if (BULLET.test(line)) return taken('list', endOfList(lines, at))
  if (COMMENT.test(line))
    return taken(
      'prose',
      endOf(lines, at - 1, (each) => each.includes('-->')),
    )
  const isTable =
    TABLE_DASHES.test(lines[at + 1] ?? '') && [0, 1].every((nth) => lines[at + nth]?.includes('|'))
  if (isTable)
    return taken(
      'table',
      endOf(lines, at, (each) => BLANK.test(each)),
    )
  return prose(lines, at, taken)
}

/** Returns the place behind the first line after `at` that is the last of a block; a block that nothing ends holds the rest. */
function endOf(lines: readonly string[], at: number, isLast: (line: string) => boolean): number {
  let end = at + 1
  while (end < lines.length && !isLast(lines[end] ?? '')) end += 1
  return Math.min(end + 1, lines.length)
}

/** True if a line closes the code that these marks opened. */
function closes(line: string, fence: string): boolean {
  const marks = line.trim()
  return marks.startsWith(fence) && marks === fence.charAt(0).repeat(marks.length)
}

/** `A heading ##` is called `A heading`, but `C#` keeps its mark. */
function heading(line: string, depth: number): MarkdownBlock {
  const text = ` ${line.trim().slice(depth).trim()}`
  return { kind: 'heading', depth, text: text.replace(/[ \t]#+$/, '').trim() }
}

/** Returns true for a rule across the page: `---`, `* * *`. */
function isRule(line: string): boolean {
  const signs = line.replaceAll(/[ \t]/g, '')
  const sign = signs.charAt(0)
  return signs.length >= 3 && '-_*'.includes(sign) && signs === sign.repeat(signs.length)
}

function interrupts(line: string): boolean {
  return HEADING.test(line) || FENCE.test(line) || COMMENT.test(line) || isRule(line)
}

/** Returns the end of a list: its items, the lines indented below them, and lines that go on with a sentence. */
function endOfList(lines: readonly string[], at: number): number {
  let end = at + 1
  for (let isOpen = true; end < lines.length; end += 1) {
    const line = lines[end] ?? ''
    const isInside = /^[ \t]/.test(line) || (BULLET.test(line) && !isRule(line))
    if (line !== '' && !isInside && (!isOpen || interrupts(line))) break
    isOpen = !BLANK.test(line)
  }
  return end
}

/** Reads a paragraph, or a heading if it is underlined. */
function prose(
  lines: readonly string[],
  at: number,
  taken: (kind: MarkdownBlock['kind'], end: number) => Ended,
): Ended {
  for (let end = at + 1; end < lines.length; end += 1) {
    const line = lines[end] ?? ''
    const underline = UNDERLINE.exec(line)
    if (underline !== null) {
      const { text } = taken('heading', end)
      return { kind: 'heading', depth: underline[1] === undefined ? 2 : 1, text: text.trim(), end: end + 1 }
    }
    if (BLANK.test(line) || interrupts(line) || INTERRUPTING_ITEM.test(line)) return taken('prose', end)
  }
  return taken('prose', lines.length)
}

/** Returns the items of a list, each with the lines below that belong to it. */
export function itemsOf(list: string): string[] {
  const items: string[] = []
  for (const line of list.split('\n')) {
    const before = items.at(-1)
    if (before === undefined || (/^\S/.test(line) && BULLET.test(line))) items.push(line)
    else items[items.length - 1] = `${before}\n${line}`
  }
  return items
}
