import { normaliseCategory } from '../block/category.ts'
import { nameOfBeginning } from '../block/file-kinds.ts'
import { isScope } from '../block/scope.ts'
import { normaliseTags } from '../block/tags.ts'
import { isStorable } from '../block/text.ts'
import type { Settings } from '../engine/settings.ts'
import { ElfmemError } from '../errors.ts'
import type { RecordHead, StoreRecord } from '../store/maintenance.ts'

/** The `format` that the first line of an export gives. */
export const EXPORT_FORMAT = 'elfmem-export'
/** Version of the lines. */
export const EXPORT_VERSION = 1

/** Settings and head of the export that its lines are checked against. */
export interface LineRules {
  readonly settings: Pick<Settings, 'memory' | 'limits' | 'decay'>
  readonly head: RecordHead
}

/** A row by its columns. */
type Fields = Readonly<Record<string, unknown>>

const TEXT_MAX = 1 << 20
const ID = /^[0-9a-f]{16}$/

/** The first line; throws `INVALID_INPUT` when it is none of ours, `STORE_TOO_NEW` when this elfmem cannot read it. */
export function readHead(text: string | undefined): RecordHead {
  const kind = text === undefined ? undefined : kindOf(text)
  if (kind !== undefined)
    throw new ElfmemError('INVALID_INPUT', `The file is ${kind}, not an export of elfmem.`, {
      recovery:
        kind === 'a database'
          ? 'The owner restores it with restoreBackup if it is a backup; else export it with the elfmem that made it.'
          : 'Name a file that elfmem exported; a document is learned with learnDocument.',
    })
  const head = text === undefined ? undefined : parsed(text, 1)
  if (head?.format !== EXPORT_FORMAT) throw badLine(1, 'it is not the first line of an export')
  if (typeof head.version !== 'number' || head.version > EXPORT_VERSION)
    throw new ElfmemError('STORE_TOO_NEW', 'The export was written by a newer elfmem.', {
      recovery: 'Update elfmem; nothing was taken in.',
      details: { version: Number(head.version), supported: EXPORT_VERSION },
    })
  const { hours, counts, embedding } = head
  const isWhole = isAmount(hours) && isCounts(counts) && (embedding === undefined || isEmbedding(embedding))
  if (!isWhole) throw badLine(1, 'the head is not whole')
  return {
    hours,
    counts,
    ...(embedding === undefined ? {} : { embedding }),
  }
}

/** The kind of a file by its first line; undefined if that may be a line of an export. */
function kindOf(text: string): string | undefined {
  if (text.startsWith('SQLite format 3')) return 'a database'
  return text.startsWith('{') ? undefined : nameOfBeginning(text)
}

/** One record; throws `INVALID_INPUT` with the line's number. What the tables themselves check is left to them. */
export function readLine(text: string, line: number, rules: LineRules): StoreRecord {
  const { table, ...row } = parsed(text, line)
  if (typeof table !== 'string') throw badLine(line, 'it names no table')
  for (const [name, value] of Object.entries(row)) {
    const wrong = wrongField(name, value)
    if (wrong !== undefined) throw badLine(line, wrong)
  }
  if (table === 'blocks') checkBlock(row, line, rules)
  if (table.endsWith('_vectors') && !isVector(row.vector, table === 'block_vectors' ? rules.head : undefined))
    throw badLine(line, 'the vector is not of the length the head says')
  return { kind: table, row, line }
}

/** Refuses a file that ends too early or holds more than its head says. */
export function mustBeComplete(head: RecordHead, seen: Readonly<Record<string, number>>, line: number): void {
  const kinds = new Set([...Object.keys(head.counts), ...Object.keys(seen)])
  const wrong = [...kinds].find((kind) => (head.counts[kind] ?? 0) !== (seen[kind] ?? 0))
  if (wrong === undefined) return
  throw badLine(
    line,
    `the head speaks of ${head.counts[wrong] ?? 0} ${wrong} and there are ${seen[wrong] ?? 0}`,
  )
}

/** Says of a refusal which line it is about. */
export async function forLine<T>(line: number, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    throw new ElfmemError(error.code, `Line ${line}: ${error.message}`, {
      recovery: error.recovery,
      details: { ...error.details, line },
      cause: error,
    })
  }
}

function checkBlock(row: Fields, line: number, { settings }: LineRules): void {
  const { id, content, tags, scope, category } = row
  const { maxContentBytes } = settings.memory
  if (typeof id !== 'string' || !ID.test(id)) throw badLine(line, 'the id is not one')
  if (typeof content !== 'string' || content.trim() === '') throw badLine(line, 'there is no content')
  if (new TextEncoder().encode(content).length > maxContentBytes)
    throw badLine(line, `the content is longer than memory.max_content_bytes (${maxContentBytes})`)
  if (!areTags(tags)) throw badLine(line, 'tags is no list of tags in their one spelling and order')
  if (typeof category !== 'string' || !isSpelled(category, () => normaliseCategory(category)))
    throw badLine(line, 'the category is not in its one spelling')
  const isPlace = scope === undefined || scope === '' || (typeof scope === 'string' && isScope(scope))
  if (!isPlace) throw badLine(line, 'the scope is not one')
}

/** Returns what is wrong with a field of any table; undefined if nothing is. */
function wrongField(name: string, value: unknown): string | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) return `"${name}" is no number`
  if (!isWhole(value)) return `"${name}" holds a NUL or half a character`
  if (typeof value !== 'string') return undefined
  if (value.length > TEXT_MAX && name !== 'terms') return `"${name}" is too long`
  return undefined
}

/** True if it can be stored as it is: a text, or every text in a list. */
function isWhole(value: unknown): boolean {
  if (Array.isArray(value)) return value.every(isWhole)
  return typeof value !== 'string' || isStorable(value)
}

function isVector(value: unknown, head: RecordHead | undefined): boolean {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return false
  const bytes = (value.length / 4) * 3 - (value.endsWith('==') ? 2 : value.endsWith('=') ? 1 : 0)
  if (head?.embedding === undefined) return bytes % 4 === 0
  return bytes === 4 * head.embedding.dimensions
}

/** Tags in any other spelling could become claims when the block is edited. */
function areTags(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((tag) => typeof tag === 'string') &&
    isSpelled(value, () => normaliseTags(value))
  )
}

/** True if it is as everything that was remembered is. */
function isSpelled(value: unknown, normalised: () => unknown): boolean {
  try {
    return JSON.stringify(normalised()) === JSON.stringify(value)
  } catch (error) {
    if (!ElfmemError.is(error)) throw error
    return false
  }
}

function parsed(text: string, line: number): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badLine(line, 'it is not JSON')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Record<string, unknown>
  throw badLine(line, 'it is no object')
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value)
}

function isCounts(value: unknown): value is Record<string, number> {
  return typeof value === 'object' && value !== null && Object.values(value).every(isCount)
}

function isEmbedding(value: unknown): value is { model: string; dimensions: number } {
  if (typeof value !== 'object' || value === null) return false
  const { model, dimensions } = value as { model?: unknown; dimensions?: unknown }
  return typeof model === 'string' && isCount(dimensions)
}

/** The refusal of one line. */
export function badLine(line: number, what: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', `Line ${line} cannot be taken in: ${what}.`, {
    recovery: 'Correct the line, or export() again; nothing was taken in.',
    details: { line },
  })
}

/** How many there are of all kinds. */
export function totalOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, each) => sum + each, 0)
}
