import type { AnyRow, ReadRows } from '../store/database.ts'
import { type Column, propertiesWhere, type Table, type View, viewOf } from '../store/description.ts'
import { removeItems } from '../store/items.ts'
import { newGeneration, REPORTS_MARK, readMeta, saveMeta } from '../store/log.ts'
import { pagesOf } from '../store/records.ts'
import { archivedEdges, blocks, items, meta, operationChanges, operations, TABLES } from '../store/tables.ts'
import { keysOf, type ReadTransaction, type Transaction } from '../store/transaction.ts'
import { Finder, piecesOf, UNFINISHED_ERASING } from './erase.ts'
import { type ChosenBlock, changesOfBlocks, FEW, formerWords } from './erase-choose.ts'

/** Erasable blocks are blocks that are to be erased, with what an erasing has to look for. */
export interface Erasable {
  readonly ids: readonly string[]
  readonly texts: readonly string[]
  /** The words of these texts, in lower case, that no kept block has. */
  readonly words: readonly string[]
  /** Pieces of these texts that no kept block has. */
  readonly pieces: readonly string[]
  /** Ids of kept blocks that contain one of these texts; at most 20. */
  readonly standingIn: readonly string[]
}

/** The number of kept blocks that are named at most because they contain a text of an erased one. */
const MOST_STANDING = 20

const SAID = viewOf(blocks, ['arrival', 'id', 'content', 'summary', 'cue'])
const REFERRING = viewOf(blocks, ['arrival', 'supersededBy', 'supersedes'])

/** Collects the texts of chosen blocks, also those from before an edit, and finds the kept blocks that contain one of them. */
export async function lookAt(rows: ReadRows, chosen: readonly ChosenBlock[]): Promise<Erasable> {
  // A block of which only earlier words go stays.
  const ids = chosen.filter(({ status }) => status !== 'before').map(({ id }) => id)
  const said = [...chosen.map(({ content }) => content), ...(await textsOf(rows, ids))]
  const texts = [...new Set(said.map((text) => text.trim()))].filter((text) => text !== '')
  const pieces = [...new Set(texts.flatMap(piecesOf))]
  const [finder, standing, standingIn] = [new Finder(pieces), new Set<string>(), [] as string[]]
  const [going, words] = [new Set(ids), new Set(texts.flatMap(wordsOf))]
  for await (const page of pagesOf(rows, SAID))
    for (const { arrival: _, id, ...kept } of page.filter((each) => !going.has(each.id))) {
      const text = Object.values(kept).join('\n')
      const found = finder.standingIn(text)
      for (const word of wordsOf(text)) words.delete(word)
      for (const piece of found) standing.add(piece)
      if (found.size > 0 && standingIn.length < MOST_STANDING) standingIn.push(id)
    }
  const gone = pieces.filter((each) => !standing.has(each))
  return { ids, texts, words: [...words], pieces: gone, standingIn }
}

/** Returns all texts of blocks: their words now and before, and the notes about them. */
async function textsOf(rows: ReadRows, ids: readonly string[]): Promise<string[]> {
  const found: string[] = []
  for (const table of TABLES) {
    const words = propertiesWhere(table, ({ holdsWords }) => holdsWords === true)
    if (words.length === 0) continue
    const isOfBlocks = table.name === blocks.name
    const about = await (isOfBlocks ? rows.get(blocks, keysOf(ids), 'unique') : rows.touching(table, ids))
    found.push(...(about as AnyRow[]).flatMap((row) => words.map((each) => String(row[each] ?? ''))))
  }
  const going = new Set(ids)
  for await (const { id, text } of formerWords(rows)) if (going.has(id)) found.push(text)
  return found
}

/** Returns the pieces that no row contains any more, so that they may be in no byte of a file. */
export async function piecesWithoutRow(rows: ReadRows, pieces: readonly string[]): Promise<string[]> {
  const finder = new Finder(pieces)
  const standing = new Set<string>()
  for (const table of pieces.length === 0 ? [] : TABLES) {
    const texts = propertiesWhere(table, ({ kind }) => kind === 'json' || kind === 'text')
    const view: View<AnyRow> = viewOf(table, [...new Set([...table.key, ...texts])])
    for await (const page of pagesOf(rows, view, table.name === operationChanges.name ? FEW : {})) {
      const values = page.flatMap((row) => texts.map((each) => row[each]))
      for (const piece of finder.standingIn(JSON.stringify(values))) standing.add(piece)
    }
  }
  return pieces.filter((piece) => !standing.has(piece))
}

/** Returns the words and numbers of a text with four characters or more, in lower case. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{M}\p{N}]{4,}/gu) ?? []
}

/** Returns the ids of an erasing that did not end; undefined if there is none. */
export async function unfinishedErasing(tx: ReadTransaction): Promise<readonly string[] | undefined> {
  const value = await readMeta(tx, UNFINISHED_ERASING)
  return value === undefined ? undefined : (JSON.parse(value) as readonly string[])
}

/** Notes that the erasing is finished. */
export async function settleErasing({ rows }: Transaction): Promise<void> {
  await rows.remove(meta, [[UNFINISHED_ERASING]])
}

/** The characters of a text by which a note or an entry of the log is known to contain it. */
const BEGINNING = 256

/** The ends of a dream or curation, which stand for all of its transactions. */
const RUNS: readonly unknown[] = ['dream', 'curate']

/**
 * Removes blocks and all rows with their texts, takes the texts out of rows that stay, and notes that an erasing is under way. Every
 * open memory notices (`Changes.generation` grows).
 *
 * @param mark a random text, by which processes see that the words of questions may have changed
 */
export async function eraseRows(tx: Transaction, erasable: Erasable, mark: string): Promise<void> {
  const { rows } = tx
  const { ids } = erasable
  const going = await rows.get(viewOf(blocks, ['arrival', 'id']), keysOf(ids), 'unique')
  const erased = new Erased(erasable, going)
  await dropChanges(tx, erased)
  await cleanReferring(tx, erased)
  for (const table of TABLES) {
    const [note] = propertiesWhere(table, ({ erasedTo }) => erasedTo !== undefined)
    const isWhole = table.goesWithWords === true || WITH_WORDS.includes(table.name)
    if (!isWhole && note === undefined) continue
    for await (const page of pagesOf<AnyRow>(rows, table, isWhole ? {} : { has: note as string }))
      await clean(tx, erased, table, page)
  }
  await tx.remove(blocks, going)
  await newGeneration(tx)
  const settings = await rows.scan(viewOf(meta, ['key']), { order: ['key'] })
  const forgotten = settings.filter(({ key }) => isForgotten(key))
  await tx.remove(meta, forgotten)
  if (settings.some(({ key }) => key === REPORTS_MARK)) await saveMeta(tx, REPORTS_MARK, mark)
  await saveMeta(tx, UNFINISHED_ERASING, JSON.stringify([...((await unfinishedErasing(tx)) ?? []), ...ids]))
}

/** Tables whose rows stay and may have words of a block in their data. */
const WITH_WORDS = [operations.name, archivedEdges.name]

/** Returns true for the last error of a model, which may quote a text, the ids of removed blocks, and marks of packed indexes. */
function isForgotten(key: string): boolean {
  return /^(llm_trouble|removed_blocks|index_mark)( |$)/.test(key)
}

/** Takes erased blocks out of the blocks that they replaced or that replaced them. */
async function cleanReferring(tx: Transaction, erased: Erased): Promise<void> {
  const referring: number[] = []
  for await (const page of pagesOf(tx.rows, REFERRING))
    for (const { arrival, supersededBy = '', supersedes = '' } of page)
      if (erased.ids.has(supersededBy) || erased.ids.has(supersedes)) referring.push(arrival)
  await clean(tx, erased, blocks, await tx.rows.get(blocks, keysOf(referring)))
}

/** Drops the undo data of a transaction as a whole, so that it never takes back half of one, and notes its entries. */
async function dropChanges(tx: Transaction, erased: Erased): Promise<void> {
  for await (const { key, was } of changesOfBlocks(tx.rows))
    if (erased.ids.has(String(was?.id))) erased.arrivals.add(Number(key[0]))
  for await (const page of pagesOf(tx.rows, operationChanges, FEW)) {
    const lost = page.filter(({ changes }) => erased.isInChanges(changes))
    for (const { firstId, operationId } of lost)
      for (let id = firstId; id <= operationId; id += 1) erased.lost.add(id)
    await tx.remove(operationChanges, lost)
  }
}

/** Writes the rows that an erasing changes. Rows of an erased block are skipped, because they go with it. */
async function clean(tx: Transaction, erased: Erased, table: Table, page: readonly AnyRow[]): Promise<void> {
  const stay = page.filter((row) => !erased.isOfErased(table, row))
  const gone = table.goesWithWords ? stay.filter((row) => erased.isIn(row)) : []
  if (table.name === items.name)
    await removeItems(
      tx,
      gone.map(({ id }) => String(id)),
    )
  else await tx.remove(table, gone)
  const changed = stay.flatMap((was) => {
    const is = gone.includes(was) ? was : erased.without(table, was)
    return is === was ? [] : [{ was, is }]
  })
  await tx.rows.put(table, changed.map(({ is }) => is) as never[], changed.map(({ was }) => was) as never[])
}

/** This class describes erased blocks, and recognises data about them. */
class Erased {
  readonly ids: ReadonlySet<string>
  /** Numbers of the rows of the erased blocks. */
  readonly arrivals: Set<number>
  /** Numbers of the entries, and names of the runs, that cannot be undone any more. */
  readonly lost = new Set<unknown>()
  readonly #finder: Finder
  readonly #texts: ReadonlySet<string>
  readonly #words: ReadonlySet<string>

  constructor({ ids, texts, words }: Erasable, going: readonly { readonly arrival: number }[]) {
    this.ids = new Set(ids)
    this.arrivals = new Set(going.map(({ arrival }) => arrival))
    this.#finder = new Finder([...texts.map((text) => text.slice(0, BEGINNING).toLowerCase()), ...ids])
    this.#texts = new Set(texts)
    this.#words = new Set(words)
  }

  /** Returns true if a row is removed with an erased block. */
  isOfErased(table: Table, row: AnyRow): boolean {
    if (table.name === blocks.name) return this.ids.has(String(row.id))
    return Object.entries(table.columns).some(
      ([property, { block }]) =>
        (block === 'id' && this.ids.has(String(row[property]))) ||
        (block === 'arrival' && this.arrivals.has(Number(row[property]))),
    )
  }

  /** Returns a row without words of erased blocks: the same object if nothing changes. */
  without(table: Table, row: AnyRow): AnyRow {
    if (table.name === operations.name) return this.#entryWithout(row)
    if (table.name === archivedEdges.name) return this.#archivedWithout(row)
    const changed = Object.entries(table.columns).flatMap(([property, column]) => {
      const value = this.#valueWithout(row[property], column)
      return value === row[property] ? [] : [[property, value]]
    })
    return changed.length === 0 ? row : { ...row, ...Object.fromEntries(changed) }
  }

  #valueWithout(value: unknown, { block, erasedTo }: Column): unknown {
    if (typeof value !== 'string') return value
    if (block === 'mention') return this.ids.has(value) ? undefined : value
    if (erasedTo === undefined || value === erasedTo) return value
    const isTold = this.isIn(value) || wordsOf(value).some((word) => this.#words.has(word))
    return isTold ? (erasedTo ?? undefined) : value
  }

  #archivedWithout(row: AnyRow): AnyRow {
    const lists = { edges: row.edges, pairs: row.pairs }
    if (!this.isIn(lists)) return row
    const without = (list: unknown) => (list as readonly unknown[]).filter((each) => !this.isIn(each))
    return { ...row, edges: without(row.edges), pairs: without(row.pairs) }
  }

  /** Returns an entry of the log with number, time, hours and operation, but without words of erased blocks, and marked `erased`. */
  #entryWithout(row: AnyRow): AnyRow {
    const { blockIds, before, summary, reason, operation } = row
    const isTold = this.isIn([blockIds, before, summary, reason])
    if (!isTold && !this.#isLost(row)) return row
    const fields = typeof before === 'object' && !Array.isArray(before) ? before : {}
    const { undoes, run, ...rest } = { ...fields } as AnyRow
    return {
      ...row,
      blockIds: (blockIds as readonly string[]).filter((id) => !this.ids.has(id)),
      ...(isTold && { summary: 'erased' }),
      // The reason of a recall is the name of its frame.
      ...(isTold && operation !== 'recall' && { reason: undefined }),
      before: { undoes, run, ...(isTold ? {} : rest), erased: true },
    }
  }

  /** Returns true if an entry cannot be undone any more; the end of a run stands for all of it. */
  #isLost({ id, run, operation }: AnyRow): boolean {
    if (this.lost.has(id) && run !== undefined) this.lost.add(run)
    return this.lost.has(id) || (RUNS.includes(operation) && run !== undefined && this.lost.has(run))
  }

  /** Returns true if changes that are kept for `undo` are about an erased block, or contain its words. */
  isInChanges(changes: unknown): boolean {
    const kept = Object.entries(changes as Readonly<Record<string, readonly { key: readonly unknown[] }[]>>)
    const isByArrival = (name: string) =>
      // A row of the blocks has the number as its key, too.
      name === blocks.name || TABLES.find((each) => each.name === name)?.columns.arrival?.block === 'arrival'
    return (
      kept.some(
        ([name, rows]) => isByArrival(name) && rows.some(({ key }) => this.arrivals.has(Number(key[0]))),
      ) || this.isIn(changes)
    )
  }

  /** Returns true if any text in data contains a text or an id of an erased block; names of fields, and bytes, do not count. */
  isIn(data: unknown): boolean {
    const open = [data]
    for (const each of open) {
      if (typeof each === 'string' && this.#holds(each)) return true
      if (typeof each === 'object' && each !== null)
        for (const [key, inner] of Object.entries(each)) if (key !== 'hex') open.push(inner)
    }
    return false
  }

  /** A short text is found only where it stands alone. */
  #holds(text: string): boolean {
    return this.#texts.has(text) || this.#finder.standingIn(text.toLowerCase()).size > 0
  }
}
