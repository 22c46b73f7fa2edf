import { join } from 'node:path'
import type { Imported, ImportedLoss, ImportFormat } from '../../engine/ports.ts'
import { ElfmemError } from '../../errors.ts'
import { filesIn, type Reader, sizeOf, type WholeText } from './reader.ts'

export type ForeignValue = string | number | bigint | Uint8Array | undefined

/** The tables of a database of another program. Nothing of its schema runs, and nothing is written. */
export interface ForeignTables {
  readonly columns: ReadonlyMap<string, readonly string[]>
  readonly isOurs: boolean
  /** The rows of a table; none if there is no such table. */
  rows(table: string): Iterable<Readonly<Record<string, ForeignValue>>>
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
  if (typeof value !== 'number') return typeof value === 'string' ? textOf(value) : 'no time'
  const time = new Date(value * 1000)
  return Number.isNaN(time.getTime()) ? String(value) : time.toISOString()
}

/** A name as a part of a tag. */
export function tagPart(name: string): string {
  return name.trim().toLowerCase().slice(0, TAG_PART_MOST).split(/\s+/).join('-').replaceAll('/', '-')
}

const TAG_PART_MOST = 80

/** Returns the wanted files of a source by their paths in it; with `isFlat` none of inner folders. */
export function wantedFiles(
  { path, name, names, reader }: Source,
  wants: (name: string) => boolean,
  { isFlat = false } = {},
) {
  const inFolder = names !== undefined && (isFlat ? [...names].filter(wants).sort() : filesIn(path, wants))
  const found = inFolder === false ? [name] : [...inFolder]
  const files = found.filter((each) => typeof each === 'string')
  if (names !== undefined) reader.expect(...files.map((file) => sizeOf(join(path, file))))
  return { files, losses: found.filter((each) => typeof each !== 'string') }
}

/** Returns the text of a file of the source, or the loss if a file in a folder cannot be read. */
export function wholeTextIn(source: Source, place: string, most: number): WholeText | ImportedLoss {
  return orLeft(source, place, (path, isInside) => source.reader.text(path, isInside, most))
}

/** Returns the items of a JSON file of the source, or the loss. */
export function itemsIn(source: Source, place: string): readonly unknown[] | ImportedLoss {
  return orLeft(source, place, (path, isInside) => source.reader.json(path, isInside))
}

function orLeft<T>(
  { path, names }: Source,
  place: string,
  read: (path: string, isInside: boolean) => T,
): T | ImportedLoss {
  if (names === undefined) return read(path, false)
  try {
    return read(join(path, place), true)
  } catch (error) {
    if (!ElfmemError.is(error) || error.code === 'CANCELLED') throw error
    return left('files', 'they are too large, broken or no UTF-8, or cannot be read', { example: place })
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
