import { isDeepStrictEqual } from 'node:util'
import { parse, TomlError, type TomlTable } from 'smol-toml'
import { attempt } from '../../../../errors.ts'
import { type Edited, type Editor, type Entry, lineEndOf, sha256OfValue, type Trace } from './entry.ts'
import { misplaced, unparsable } from './unparsable.ts'

/**
 * Edits TOML: an entry is a table of its own, with a table for each object in it. Where lines stand shows by their looks alone,
 * so each edited text is read, and counts only if nothing but the entry has another value.
 */
export const tomlEditor: Editor = {
  stands(text, entry) {
    const found = valueAt(text, entry.at)
    // An absent one must find its place.
    if (found === undefined) put(text, entry)
    return found === undefined
      ? 'absent'
      : sha256OfValue(found) === sha256OfValue(entry.value)
        ? 'same'
        : 'other'
  },
  put,
  takeOut(text, { at, sha256, lead, replaced }) {
    const found = valueAt(text, at)
    if (found === undefined) return 'absent'
    if (sha256OfValue(found) !== sha256) return 'other'
    const own = linesOf(text, at)
    const back = replaced && putBack(text, own, replaced)
    if (back !== undefined && differsOnlyAt(at, text, back)) return { text: back }
    const rest = without(text, own, lead)
    if (valueAt(rest, at) !== undefined || !differsOnlyAt(at, text, rest)) return 'other'
    return { text: rest, ...(replaced && { displaced: replaced.text }) }
  },
  snippet: ({ at, value }) => tableText(at, value, '\n'),
  valueAt,
}

function read(text: string): TomlTable {
  try {
    return parse(text.replace(/^\uFEFF/, ''), { integersAsBigInt: 'asNeeded' })
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause
    const [said = ''] = cause.message.replace('Invalid TOML document: ', '').split('\n')
    throw unparsable('TOML', said, cause)
  }
}

function valueAt(text: string, at: readonly string[]): unknown {
  return at.reduce<unknown>(
    (table, key) => (isTable(table) && Object.hasOwn(table, key) ? table[key] : undefined),
    read(text),
  )
}

function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
}

/** True if two texts say the same but for the value at a path, and tables that hold nothing else. */
function differsOnlyAt(at: readonly string[], before: string, after: string): boolean {
  const [one, other] = [attempt(() => read(before)), attempt(() => read(after))]
  return one !== undefined && other !== undefined && isDeepStrictEqual(pruned(one, at), pruned(other, at))
}

function pruned(table: TomlTable, [key = '', ...rest]: readonly string[]): TomlTable {
  const inner = Object.hasOwn(table, key) ? table[key] : undefined
  if (rest.length > 0 && isTable(inner)) pruned(inner, rest)
  if (rest.length === 0 || (isTable(inner) && Object.keys(inner).length === 0)) delete table[key]
  return table
}

interface Range {
  readonly start: number
  /** The place behind the end of its line. */
  readonly end: number
}

/** A line with its end. */
const LINE = /[^\n]*\n|[^\n]+$/g
const IS_HEADER = /^\uFEFF?[ \t]*\[/
const IS_EMPTY = /^[ \t\r\n]*(?:#|$)/
/** Beginnings of a text that are read to find where a table ends; more look-alikes than these are an attack. */
const READS_MAX = 200

/** The lines of a table and of those in it that say something; comments and empty lines are their owner's. */
function linesOf(text: string, at: readonly string[]): readonly Range[] {
  const own: Range[] = []
  let [isIn, reads] = [false, 0]
  for (const { 0: line, index } of text.matchAll(LINE)) {
    const path = headerIn(line)
    const mayChange = path !== undefined && at.every((key, depth) => path[depth] === key) !== isIn
    if (mayChange && ++reads > READS_MAX) throw misplaced(at, 'one table')
    // In a text or a list of several lines what looks like a header is none.
    if (mayChange && attempt(() => read(text.slice(0, index))) !== undefined) isIn = !isIn
    const start = index === 0 && line.startsWith('\uFEFF') ? 1 : index
    if (isIn && !IS_EMPTY.test(line)) own.push({ start, end: index + line.length })
  }
  return own
}

/** The keys that a line names, if it is the header of a table. */
function headerIn(line: string): readonly string[] | undefined {
  let at: unknown = IS_HEADER.test(line) ? attempt(() => read(line)) : undefined
  if (at === undefined) return undefined
  const path: string[] = []
  for (;;) {
    const [inner] = Object.entries(Object([at].flat()[0]))
    if (inner === undefined) return path
    path.push(inner[0])
    at = inner[1]
  }
}

function put(text: string, { kind, at, value }: Entry): Edited {
  const old = valueAt(text, at) === undefined ? [] : linesOf(text, at)
  const rest = without(text, old, '')
  const lineEnd = lineEndOf(text)
  const written = tableText(at, value, lineEnd)
  const [first] = old
  const lead = first === undefined ? leadFor(rest, lineEnd) : ''
  const start = first?.start ?? text.length
  const edited = rest.slice(0, start) + lead + written + rest.slice(start)
  const sha256 = sha256OfValue(value)
  const isThere = sha256 === attempt(() => sha256OfValue(valueAt(edited, at)))
  if (!isThere || !differsOnlyAt(at, text, edited))
    throw misplaced(thereOf(text, at), 'a table with a header of its own')
  const replaced = first && { text: text.slice(first.start, old.at(-1)?.end), between: between(text, old) }
  const trace = { kind, at, sha256, made: 0, lead, tail: '' }
  return { text: edited, trace: { ...trace, ...(replaced && { replaced }) } }
}

/** Returns the part of a path that is there. */
function thereOf(text: string, at: readonly string[]): readonly string[] {
  const isThere = (_: string, depth: number) => valueAt(text, at.slice(0, depth + 1)) !== undefined
  return at.slice(0, at.findLastIndex(isThere) + 1)
}

/** The text between lines, joined. */
function between(text: string, lines: readonly Range[]): string {
  return lines
    .slice(1)
    .map(({ start }, index) => text.slice(lines[index]?.end, start))
    .join('')
}

/** The text with what an entry had replaced; undefined if what stood between its parts is no longer there. */
function putBack(text: string, own: readonly Range[], replaced: NonNullable<Trace['replaced']>) {
  const [start, end] = [own[0]?.start ?? 0, own.at(-1)?.end ?? 0]
  const kept = replaced.between ?? ''
  if (between(text, own).trim() !== '' || !text.startsWith(kept, end)) return undefined
  const after = text.slice(end + kept.length)
  const joins = after !== '' && !replaced.text.endsWith('\n')
  return text.slice(0, start) + replaced.text + (joins ? lineEndOf(text) : '') + after
}

/** Returns the line ends that leave one empty line between the text and a new table. */
function leadFor(text: string, lineEnd: string): string {
  if (text === '' || text === '\uFEFF' || text.endsWith(`${lineEnd}${lineEnd}`)) return ''
  return text.endsWith('\n') ? lineEnd : lineEnd + lineEnd
}

function without(text: string, lines: readonly Range[], lead: string): string {
  const [first] = lines
  if (first === undefined) return text
  const last = lines.at(-1)?.end ?? 0
  const after = between(text, lines) + text.slice(last)
  const before = text.slice(0, first.start)
  if (lead === '' || !before.endsWith(lead)) return before + after
  const kept = before.slice(0, before.length - lead.length)
  // What follows needs a line of its own.
  return kept + (after !== '' && !kept.endsWith('\n') ? lead.slice(0, lead.length / 2) : '') + after
}

function tableText(at: readonly string[], value: unknown, lineEnd: string): string {
  const members = Object.entries(value as Readonly<Record<string, unknown>>)
  const pairs = members.filter(([, each]) => !isTable(each))
  const tables = members.filter(([, each]) => isTable(each))
  const lines = [
    `[${at.map(keyText).join('.')}]`,
    ...pairs.map(([key, each]) => `${keyText(key)} = ${valueText(each)}`),
  ]
  const own = lines.map((line) => line + lineEnd).join('')
  return own + tables.map(([key, each]) => lineEnd + tableText([...at, key], each, lineEnd)).join('')
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : valueText(key)
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`
  return JSON.stringify(value).replaceAll('\u007f', '\\u007f')
}
