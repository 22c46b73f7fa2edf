import { accessSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs'
import { Finder } from '../../domain/erasure/finder.ts'
import { leastWordBytes, type NeedleKind } from '../../domain/erasure/needles.ts'
import { attempt } from '../../errors.ts'
import type { ErasingReport, FoundInFile } from '../../ports/store/erasing.ts'
import { closeFile } from '../file/descriptors.ts'
import { HEADER_BYTES, headerOf } from '../file/header.ts'
import { bytesOf, isOwnBackup } from '../maintenance/paths.ts'
import { filesToLookThrough } from './memory-files.ts'

const CHUNK_BYTES = 1 << 20
/** Forms that are looked for in one pass over the files, so that memory stays bounded. */
const FORMS_AT_ONCE = 200_000
/** A database begins so. */
const SQLITE = 'SQLite format 3'
/** The names of exports. */
const EXPORT = /\.jsonl$/i
/** The longest mark by which a text says its encoding. */
const MARK_BYTES = 4
/** A shorter text counts only where it stands apart, as a word does. */
const SURE_BYTES = 8

/** Counts what files hold. Words that are too short for so many bytes stand there by chance, and are left out. */
export function scanFiles(
  paths: readonly string[],
  forms: ReadonlyMap<string, NeedleKind>,
): readonly FoundInFile[] {
  const bytes = paths.reduce((sum, path) => sum + bytesOf(path), 0)
  const words = [...forms.values()].filter((kind) => kind === 'word').length
  const least = leastWordBytes(bytes, words)
  const wanted = [...forms].filter(([form, kind]) => kind !== 'word' || Buffer.byteLength(form) >= least)
  const total = new Map<string, FoundInFile>()
  for (let first = 0; first === 0 || first < wanted.length; first += FORMS_AT_ONCE) {
    const finder = new Finder(wanted.slice(first, first + FORMS_AT_ONCE).map(([form]) => form))
    for (const path of paths) {
      const found = scanFile(path, finder, (form) => forms.get(form) ?? 'word')
      const before = total.get(path)
      total.set(path, {
        ...found,
        texts: found.texts + (before?.texts ?? 0),
        runs: found.runs + (before?.runs ?? 0),
        words: found.words + (before?.words ?? 0),
      })
    }
  }
  return [...total.values()]
}

/** The files to scan that are not the memory's own. */
export interface LookBeside {
  readonly location: string
  readonly forms: ReadonlyMap<string, NeedleKind>
  /** Paths at which copies were made. */
  readonly known: readonly string[]
}

/** Files that hold the words and are left alone, and how many were not looked at. */
export type Beside = Pick<ErasingReport, 'elsewhere' | 'unread'>

/**
 * Looks through copies made elsewhere, and through what lies in the folders of the memory and of its backups, up to a
 * bound. Single words do not separate a copy from a foreign file, so there it takes more. A known copy that cannot be read is
 * named as well: its disk may be away. So is a database in which words may stand unseen.
 */
export function lookBeside({ location, forms, known: given }: LookBeside): Beside {
  const { known, near, others } = filesToLookThrough(location, given)
  const readable = known.filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
  const clean = new Set(
    scanFiles(readable, forms)
      .filter((each) => forms.size > 0 && each.unread !== true && timesIn(each) === 0)
      .filter(({ path }) => whyUnseen(path, { isExport: true }) === undefined)
      .map(({ path }) => path),
  )
  const found = scanFiles(near, new Map([...forms].filter(([, kind]) => kind !== 'word')))
  const holding = found
    .filter(
      (each) => timesIn(each) > 0 || whyUnseen(each.path, { isExport: EXPORT.test(each.path) }) !== undefined,
    )
    .map(({ path }) => path)
  return {
    elsewhere: [...known.filter((path) => !clean.has(path)), ...holding],
    unread: others + found.filter(({ unread }) => unread === true).length,
  }
}

/**
 * Why words may stand in a file without being found: texts are looked for in UTF-8, and of a database that was cut off the
 * rest may lie elsewhere. Undefined where nothing speaks for it.
 *
 * @param isExport what is no database should be an export: all of it is read. Of any other file the first bytes say it.
 */
export function whyUnseen(
  path: string,
  { isExport = false }: { readonly isExport?: boolean } = {},
): string | undefined {
  const header = headerIn(path)
  if (header === undefined) {
    if (isOwnBackup(path) && bytesOf(path) > 0) return 'It is damaged: it has no beginning.'
    return whyNotText(path, isExport)
  }
  if (header.encoding !== 'utf-8')
    return `Its texts are in ${header.encoding.toUpperCase()}, in which nothing is looked for.`
  const isCut = bytesOf(path) < header.pages * header.pageSize && bytesOf(`${path}-wal`) === 0
  return isCut ? 'It is damaged: a part of it is missing.' : undefined
}

/** True if a file names one of the blocks. */
export function namesAny(path: string, ids: readonly string[]): boolean {
  return timesIn(scanFile(path, new Finder(ids), () => 'text')) > 0
}

/** How often anything that was looked for stands in a file. */
export function timesIn({ texts, runs, words }: FoundInFile): number {
  return texts + runs + words
}

/**
 * Counts what a file holds of the texts that are looked for. Reads it once in pieces, whatever its size. A single word
 * counts where it stands apart on one side at least, since in a row of a table the next field follows without a gap;
 * numbers have to stand apart on both.
 */
function scanFile(path: string, finder: Finder, kindOf: (text: string) => NeedleKind): FoundInFile {
  const found = { texts: 0, runs: 0, words: 0 }
  const kinds = finder.texts.map(kindOf)
  const isNumber = finder.texts.map((text) => /^\d+$/.test(text))
  const visit = (bytes: Uint8Array, text: number, at: number, length: number) => {
    const kind = kinds[text]
    if (kind === 'run') found.runs += 1
    else if (kind === 'text' && length >= SURE_BYTES) found.texts += 1
    else if (standsApart(bytes, at, length, isNumber[text] === true)) {
      if (kind === 'text') found.texts += 1
      else found.words += 1
    }
  }
  eachPiece(path, finder.longest + 1, (bytes, range) =>
    finder.scan(bytes, range, (text, at, length) => visit(bytes, text, at, length)),
  )
  return { path, bytes: bytesOf(path), ...found, ...(isUnread(path) ? { unread: true } : {}) }
}

/**
 * Hands a file over in pieces with `margin` bytes of the next one, and one of the piece before. A file that is gone or
 * cannot be opened has none.
 */
function eachPiece(
  path: string,
  margin: number,
  visit: (bytes: Uint8Array, range: { readonly from: number; readonly to: number }) => void,
): void {
  const file = attempt(() => openSync(path, 'r'))
  if (file === undefined) return
  try {
    const buffer = new Uint8Array(CHUNK_BYTES + margin + 1)
    let [held, from] = [0, 0]
    for (;;) {
      const read = readSync(file, buffer, held, buffer.length - held, null)
      held += read
      const isEnd = read === 0
      if (!isEnd && held < buffer.length) continue
      const to = isEnd ? held : held - margin
      visit(buffer.subarray(0, held), { from, to })
      if (isEnd) return
      buffer.copyWithin(0, to - 1, held)
      held -= to - 1
      from = 1
    }
  } finally {
    letGo(file)
  }
}

/** Why words may stand unseen in a file that is no database. */
function whyNotText(path: string, isExport: boolean): string | undefined {
  const file = attempt(() => openSync(path, 'r'))
  if (file === undefined) return undefined
  try {
    const bytes = new Uint8Array(isExport ? CHUNK_BYTES : MARK_BYTES)
    const decoder = new TextDecoder('utf-8', { fatal: true })
    for (let isFirst = true; ; isFirst = false) {
      const piece = bytes.subarray(0, readSync(file, bytes, 0, bytes.length, null))
      if (isFirst && beginsAsWide(piece))
        return 'Its texts are in UTF-16 or UTF-32, in which nothing is looked for.'
      if (!isExport) return undefined
      // No JSON has a byte 0, which UTF-16 has in every other place.
      const isText = attempt(() => decoder.decode(piece, { stream: piece.length > 0 })) !== undefined
      if (!isText || piece.includes(0))
        return 'Its texts are not in UTF-8, and nothing is looked for in another encoding.'
      if (piece.length === 0) return undefined
    }
  } finally {
    letGo(file)
  }
}

/** True of the mark that texts in UTF-16 or UTF-32 begin with. */
function beginsAsWide([first, second, third, fourth]: Uint8Array): boolean {
  if (first === 0 && second === 0) return third === 0xfe && fourth === 0xff
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)
}

function headerIn(path: string) {
  const file = attempt(() => openSync(path, 'r'))
  if (file === undefined) return undefined
  try {
    const bytes = Buffer.alloc(HEADER_BYTES)
    return headerOf(bytes.subarray(0, readSync(file, bytes, 0, HEADER_BYTES, 0)))
  } finally {
    letGo(file)
  }
}

function letGo(file: number): void {
  if (unclosed !== undefined && mayBeDatabase(file)) unclosed.push(file)
  else closeFile(file)
}

let unclosed: number[] | undefined

/**
 * Leaves descriptors of databases open from now on, in the list that is returned: a thread does not know which files the
 * stores of other threads have open, whose locks the system would take away (`file/descriptors.ts`). Whoever started the
 * thread closes them with `closeFile`.
 */
export function leaveDatabasesOpen(): readonly number[] {
  unclosed ??= []
  return unclosed
}

/** Also of a database to which nothing was written yet. */
function mayBeDatabase(file: number): boolean {
  const beginning = Buffer.alloc(SQLITE.length)
  return readSync(file, beginning, 0, SQLITE.length, 0) === 0 || beginning.toString('latin1') === SQLITE
}

/** True of a file that is there and may not be read. */
function isUnread(path: string): boolean {
  const isReadable = attempt(() => accessSync(path, constants.R_OK) ?? true) === true
  return !isReadable && existsSync(path)
}

function standsApart(bytes: Uint8Array, at: number, length: number, isNumber: boolean): boolean {
  const [before, after] = [bytes[at - 1], bytes[at + length]]
  if (isNumber) return !isSign(before) && before !== DOT && !isSign(after) && !isOwnNumber(bytes, at, length)
  return !isSign(before) || !isSign(after)
}

const [DOT, QUOTE, COLON, OPEN, COMMA, CLOSE] = [...'.":[,]'].map((sign) => sign.charCodeAt(0))

/** A number that JSON has without quotes is one of the memory itself, such as that of a row. */
function isOwnNumber(bytes: Uint8Array, at: number, length: number): boolean {
  const [before, after] = [bytes[at - 1], bytes[at + length]]
  if (before === OPEN) return after === CLOSE || after === COMMA
  return before === COLON && bytes[at - 2] === QUOTE
}

/** Letters, digits, bytes of letters beyond ASCII, and what base64 has besides. */
function isSign(byte: number | undefined): boolean {
  if (byte === undefined) return false
  if (byte >= 0x80) return true
  const sign = String.fromCharCode(byte)
  return /[A-Za-z0-9+/=]/.test(sign)
}
