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

/** Which blocks are erased. */
interface Whose {
  readonly ids: ReadonlySet<string>
  /** Numbers of their rows. */
  readonly arrivals: ReadonlySet<number>
  /** All tables by their names. */
  readonly tables: ReadonlyMap<string, ErasableTable>
}

/** The erased blocks, and how to recognise what refers to them. */
export interface Erased extends Whose {
  /** The references of the erased blocks, for rows that refer to these. */
  readonly references: ReadonlyMap<string, References>
  /** True if a text holds a text or an id of an erased block. */
  readonly holds: (text: string) => boolean
  /** True if a text holds a word that only the erased blocks have. */
  readonly mentions: (text: string) => boolean
  /** Entries of the log that cannot be undone any more. */
  readonly lost: LostChanges
}

/** Ends of a dream or curation, which stand for all of its transactions. */
const RUNS: readonly unknown[] = ['dream', 'curate']

/** Transactions whose changes for `undo` are dropped. */
export class LostChanges {
  readonly #entries = new Set<number>()
  readonly #runs = new Set<unknown>()

  /** A transaction, by its first and last entry of the log. */
  add({ first_id: first, operation_id: last }: Fields): void {
    for (let id = Number(first); id <= Number(last); id += 1) this.#entries.add(id)
  }

  /** True of an entry of one of them, and of the end of its run; entries are asked about in their order. */
  has({ id, run, operation }: Fields): boolean {
    const isWithin = this.#entries.has(Number(id))
    if (isWithin && run !== undefined && run !== null) this.#runs.add(run)
    return isWithin || (RUNS.includes(operation) && this.#runs.has(run))
  }
}

/** The ids in the row of an erased block: of the one that replaced it, and of the one it was to replace. */
export interface References {
  readonly superseded_by?: string | null | undefined
  readonly supersedes?: string | null | undefined
}

/** In the place of words that are gone. */
const ERASED = 'erased'

/** The keys that an undo needs of itself; numbers and names of runs. */
const OF_UNDO = ['undoes', 'run', 'runs'] as const

/** True if a row goes with a block that is erased. */
function goesWith(table: string, row: Fields, { ids, arrivals, tables }: Whose): boolean {
  const { ends = [], isByArrival = false } = tables.get(table) ?? {}
  return isByArrival ? arrivals.has(Number(row.arrival)) : ends.some((end) => ids.has(String(row[end])))
}

/** The row as it stays: without words of what is erased. The very row when nothing is different, undefined when it goes. */
export function withoutErased(table: string, row: Fields, erased: Erased): Fields | undefined {
  if (goesWith(table, row, erased)) return undefined
  switch (table) {
    case 'blocks':
      return mended(row, erased)
    case 'archived_edges':
      return withoutEdges(row, erased)
    case 'operations':
      return entryWithout(row, erased)
    case 'operation_changes':
      return changesNameErased(row.changes, erased) ? undefined : row
    default:
      return goesWithWords(table, row, erased) ? undefined : withoutNotes(table, row, erased)
  }
}

/** Returns a row that refers to an erased block with the reference of that block in its place. */
function mended(row: Fields, { ids, references }: Erased): Fields {
  const change: Record<string, unknown> = {}
  for (const field of ['superseded_by', 'supersedes'] as const) {
    let other = row[field]
    if (typeof other !== 'string' || !ids.has(other)) continue
    const passed = new Set<string>()
    while (typeof other === 'string' && ids.has(other) && !passed.has(other)) {
      passed.add(other)
      other = references.get(other)?.[field]
    }
    change[field] = typeof other === 'string' && !ids.has(other) && other !== row.id ? other : null
  }
  return Object.keys(change).length === 0 ? row : { ...row, ...change }
}

function goesWithWords(table: string, row: Fields, { holds, tables }: Erased): boolean {
  if (tables.get(table)?.goesWithWords !== true) return false
  return textsIn(row).some(holds)
}

function withoutNotes(table: string, row: Fields, { holds, mentions, tables }: Erased): Fields {
  const change: Record<string, unknown> = {}
  for (const [column, instead] of Object.entries(tables.get(table)?.notes ?? {})) {
    const text = row[column]
    if (typeof text !== 'string' || text === instead) continue
    if (holds(text) || mentions(text)) change[column] = instead
  }
  return Object.keys(change).length === 0 ? row : { ...row, ...change }
}

function withoutEdges(row: Fields, erased: Erased): Fields {
  const lists = ['edges', 'pairs'].flatMap((column) => {
    const list = row[column]
    if (!Array.isArray(list)) return []
    const kept = list.filter(
      (each: Fields) => !Object.values(each).some((value) => erased.ids.has(String(value))),
    )
    const noted = kept.map((each: Fields) =>
      typeof each.note === 'string' && erased.holds(each.note) ? { ...each, note: undefined } : each,
    )
    const isSame = kept.length === list.length && noted.every((each, i) => each === list[i])
    return isSame ? [] : [[column, noted] as const]
  })
  return lists.length === 0 ? row : { ...row, ...Object.fromEntries(lists) }
}

/** An entry of the log keeps its number, time, hours and operation, and loses words; what cannot be undone any more says so. */
function entryWithout(row: Fields, { ids, holds, lost: changes }: Erased): Fields {
  const blockIds = (Array.isArray(row.block_ids) ? row.block_ids : []) as readonly string[]
  const others = blockIds.filter((id) => !ids.has(id))
  const isNamed = others.length < blockIds.length
  const holdsWords = (value: unknown) => typeof value === 'string' && holds(value)
  const [inSummary, inReason] = [holdsWords(row.summary), holdsWords(row.reason)]
  const before = row.before === null ? undefined : row.before
  const inBefore = before !== undefined && (isNamed || textsIn(before).some(holds))
  const lost = changes.has(row)
  if (!isNamed && !inSummary && !inReason && !inBefore && !lost) return row
  // What joined two blocks is called in words of the caller, and is as much theirs.
  const isAllTheirs = isNamed && (others.length === 0 || row.operation === 'disconnect')
  // The reason of a recall is the frame's name.
  const losesReason = inReason || (isNamed && row.operation !== 'recall')
  return {
    ...row,
    block_ids: others,
    summary: inSummary || isAllTheirs ? ERASED : row.summary,
    reason: losesReason ? null : (row.reason ?? null),
    before: { ...(inBefore ? ofUndo(before) : asFields(before)), erased: true },
  }
}

function ofUndo(before: unknown): Fields {
  const fields = asFields(before)
  return Object.fromEntries(OF_UNDO.flatMap((key) => (fields[key] === undefined ? [] : [[key, fields[key]]])))
}

function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
}

/** One table of what is kept for `undo`: `store/undo/image.ts` writes it. */
interface KeptTable {
  readonly made?: readonly { readonly key: readonly unknown[] }[]
  readonly gone?: readonly Fields[]
  readonly changed?: readonly {
    readonly key: readonly unknown[]
    readonly was: Fields
    readonly is: Fields
  }[]
}

/** True if what is kept for `undo` is about a block that is erased, or holds its words. */
function changesNameErased(changes: unknown, { arrivals, holds, tables }: Erased): boolean {
  const kept = Object.entries(asFields(changes) as Readonly<Record<string, KeptTable>>)
  const isTheirs = kept.some(([name, { made = [], gone = [], changed = [] }]) => {
    // The blocks' own rows have the number, too.
    if (name !== 'blocks' && tables.get(name)?.isByArrival !== true) return false
    const numbers = [...[...made, ...changed].map(({ key }) => key[0]), ...gone.map((row) => row.arrival)]
    return numbers.some((number) => arrivals.has(Number(number)))
  })
  return isTheirs || textsIn(changes).some(holds)
}

/** Texts anywhere in data, names of fields left out; bytes, which are kept as `{ hex }`, too. */
function textsIn(value: unknown): string[] {
  const texts: string[] = []
  const open: unknown[] = [value]
  while (open.length > 0) {
    const each = open.pop()
    if (typeof each === 'string') texts.push(each)
    else if (Array.isArray(each)) open.push(...each)
    else if (typeof each === 'object' && each !== null)
      open.push(...Object.entries(each).flatMap(([key, inner]) => (key === 'hex' ? [] : [inner])))
  }
  return texts
}
