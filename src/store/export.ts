import { COPIES_ELSEWHERE, UNFINISHED_ERASING } from '../history/erase.ts'
import { type Column, columnName, type Table } from './description.ts'
import { REPORTS_MARK } from './evidence.ts'
import { MEMORY_ID, meta, STATE_META } from './log-tables.ts'
import type { RecordHead, StoreRecord } from './maintenance.ts'
import type { AnyRow, Key, Rows, Where } from './rows.ts'
import { blockVectors, TABLES } from './tables.ts'

/** Rows that are read at once. */
const PAGE = 1_000

/** The records of one kind: the rows of a table, or of one set of its rows. */
export interface RecordKind {
  readonly kind: string
  readonly table: Table
  /** The set of rows: the one in use, or the shadow set; absent where there are no sets. */
  readonly set?: 'used' | 'shadow'
}

/** Every kind of record, in the order of an export. */
export const RECORD_KINDS: readonly RecordKind[] = TABLES.flatMap((table): RecordKind[] =>
  table.name === blockVectors.name
    ? [
        { kind: table.name, table, set: 'used' },
        { kind: 'spare_vectors', table, set: 'shadow' },
      ]
    : [{ kind: table.name, table }],
)

/** Keys of `meta` about this file alone: its name, its packed copies, its other copies, what is still to be erased, its reports. */
const OF_THIS_FILE: ReadonlySet<string> = new Set([
  ...[STATE_META.vectorSet, MEMORY_ID, UNFINISHED_ERASING, COPIES_ELSEWHERE, REPORTS_MARK, 'index_mark'],
])

/** Returns true for a key of `meta` that says something of the memory, not of this file. */
export function travels(key: string): boolean {
  return !OF_THIS_FILE.has(key) && !key.startsWith('index_mark ')
}

/** Returns the columns of a table that its records have, by the names of their fields; none that can be made from the others. */
export function recordFields(table: Table): ReadonlyMap<string, [property: string, column: Column]> {
  const kept = Object.entries(table.columns).filter(([, { isDerived, isSet }]) => !isDerived && !isSet)
  return new Map(kept.map((each) => [columnName(table, each[0]), each]))
}

/** Reads the rows of a table page by page, in the order of the key. */
export async function* pagesOf(rows: Rows, table: Table, where: Where = {}): AsyncGenerator<AnyRow[]> {
  for (let after: Key | undefined; ; ) {
    const range = { where, order: table.key, limit: PAGE, ...(after === undefined ? {} : { after }) }
    const page = (await rows.scan(table, range)) as AnyRow[]
    if (page.length > 0) yield page
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) return
    after = table.key.map((property) => last[property] as string | number)
  }
}

/** Returns the condition for the rows of a kind. */
async function rowsOf(rows: Rows, { set }: RecordKind): Promise<Where> {
  if (set === undefined) return {}
  const { vectorSet } = await rows.state()
  return { set: set === 'used' ? vectorSet : 1 - vectorSet }
}

/** Returns the first line of an export: clock, model, and how many records of each kind there are. */
export async function readHead(rows: Rows): Promise<RecordHead> {
  const settings = new Map((await rows.scan(meta, { order: ['key'] })).map(({ key, value }) => [key, value]))
  const counts: Record<string, number> = {}
  for (const each of RECORD_KINDS) {
    const total =
      each.table.name === meta.name
        ? [...settings.keys()].filter(travels).length
        : await rows.count(each.table, await rowsOf(rows, each))
    if (total > 0) counts[each.kind] = total
  }
  const model = settings.get('embedding_model')
  const dimensions = Number(settings.get('embedding_dimensions'))
  return {
    hours: (await rows.state()).clock.hours,
    ...(model === undefined ? {} : { embedding: { model, dimensions } }),
    counts,
  }
}

/** Reads everything a memory holds, in an order that the contents alone decide. */
export async function* readRecords(rows: Rows): AsyncGenerator<StoreRecord> {
  for (const each of RECORD_KINDS) {
    const { kind, table } = each
    const fields = [...recordFields(table)]
    for await (const page of pagesOf(rows, table, await rowsOf(rows, each)))
      for (const row of page)
        if (table.name !== meta.name || travels(String(row.key)))
          yield {
            kind,
            row: Object.fromEntries(
              fields.flatMap(([name, [property, column]]) => {
                const value = told(column, row[property])
                return value === undefined ? [] : [[name, value]]
              }),
            ),
          }
  }
}

/** Returns a value as a record has it: flags as 0 and 1, bytes as base64. */
function told({ kind, blank }: Column, given: unknown): unknown {
  const value = given ?? blank
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  return kind === 'flag' && value !== undefined ? Number(value) : value
}
