import type { Block } from '../block/block.ts'
import { normalised } from '../block/text.ts'
import { requireIds } from '../intake/check-input.ts'
import { readBlocks } from '../store/blocks.ts'
import type { AnyRow, ReadRows } from '../store/database.ts'
import { type Column, propertiesWhere, type Table, type View, viewOf } from '../store/description.ts'
import { removeItems } from '../store/items.ts'
import { newGeneration, REPORTS_MARK, readMeta, saveMeta } from '../store/log.ts'
import { pagesOf } from '../store/records.ts'
import { archivedEdges, blocks, items, meta, operationChanges, operations, TABLES } from '../store/tables.ts'
import { keysOf, type ReadTransaction, type Transaction } from '../store/transaction.ts'
import { Finder, piecesOf, UNFINISHED_ERASING } from './erase.ts'
import type { Image } from './images.ts'

/** An erasing choice says which blocks to erase: by ids or beginnings of ids, or by words that they hold all, in any case. */
export interface ErasingChoice {
  readonly ids?: readonly string[] | undefined
  readonly words?: readonly string[] | undefined
}

/** A block to be erased. With the status `before` only its words from before an edit or an undo are. */
export interface ChosenBlock {
  readonly id: string
  readonly status: Block['status'] | 'before'
  readonly content: string
}

/** Erasable blocks are blocks that are to be erased, with what an erasing has to look for. */
export interface Erasable {
  readonly ids: readonly string[]
  readonly texts: readonly string[]
  /** The words of these texts, in lower case, that no kept block has. */
  readonly words: readonly string[]
  /** Pieces of the erased texts that no kept block has. */
  readonly pieces: readonly string[]
  /** Ids of kept blocks that contain an erased text; at most 20. */
  readonly standingIn: readonly string[]
}

/** The number of kept blocks that are named at most because they contain a text of an erased one. */
const MOST_STANDING = 20
/** The size of a page of changes, because those of one transaction may be large. */
const FEW = { limit: 8 }

const BLOCK = viewOf(blocks, ['arrival', 'id', 'content', 'summary', 'cue', 'status'])
const SAID = viewOf(blocks, ['arrival', 'id', 'content', 'summary', 'cue'])
const ENTRY = viewOf(operations, ['id', 'operation', 'blockIds', 'reason', 'before'])
const IMAGE = viewOf(operationChanges, ['operationId', 'changes'])

/** Chooses blocks, each once. A choice by words reads every block: an erasing is rare. */
export async function choose(
  tx: ReadTransaction,
  { ids, words }: ErasingChoice,
): Promise<readonly ChosenBlock[]> {
  if (ids !== undefined) return readBlocks(tx, [...new Set(await requireIds(tx, ids))])
  const holds = holdsAll(words ?? [])
  const chosen = new Map<string, ChosenBlock>()
  for await (const page of pagesOf(tx.rows, BLOCK))
    for (const { id, status, content, summary = '', cue = '' } of page)
      if (holds([content, summary, cue].join('\n'))) chosen.set(id, { id, status, content })
  const former = new Map<string, ChosenBlock>()
  for await (const { id, text } of formerWords(tx.rows))
    if (!chosen.has(id) && holds(text)) former.set(text, { id, status: 'before', content: text })
  return [...chosen.values(), ...former.values()]
}

/** A character of a word, in a script that puts spaces between words. */
const SPACED =
  '[[\\p{L}\\p{N}\\p{M}]--[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}]]'

/** Returns a test for texts with all of the words, each standing apart; words of scripts without spaces may stand anywhere. */
function holdsAll(words: readonly string[]): (text: string) => boolean {
  const folded = (text: string) => normalised(text, 'NFC').toLowerCase()
  const wanted = words.map(folded).map((word) => {
    const isSpaced = (place: string) => new RegExp(place, 'v').test(word)
    const [before, after] = [isSpaced(`^${SPACED}`), isSpaced(`${SPACED}$`)]
    const plain = word.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    return new RegExp(`${before ? `(?<!${SPACED})` : ''}${plain}${after ? `(?!${SPACED})` : ''}`, 'v')
  })
  return (text) => wanted.every((word) => word.test(folded(text)))
}

/** Reads the words that blocks had before and the reasons of what was done to one, from the log and from what is kept for `undo`. */
async function* formerWords(rows: ReadRows): AsyncGenerator<{ readonly id: string; readonly text: string }> {
  const told = (id: string, values: readonly unknown[]) =>
    values.flatMap((text) => (typeof text === 'string' && text !== '' ? [{ id, text }] : []))
  for await (const page of pagesOf(rows, ENTRY))
    for (const { blockIds, operation, before, reason } of page) {
      const [id] = blockIds
      if (id === undefined || blockIds.length > 1) continue
      const { content, cue } = Object(before) as { readonly content?: unknown; readonly cue?: unknown }
      // The reason of a recall is the name of its frame.
      yield* told(id, [content, cue, operation === 'recall' ? undefined : reason])
    }
  const ids = await idsByArrival(rows)
  for await (const page of pagesOf(rows, IMAGE, FEW))
    for (const { key, was, is } of page.flatMap(({ changes }) => (changes as Image).blocks ?? []))
      yield* told(ids.get(Number(key[0])) ?? String(was?.id), [
        ...[was?.content, is?.content, was?.cue, is?.cue],
      ])
}

async function idsByArrival(rows: ReadRows): Promise<ReadonlyMap<number, string>> {
  const ids = new Map<number, string>()
  for await (const page of pagesOf(rows, viewOf(blocks, ['arrival', 'id'])))
    for (const { arrival, id } of page) ids.set(arrival, id)
  return ids
}

/** Collects the texts of chosen blocks, also those from before an edit, and finds the kept blocks that contain one of them. */
export async function lookAt(rows: ReadRows, chosen: readonly ChosenBlock[]): Promise<Erasable> {
  // A block of which only earlier words go stays.
  const ids = chosen.filter(({ status }) => status !== 'before').map(({ id }) => id)
  const said = [...chosen.map(({ content }) => content), ...(await textsOf(rows, ids))]
  const texts = [...new Set(said.map((text) => text.trim()))].filter((text) => text !== '')
  const pieces = new Set(texts.flatMap(piecesOf))
  const [finder, standingIn] = [new Finder(pieces), [] as string[]]
  const [going, words] = [new Set(ids), new Set(texts.flatMap(wordsOf))]
  for await (const page of pagesOf(rows, SAID))
    for (const { arrival: _, id, ...kept } of page.filter((each) => !going.has(each.id))) {
      const text = Object.values(kept).join('\n')
      const found = finder.standingIn(text)
      for (const word of wordsOf(text)) words.delete(word)
      for (const piece of found) pieces.delete(piece)
      if (found.size > 0 && standingIn.length < MOST_STANDING) standingIn.push(id)
    }
  return { ids, texts, words: [...words], pieces: [...pieces], standingIn }
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

/** Tables without a mark in their description whose rows stay and may have ids or words of a block in their data. */
const WITH_WORDS: readonly string[] = [blocks.name, operations.name, archivedEdges.name]

/** Keys of `meta` of the last error of a model, which may quote a text, of the ids of removed blocks, and of packed indexes. */
const FORGOTTEN = /^(llm_trouble|removed_blocks|index_mark)( |$)/

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
  const forgotten = settings.filter(({ key }) => FORGOTTEN.test(key))
  await tx.remove(meta, forgotten)
  if (settings.some(({ key }) => key === REPORTS_MARK)) await saveMeta(tx, REPORTS_MARK, mark)
  await saveMeta(tx, UNFINISHED_ERASING, JSON.stringify([...((await unfinishedErasing(tx)) ?? []), ...ids]))
}

/** Drops the undo data of a transaction as a whole, so that an undo never takes back half of one, and notes its entries. */
async function dropChanges(tx: Transaction, erased: Erased): Promise<void> {
  for await (const page of pagesOf(tx.rows, operationChanges, FEW)) {
    const lost = page.filter(({ changes }) => erased.isInChanges(changes as Image))
    for (const { firstId, operationId } of lost)
      for (let id = firstId; id <= operationId; id += 1) erased.lost.add(id)
    await tx.remove(operationChanges, lost)
  }
}

/** Writes the rows that an erasing changes. Rows of an erased block are skipped, because they go with it. */
async function clean(tx: Transaction, erased: Erased, table: Table, page: readonly AnyRow[]): Promise<void> {
  const stay = page.filter((row) => !erased.isOfErased(table, row))
  const gone = table.goesWithWords ? stay.filter((row) => erased.isIn(row)) : []
  const goneItems = table.name === items.name ? gone.map(({ id }) => String(id)) : undefined
  await (goneItems === undefined ? tx.remove(table, gone) : removeItems(tx, goneItems))
  const changed = stay.flatMap((was) => {
    const is = gone.includes(was) ? was : erased.without(table, was)
    return is === was ? [] : [{ was, is }]
  })
  await tx.rows.put(table, changed.map(({ is }) => is) as never[], changed.map(({ was }) => was) as never[])
}

/** This class describes erased blocks, and recognises data about them. */
class Erased {
  readonly ids: ReadonlySet<string>
  /** Numbers of the entries, and names of the runs, that cannot be undone any more. */
  readonly lost = new Set<unknown>()
  readonly #arrivals: ReadonlySet<number>
  readonly #finder: Finder
  readonly #texts: ReadonlySet<string>
  readonly #words: ReadonlySet<string>

  constructor({ ids, texts, words }: Erasable, going: readonly { readonly arrival: number }[]) {
    this.ids = new Set(ids)
    this.#arrivals = new Set(going.map(({ arrival }) => arrival))
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
        (block === 'arrival' && this.#arrivals.has(Number(row[property]))),
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
    const { id, blockIds, before, summary, reason, operation } = row
    const isTold = this.isIn([blockIds, before, summary, reason])
    // A run without one of its entries cannot be undone as a whole.
    if (this.lost.has(id) && row.run !== undefined) this.lost.add(row.run)
    if (!isTold && !this.lost.has(id) && !this.lost.has(row.run)) return row
    const fields = typeof before === 'object' && !Array.isArray(before) ? before : {}
    const { undoes, run, ...rest } = { ...fields } as AnyRow
    return {
      ...row,
      blockIds: (blockIds as readonly string[]).filter((each) => !this.ids.has(each)),
      ...(isTold && { summary: 'erased' }),
      // The reason of a recall is the name of its frame.
      ...(isTold && operation !== 'recall' && { reason: undefined }),
      before: { undoes, run, ...(isTold ? {} : rest), erased: true },
    }
  }

  /** Returns true if changes that are kept for `undo` are about an erased block, or contain its words. */
  isInChanges(changes: Image): boolean {
    // The key of these rows is the number of a block.
    const byArrival = TABLES.filter(
      ({ name, columns }) => name === blocks.name || columns.arrival?.block === 'arrival',
    )
    return (
      byArrival.some(({ name }) => changes[name]?.some(({ key }) => this.#arrivals.has(Number(key[0])))) ||
      this.isIn(changes)
    )
  }

  /** Returns true if any text in data contains a text or an id of an erased block; names of fields, and bytes, do not count. */
  isIn(data: unknown): boolean {
    if (typeof data === 'string')
      // A short text is found only where it stands alone.
      return this.#texts.has(data) || this.#finder.standingIn(data.toLowerCase()).size > 0
    if (typeof data !== 'object' || data === null) return false
    return Object.entries(data).some(([key, inner]) => key !== 'hex' && this.isIn(inner))
  }
}
