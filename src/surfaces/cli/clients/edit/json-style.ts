import { lineEndOf } from './entry.ts'
import type { JsonNode } from './json-tree.ts'

/** The style in which a JSON file is written. */
export interface JsonStyle {
  readonly lineEnd: string
  /** One level of indentation. */
  readonly unit: string
  /** True if all is on one line. */
  readonly flat: boolean
  /** True if no line has blanks between its signs. */
  readonly tight: boolean
}

/** The indentation of a file that has none. */
const UNIT = '  '

/** The style of a file, as its first lines and members tell. */
export function styleOf(text: string, root: JsonNode | undefined): JsonStyle {
  const [first] = root?.container?.children ?? []
  const flat = first !== undefined && !text.slice(root?.start, root?.end).includes('\n')
  const tight = flat && first !== undefined && !/:[ \t]/.test(text.slice(first.start, first.end))
  return { lineEnd: lineEndOf(text), unit: unitOf(text, root), flat, tight }
}

function unitOf(text: string, root: JsonNode | undefined): string {
  const [first] = root?.container?.children ?? []
  if (root === undefined || first === undefined) return UNIT
  return indentIn(text.slice(root.start + 1, first.start)) || UNIT
}

/** The blanks at the beginning of the line of an offset. */
export function indentAt(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  let end = start
  while (end < offset && (text[end] === ' ' || text[end] === '\t')) end += 1
  return text.slice(start, end)
}

/** An end of a line with the blanks behind it, or a comment, in which no line counts. */
const LINES = /\n([ \t]*)|\/\/[^\r\n]*|\/\*(?:[^*]|\*(?!\/))*\*\//g

/** The blanks at the beginning of the last line of what stands before a value; undefined if all of that is on the line before. */
export function indentIn(trivia: string): string | undefined {
  return [...trivia.matchAll(LINES)].findLast(([each]) => each.startsWith('\n'))?.[1]
}

/** True if only blanks stand before an offset on its line. */
export function startsLine(text: string, offset: number): boolean {
  return text.lastIndexOf('\n', offset - 1) + 1 + indentAt(text, offset).length === offset
}

/** A value in the style of a file; its first line is not indented. */
export function rendered(value: unknown, style: JsonStyle, indent: string): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  const inner = indent + style.unit
  const parts = Array.isArray(value)
    ? value.map((each) => rendered(each, style, inner))
    : Object.entries(value).map(([key, each]) => memberText(key, each, style, inner))
  if (parts.length === 0) return open + close
  // A list of words reads as one line.
  const flat = style.flat || (Array.isArray(value) && value.every((each) => typeof each !== 'object'))
  if (!flat) {
    const lines = parts.join(`,${style.lineEnd}${inner}`)
    return `${open}${style.lineEnd}${inner}${lines}${style.lineEnd}${indent}${close}`
  }
  const pad = style.tight || open === '[' ? '' : ' '
  return `${open}${pad}${parts.join(style.tight ? ',' : ', ')}${pad}${close}`
}

/** A member with its key. */
export function memberText(key: string, value: unknown, style: JsonStyle, indent: string): string {
  return `${JSON.stringify(key)}:${style.tight ? '' : ' '}${rendered(value, style, indent)}`
}
