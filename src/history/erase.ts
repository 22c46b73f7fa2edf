/** The choice of what to erase: by one of these. */
export interface ErasingChoice {
  /** Ids of blocks, or the beginnings of some. */
  readonly ids?: readonly string[] | undefined
  /** Literal tags, or prefixes ending in `*`. */
  readonly tags?: readonly string[] | undefined
  readonly sources?: readonly string[] | undefined
  readonly sessions?: readonly string[] | undefined
  /** All blocks that hold all of these words, each as a whole word, in any case. */
  readonly words?: readonly string[] | undefined
}

/** A block that would be erased, or words that a block no longer has. */
export interface ChosenBlock {
  readonly id: string
  /** `undone`: no row is left of it but in what `undo` needs. `before`: only its words of before an edit go. */
  readonly status: 'inbox' | 'active' | 'archived' | 'undone' | 'before'
  readonly content: string
}

/** The blocks that a choice means, and the ids that it cannot mean. */
export interface Chosen {
  /** Each once, oldest first. */
  readonly blocks: readonly ChosenBlock[]
  /** Ids that no block has. */
  readonly unknown: readonly string[]
  /** Beginnings of ids that several blocks have. */
  readonly ambiguous: readonly string[]
}

/** How often texts that are looked for stand in a file. */
export interface FoundInFile {
  readonly path: string
  readonly bytes: number
  readonly times: number
  /** It cannot be read, so nobody knows. */
  readonly isUnread?: true
}

/** The blocks to be erased, and the treatment of copies beside the memory that hold them. */
export interface ErasingRequest {
  readonly blocks: readonly ChosenBlock[]
  readonly copies: 'keep' | 'delete'
}

/** Result of an erasing, or of a survey: what there is. */
export interface ErasingReport {
  /** Number of texts that are looked for. */
  readonly texts: number
  /** Kept blocks that hold one of these texts; at most 20. */
  readonly standingIn: readonly string[]
  /** Files of the memory before the erasing. */
  readonly before: readonly FoundInFile[]
  /** Files of the memory after it; empty where nothing was erased. */
  readonly after: readonly FoundInFile[]
  /** Backups and exports beside the memory that hold the blocks, or cannot be read. */
  readonly copies: readonly string[]
  readonly deleted: readonly string[]
  /** Copies at other places that hold the blocks, or cannot be read; these are left alone. */
  readonly elsewhere: readonly string[]
  /** True if database, log and index hold no byte of the texts any more. */
  readonly isFinished: boolean
}

/**
 * Erases blocks for ever.
 *
 * Rows and log change in one transaction, which also notes that an erasing is under way. The note is removed when the
 * files of the memory hold the texts no more. A process that is killed in between leaves a whole memory, and
 * `finish` does the rest. Every open connection notices (`Changes.generation` grows).
 */
export interface ErasingFiles {
  choose(choice: ErasingChoice): Promise<Chosen>
  /** Only says what would be found. */
  survey(blocks: readonly ChosenBlock[]): Promise<ErasingReport>
  erase(request: ErasingRequest): Promise<ErasingReport>
  /** Does the rest of an erasing that did not end; undefined when there is none. */
  finish(copies: ErasingRequest['copies']): Promise<ErasingReport | undefined>
  /** Removes the note, when the erasing is finished and the record of it is kept. */
  settle(): Promise<void>
}

/** Key of `meta` that is there while an erasing is not finished. */
export const UNFINISHED_ERASING = 'unfinished_erasing'

/** Key of `meta` with the paths of copies that were made elsewhere, as a JSON list. */
export const COPIES_ELSEWHERE = 'copies_elsewhere'

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
  /** What columns with free words become in rows that stay. */
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

/** Returns a row without words of what is erased: the very row when nothing is different, undefined when it goes. */
export function withoutErased(table: string, row: Fields, erased: Erased): Fields | undefined {
  const { ids, arrivals, tables, holds, mentions } = erased
  const { ends = [], isByArrival, goesWithWords, notes = {} } = tables.get(table) ?? {}
  if (isByArrival ? arrivals.has(Number(row.arrival)) : ends.some((end) => ids.has(String(row[end]))))
    return undefined
  if (table === 'blocks') {
    const without = (column: string) => (ids.has(String(row[column])) ? { [column]: null } : {})
    return changed(row, { ...without('superseded_by'), ...without('supersedes') })
  }
  if (table === 'archived_edges') return withoutEdges(row, erased)
  if (table === 'operations') return entryWithout(row, erased)
  if (table === 'operation_changes') return isAboutErased(row.changes, erased) ? undefined : row
  if (goesWithWords && holdsWords(row, erased)) return undefined
  const told = Object.entries(notes).filter(([column, instead]) => {
    const text = row[column]
    return typeof text === 'string' && text !== instead && (holds(text) || mentions(text))
  })
  return changed(row, Object.fromEntries(told))
}

function changed(row: Fields, others: Fields): Fields {
  return Object.keys(others).length === 0 ? row : { ...row, ...others }
}

function withoutEdges(row: Fields, erased: Erased): Fields {
  const isOfErased = (each: Fields) => Object.values(each).some((value) => erased.ids.has(String(value)))
  const withoutNote = (each: Fields) => (holdsWords(each.note, erased) ? { ...each, note: undefined } : each)
  const lists = ['edges', 'pairs'].flatMap((column) => {
    const list = row[column] as readonly Fields[]
    const kept = list.filter((each) => !isOfErased(each)).map(withoutNote)
    return kept.length === list.length && kept.every((each, i) => each === list[i]) ? [] : [[column, kept]]
  })
  return changed(row, Object.fromEntries(lists))
}

/** An entry of the log keeps its number, time, hours and operation, and loses words; what cannot be undone any more says so. */
function entryWithout(row: Fields, erased: Erased): Fields {
  const { block_ids: named = [], run, before } = row as Fields & { readonly block_ids?: readonly string[] }
  const others = named.filter((id) => !erased.ids.has(id))
  const isNamed = others.length < named.length
  const inBefore = isNamed || holdsWords(before, erased)
  if (!inBefore && !holdsWords([row.summary, row.reason], erased) && !erased.isLost(row)) return row
  // The summary of a run is in words of the memory, that of another act may have words of the caller.
  const losesSummary = holdsWords(row.summary, erased) || (isNamed && (others.length === 0 || run === null))
  // The reason of a recall is the frame's name.
  const losesReason = holdsWords(row.reason, erased) || (isNamed && row.operation !== 'recall')
  const fields = typeof before === 'object' && !Array.isArray(before) ? before : {}
  const { undoes, run: undoneRun, ...rest } = { ...fields } as Fields
  return {
    ...row,
    block_ids: others,
    summary: losesSummary ? 'erased' : row.summary,
    reason: losesReason ? null : (row.reason ?? null),
    before: { undoes, run: undoneRun, ...(inBefore ? {} : rest), erased: true },
  }
}

/** True if what is kept for `undo` is about a block that is erased, or holds its words. */
function isAboutErased(changes: unknown, erased: Erased): boolean {
  const { arrivals, tables } = erased
  const kept = Object.entries(changes as Readonly<Record<string, readonly { key: readonly unknown[] }[]>>)
  // The blocks' own rows have the number, too.
  const byArrival = kept.filter(([name]) => name === 'blocks' || tables.get(name)?.isByArrival === true)
  return (
    byArrival.some(([, rows]) => rows.some(({ key }) => arrivals.has(Number(key[0])))) ||
    holdsWords(changes, erased)
  )
}

/** True if a text anywhere in data holds what is erased; names of fields and bytes, which are kept as `{ hex }`, do not count. */
function holdsWords(value: unknown, { holds }: Erased): boolean {
  const open = [value]
  for (const each of open) {
    if (typeof each === 'string' && holds(each)) return true
    if (typeof each === 'object' && each !== null)
      for (const [key, inner] of Object.entries(each)) if (key !== 'hex') open.push(inner)
  }
  return false
}

/** Texts of fewer bytes are not looked for, because they stand in any file by chance. */
const SHORTEST_BYTES = 8
/** Size of the table that says whether any text has these first four bytes. */
const FILTER_BITS = 16

/**
 * Returns pieces of a text that a database and JSON hold unchanged, since JSON escapes the signs between them: all pieces that are
 * long enough to stand for the text, or else the longest. No piece has more than 128 characters, because a database may break a text.
 */
export function piecesOf(text: string): string[] {
  const all = text.split(/["\\\p{Cc}]+/u).flatMap((part) => part.match(/.{1,128}/gsu) ?? [])
  const long = all.filter(({ length }) => length >= 24)
  return long.length > 0 ? long : all.sort((one, other) => other.length - one.length).slice(0, 1)
}

/** Finds many texts in bytes in one pass. The time for each byte grows with the number of texts whose first 8 bytes are equal. */
export class Finder {
  /** The length of the longest one, in bytes. */
  readonly longest: number
  /** The texts by their first eight bytes. */
  readonly #byBeginning = new Map<bigint, { readonly text: string; readonly bytes: Uint8Array }[]>()
  readonly #filter = new Uint8Array(1 << FILTER_BITS)

  constructor(texts: Iterable<string>) {
    const encoder = new TextEncoder()
    let longest = 0
    for (const text of new Set(texts)) {
      const bytes = encoder.encode(text)
      if (bytes.length < SHORTEST_BYTES) continue
      const view = new DataView(bytes.buffer)
      const key = view.getBigUint64(0)
      this.#filter[slotOf(view.getInt32(0))] = 1
      this.#byBeginning.set(key, [...(this.#byBeginning.get(key) ?? []), { text, bytes }])
      longest = Math.max(longest, bytes.length)
    }
    this.longest = longest
  }

  /** Calls `visit` for each text at each place where it begins, up to before `end`; more bytes may follow. */
  scan(bytes: Uint8Array, end: number, visit: (text: string) => void): void {
    const last = Math.min(end, bytes.length - SHORTEST_BYTES + 1)
    if (this.longest === 0 || last <= 0) return
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
    let beginning = view.getInt32(0)
    for (let at = 0; at < last; at += 1) {
      if (at > 0) beginning = (beginning << 8) | (bytes[at + 3] as number)
      if (this.#filter[slotOf(beginning)] === 0) continue
      for (const each of this.#byBeginning.get(view.getBigUint64(at)) ?? [])
        if (each.bytes.every((byte, i) => bytes[at + i] === byte)) visit(each.text)
    }
  }

  /** Returns those of the texts that stand in this one. */
  standingIn(text: string): Set<string> {
    const found = new Set<string>()
    const bytes = new TextEncoder().encode(text)
    this.scan(bytes, bytes.length, (each) => found.add(each))
    return found
  }
}

function slotOf(beginning: number): number {
  return Math.imul(beginning, 0x9e3779b1) >>> (32 - FILTER_BITS)
}
