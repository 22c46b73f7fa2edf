import { basename, dirname, join } from 'node:path'
import type { Imported, ImportedLoss, ImportFormat } from '../../engine/ports.ts'
import { ElfmemError } from '../../errors.ts'
import { filesIn, type JsonItem, type Reader, type WholeText } from './reader.ts'

export type ForeignValue = string | number | bigint | Uint8Array | undefined

/** The tables of a database of another program. Nothing of its schema runs, and nothing is written. */
export interface ForeignTables {
  readonly columns: ReadonlyMap<string, readonly string[]>
  readonly isOurs: boolean
  /** The rows of a table; none if there is no such table. */
  rows(table: string): Iterable<Readonly<Record<string, ForeignValue>>>
  /** Tables that could not be read to their end so far. */
  readonly lost: () => number
  /** True if somebody wrote to the file since it was opened. */
  readonly hasChanged: () => boolean
  readonly close: () => void
}

/** The facts that a look at a file or folder shows. */
export interface Probe {
  readonly path: string
  /** The name of a file without its folder. */
  readonly name: string
  /** Names in a folder, hidden ones too; undefined of a file. */
  readonly names: ReadonlySet<string> | undefined
  /** The first signs of a file. */
  readonly head: string
  /** The first item of a JSON file. */
  readonly first: unknown
  /** The first line of a file as JSON. */
  readonly firstLine: unknown
  /** The tables of a SQLite database. */
  readonly tables: ForeignTables | undefined
}

/** The file or folder that an importer reads, and how. */
export interface Source extends Probe {
  readonly reader: Reader
  /** True: also what was put away there. */
  readonly archived: boolean
}

/** Reads one format. */
export interface Importer {
  readonly name: ImportFormat
  readonly title: string
  /** True if a look shows this format; never throws. */
  readonly detects: (probe: Probe) => boolean
  /** Throws nothing but `ElfmemError`. */
  readonly read: (source: Source) => Iterable<Imported>
}

/** An object of JSON, of which nothing is checked yet. */
export type Fields = Readonly<Record<string, unknown>>

/** An object of JSON, or an empty one. */
export function recordOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

/** A list of JSON, or an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A text with words; undefined otherwise. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** The first of some values that is a text with words. */
export function firstText(...values: readonly unknown[]): string | undefined {
  return values.map(textOf).find((text) => text !== undefined)
}

/** Seconds since 1970 as ISO-8601 UTC; anything else as it is, so that it is named where it is no time. */
export function timeOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined
  if (typeof value !== 'number') return typeof value === 'string' ? textOf(value) : JSON.stringify(value)
  const time = new Date(value * 1000)
  return Number.isNaN(time.getTime()) ? String(value) : time.toISOString()
}

/** A name as a part of a tag. */
export function tagPart(name: string): string {
  return name.trim().toLowerCase().slice(0, TAG_PART_MOST).split(/\s+/).join('-').replaceAll('/', '-')
}

const TAG_PART_MOST = 80

/** Announces the files of a folder, so that all count together; a file that is the source by itself is known already. */
export function expectFiles({ path, names, reader }: Source, files: readonly string[]): void {
  if (names !== undefined) for (const file of files) reader.expectFile(join(path, file))
}

/** The wanted files of a folder, or the file that is the source, by their paths in the folder; all are announced. */
export function wantedFiles(source: Source, wants: (name: string) => boolean) {
  const { path, name, names } = source
  const found = names === undefined ? [name] : [...filesIn(path, wants)]
  const files = found.filter((each) => typeof each === 'string')
  expectFiles(source, files)
  const losses = found.filter((each) => typeof each !== 'string')
  return { files, losses, folder: names === undefined ? dirname(path) : path }
}

/** The text of a file that is the source or lies in it; of one in a folder that cannot be read, why it is not kept. */
export function wholeTextIn(
  { reader, names }: Source,
  { path, place, most }: { readonly path: string; readonly place: string; readonly most: number },
): WholeText | ImportedLoss {
  return orLeft({ names, place }, () => reader.text(path, names !== undefined, most))
}

/** The items of a JSON file, as `wholeTextIn` reads a text. */
export function itemsIn(source: Source, path: string): Iterable<JsonItem> | ImportedLoss {
  const { reader, names } = source
  return orLeft({ names, place: basename(path) }, () => reader.json(path, names !== undefined))
}

/** Reads a file; returns why one in a folder cannot be read, and throws it of one that was named. */
function orLeft<T>(
  { names, place }: Pick<Source, 'names'> & { readonly place: string },
  read: () => T,
): T | ImportedLoss {
  try {
    return read()
  } catch (error) {
    if (names === undefined || !ElfmemError.is(error) || error.code === 'CANCELLED') throw error
    const whys = { LIMIT_EXCEEDED: 'they are too large', INVALID_INPUT: 'they are no such files' }
    const why = whys[error.code as keyof typeof whys] ?? 'they cannot be read'
    return left('files', why, { example: place })
  }
}

/** Returns a loss: data that is not kept, and why. */
export function left(
  what: string,
  why: string,
  more: Pick<ImportedLoss, 'many' | 'example'> = {},
): ImportedLoss {
  return { kind: 'left', what, why, ...more }
}
