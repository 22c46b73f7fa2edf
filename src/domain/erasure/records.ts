/** A row by the names of its columns, JSON as data; columns without a value may be missing. */
export type Fields = Readonly<Record<string, unknown>>

/** Which blocks are erased, and what was theirs. */
export interface Erased {
  readonly ids: ReadonlySet<string>
  /** Numbers of their rows. */
  readonly arrivals: ReadonlySet<number>
  /** What the erased blocks referred to, for what refers to them. */
  readonly references: ReadonlyMap<string, References>
  /** True if a text holds words of theirs, or an id. */
  readonly holds: (text: string) => boolean
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

export interface References {
  readonly superseded_by?: string | null | undefined
  readonly supersedes?: string | null | undefined
}

/** In the place of words that are gone. */
const ERASED = 'erased'

/** Name of the table of archived edges before version 10. */
export const OLD_ARCHIVED_EDGES = 'tombstones'

const BY_ARRIVAL: ReadonlySet<string> = new Set([
  'block_index',
  'block_vectors',
  'spare_vectors',
  'spare_missing',
])

/** Columns that name blocks; a row goes with any of them. Tables of older formats are among them. */
const ENDS: Readonly<Record<string, readonly string[]>> = {
  blocks: ['id'],
  edges: ['from_id', 'to_id'],
  pairs: ['a', 'b'],
  co_retrieval_staging: ['from_id', 'to_id'],
  block_outcomes: ['block_id'],
  queued_outcomes: ['block_id'],
  block_amendments: ['block_id'],
  pending_connections: ['source', 'target'],
  archived_edges: ['block_id'],
  [OLD_ARCHIVED_EDGES]: ['block_id'],
  disconnections: ['from_id', 'to_id'],
  unlabelled_pairs: ['from_id', 'to_id'],
}

/** Columns with free words in rows that stay: what they become. */
const NOTES: Readonly<Record<string, Readonly<Record<string, string | null>>>> = {
  edges: { note: null },
  pending_connections: { note: null },
  disconnections: { reason: null },
  block_outcomes: { source: ERASED },
  queued_outcomes: { source: ERASED },
  sessions: { task_type: ERASED },
}

/** What an undo needs to know of itself; numbers and names of runs. */
const OF_UNDO = ['undoes', 'run', 'runs'] as const

/** The tables whose rows may hold words of a block in a row that stays. */
export const TABLES_WITH_NOTES: readonly string[] = Object.keys(NOTES)

/** The columns of a table that hold free words. */
export function noteColumns(table: string): readonly string[] {
  return Object.keys(NOTES[table] ?? {})
}

/** True if a row goes with a block that is erased. */
function goesWith(table: string, row: Fields, { ids, arrivals }: Pick<Erased, 'ids' | 'arrivals'>): boolean {
  if (BY_ARRIVAL.has(table)) return arrivals.has(Number(row.arrival))
  return (ENDS[table] ?? []).some((end) => ids.has(String(row[end])))
}

/** The row as it stays: without words of what is erased. The very row when nothing is different, undefined when it goes. */
export function withoutErased(table: string, row: Fields, erased: Erased): Fields | undefined {
  if (goesWith(table, row, erased)) return undefined
  switch (table) {
    case 'blocks':
      return mended(row, erased)
    case 'archived_edges':
    case OLD_ARCHIVED_EDGES:
      return withoutEdges(row, erased)
    case 'operations':
      return entryWithout(row, erased)
    case 'operation_changes':
      return changesNameErased(row.changes, erased) ? undefined : row
    default:
      return withoutNotes(table, row, erased)
  }
}

/** What supersedes or replaced an erased block, now does so with what that one did it to. */
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

function withoutNotes(table: string, row: Fields, { holds }: Erased): Fields {
  const change: Record<string, unknown> = {}
  for (const [column, instead] of Object.entries(NOTES[table] ?? {})) {
    const text = row[column]
    if (typeof text === 'string' && text !== instead && holds(text)) change[column] = instead
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

/** One table of what is kept for `undo`: `sqlite/undo/image.ts` writes it. */
interface KeptTable {
  readonly made?: readonly { readonly key: readonly unknown[] }[]
  readonly gone?: readonly Fields[]
  readonly changed?: readonly {
    readonly key: readonly unknown[]
    readonly was: Fields
    readonly is: Fields
  }[]
}

/** The blocks table, and those whose rows go by the same number. */
const NUMBERED = ['blocks', 'block_index', 'block_vectors'] as const

/** True if what is kept for `undo` is about a block that is erased, or holds its words. */
function changesNameErased(changes: unknown, { arrivals, holds }: Erased): boolean {
  const tables = asFields(changes) as Readonly<Record<string, KeptTable>>
  const isTheirs = NUMBERED.some((name) => {
    const { made = [], gone = [], changed = [] } = tables[name] ?? {}
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

/** Words of blocks that a row holds. */
export interface HeldWords {
  readonly texts: readonly string[]
  readonly terms: readonly string[]
}

const NONE: HeldWords = { texts: [], terms: [] }

const TEXT_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  blocks: ['content', 'summary', 'cue'],
  edges: ['note'],
  pending_connections: ['note'],
  disconnections: ['reason'],
  block_amendments: ['content_before', 'content_after', 'summary_before', 'summary_after', 'rationale'],
}

/** What a row says in words of the blocks, if it is theirs. Of the log: what was before, and reasons, of theirs alone. */
export function wordsIn(table: string, row: Fields, whose: Pick<Erased, 'ids' | 'arrivals'>): HeldWords {
  if (table === 'operations') return wordsOfEntry(row, whose)
  if (table === 'operation_changes') return wordsOfChanges(row.changes, whose)
  if (table === 'archived_edges' || table === OLD_ARCHIVED_EDGES) return wordsOfEdges(row, whose)
  if (!goesWith(table, row, whose)) return NONE
  if (table === 'block_index') return { texts: [], terms: strings([row.terms]) }
  return { texts: strings((TEXT_COLUMNS[table] ?? []).map((column) => row[column])), terms: [] }
}

function wordsOfEntry(row: Fields, { ids }: Pick<Erased, 'ids'>): HeldWords {
  const blockIds = (Array.isArray(row.block_ids) ? row.block_ids : []) as readonly string[]
  if (blockIds.length === 0 || row.operation === 'recall' || !blockIds.every((id) => ids.has(id))) return NONE
  const before = asFields(row.before)
  return {
    texts: strings([row.reason, ...(TEXT_COLUMNS.blocks ?? []).map((column) => before[column])]),
    terms: [],
  }
}

function wordsOfEdges(row: Fields, whose: Pick<Erased, 'ids' | 'arrivals'>): HeldWords {
  const edges = (Array.isArray(row.edges) ? row.edges : []) as readonly Fields[]
  const theirs = edges.filter(
    (edge) =>
      whose.ids.has(String(row.block_id)) ||
      whose.ids.has(String(edge.from)) ||
      whose.ids.has(String(edge.to)),
  )
  return { texts: strings(theirs.map(({ note }) => note)), terms: [] }
}

function wordsOfChanges(changes: unknown, whose: Pick<Erased, 'ids' | 'arrivals'>): HeldWords {
  const tables = asFields(changes) as Readonly<Record<string, KeptTable>>
  const words = Object.entries(tables).flatMap(([name, { gone = [], changed = [] }]) => {
    const rows = gone.filter((row) => goesWith(name, row, whose))
    const isBlocks = name === 'blocks'
    const moved = changed.filter(({ key }) =>
      isBlocks || name === 'block_index'
        ? whose.arrivals.has(Number(key[0]))
        : key.some((cell) => whose.ids.has(String(cell))),
    )
    return [...rows, ...moved.flatMap(({ was, is }) => [was, is])].map((row) =>
      name === 'block_index'
        ? { texts: [], terms: strings([row.terms]) }
        : { texts: strings((TEXT_COLUMNS[name] ?? []).map((column) => row[column])), terms: [] },
    )
  })
  return { texts: words.flatMap(({ texts }) => texts), terms: words.flatMap(({ terms }) => terms) }
}

function strings(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === 'string')
}
