import { normalised } from '../block/text.ts'
import { ElfmemError } from '../errors.ts'
import { notFound } from '../intake/check-input.ts'
import type { ReadRows } from '../store/database.ts'
import { viewOf } from '../store/description.ts'
import { pagesOf } from '../store/records.ts'
import { blocks, operationChanges, operations } from '../store/tables.ts'
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

const BLOCK = viewOf(blocks, [
  ...(['arrival', 'id', 'content', 'summary', 'cue', 'status', 'tags', 'source', 'session'] as const),
])
const ENTRY = viewOf(operations, ['id', 'operation', 'blockIds', 'reason', 'before'])
const IMAGE = viewOf(operationChanges, ['operationId', 'changes'])

type BlockRow = Omit<NonNullable<typeof BLOCK.row>, 'status'> & Pick<ChosenBlock, 'status'>

/**
 * Chooses blocks, each once, oldest first. It reads every block: an erasing is rare. Throws `NOT_FOUND` or `AMBIGUOUS_ID` for ids that
 * stand for no block or for several.
 */
export async function choose(rows: ReadRows, choice: ErasingChoice): Promise<readonly ChosenBlock[]> {
  const fits = conditionOf(choice)
  const found: BlockRow[] = []
  for await (const page of pagesOf(rows, BLOCK)) found.push(...page.filter(fits))
  found.push(...(await undoneBlocks(rows)).filter(fits))
  const chosen = found.map(({ id, status, content }): ChosenBlock => ({ id, status, content }))
  if (choice.ids !== undefined) return chooseByIds(chosen, choice.ids)
  if (choice.words === undefined) return chosen
  const [holds, known] = [holdsAll(choice.words), new Set(chosen.map(({ id }) => id))]
  const former = new Map<string, ChosenBlock>()
  for await (const { id, text } of formerWords(rows))
    if (!known.has(id) && holds(text)) former.set(text, { id, status: 'before', content: text })
  return [...chosen, ...former.values()]
}

function chooseByIds(all: readonly ChosenBlock[], prefixes: readonly string[]): readonly ChosenBlock[] {
  const fitting = prefixes.map((each) => {
    const prefix = each.trim()
    const exact = all.filter(({ id }) => id === prefix)
    return { prefix, found: exact.length > 0 ? exact : all.filter(({ id }) => id.startsWith(prefix)) }
  })
  const unclear = fitting.find(({ found }) => found.length > 1)?.prefix
  if (unclear !== undefined)
    throw new ElfmemError('AMBIGUOUS_ID', `More than one block id begins with "${unclear}".`, {
      recovery: 'Give more characters of the id.',
      details: { prefix: unclear },
    })
  const unknown = fitting.flatMap(({ prefix, found }) => (found.length === 0 ? [prefix] : []))
  if (unknown.length > 0) throw notFound(unknown)
  return [...new Set(fitting.flatMap(({ found }) => found))]
}

/** Reads blocks whose making was undone: only the data for `undo` has their rows. */
async function undoneBlocks(rows: ReadRows): Promise<BlockRow[]> {
  const undone = new Map<string, BlockRow>()
  for await (const { was, is } of changesOfBlocks(rows)) {
    if (was === undefined || is !== undefined) continue
    const row = rowOf(blocks, was) as unknown as BlockRow
    undone.set(row.id, { ...row, status: 'undone' })
  }
  for (const id of (await idsByArrival(rows)).values()) undone.delete(id)
  return [...undone.values()]
}

async function idsByArrival(rows: ReadRows): Promise<ReadonlyMap<number, string>> {
  const ids = new Map<number, string>()
  for await (const page of pagesOf(rows, viewOf(blocks, ['arrival', 'id'])))
    for (const { arrival, id } of page) ids.set(arrival, id)
  return ids
}

/** The size of a page of changes, because those of one transaction may be large. */
export const FEW = { limit: 8 }

/** Reads the changes of blocks that are kept for `undo`, oldest first. */
export async function* changesOfBlocks(rows: ReadRows): AsyncGenerator<Change> {
  for await (const page of pagesOf(rows, IMAGE, FEW))
    for (const { changes } of page) yield* (changes as Image).blocks ?? []
}

/** Reads the words that blocks had before and the reasons of what was done to one, from the log and from what is kept for `undo`. */
export async function* formerWords(rows: ReadRows): AsyncGenerator<{ id: string; text: string }> {
  for await (const page of pagesOf(rows, ENTRY))
    for (const { blockIds, operation, before, reason } of page) {
      const [id] = blockIds
      if (id === undefined || blockIds.length > 1) continue
      const { content, cue } = Object(before) as { readonly content?: unknown; readonly cue?: unknown }
      // The reason of a recall is the name of its frame.
      yield* textsOf(id, [content, cue, operation === 'recall' ? undefined : reason])
    }
  const ids = await idsByArrival(rows)
  for await (const { key, was, is } of changesOfBlocks(rows))
    yield* textsOf(ids.get(Number(key[0])) ?? String(was?.id ?? is?.id), [
      ...[was?.content, is?.content, was?.cue, is?.cue],
    ])
}

function textsOf(id: string, values: readonly unknown[]): { id: string; text: string }[] {
  return values.flatMap((text) => (typeof text === 'string' && text !== '' ? [{ id, text }] : []))
}

function conditionOf({ ids, tags, sources, sessions, words }: ErasingChoice): (row: BlockRow) => boolean {
  if (ids !== undefined) return ({ id }) => ids.some((prefix) => id.startsWith(prefix.trim()))
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

/** A character of a word, in a script that puts spaces between words. */
const SPACED =
  '[[\\p{L}\\p{N}\\p{M}]--[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Thai}\\p{scx=Lao}\\p{scx=Khmer}\\p{scx=Myanmar}]]'

/** Returns a test for texts with all of the words, each standing apart; words of scripts without spaces may stand anywhere. */
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
