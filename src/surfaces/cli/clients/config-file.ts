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
import { applyEdits, type JSONPath, modify, type ParseError, parse as parseJson } from 'jsonc-parser'
import { parse as parseToml, stringify as stringifyToml } from 'smol-toml'
import { attempt, ElfmemError } from '../../../errors.ts'

/** An entry that elfmem wants in a file of a client. */
export interface Entry {
  /** `member`: the value of the key at `at`. `items`: values in the list at `at`, beside other values. */
  readonly kind: 'member' | 'items'
  /** Keys from the top of the file. */
  readonly at: readonly string[]
  readonly value: unknown
}

/** A file of a client as it was read. */
export interface ConfigFile {
  readonly path: string
  /** The path without links. */
  readonly target: string
  /** The text; undefined if there is no file. */
  readonly text: string | undefined
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
    return { path, target, text: undefined, mode: project === undefined ? 0o600 : 0o644 }
  const uid = process.getuid?.() ?? found.uid
  if (!found.isFile() || found.uid !== uid || found.size > BYTES_MAX)
    throw refused('is no regular file of yours of at most 64 MB')
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  const text = attempt(() => decoder.decode(readFileSync(target)))
  if (text === undefined) throw refused('cannot be read as UTF-8')
  if (text.startsWith('\uFEFF')) throw refused('begins with a byte order mark, which clients do not agree on')
  return { path, target, text, mode: found.mode & 0o7777 }
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
 * Replaces a file as a whole; a copy of the text from before elfmem is kept beside it. With `isLast` the copy goes, and without
 * `text` the file.
 *
 * @throws `CONFLICT` if another program changed it since it was read, `STORE_FAILED` if it cannot be written
 */
export function replaceConfig(file: ConfigFile, text: string | undefined, isLast: boolean): void {
  const { path, target, mode } = file
  if (attempt(() => readFileSync(target, 'utf8')) !== file.text)
    throw new ElfmemError('CONFLICT', `${path} was changed by another program just now.`, {
      recovery: 'Run this again.',
    })
  const backup = target + BACKUP
  const part = join(dirname(target), `.${basename(target)}.${randomBytes(6).toString('hex')}`)
  try {
    mkdirSync(dirname(target), { recursive: true })
    if (file.text !== undefined && !isLast && !existsSync(backup))
      writeFileSync(backup, file.text, { mode, flag: 'wx' })
    if (text === undefined) rmSync(target, { force: true })
    else {
      writeFileSync(part, text, { mode, flag: 'wx', flush: true })
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

/** Returns true if elfmem made a file, and it would hold nothing but empty objects and lists with this text. */
export function isLeftover({ target }: ConfigFile, text: string): boolean {
  const isEmpty = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && Object.values(value).every(isEmpty)
  const isHollow = text.trim() === '' || attempt(() => isEmpty(JSON.parse(text))) === true
  const before = attempt(() => readFileSync(target + BACKUP, 'utf8'))
  return isHollow && (before === undefined || before.includes('elfmem'))
}

/** Returns true if a hook in a list belongs to elfmem: its server or its name is this word, and not just a part of a path. */
const isOurs = (value: unknown) => JSON.stringify(value).includes('"elfmem"')

const isToml = (path: string) => path.endsWith('.toml')

/** Returns the value in the place of an entry, or our values in a list; undefined if there is none. */
export function findEntry({ path, text = '' }: Written, { kind, at }: Pick<Entry, 'kind' | 'at'>): unknown {
  if (isToml(path)) return tableAt(text, at)
  if (kind === 'member') return valueAt(parsedJson(text), at)
  const ours = listAt(text, at).filter(isOurs)
  return ours.length === 0 ? undefined : ours
}

/** Returns the text with the entry, which replaces an earlier one. Only the object that gets it is laid out anew. */
export function putEntry({ path, text = '' }: Written, entry: Entry): string {
  if (isToml(path)) return withTable(text, entry)
  const { kind, at, value } = entry
  valueAt(parsedJson(text), [...at.slice(0, -1), ''])
  if (kind === 'member') return withValue(text, [...at], value)
  const add = (rest: string, each: unknown) => withValue(rest, [...at, -1], each, true)
  return (value as readonly unknown[]).reduce(add, withoutItems(text, at))
}

/** Returns the text without the entry. */
export function takeEntry({ path, text = '' }: Written, { kind, at }: Entry): string {
  if (isToml(path)) return withoutTable(text, at)
  return kind === 'member' ? withValue(text, [...at], undefined) : withoutItems(text, at)
}

/** Returns the entry alone, as a text to paste. */
export function entryText(path: string, { at, value }: Entry): string {
  const whole = at.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)
  return isToml(path) ? stringifyToml(whole).trim() : JSON.stringify(whole, undefined, 2)
}

/** A text and the file in which it stands, or is to stand. Each function throws `CONFIG_INVALID` for one that does not parse. */
type Written = Pick<ConfigFile, 'path' | 'text'>

function parsedJson(text: string): unknown {
  const errors: ParseError[] = []
  const options = { allowTrailingComma: true, allowEmptyContent: true }
  const parsed = attempt(() => ({ value: parseJson(text, errors, options) as unknown }))
  if (parsed !== undefined && errors.length === 0) return parsed.value
  throw refused(`is no JSON (character ${errors[0]?.offset ?? 0})`)
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
  const formattingOptions = { insertSpaces: indent[0] !== '\t', tabSize: indent.length, eol: endOfLine(text) }
  return applyEdits(text, modify(text, path, value, { formattingOptions, isArrayInsertion }))
}

const endOfLine = (text: string) => (text.includes('\r\n') ? '\r\n' : '\n')

function withoutItems(text: string, at: readonly string[]): string {
  const places = listAt(text, at).flatMap((value, place) => (isOurs(value) ? [place] : []))
  return places.toReversed().reduce((rest, place) => withValue(rest, [...at, place], undefined), text)
}

/** The lines between which the table of elfmem stands in TOML. A table of this name without them belongs to somebody else. */
const [BEGIN, END] = ['# elfmem:begin', '# elfmem:end']
const BLOCK = new RegExp(`^${BEGIN}\\s*?\\n([\\s\\S]*?)^${END}\\s*?(?:\\n|$)`, 'm')

function tableAt(text: string, at: readonly string[]): unknown {
  try {
    return structuredClone(valueAt(parseToml(text, { integersAsBigInt: 'asNeeded' }), at))
  } catch (cause) {
    if (ElfmemError.is(cause)) throw cause
    throw refused(`is no TOML (${(cause as Error).message.split('\n')[0]})`)
  }
}

function withTable(text: string, entry: Entry): string {
  const before = withoutTable(text, entry.at)
  const eol = endOfLine(text)
  const gap = before === '' ? '' : before.endsWith('\n') ? eol : eol + eol
  const table = entryText('.toml', entry).split('\n')
  const after = before + gap + [BEGIN, ...table, END, ''].join(eol)
  const written = attempt(() => tableAt(after, entry.at))
  if (isDeepStrictEqual(written, entry.value)) return after
  throw refused(`has no place for a table ${entry.at.join('.')}`)
}

/** Returns a text without the marked table. Throws `CONFIG_INVALID` if it has lines of others, or stands elsewhere. */
function withoutTable(text: string, at: readonly string[]): string {
  const [block, inner = ''] = BLOCK.exec(text) ?? []
  const isOurs = (line: string) => line.trim() === `[${at.join('.')}]` || /^\s*(?:[\w-]+\s*=.*)?$/.test(line)
  const left = block === undefined ? text : text.replace(block, '').replace(/(?<=\n)\r?\n$/, '')
  if (inner.split(/\r?\n/).every(isOurs) && tableAt(left, at) === undefined) return left
  throw refused(`has a table ${at.join('.')}, or lines in it, that elfmem did not write; remove them by hand`)
}
