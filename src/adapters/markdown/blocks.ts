import {
  bulletOf,
  CODE_INDENT,
  closesFence,
  fenceOf,
  htmlOf,
  indentOf,
  interruptsProse,
  isBlank,
  isHeading,
  isQuote,
  isRule,
  isTableHead,
  underlineDepth,
} from './lines.ts'

/** A part of a text at its outermost level. */
export interface MarkdownBlock {
  readonly kind: 'heading' | 'rule' | 'code' | 'list' | 'table' | 'prose'
  /** The lines of the block as they stand in the document. */
  readonly text: string
  /** The level of a heading, 1 to 6; absent for other blocks. */
  readonly depth?: number
}

/** The lines of a text, and the place of the first one not read yet. */
interface Reader {
  readonly lines: readonly string[]
  at: number
}

/**
 * The blocks of a Markdown text in order, as CommonMark and GitHub's tables have them, without empty lines.
 *
 * Only the outermost level is separated: what a quote or a list holds stays in it, however deeply it nests. Each line
 * is looked at a fixed number of times, so the cost is linear in the text and nothing calls itself.
 */
export function blocksOf(markdown: string): MarkdownBlock[] {
  const reader: Reader = { lines: markdown.replaceAll(/\r\n?/g, '\n').split('\n'), at: 0 }
  const blocks: MarkdownBlock[] = []
  while (reader.at < reader.lines.length) {
    if (isBlank(lineAt(reader))) reader.at++
    else blocks.push(readBlock(reader))
  }
  return blocks
}

function lineAt({ lines, at }: Reader): string {
  return lines[at] ?? ''
}

/** Reads the block that begins at a line which is not empty; at least that line. */
function readBlock(reader: Reader): MarkdownBlock {
  const line = lineAt(reader)
  if (indentOf(line) >= CODE_INDENT) return taken(reader, 'code', indentedCode(reader))
  if (fenceOf(line) !== undefined) return taken(reader, 'code', fencedCode(reader))
  if (isHeading(line)) return headingFrom(taken(reader, 'heading', 1).text)
  if (isRule(line)) return taken(reader, 'rule', 1)
  if (isQuote(line)) return taken(reader, 'prose', quote(reader))
  if (bulletOf(line) !== undefined) return taken(reader, 'list', list(reader))
  if (htmlOf(line) !== undefined) return taken(reader, 'prose', html(reader))
  if (isTableHead(line, reader.lines[reader.at + 1])) return taken(reader, 'table', table(reader))
  return prose(reader)
}

function taken(reader: Reader, kind: MarkdownBlock['kind'], count: number): MarkdownBlock {
  const text = reader.lines.slice(reader.at, reader.at + count).join('\n')
  reader.at += count
  return { kind, text: text.trimEnd() }
}

/** Returns the number of lines from here on that belong together: the first, and those behind it that go on. */
function count({ lines, at }: Reader, goesOn: (line: string, place: number) => boolean): number {
  let end = at + 1
  while (end < lines.length && goesOn(lines[end] as string, end)) end++
  return end - at
}

/** Empty lines before the next line that is no code are no part of it, but `taken` trims them. */
function indentedCode(reader: Reader): number {
  return count(reader, (line) => isBlank(line) || indentOf(line) >= CODE_INDENT)
}

/** Counts the lines of fenced code; a fence that is not closed holds the rest of the text. */
function fencedCode(reader: Reader): number {
  const fence = fenceOf(lineAt(reader)) ?? ''
  const body = count(reader, (line) => !closesFence(line, fence))
  return Math.min(body + 1, reader.lines.length - reader.at)
}

function headingFrom(line: string): MarkdownBlock {
  const marks = /^ {0,3}(#+)/.exec(line)?.[1] ?? ''
  const text = withoutClosingMarks(line.trim().slice(marks.length).trim())
  return { kind: 'heading', depth: marks.length, text }
}

/** `A heading ##` is called `A heading`, but `C#` keeps its mark. */
function withoutClosingMarks(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === '#') end--
  return end === 0 || /[ \t]/.test(text.charAt(end - 1)) ? text.slice(0, end).trim() : text
}

/** A line without the mark goes on with the last sentence of a quote, not with its code or its heading. */
function quote(reader: Reader): number {
  let sentence = new Sentence(lineAt(reader))
  let fence = fenceOf(sentence.text)
  return count(reader, (line) => {
    if (!isQuote(line)) return fence === undefined && bulletOf(line) === undefined && sentence.takes(line)
    sentence = new Sentence(line)
    if (fence === undefined) fence = fenceOf(sentence.text)
    else if (closesFence(sentence.text, fence)) fence = undefined
    return true
  })
}

/** The marks of quotes and items before a sentence. */
const MARKS = /^(?: {0,3}(?:>|(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$))[ \t]?)+/

/** The sentence that a line of a quote or an item leaves open for lines without marks or indentation. */
class Sentence {
  /** The line behind the marks of the quotes and items it stands in. */
  readonly text: string
  readonly #isOpen: boolean

  constructor(line: string) {
    this.text = line.replace(MARKS, '')
    this.#isOpen =
      !isBlank(this.text) &&
      indentOf(this.text) < CODE_INDENT &&
      !isHeading(this.text) &&
      !isRule(this.text) &&
      fenceOf(this.text) === undefined
  }

  takes(line: string): boolean {
    return this.#isOpen && !isBlank(line) && !interruptsProse(line)
  }
}

/** Counts the lines of a list: items with the same kind of mark, and the lines indented below them. */
function list(reader: Reader): number {
  const first = bulletOf(lineAt(reader))
  let item = first
  let sentence = new Sentence(lineAt(reader))
  return count(reader, (line) => {
    const isInside = isBlank(line) || (item !== undefined && indentOf(line) >= item.column)
    const next = isInside || isRule(line) ? undefined : bulletOf(line)
    if (!isInside && next === undefined) return sentence.takes(line)
    sentence = new Sentence(next === undefined ? line.trimStart() : line)
    item = next ?? item
    return next === undefined || first?.kind === next.kind
  })
}

/** The items of a list with the lines below them that belong to them. */
export function itemsOf(list: string): string[] {
  const items: string[] = []
  for (const line of list.split('\n')) {
    const before = items.at(-1)
    if (before === undefined || (/^\S/.test(line) && bulletOf(line) !== undefined)) items.push(line)
    else items[items.length - 1] = `${before}\n${line}`
  }
  return items
}

/** Counts the lines of a block of HTML, which ends with its end mark or before an empty line. */
function html(reader: Reader): number {
  const line = lineAt(reader)
  const end = htmlOf(line)?.end
  if (end === undefined) return count(reader, (each) => !isBlank(each))
  if (end.test(line)) return 1
  const body = count(reader, (each) => !end.test(each))
  return Math.min(body + 1, reader.lines.length - reader.at)
}

function table(reader: Reader): number {
  const rows = count({ ...reader, at: reader.at + 1 }, (line) => {
    return !isBlank(line) && indentOf(line) < CODE_INDENT && !interruptsProse(line)
  })
  return rows + 1
}

/** A paragraph, or a heading if it is underlined. */
function prose(reader: Reader): MarkdownBlock {
  let depth: number | undefined
  const length = count(reader, (line, place) => {
    if (depth !== undefined || isBlank(line)) return false
    depth = underlineDepth(line)
    return depth !== undefined || !(interruptsProse(line) || isTableHead(line, reader.lines[place + 1]))
  })
  const paragraph = taken(reader, 'prose', length)
  if (depth === undefined) return paragraph
  const lines = paragraph.text.split('\n')
  return { kind: 'heading', depth, text: lines.slice(0, -1).join('\n').trim() }
}
