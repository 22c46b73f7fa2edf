import { randomBytes } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import {
  applyEdits,
  type JSONPath,
  modify,
  type ParseError,
  parse as parseJson,
  printParseErrorCode,
} from 'jsonc-parser'
import { parse as parseToml } from 'smol-toml'
import { attempt, ElfmemError } from '../../../errors.ts'

/** An entry that elfmem wants in a file of a client. */
export interface Entry {
  /** `member`: the value of the key at `at`. `items`: values in the list at `at`, beside those of others. `block`: lines of text. */
  readonly kind: 'member' | 'items' | 'block'
  /** Keys from the top of the file; empty for a block of text. */
  readonly at: readonly string[]
  readonly value: unknown
  /** The beginning of a file that is made for a block. */
  readonly preamble?: string
}

/** A file of a client as it was read. */
export interface ConfigFile {
  readonly path: string
  /** The path without links. */
  readonly target: string
  /** The text without a byte order mark; undefined if there is no file. */
  readonly text: string | undefined
  /** A byte order mark, or nothing. */
  readonly mark: string
  /** The permission bits of the file; of a new one, those it gets. */
  readonly mode: number
}

/** The largest file of a client that is read, in bytes; some clients keep their history in it. */
const BYTES_MAX = 64 * 1024 * 1024
/** The name of the copy from before the first change ends with this. */
const BACKUP = '.before-elfmem'

/**
 * Reads a file of a client. In a project no link is followed; links of the user are.
 *
 * @param project the folder of the project; undefined for a file of the user
 * @throws `CONFIG_INVALID` if elfmem may not edit it; the message is a clause without the path
 */
export function readConfig(path: string, project: string | undefined): ConfigFile {
  const target =
    project === undefined ? (attempt(() => realpathSync(path)) ?? path) : withoutLinks(path, project)
  const found = attempt(() => lstatSync(target))
  if (found === undefined)
    return { path, target, text: undefined, mark: '', mode: project === undefined ? 0o600 : 0o644 }
  const uid = process.getuid?.() ?? found.uid
  if (!found.isFile()) throw refused('is no regular file')
  if (found.uid !== uid) throw refused('belongs to another user')
  if (found.size > BYTES_MAX) throw refused('is larger than 64 MB')
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(target))
    const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
    return { path, target, text: text.slice(mark.length), mark, mode: found.mode & 0o7777 }
  } catch {
    throw refused('cannot be read as UTF-8')
  }
}

function withoutLinks(path: string, project: string): string {
  let at = realpathSync(project)
  for (const part of relative(project, path).split(sep)) {
    at = join(at, part)
    if (attempt(() => lstatSync(at))?.isSymbolicLink()) throw refused(`lies behind the link ${at}`)
  }
  return at
}

function refused(reason: string): ElfmemError {
  return new ElfmemError('CONFIG_INVALID', reason, { recovery: 'Mend that.', details: { reason } })
}

/**
 * Replaces a file as a whole; a copy of the text from before elfmem is kept beside it. Without `text` the file goes, and with
 * `isLast` the copy.
 *
 * @throws `CONFLICT` if another program changed it since it was read, `STORE_FAILED` if it cannot be written
 */
export function replaceConfig(file: ConfigFile, text: string | undefined, { isLast = false } = {}): void {
  const { path, target, mark, mode } = file
  const now = attempt(() => readFileSync(target, 'utf8'))
  if (now !== (file.text === undefined ? undefined : mark + file.text))
    throw new ElfmemError('CONFLICT', `${path} was changed by another program just now.`, {
      recovery: 'Run this again.',
    })
  const [backup, part] = [
    target + BACKUP,
    join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}`),
  ]
  try {
    mkdirSync(dirname(target), { recursive: true })
    if (now !== undefined && !isLast && !existsSync(backup)) writeFileSync(backup, now, { mode, flag: 'wx' })
    if (text === undefined) rmSync(target, { force: true })
    else {
      writeFileSync(part, mark + text, { mode, flag: 'wx', flush: true })
      renameSync(part, target)
    }
    if (isLast) rmSync(backup, { force: true })
  } catch (cause) {
    rmSync(part, { force: true })
    throw new ElfmemError('STORE_FAILED', `${path} cannot be written: ${(cause as Error).message}.`, {
      recovery: 'Give this user write access to the folder, or leave this client out.',
      details: { file: path },
      cause,
    })
  }
}

/** Returns the text of a file from before the first change; undefined if there was no file. */
export function textBefore({ target }: ConfigFile): string | undefined {
  return attempt(() => readFileSync(target + BACKUP, 'utf8'))
}

/** The rules of a format. Each throws `CONFIG_INVALID` for a text that is not of the format. */
interface Editor {
  /** Returns the value in the place of an entry, of a list the values that are ours; undefined if there is none. */
  find(text: string, entry: Pick<Entry, 'kind' | 'at'>): unknown
  /** Returns the text with the entry in it, in the place of one that is there. */
  put(text: string, entry: Entry): string
  /** Returns the text without the entry. */
  takeOut(text: string, entry: Omit<Entry, 'value'>): string
  /** Returns the entry alone, as a text to paste. */
  snippet(entry: Entry): string
}

/** Returns true if a hook in a list belongs to elfmem: its server or its name is this word, and not just a part of a path. */
const isOurs = (value: unknown) => JSON.stringify(value).includes('"elfmem"')

function parsedJson(text: string): unknown {
  const errors: ParseError[] = []
  const options = { allowTrailingComma: true, allowEmptyContent: true }
  const parsed = attempt(() => ({ value: parseJson(text, errors, options) as unknown }))
  if (parsed === undefined) throw refused('is nested too deeply')
  const [first] = errors
  if (first === undefined) return parsed.value
  throw refused(`is no JSON (${printParseErrorCode(first.error)}, character ${first.offset})`)
}

/** Returns the value at a path. Throws `CONFIG_INVALID` if a part of the path is there and is no object. */
function valueAt(value: unknown, at: readonly string[]): unknown {
  return at.reduce<unknown>((outer, key, depth) => {
    if (outer === undefined) return undefined
    if (typeof outer !== 'object' || outer === null || Array.isArray(outer))
      throw refused(`has no object at ${at.slice(0, depth).join('.') || 'its top'}`)
    return Object.hasOwn(outer, key) ? (outer as Record<string, unknown>)[key] : undefined
  }, value)
}

function listAt(text: string, at: readonly string[]): readonly unknown[] {
  const list = valueAt(parsedJson(text), at) ?? []
  if (!Array.isArray(list)) throw refused(`has no list at ${at.join('.')}`)
  return list
}

function withValue(text: string, path: JSONPath, value: unknown, isArrayInsertion = false): string {
  const [indent = '  '] = /(?<=\n)[ \t]+(?=\S)/.exec(text) ?? []
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const formattingOptions = { insertSpaces: indent[0] !== '\t', tabSize: indent.length, eol }
  return applyEdits(text, modify(text, path, value, { formattingOptions, isArrayInsertion }))
}

function withoutItems(text: string, at: readonly string[]): string {
  const places = listAt(text, at).flatMap((value, place) => (isOurs(value) ? [place] : []))
  return places.toReversed().reduce((rest, place) => withValue(rest, [...at, place], undefined), text)
}

/** Edits JSON with or without comments; only the object that gets the entry is laid out anew. */
const jsonEditor: Editor = {
  find(text, { kind, at }) {
    if (kind === 'member') return valueAt(parsedJson(text), at)
    const ours = listAt(text, at).filter(isOurs)
    return ours.length === 0 ? undefined : ours
  },
  put(text, { kind, at, value }) {
    valueAt(parsedJson(text), [...at.slice(0, -1), ''])
    if (kind === 'member') return withValue(text, [...at], value)
    const add = (rest: string, each: unknown) => withValue(rest, [...at, -1], each, true)
    return (value as readonly unknown[]).reduce(add, withoutItems(text, at))
  },
  takeOut: (text, { kind, at }) =>
    kind === 'member' ? withValue(text, [...at], undefined) : withoutItems(text, at),
  snippet: ({ at, value }) =>
    JSON.stringify(
      at.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value),
      undefined,
      2,
    ),
}

/** The lines between two marks in a text. */
interface Marked {
  readonly start: number
  readonly end: number
  readonly inner: string
}

function markedIn(text: string, [begin, end]: Marks): Marked | undefined {
  const [starts, ends] = [begin, end].map((mark) => [
    ...text.matchAll(new RegExp(`^${mark}[ \\t]*\\r?\\n?`, 'gm')),
  ])
  const [first, last] = [starts?.[0], ends?.[0]]
  if (first === undefined && last === undefined) return undefined
  if (
    starts?.length !== 1 ||
    ends?.length !== 1 ||
    first === undefined ||
    last === undefined ||
    last.index < first.index
  )
    throw refused('does not have the marks of elfmem once each, in this order')
  const inner = text.slice(first.index + first[0].length, last.index)
  return { start: first.index, end: last.index + last[0].length, inner }
}

type Marks = readonly [begin: string, end: string]

function putMarked(text: string, marks: Marks, inner: string, preamble = ''): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const written = `${[marks[0], ...inner.split('\n'), marks[1]].join(eol)}${eol}`
  const found = markedIn(text, marks)
  if (found !== undefined) return text.slice(0, found.start) + written + text.slice(found.end)
  if (text === '') return preamble + written
  return text + (text.endsWith('\n') ? eol : eol + eol) + written
}

function takeMarked(text: string, marks: Marks, preamble = ''): string {
  const found = markedIn(text, marks)
  if (found === undefined) return text
  const before = text.slice(0, found.start)
  const rest = before.replace(/(?<=\n)\r?\n$/, '') + text.slice(found.end)
  return rest === preamble ? '' : rest
}

const IN_TOML: Marks = ['# elfmem:begin', '# elfmem:end']
const IN_MARKDOWN: Marks = ['<!-- elfmem:begin v1 -->', '<!-- elfmem:end -->']

function parsedToml(text: string): unknown {
  try {
    return parseToml(text, { integersAsBigInt: 'asNeeded' })
  } catch (cause) {
    throw refused(`is no TOML (${(cause as Error).message.split('\n')[0]})`)
  }
}

const tomlText = (value: unknown): string =>
  Array.isArray(value)
    ? `[${value.map(tomlText).join(', ')}]`
    : JSON.stringify(value).replaceAll('\u007f', '\\u007f')

function tableText({ at, value }: Entry): string {
  const pairs = Object.entries(value as Readonly<Record<string, unknown>>)
  return [`[${at.join('.')}]`, ...pairs.map(([key, each]) => `${key} = ${tomlText(each)}`)].join('\n')
}

/** Throws `CONFIG_INVALID` if somebody put another table or a comment between the marks. */
function mustHoldNothingElse(text: string, { at }: Pick<Entry, 'at'>): void {
  const inner = markedIn(text, IN_TOML)?.inner ?? ''
  const isOurs = (line: string) => line.trim() === `[${at.join('.')}]` || /^\s*(?:[\w-]+\s*=.*)?$/.test(line)
  if (!inner.split('\n').every(isOurs))
    throw refused('has lines between the marks of elfmem that elfmem did not write')
}

/** Edits TOML by one table between two marks. A table of this name without the marks belongs to somebody else. */
const tomlEditor: Editor = {
  find: (text, { at }) => structuredClone(valueAt(parsedToml(text), at)),
  put(text, entry) {
    if (markedIn(text, IN_TOML) === undefined && this.find(text, entry) !== undefined)
      throw refused(`has a table ${entry.at.join('.')} that elfmem did not write; remove it first`)
    mustHoldNothingElse(text, entry)
    const after = putMarked(text, IN_TOML, tableText(entry))
    if (
      isDeepStrictEqual(
        attempt(() => this.find(after, entry)),
        entry.value,
      )
    )
      return after
    throw refused(`has no place for a table ${entry.at.join('.')}`)
  },
  takeOut(text, entry) {
    mustHoldNothingElse(text, entry)
    const after = takeMarked(text, IN_TOML)
    if (this.find(after, entry) === undefined) return after
    throw refused(`has a table ${entry.at.join('.')} that elfmem did not write; remove it by hand`)
  },
  snippet: tableText,
}

/** Edits a text for people by lines between two marks. */
const blockEditor: Editor = {
  find: (text) => markedIn(text, IN_MARKDOWN)?.inner.replaceAll('\r\n', '\n').trimEnd(),
  put: (text, { value, preamble }) => putMarked(text, IN_MARKDOWN, String(value), preamble),
  takeOut: (text, { preamble }) => takeMarked(text, IN_MARKDOWN, preamble),
  snippet: ({ value }) => String(value),
}

/** The editor of each format. */
export const EDITORS = { json: jsonEditor, toml: tomlEditor, block: blockEditor } as const

/** Returns true if a text holds nothing but empty objects and lists, and no comment. */
export function isHollow(text: string): boolean {
  const isEmpty = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && Object.values(value).every(isEmpty)
  return text.trim() === '' || attempt(() => isEmpty(JSON.parse(text))) === true
}
