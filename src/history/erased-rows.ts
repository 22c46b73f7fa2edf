import type { Image } from './images.ts'

/** A row by the names of its columns, JSON as data; columns without a value may be missing. */
export type Fields = Readonly<Record<string, unknown>>

/** The facts about a table that erasing needs; columns have their names of the database. */
export interface ErasableTable {
  /** Columns that name blocks by their ids; a row goes with any of them. */
  readonly ends: readonly string[]
  /** True if its rows go with a block by its number, which is in the column `arrival`. */
  readonly isByArrival: boolean
  /** Columns that hold words of the block. */
  readonly words: readonly string[]
  /** Columns with free words in rows that stay: what they become. */
  readonly notes: Readonly<Record<string, string | null>>
  /** True if a row with words of the block, in any column, goes with it. */
  readonly goesWithWords: boolean
}

/** The erased blocks, and how to recognise what is about them. */
export interface Erased {
  readonly ids: ReadonlySet<string>
  /** Numbers of their rows. */
  readonly arrivals: ReadonlySet<number>
  /** All tables by their names. */
  readonly tables: ReadonlyMap<string, ErasableTable>
  /** True if a text holds a text or an id of an erased block. */
  readonly holds: (text: string) => boolean
  /** True if a text holds a word that only the erased blocks have. */
  readonly mentions: (text: string) => boolean
  /** True of an entry of the log that cannot be undone any more. */
  readonly isLost: (entry: Fields) => boolean
}

/** In the place of words that are gone. */
const ERASED = 'erased'

/** The row as it stays: without words of what is erased. The very row when nothing is different, undefined when it goes. */
export function withoutErased(table: string, row: Fields, erased: Erased): Fields | undefined {
  const { ids, arrivals, tables, holds } = erased
  const { ends = [], isByArrival = false, goesWithWords = false } = tables.get(table) ?? {}
  if (isByArrival ? arrivals.has(Number(row.arrival)) : ends.some((end) => ids.has(String(row[end]))))
    return undefined
  switch (table) {
    case 'blocks':
      return changed(row, (column, value) => REFERENCES.includes(column) && ids.has(String(value)), null)
    case 'archived_edges':
      return withoutEdges(row, erased)
    case 'operations':
      return entryWithout(row, erased)
    case 'operation_changes':
      return isAboutErased(row.changes, erased) ? undefined : row
    default:
      return goesWithWords && textsIn(row).some(holds) ? undefined : withoutNotes(table, row, erased)
  }
}

const REFERENCES: readonly string[] = ['superseded_by', 'supersedes']

/** The row with another value in the columns for which something holds. */
function changed(
  row: Fields,
  isMeant: (column: string, value: unknown) => boolean,
  instead: unknown,
): Fields {
  const meant = Object.entries(row).filter(([column, value]) => isMeant(column, value))
  return meant.length === 0
    ? row
    : { ...row, ...Object.fromEntries(meant.map(([column]) => [column, instead])) }
}

function withoutNotes(table: string, row: Fields, { holds, mentions, tables }: Erased): Fields {
  const notes = Object.entries(tables.get(table)?.notes ?? {}).filter(([column, instead]) => {
    const text = row[column]
    return typeof text === 'string' && text !== instead && (holds(text) || mentions(text))
  })
  return notes.length === 0 ? row : { ...row, ...Object.fromEntries(notes) }
}

function withoutEdges(row: Fields, { ids, holds }: Erased): Fields {
  const isOfErased = (each: Fields) => Object.values(each).some((value) => ids.has(String(value)))
  const isNote = (column: string, value: unknown) => column === 'note' && textsIn(value).some(holds)
  const lists = ['edges', 'pairs'].map((column) => {
    const kept = (row[column] as readonly Fields[]).filter((each) => !isOfErased(each))
    return [column, kept.map((each) => changed(each, isNote, undefined))] as const
  })
  const isSame = lists.every(([column, list]) => JSON.stringify(list) === JSON.stringify(row[column]))
  return isSame ? row : { ...row, ...Object.fromEntries(lists) }
}

/** An entry of the log keeps its number, time, hours and operation, and loses words; what cannot be undone any more says so. */
function entryWithout(row: Fields, { ids, holds, isLost }: Erased): Fields {
  const { block_ids: named = [], run, before } = row as Fields & { readonly block_ids?: readonly string[] }
  const others = named.filter((id) => !ids.has(id))
  const isNamed = others.length < named.length
  const holdsWords = (value: unknown) => textsIn(value).some(holds)
  const inBefore = isNamed || holdsWords(before)
  if (!inBefore && !holdsWords([row.summary, row.reason]) && !isLost(row)) return row
  // The summary of a run is in words of the memory, that of another act may have words of the caller.
  const losesSummary = holdsWords(row.summary) || (isNamed && (others.length === 0 || run === null))
  // The reason of a recall is the frame's name.
  const losesReason = holdsWords(row.reason) || (isNamed && row.operation !== 'recall')
  const { undoes, run: undoneRun, ...rest } = asFields(before)
  return {
    ...row,
    block_ids: others,
    summary: losesSummary ? ERASED : row.summary,
    reason: losesReason ? null : (row.reason ?? null),
    before: { undoes, run: undoneRun, ...(inBefore ? {} : rest), erased: true },
  }
}

function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

/** True if what is kept for `undo` is about a block that is erased, or holds its words. */
function isAboutErased(changes: unknown, { arrivals, holds, tables }: Erased): boolean {
  const kept = Object.entries(changes as Image)
  // The blocks' own rows have the number, too.
  const byArrival = kept.filter(([name]) => name === 'blocks' || tables.get(name)?.isByArrival === true)
  return (
    byArrival.some(([, rows]) => rows.some(({ key }) => arrivals.has(Number(key[0])))) ||
    textsIn(changes).some(holds)
  )
}

/** Texts anywhere in data, names of fields left out; bytes, which are kept as `{ hex }`, too. */
function textsIn(value: unknown): string[] {
  const texts: string[] = []
  const open: unknown[] = [value]
  while (open.length > 0) {
    const each = open.pop()
    if (typeof each === 'string') texts.push(each)
    else if (typeof each === 'object' && each !== null)
      for (const [key, inner] of Object.entries(each)) if (key !== 'hex') open.push(inner)
  }
  return texts
}
