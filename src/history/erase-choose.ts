import { normalised } from '../block/text.ts'
import type { ReadRows } from '../store/database.ts'
import { viewOf } from '../store/description.ts'
import { pagesOf } from '../store/records.ts'
import { blocks, operationChanges, operations } from '../store/tables.ts'
import { keysOf } from '../store/transaction.ts'
import { type Change, type Image, rowOf } from './images.ts'

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

const BLOCK = viewOf(blocks, [
  ...(['arrival', 'id', 'content', 'summary', 'cue', 'status', 'tags', 'source', 'session'] as const),
])
const ENTRY = viewOf(operations, ['id', 'operation', 'blockIds', 'reason', 'before'])
const IMAGE = viewOf(operationChanges, ['operationId', 'changes'])

type BlockRow = Omit<NonNullable<typeof BLOCK.row>, 'status'> & Pick<ChosenBlock, 'status'>

/** Chooses blocks. It reads every block once: an erasing is rare. */
export async function choose(rows: ReadRows, choice: ErasingChoice): Promise<Chosen> {
  const prefixes = choice.ids && [...new Set(choice.ids.map((each) => each.trim()))]
  const fits = prefixes
    ? ({ id }: BlockRow) => prefixes.some((prefix) => id.startsWith(prefix))
    : conditionOf(choice)
  const found: BlockRow[] = []
  for await (const page of pagesOf(rows, BLOCK)) found.push(...page.filter(fits))
  found.push(...(await undoneBlocks(rows)).filter(fits))
  if (prefixes !== undefined) return chooseByIds(found, prefixes)
  const known = new Set(found.map(({ id }) => id))
  const former = choice.words === undefined ? [] : await formerWords(rows, holdsAll(choice.words))
  const others = former.filter(({ id }) => !known.has(id))
  return { blocks: [...found.map(chosenOf), ...others], unknown: [], ambiguous: [] }
}

/** Reads blocks whose making was undone: only the data for `undo` has their rows. */
async function undoneBlocks(rows: ReadRows): Promise<BlockRow[]> {
  const undone = new Map<string, BlockRow>()
  for await (const { was, is } of changesOfBlocks(rows)) {
    if (was === undefined || is !== undefined) continue
    const row = rowOf(blocks, was) as unknown as BlockRow
    undone.set(row.id, { ...row, status: 'undone' })
  }
  for (const { id } of await rows.get(viewOf(blocks, ['id']), keysOf(undone.keys()), 'unique'))
    undone.delete(id)
  return [...undone.values()]
}

/** Reads the changes of blocks that are kept for `undo`, oldest first. */
export async function* changesOfBlocks(rows: ReadRows): AsyncGenerator<Change> {
  for await (const page of pagesOf(rows, IMAGE))
    for (const { changes } of page) yield* (changes as Image).blocks ?? []
}

/** Reads the entries of the log about one block; `before` has its words before an edit. */
export async function* entriesOfOne(rows: ReadRows) {
  for await (const page of pagesOf(rows, ENTRY))
    for (const { blockIds, before, ...entry } of page) {
      const [id] = blockIds
      if (id === undefined || blockIds.length > 1) continue
      const { content, cue } = Object(before) as { readonly content?: unknown; readonly cue?: unknown }
      yield { ...entry, id, content, cue }
    }
}

function chooseByIds(all: readonly BlockRow[], prefixes: readonly string[]): Chosen {
  const chosen = new Map<string, ChosenBlock>()
  const [unknown, ambiguous]: [string[], string[]] = [[], []]
  for (const prefix of prefixes) {
    const exact = all.find(({ id }) => id === prefix)
    const fitting = exact === undefined ? all.filter(({ id }) => id.startsWith(prefix)) : [exact]
    const [only] = fitting
    if (only === undefined) unknown.push(prefix)
    else if (fitting.length > 1) ambiguous.push(prefix)
    else chosen.set(only.id, chosenOf(only))
  }
  return { blocks: [...chosen.values()], unknown, ambiguous }
}

function conditionOf({ tags, sources, sessions, words }: ErasingChoice): (row: BlockRow) => boolean {
  if (tags !== undefined) {
    const fits = (tag: string) =>
      tags.some((wanted) => (wanted.endsWith('*') ? tag.startsWith(wanted.slice(0, -1)) : tag === wanted))
    return (row) => row.tags.some(fits)
  }
  if (sources !== undefined) return ({ source }) => source !== undefined && sources.includes(source)
  if (sessions !== undefined) return ({ session }) => sessions.includes(session)
  const holds = holdsAll(words ?? [])
  return ({ content, summary, cue }) => holds([content, summary ?? '', cue ?? ''].join('\n'))
}

/** Finds words that blocks had before an edit, in the log and in what is kept for `undo`; each text once. */
async function formerWords(rows: ReadRows, holds: (text: string) => boolean): Promise<ChosenBlock[]> {
  const found = new Map<unknown, ChosenBlock>()
  const note = (id: string, content: unknown) => {
    if (typeof content === 'string' && holds(content)) found.set(content, { id, status: 'before', content })
  }
  for await (const { id, content, cue } of entriesOfOne(rows))
    for (const each of [content, cue]) note(id, each)
  const changed: Change[] = []
  for await (const change of changesOfBlocks(rows)) if (change.was && change.is) changed.push(change)
  const arrivals = changed.map(({ key }) => Number(key[0]))
  const there = await rows.get(viewOf(blocks, ['arrival', 'id']), keysOf(arrivals))
  const ids = new Map(there.map(({ arrival, id }) => [arrival, id]))
  for (const { key, was, is } of changed)
    for (const each of [was?.content, is?.content]) note(ids.get(Number(key[0])) ?? '', each)
  return [...found.values()]
}

function chosenOf({ id, status, content }: BlockRow): ChosenBlock {
  return { id, status, content }
}

/** A character of a word, in a script that puts spaces between words. */
const SPACED =
  '[[\\p{L}\\p{N}\\p{M}]--[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}]]'

/** True of a text with all of the words, each standing apart; those of scripts without spaces anywhere. */
function holdsAll(words: readonly string[]): (text: string) => boolean {
  const wanted = words.map((word) => {
    const plain = folded(word).replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    const isSpaced = (place: string) => new RegExp(place, 'v').test(folded(word))
    const [before, after] = [isSpaced(`^${SPACED}`), isSpaced(`${SPACED}$`)]
    return new RegExp(`${before ? `(?<!${SPACED})` : ''}${plain}${after ? `(?!${SPACED})` : ''}`, 'v')
  })
  return (text) => wanted.every((word) => word.test(folded(text)))
}

function folded(text: string): string {
  return normalised(text, 'NFC').toLowerCase()
}
