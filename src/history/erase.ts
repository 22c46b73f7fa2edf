/** An erasing choice says which blocks to erase, by one of its fields. */
export interface ErasingChoice {
  /** Ids of blocks, or beginnings of ids. */
  readonly ids?: readonly string[] | undefined
  /** Literal tags, or prefixes ending in `*`. */
  readonly tags?: readonly string[] | undefined
  readonly sources?: readonly string[] | undefined
  readonly sessions?: readonly string[] | undefined
  /** Words that a chosen block holds all, each as a whole word, in any case. */
  readonly words?: readonly string[] | undefined
}

/** A chosen block is to be erased, or has former words to erase. */
export interface ChosenBlock {
  readonly id: string
  /** `undone`: only the data for `undo` still has the block. `before`: only words from before an edit are erased. */
  readonly status: 'inbox' | 'active' | 'archived' | 'undone' | 'before'
  readonly content: string
}

/** This is the result of a choice: the blocks it selects, and the ids that select none. */
export interface Chosen {
  /** The chosen blocks, each once, oldest first. */
  readonly blocks: readonly ChosenBlock[]
  /** Ids that no block has. */
  readonly unknown: readonly string[]
  /** Beginnings of ids that several blocks have. */
  readonly ambiguous: readonly string[]
}

/** This says how often a file contains the texts to erase. */
export interface FoundInFile {
  readonly path: string
  readonly bytes: number
  readonly times: number
  /** True if the file cannot be read, so that its texts are unknown. */
  readonly isUnread?: true
}

/** An erasing request names the blocks to erase, and says what becomes of copies beside the memory that hold them. */
export interface ErasingRequest {
  readonly blocks: readonly ChosenBlock[]
  readonly copies: 'keep' | 'delete'
}

/** An erasing report is the result of an erasing, or of a survey without one. */
export interface ErasingReport {
  /** Number of texts that are searched for. */
  readonly texts: number
  /** Ids of kept blocks that contain one of these texts; at most 20. */
  readonly standingIn: readonly string[]
  /** Files of the memory before the erasing. */
  readonly before: readonly FoundInFile[]
  /** Files of the memory after the erasing; empty in a survey. */
  readonly after: readonly FoundInFile[]
  /** Backups and exports beside the memory that hold the blocks, or cannot be read. */
  readonly copies: readonly string[]
  readonly deleted: readonly string[]
  /** Copies at other places that hold the blocks, or cannot be read; nothing deletes them. */
  readonly elsewhere: readonly string[]
  /** True if database, log and index hold no byte of the texts any more. */
  readonly isFinished: boolean
}

/**
 * This interface erases blocks for ever.
 *
 * Rows and log change in one transaction, which also notes that an erasing is under way. The note is removed when the files of the
 * memory do not hold the texts any more. A process that is killed in between leaves a whole memory, and `finish` does the rest.
 * Every open connection notices (`Changes.generation` grows).
 */
export interface ErasingFiles {
  choose(choice: ErasingChoice): Promise<Chosen>
  /** Reports what an erasing would find, and changes nothing. */
  survey(blocks: readonly ChosenBlock[]): Promise<ErasingReport>
  erase(request: ErasingRequest): Promise<ErasingReport>
  /** Completes an erasing that did not end; returns undefined if there is none. */
  finish(copies: ErasingRequest['copies']): Promise<ErasingReport | undefined>
  /** Removes the note of the erasing, when the erasing is finished and logged. */
  settle(): Promise<void>
}

/** Key of `meta` that is present while an erasing is not finished. */
export const UNFINISHED_ERASING = 'unfinished_erasing'

/** Key of `meta` with the paths of copies that were made elsewhere, as a JSON list. */
export const COPIES_ELSEWHERE = 'copies_elsewhere'

/** Fields are a row by the names of its columns, JSON as data; columns without a value may be missing. */
export type Fields = Readonly<Record<string, unknown>>

/** An erasable table has the facts about a table that erasing needs; columns have their names in the database. */
export interface ErasableTable {
  /** Columns that name blocks by id; a row is removed with any of these blocks. */
  readonly ends: readonly string[]
  /** True if a row is removed with a block by the block's number, which is in the column `arrival`. */
  readonly isByArrival: boolean
  /** Columns that hold words of a block. */
  readonly words: readonly string[]
  /** The values that replace free words in rows that stay, by column. */
  readonly notes: Readonly<Record<string, string | null>>
  /** True if a row is removed with a block whose words it has in any column. */
  readonly goesWithWords: boolean
}

/** This describes erased blocks, and recognises data about them. */
export interface Erased {
  readonly ids: ReadonlySet<string>
  /** Numbers of the rows of the erased blocks. */
  readonly arrivals: ReadonlySet<number>
  /** All tables, by name. */
  readonly tables: ReadonlyMap<string, ErasableTable>
  /** Returns true if a text contains a text or an id of an erased block. */
  readonly holds: (text: string) => boolean
  /** Returns true if a text contains a word that only the erased blocks have. */
  readonly mentions: (text: string) => boolean
  /** Returns true if an entry of the log cannot be undone any more. */
  readonly isLost: (entry: Fields) => boolean
}

/** Returns a row without words of erased blocks: the same object if nothing changes, undefined if the row is to be removed. */
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

/** Returns an entry of the log with number, time, hours and operation, but without words of erased blocks, and marked `erased`. */
function entryWithout(row: Fields, erased: Erased): Fields {
  const { block_ids: named = [], run, before } = row as Fields & { readonly block_ids?: readonly string[] }
  const others = named.filter((id) => !erased.ids.has(id))
  const isNamed = others.length < named.length
  const inBefore = isNamed || holdsWords(before, erased)
  if (!inBefore && !holdsWords([row.summary, row.reason], erased) && !erased.isLost(row)) return row
  // The summary of a run has only words of the memory; that of another operation may have words of the caller.
  const losesSummary = holdsWords(row.summary, erased) || (isNamed && (others.length === 0 || run === null))
  // The reason of a recall is the name of its frame.
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

/** Returns true if changes that are kept for `undo` are about an erased block, or contain its words. */
function isAboutErased(changes: unknown, erased: Erased): boolean {
  const { arrivals, tables } = erased
  const kept = Object.entries(changes as Readonly<Record<string, readonly { key: readonly unknown[] }[]>>)
  // A row of the blocks has the number as its key, too.
  const byArrival = kept.filter(([name]) => name === 'blocks' || tables.get(name)?.isByArrival === true)
  return (
    byArrival.some(([, rows]) => rows.some(({ key }) => arrivals.has(Number(key[0])))) ||
    holdsWords(changes, erased)
  )
}

/** Returns true if any text in data contains words of erased blocks; names of fields, and bytes, which stand as `{ hex }`, do not count. */
function holdsWords(value: unknown, { holds }: Erased): boolean {
  const open = [value]
  for (const each of open) {
    if (typeof each === 'string' && holds(each)) return true
    if (typeof each === 'object' && each !== null)
      for (const [key, inner] of Object.entries(each)) if (key !== 'hex') open.push(inner)
  }
  return false
}

/** Fewest bytes of a text that is searched for; shorter ones stand in any file by chance. */
const SHORTEST_BYTES = 8
/** Bits of a slot in the filter that says whether any text begins with four given bytes. */
const FILTER_BITS = 16

/**
 * Returns pieces of a text that a database and JSON hold unchanged, since JSON escapes the signs between them: all pieces that are long
 * enough to identify the text, or else only the longest. No piece has more than 128 characters, because a database may split a text.
 */
export function piecesOf(text: string): string[] {
  const all = text.split(/["\\\p{Cc}]+/u).flatMap((part) => part.match(/.{1,128}/gsu) ?? [])
  const long = all.filter(({ length }) => length >= 24)
  return long.length > 0 ? long : all.sort((one, other) => other.length - one.length).slice(0, 1)
}

/** A finder searches bytes for many texts in one pass. The time for a byte grows with the texts that share their first 8 bytes. */
export class Finder {
  /** The length of the longest text, in bytes. */
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

  /** Calls `visit` for each text at each place before `end` where the text begins; `bytes` may go on behind `end`. */
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

  /** Returns the texts of this finder that a text contains. */
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
