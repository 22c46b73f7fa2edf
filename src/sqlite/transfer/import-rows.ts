import { ElfmemError, factOf } from '../../errors.ts'
import type { Kind } from '../../ports/store/description.ts'
import type { StoreRecord } from '../../ports/store/maintenance.ts'
import type { Connection, Parameter } from '../connection/connection.ts'
import { resultCode } from '../connection/failure.ts'
import { EXPORTED_TABLES, type ExportedColumn, type ExportedTable, quoted } from './tables.ts'

/** No number that elfmem computes comes near. */
const LARGEST = 1e300

/** SQLite's codes for a row its table refuses (sqlite.org/rescode.html): constraint, mismatch, too big. */
const REFUSED: ReadonlySet<number> = new Set([19, 20, 18])

type Values = Record<string, Parameter>

/** Takes records into an empty memory within its open transaction; returns how many of each kind. */
export async function fillRows(
  staged: Connection,
  records: AsyncIterable<StoreRecord>,
): Promise<Record<string, number>> {
  const tables = new Map(EXPORTED_TABLES.map((table) => [table.kind, table]))
  const taken: Record<string, number> = {}
  staged.run('DELETE FROM meta')
  for await (const { kind, row, line } of records) {
    const table = tables.get(kind)
    if (table === undefined) throw badRecord(line, `"${kind}" is no kind of record`)
    const values = valuesOf(table, row, line)
    at(line, () => insert(staged, table, values))
    taken[kind] = (taken[kind] ?? 0) + 1
  }
  return taken
}

/** A row of the same key is a fault of the export. */
function insert(staged: Connection, { name, set }: ExportedTable, given: Values): void {
  const values = set === undefined ? given : { ...given, set_number: set.number }
  const columns = Object.keys(values)
  const places = columns.map((_, i) => `?${i + 1}`).join(', ')
  staged.run(
    `INSERT INTO ${quoted(name)} (${columns.map(quoted).join(', ')}) VALUES (${places})`,
    ...Object.values(values),
  )
}

/** Returns the values for the driver; throws for unknown fields or types. The tables' checks judge ranges. */
function valuesOf({ columns }: ExportedTable, row: StoreRecord['row'], line: number | undefined): Values {
  const known = new Map(columns.map((column) => [column.name, column]))
  const values: Values = {}
  for (const [name, value] of Object.entries(row)) {
    const column = known.get(name)
    if (column === undefined) throw badRecord(line, `there is no field "${name}"`)
    const taken = parameterOf(column, value)
    if (taken === undefined) throw badRecord(line, `"${name}" is no ${wantedIn(column)}`)
    values[name] = taken
  }
  return values
}

const WANTED: Readonly<Record<Kind, string>> = {
  text: 'text',
  integer: 'whole number',
  flag: 'whole number',
  real: 'number',
  bytes: 'base64',
  json: 'data',
}

function wantedIn({ kind, isTime, isList }: ExportedColumn): string {
  return isTime === true ? 'time' : isList === undefined ? WANTED[kind] : `list of ${isList}s`
}

/**
 * Undefined for what no elfmem writes; a check of the file says the same of stored values (`maintenance/values.ts`). A
 * strict table would turn the number 0 into the text "0.0" and the text "1" into a number, and say nothing.
 */
function parameterOf({ kind, isTime, isList }: ExportedColumn, value: unknown): Parameter | undefined {
  switch (kind) {
    case 'json':
      return isList === undefined || isListOf(isList, value) ? JSON.stringify(value) : undefined
    case 'integer':
    case 'flag':
      return Number.isSafeInteger(value) ? (value as number) : undefined
    case 'real':
      return typeof value === 'number' && Math.abs(value) <= LARGEST ? value : undefined
    default:
      if (typeof value !== 'string' || (isTime === true && !isInstant(value))) return undefined
      return kind === 'bytes' ? bytesOf(value) : value
  }
}

/** Undefined for what is no base64, which would be read as fewer bytes. */
function bytesOf(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}

function isListOf(kind: 'text' | 'object', value: unknown): boolean {
  if (!Array.isArray(value)) return false
  return value.every((each) =>
    kind === 'text'
      ? typeof each === 'string'
      : typeof each === 'object' && each !== null && !Array.isArray(each),
  )
}

/** ISO-8601 with a time of day, as JavaScript writes it and SQLite reads it. */
const INSTANT = /^(?:\d{4}|[+-]\d{6})-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)?$/

function isInstant(text: string): boolean {
  return INSTANT.test(text) && !Number.isNaN(Date.parse(text))
}

/** A refusal of the tables says which line it is about; a full disk or a lock stays what it is. */
function at(line: number | undefined, insertion: () => void): void {
  try {
    insertion()
  } catch (error) {
    const code = resultCode(error)
    if (!ElfmemError.is(error) || code === undefined || !REFUSED.has(code)) throw error
    throw badRecord(line, String(factOf(error, 'sqlite') ?? error.message), error)
  }
}

function badRecord(line: number | undefined, what: string, cause?: unknown): ElfmemError {
  const place = line === undefined ? 'A record' : `Line ${line}`
  return new ElfmemError('INVALID_INPUT', `${place} cannot be taken in: ${what}.`, {
    recovery: 'Correct the line, or export() again; nothing was taken in.',
    details: line === undefined ? {} : { line },
    cause,
  })
}
