import type { Block } from '../block/block.ts'
import {
  CONTINUATION,
  codePointLength,
  isHeading,
  passagesOf,
  preview,
  shownEntry,
  shownLine,
  shownPassage,
  withoutFences,
  withoutMark,
} from '../block/text.ts'
import { type Engine, type Mutation, ownKey } from '../engine/engine.ts'
import { ElfmemError } from '../errors.ts'
import { readBlocks, reinforceBlocks } from '../store/blocks.ts'
import { readMeta, saveMeta } from '../store/log.ts'
import { STATE_KEYS } from '../store/tables.ts'
import type { ReadTransaction } from '../store/transaction.ts'
import type { Draft } from './admit.ts'

/** An echo count is the size of the parts that were left out of a text because a recall had shown them. */
export interface EchoCount {
  /** Number of entries that were left out. */
  readonly entries: number
  /** Length in code points, with headings and the lines under entries. */
  readonly characters: number
}

/** A text parted from the entries and frames that a recall showed. */
interface Parted {
  /** The rest of the text, trimmed; empty if there is none. */
  readonly own: string
  /** The blocks of the entries that were taken out, as they were shown. */
  readonly shown: readonly Block[]
  /** The first 8 characters of the ids that fences name. */
  readonly fenced: readonly string[]
  readonly leftOut: EchoCount
}

/** A meant draft has the blocks that it only says again, if it is an echo. */
export interface Meant {
  readonly draft: Draft
  /** Ids of those blocks; empty for a draft with words of its own. */
  readonly echoOf: readonly string[]
  readonly leftOut?: EchoCount
}

/**
 * Parts a text from what a recall showed: closed fences, and entries and frames exactly as this process wrote them. Returns undefined if
 * the text holds none, or `memory.echoGuard` is off. Makes one pass and runs no statement.
 */
export function partedFromShown(engine: Engine, text: string): Parted | undefined {
  if (!engine.settings.memory.echoGuard) return undefined
  const { text: unfenced, ids: fenced } = withoutFences(text)
  const parted = engine.served.part(unfenced, engine.scope)
  if (parted === undefined && unfenced === text) return undefined
  const own = (parted?.rest ?? unfenced).trim()
  const shown = parted?.blocks ?? []
  const characters = codePointLength(text.trim()) - codePointLength(own)
  return { own, shown, fenced, leftOut: { entries: shown.length + fenced.length, characters } }
}

/** Returns the sum of the parts left out of some texts; undefined if nothing was left out. */
export function sumLeftOut(parts: readonly (EchoCount | undefined)[]): EchoCount | undefined {
  return parts.reduce((sum, part) => {
    if (sum === undefined || part === undefined) return sum ?? part
    return { entries: sum.entries + part.entries, characters: sum.characters + part.characters }
  }, undefined)
}

/**
 * Returns the draft, or, if a recall has shown all of it, a draft with the content of the first block that it says again. These blocks stay
 * fresh, and the echo is counted. Throws as `refuseFrameIn` does.
 */
export async function withoutEcho(engine: Engine, { tx, moment }: Mutation, draft: Draft): Promise<Meant> {
  const parted = partedFromShown(engine, draft.content)
  const said = parted === undefined ? [] : await blocksSaid(tx, draft, parted)
  const [first] = said
  if (parted === undefined || first === undefined) return { draft, echoOf: [] }
  const echoOf = [...new Set(said.map(({ id }) => id))]
  await reinforceBlocks(tx, echoOf, moment.hours)
  const key = ownKey(engine, STATE_KEYS.echoes)
  await saveMeta(tx, key, String(Number((await readMeta(tx, key)) ?? 0) + 1))
  return { draft: { ...draft, content: first.content, isEcho: true }, echoOf, leftOut: parted.leftOut }
}

/** Throws `FRAME_IN_TEXT` if a draft has words of its own beside a frame, or if no living block still says what the frame showed. */
export async function refuseFrameIn(engine: Engine, tx: ReadTransaction, draft: Draft): Promise<void> {
  const parted = partedFromShown(engine, draft.content)
  if (parted !== undefined) await blocksSaid(tx, draft, parted)
}

/**
 * Returns the living blocks that a draft only says again: blocks named by fences, and shown blocks with unchanged words. Throws
 * `FRAME_IN_TEXT` if there are none, unless the draft keeps frames. Runs at most two statements.
 */
async function blocksSaid(
  tx: ReadTransaction,
  { keepFrame }: Draft,
  { own, shown, fenced }: Parted,
): Promise<readonly Block[]> {
  if (own !== '') {
    if (keepFrame === true) return []
    throw frameInText(own)
  }
  const found = fenced.length === 0 ? [] : [...(await tx.queries.idsByPrefix(fenced)).values()]
  const before = new Map(shown.map((block) => [block.id, block.content]))
  const ids = new Set([...before.keys(), ...found.flatMap((named) => (named.length === 1 ? named : []))])
  const blocks = ids.size === 0 ? [] : await readBlocks(tx, [...ids])
  const living = blocks.filter(
    ({ id, status, content }) => status !== 'archived' && (before.get(id) ?? content) === content,
  )
  if (living.length === 0 && keepFrame !== true) throw frameInText(own)
  return living
}

/** Throws `FRAME_IN_TEXT` if the new words of a block hold what a recall showed, and its old words do not. */
export function refuseFrame(
  engine: Engine,
  { before, after }: { readonly before: string; readonly after: string | undefined },
): void {
  const parted = after === undefined || after === before ? undefined : partedFromShown(engine, after)
  if (parted === undefined || partedFromShown(engine, before) !== undefined) return
  throw frameInText(
    parted.own,
    'Pass the words of the block alone, without number, date and id of an answer.',
  )
}

function frameInText(
  newWords: string,
  recovery = 'Remember the new words alone (all of them in details.newWords), or pass keepFrame: true to keep the text.',
): ElfmemError<'FRAME_IN_TEXT'> {
  const said = newWords === '' ? 'no words of its own.' : `new words: ${shownLine(preview(newWords, 200))}`
  const message = `The text holds what a recall showed, and ${said}`
  return new ElfmemError('FRAME_IN_TEXT', message, { recovery, details: { newWords } })
}

/** Number of texts that are kept until they are read; an answer has two. */
const UNREAD_MOST = 80
/** Number of lines of answers that are remembered. */
const LINES_MOST = 4_000

/** A line of an answer, with its continuation lines. An entry has its block; a `line` stands under an entry or under the answer. */
interface ShownLine {
  readonly kind: 'entry' | 'heading' | 'line'
  readonly block?: Block | undefined
}

/** A line of a text that is not empty, with its continuation lines: lines `from` to before `to`, from 0. */
interface Item {
  readonly text: string
  readonly from: number
  readonly to: number
}

/** A block and its words in an entry: all of them, or one of its passages. */
type Words = readonly [block: Block, words: string]

/** Served texts are the lines that recall wrote lately in this process, so that an agent that pastes them back makes no copy. */
export class ServedTexts {
  /** Lines by `anyNumber`, entries by `entryKey`; the line written last stands at the end. */
  readonly #lines = new Map<string, ShownLine>()
  /** Texts that are not read into the map yet, so that a caller who never writes pays nothing for it. */
  readonly #unread: { readonly text: string; readonly blocks: readonly Block[] }[] = []
  /** The number of times that all holders' lines were forgotten, and how many of these were heeded here. */
  readonly #forgotten: { times: number }
  #heeded: number

  constructor(forgotten = { times: 0 }) {
    this.#forgotten = forgotten
    this.#heeded = forgotten.times
  }

  /** Returns the texts of another holder of the memory; what one forgets because blocks are gone, all forget. */
  another(): ServedTexts {
    return new ServedTexts(this.#forgotten)
  }

  /** Forgets all lines. */
  clear(): void {
    this.#forgotten.times += 1
  }

  #heed(): void {
    if (this.#heeded === this.#forgotten.times) return
    this.#heeded = this.#forgotten.times
    this.#lines.clear()
    this.#unread.length = 0
  }

  /** Keeps the text of an answer, or the lines under it, and all blocks that may stand in it. */
  note(text: string, blocks: readonly Block[]): void {
    this.#heed()
    this.#unread.push({ text, blocks })
    if (this.#unread.length > UNREAD_MOST) this.#unread.shift()
  }

  /**
   * Parts a text from entries and frames that were shown exactly so; returns undefined if it holds none. Returns the rest, and the blocks
   * of the entries as they were shown. Makes one pass.
   */
  part(text: string, scope?: string): { rest: string; blocks: readonly Block[] } | undefined {
    this.#heed()
    for (const { text: answer, blocks } of this.#unread.splice(0)) this.#read(answer, blocks)
    if (this.#lines.size === 0) return undefined
    const items = itemsOf(text)
    const taken = takenOut(
      items.map(({ text: item }) => {
        const key = anyNumber(item)
        return this.#lines.get(entryKey(scope, key)) ?? this.#lines.get(key)
      }),
    )
    if (taken.size === 0) return undefined
    const lines: (string | undefined)[] = text.split('\n')
    for (const at of taken.keys()) lines.fill(undefined, items[at]?.from, items[at]?.to)
    const kept = lines.filter((line, at) => line !== undefined || lines[at - 1] !== undefined)
    return { rest: kept.join('\n'), blocks: [...taken.values()].flatMap(({ block }) => block ?? []) }
  }

  #read(text: string, blocks: readonly Block[]): void {
    const known = blocks.flatMap(wordsOf).sort(([, one], [, other]) => other.length - one.length)
    for (const { text: line } of itemsOf(text)) {
      const entries = entriesIn(withoutMark(line), known)
      if (entries.length === 0) this.#keep(anyNumber(line), { kind: isHeading(line) ? 'heading' : 'line' })
      // A line with only the words of a block is no echo: it says the block again.
      for (const [block] of entries)
        if (line !== block.content.trim())
          this.#keep(entryKey(block.scope, anyNumber(line)), { kind: 'entry', block })
    }
  }

  #keep(key: string, line: ShownLine): void {
    this.#lines.delete(key)
    this.#lines.set(key, line)
    const [oldest] = this.#lines.keys()
    if (this.#lines.size > LINES_MOST && oldest !== undefined) this.#lines.delete(oldest)
  }
}

/** Returns the key of an entry; the scope is in it, so that a caller takes out entries of its own scope alone. */
function entryKey(scope: string | undefined, form: string): string {
  return `${scope ?? ''}\0${form}`
}

/** Returns an item with its number in brackets replaced: the number tells the place of an entry in one answer alone. */
function anyNumber(item: string): string {
  return item.startsWith('[') ? item.replace(/^\[\d{1,4}\][ \t]+/, '[#] ') : item
}

function itemsOf(text: string): Item[] {
  const items: Item[] = []
  for (const [at, whole] of text.split('\n').entries()) {
    const line = whole.trimEnd()
    const last = items.at(-1)
    if (last?.to === at && line.startsWith(CONTINUATION.trimEnd())) {
      items[items.length - 1] = { ...last, text: `${last.text}\n${line}`, to: at + 1 }
    } else if (line !== '') items.push({ text: line, from: at, to: at + 1 })
  }
  return items
}

/** Returns the items that are taken out of a text: entries, the lines behind them, and headings before them. */
function takenOut(items: readonly (ShownLine | undefined)[]): ReadonlyMap<number, ShownLine> {
  const taken = items.map((item) => item?.kind === 'entry')
  for (let at = items.length - 2; at >= 0; at--)
    if (items[at]?.kind === 'heading' && taken[at + 1]) taken[at] = true
  for (const [at, item] of items.entries()) if (item?.kind === 'line' && taken[at - 1]) taken[at] = true
  return new Map(items.flatMap((item, at) => (item !== undefined && taken[at] ? [[at, item] as const] : [])))
}

function wordsOf(block: Block): Words[] {
  const passages = passagesOf(block.content)
  const parts = passages.length === 1 ? [] : passages.map((passage) => shownPassage(block.content, passage))
  return [shownEntry(block.content), ...parts].map((words) => [block, words])
}

/** Returns the blocks whose words an entry without its mark has: several if blocks of several scopes share them. */
function entriesIn(body: string, known: readonly Words[]): readonly Words[] {
  const whole = known.filter(([, words]) => body === words || body.startsWith(`${words} (`))
  return whole.filter(([, words]) => words === whole[0]?.[1])
}
