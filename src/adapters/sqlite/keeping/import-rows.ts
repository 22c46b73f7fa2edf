import { ElfmemError } from '../../../errors.ts'
import type { RecordHead, StoreRecord, TakenRecords } from '../../../ports/store-keeping.ts'
import type { Connection, Parameter } from '../driver.ts'
import { resultCode } from '../failure.ts'
import { SCHEMA_VERSION } from '../schema.ts'
import { metaOf } from './export-rows.ts'
import { type ExportedTable, exportedTables, quoted } from './tables.ts'

/** Columns that hold a point on the memory's own clock, which is another one here. */
const HOURS: Readonly<Record<string, readonly string[]>> = {
  blocks: ['last_reinforced_at', 'last_useful_at'],
  edges: ['last_active_at'],
  disconnections: ['at'],
  pending_connections: ['requested_at_hours'],
  sessions: ['start_hours'],
}

/** What tells of the other memory as a whole, or of a work in progress there. */
const LEFT_OUT = new Set(['meta', 'operations', 'spare_vectors', 'spare_missing', 'unlabelled_pairs'])

const NEXT_SEQUENCE = 'SELECT coalesce(max(sequence), 0) + 1 AS next FROM blocks WHERE sequence IS NOT NULL'

const IS_EMPTY = `SELECT NOT EXISTS (SELECT 1 FROM blocks) AND NOT EXISTS (SELECT 1 FROM operations)
  AND NOT EXISTS (SELECT 1 FROM meta WHERE key IN ('vector_generation', 'embedding_model')) AS empty`

/** What SQLite says of a row that breaks a rule of its table (sqlite.org/rescode.html): constraint, mismatch, too big. */
const REFUSED: ReadonlySet<number> = new Set([19, 20, 18])

type Values = Record<string, Parameter>

/** Takes records into the memory within the open transaction. */
export async function importRows(
  writer: Connection,
  head: RecordHead,
  records: AsyncIterable<StoreRecord>,
): Promise<TakenRecords> {
  if (head.schema > SCHEMA_VERSION)
    throw new ElfmemError('STORE_TOO_NEW', 'The export was written by a newer elfmem.', {
      recovery: 'Update elfmem; nothing was taken in.',
      details: { version: head.schema, supported: SCHEMA_VERSION },
    })
  const intake = new Intake(writer, head)
  for await (const record of records) intake.take(record)
  return intake.result
}

/** One import as it goes: what is known of the blocks that came with it. */
class Intake {
  readonly #writer: Connection
  readonly #tables: ReadonlyMap<string, ExportedTable>
  readonly #whole: boolean
  readonly #asInbox: boolean
  readonly #shift: number
  readonly #sequence: number
  readonly #taken: Record<string, number> = {}
  readonly #left: Record<string, number> = {}
  /** Arrivals there and here of the blocks that are new. */
  readonly #arrivals = new Map<number, number>()
  readonly #fresh = new Set<string>()

  constructor(writer: Connection, head: RecordHead) {
    this.#writer = writer
    this.#tables = new Map(exportedTables(writer).map((table) => [table.name, table]))
    this.#whole = writer.get<{ empty: number }>(IS_EMPTY)?.empty === 1
    const model = metaOf(writer, 'embedding_model')
    const isOther =
      model !== head.embedding?.model ||
      metaOf(writer, 'embedding_dimensions') !== String(head.embedding?.dimensions)
    this.#asInbox = !this.#whole && head.embedding !== undefined && isOther
    const clock = writer.get<{ hours: number }>('SELECT hours FROM operations ORDER BY id DESC LIMIT 1')
    this.#shift = (clock?.hours ?? 0) - head.hours
    this.#sequence = writer.get<{ next: number }>(NEXT_SEQUENCE)?.next ?? 1
    if (this.#whole) writer.run(`DELETE FROM meta WHERE key <> 'index_mark' AND key NOT LIKE 'index_mark %'`)
  }

  get result(): TakenRecords {
    return { whole: this.#whole, taken: this.#taken, left: this.#left, asInbox: this.#asInbox }
  }

  take({ kind, row, line }: StoreRecord): void {
    const table = this.#tables.get(kind)
    if (table === undefined) throw badRecord(line, `"${kind}" is no kind of record`)
    const values = valuesOf(table, row, line)
    const isTaken = at(line, () => (this.#whole ? this.#insert(table, values) : this.#merge(table, values)))
    const tally = isTaken ? this.#taken : this.#left
    tally[kind] = (tally[kind] ?? 0) + 1
  }

  #merge(table: ExportedTable, values: Values): boolean {
    if (LEFT_OUT.has(table.name)) return false
    this.#moveHours(table, values)
    if (table.name === 'blocks') return this.#mergeBlock(table, values)
    if (table.name === 'sessions') return this.#insert(table, values)
    if (this.#asInbox) return false
    if (table.isByArrival) {
      const arrival = this.#arrivals.get(values.arrival as number)
      if (arrival === undefined) return false
      if ('sequence' in values) values.sequence = this.#sequence
      return this.#insert(table, { ...values, arrival })
    }
    // What joins a new block to one that was here could push aside what is joined to that.
    const isFresh =
      table.blockIds.length > 0 && table.blockIds.every((column) => this.#fresh.has(String(values[column])))
    if (!isFresh) return false
    if (table.isNumbered) delete values[table.key[0] as string]
    return this.#insert(table, values)
  }

  #mergeBlock(table: ExportedTable, { arrival, ...values }: Values): boolean {
    if (this.#asInbox && values.status === 'active') values.status = 'inbox'
    if (values.status === 'active' || typeof values.sequence === 'number') values.sequence = this.#sequence
    if (this.#asInbox && values.status === 'inbox') delete values.sequence
    if (!this.#insert(table, values)) return false
    const [here] = this.#writer.values('SELECT last_insert_rowid() AS arrival')
    this.#arrivals.set(arrival as number, here?.[0] as number)
    this.#fresh.add(String(values.id))
    return true
  }

  #moveHours({ name }: ExportedTable, values: Values): void {
    for (const column of HOURS[name] ?? []) {
      const hours = values[column]
      if (typeof hours === 'number') values[column] = hours + this.#shift
    }
  }

  /** False when a row of the same key is there; into an empty memory that is a fault of the export. */
  #insert({ name }: ExportedTable, values: Values): boolean {
    const columns = Object.keys(values)
    const places = columns.map((_, i) => `?${i + 1}`).join(', ')
    const clash = this.#whole ? '' : ' ON CONFLICT DO NOTHING'
    const sql = `INSERT INTO ${quoted(name)} (${columns.map(quoted).join(', ')}) VALUES (${places})${clash}`
    return this.#writer.run(sql, ...Object.values(values)) > 0
  }
}

/** What the driver takes; the tables' own checks judge ranges. */
function valuesOf({ columns }: ExportedTable, row: StoreRecord['row'], line: number | undefined): Values {
  const known = new Map(columns.map((column) => [column.name, column]))
  const values: Values = {}
  for (const [name, value] of Object.entries(row)) {
    const column = known.get(name)
    if (column === undefined) throw badRecord(line, `there is no field "${name}"`)
    const taken = column.isJson ? JSON.stringify(value) : parameterOf(column.type, value)
    if (taken === undefined) throw badRecord(line, `"${name}" is no ${WANTED[column.type] ?? 'value'}`)
    values[name] = taken
  }
  return values
}

const WANTED: Readonly<Record<string, string>> = {
  TEXT: 'text',
  INTEGER: 'whole number',
  REAL: 'number',
  BLOB: 'base64',
}

/** A strict table would turn the number 0 into the text "0.0" and the text "1" into a number, and say nothing. */
function parameterOf(type: string, value: unknown): Parameter | undefined {
  if (type === 'INTEGER') return Number.isSafeInteger(value) ? (value as number) : undefined
  if (type === 'REAL') return typeof value === 'number' ? value : undefined
  if (typeof value !== 'string') return undefined
  return type === 'BLOB' ? Buffer.from(value, 'base64') : value
}

/** A refusal of the tables says which line it is about; a full disk or a lock stays what it is. */
function at<T>(line: number | undefined, insert: () => T): T {
  try {
    return insert()
  } catch (error) {
    const code = resultCode(error)
    if (!ElfmemError.is(error) || code === undefined || !REFUSED.has(code)) throw error
    throw badRecord(line, String(error.details.sqlite ?? error.message), error)
  }
}

function badRecord(line: number | undefined, what: string, cause?: unknown): ElfmemError {
  const place = line === undefined ? 'A record' : `Line ${line}`
  return new ElfmemError('INVALID_INPUT', `${place} cannot be taken in: ${what}.`, {
    recovery: 'Correct the line, or export again; nothing was taken in.',
    details: line === undefined ? {} : { line },
    cause,
  })
}
