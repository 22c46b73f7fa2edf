import type { Pages } from './pages.ts'
import { recordsOf } from './records.ts'

/** An entry of `sqlite_schema`, as the pages have it. */
export interface SchemaEntry {
  readonly type: string
  readonly name: string
  /** The table that an index or trigger is of. */
  readonly table: string
  /** The first page of a table or index. */
  readonly root: number
  readonly sql: string
}

/** Entries of a memory's schema are some hundred; a crafted file may have any number. */
const MOST_ENTRIES = 10_000

/** Reads the entries of `sqlite_schema` from the pages. */
export function schemaIn(pages: Pages, lost?: () => void): SchemaEntry[] {
  const entries: SchemaEntry[] = []
  for (const { values } of recordsOf(pages, 1, lost)) {
    const [type, name, table, root, sql] = values
    entries.push({
      type: String(type),
      name: String(name),
      table: String(table),
      root: Number(root),
      sql: String(sql ?? ''),
    })
    if (entries.length >= MOST_ENTRIES) break
  }
  return entries
}

/** The memory's random name, which a backup of it has, too, and the page it is on; undefined if it has none yet. */
export function memoryIdIn(pages: Pages): { readonly id: string; readonly page: number } | undefined {
  const found = metaIn(pages, schemaIn(pages), MEMORY_ID)
  return found && { id: found.value, page: found.page }
}

/** The value of a key in `meta`, and the page that holds it. */
export function metaIn(
  pages: Pages,
  schema: readonly SchemaEntry[],
  key: string,
): { readonly value: string; readonly page: number } | undefined {
  const meta = schema.find(({ type, name }) => type === 'table' && name === 'meta')
  if (meta === undefined) return undefined
  for (const { page, values } of recordsOf(pages, meta.root)) {
    if (values[0] === key) return { value: String(values[1]), page }
  }
  return undefined
}

/** Key of `meta` under which a memory keeps its random name. */
export const MEMORY_ID = 'memory_id'
