import type { Block } from '../../domain/block/block.ts'
import {
  CONTINUATION,
  isHeading,
  shownEntry,
  shownPassage,
  withoutMark,
} from '../../domain/safety/visible.ts'
import { passagesOf } from '../../domain/text/passages.ts'
import { CUT_MARK } from '../../domain/text/text.ts'

/** Begins a line that carries an entry on; of an empty one this is all. */
const CONTINUED = CONTINUATION.trimEnd()
/** Texts that are kept until somebody writes, the last ones; an answer has two. */
const UNREAD_MOST = 80
/** Lines of answers that are kept in mind, the last ones. */
const LINES_MOST = 4_000

/** A line of an answer, with those that continue it. */
interface ShownLine {
  /**
   * - `entry`: only a frame writes it so.
   * - `words`: an entry without date and id, which may be anybody's words.
   * - `heading`: it begins a section.
   * - `line`: it stands under an entry or under the answer.
   */
  readonly kind: 'entry' | 'words' | 'heading' | 'line'
  /** The block whose entry it is. */
  readonly block?: Block | undefined
}

/** The lines that recall wrote lately in this process, so that an agent that pastes them back makes no copy. */
export class ServedTexts {
  /** By scope and words, the line written last at the end. */
  readonly #lines = new Map<string, ShownLine>()
  /** Texts not yet read into the map: a caller who only asks pays nothing for what it could write. */
  readonly #unread: { readonly text: string; readonly blocks: readonly Block[] }[] = []

  /** Forgets all lines. */
  clear(): void {
    this.#lines.clear()
    this.#unread.length = 0
  }

  /** Keeps the text of an answer, or the lines under it, and all blocks that may stand in it. */
  note(text: string, blocks: readonly Block[]): void {
    this.#unread.push({ text, blocks })
    if (this.#unread.length > UNREAD_MOST) this.#unread.shift()
  }

  /**
   * Parts a text from entries and frames that were shown exactly so; undefined if it holds none. Returns the rest, and the blocks of
   * the entries as they were shown. One pass.
   */
  part(text: string, scope?: string): { rest: string; blocks: readonly Block[] } | undefined {
    for (const { text: answer, blocks } of this.#unread.splice(0)) this.#read(answer, blocks)
    if (this.#lines.size === 0) return undefined
    const known: KnownItem[] = []
    let count = 0
    let isBehind = false
    eachItem(text, (item, from, to) => {
      const line = this.#lineOf(item, scope)
      if (line !== undefined) known.push({ ...line, from, to, isBehind })
      isBehind = line !== undefined
      count++
    })
    const taken = takenOut(known, count === 1)
    if (taken.length === 0) return undefined
    const lines: (string | undefined)[] = text.split('\n')
    for (const { from, to } of taken) lines.fill(undefined, from, to)
    const kept = lines.filter((line, at) => line !== undefined || lines[at - 1] !== undefined)
    return { rest: kept.join('\n'), blocks: taken.flatMap(({ block }) => block ?? []) }
  }

  #lineOf(item: string, scope: string | undefined): ShownLine | undefined {
    const key = anyNumber(item)
    const line = (scope && this.#lines.get(keyIn(scope, key))) || this.#lines.get(key)
    return line?.block === undefined || line.block.scope === scope ? line : undefined
  }

  #read(text: string, blocks: readonly Block[]): void {
    const known = blocks
      .flatMap((block) => wordsOf(block).map((words) => ({ block, words })))
      .sort((one, other) => other.words.length - one.words.length)
    eachItem(text, (line) => {
      const entries = entriesIn(withoutMark(line), known)
      if (entries.length === 0) this.#keep(anyNumber(line), { kind: isHeading(line) ? 'heading' : 'line' })
      for (const { block, words } of entries)
        for (const [form, kind] of formsOf(line, { block, words }))
          this.#keep(keyIn(block.scope, form), { kind, block })
    })
  }

  #keep(key: string, line: ShownLine): void {
    this.#lines.delete(key)
    this.#lines.set(key, line)
    const [oldest] = this.#lines.keys()
    if (this.#lines.size > LINES_MOST && oldest !== undefined) this.#lines.delete(oldest)
  }
}

/** An item with any number in brackets made the same: it tells the place of an entry in one answer alone. */
function anyNumber(item: string): string {
  return item.startsWith('[') ? item.replace(/^\[\d{1,4}\][ \t]+/, '[#] ') : item
}

function keyIn(scope: string | undefined, form: string): string {
  return scope === undefined ? form : `${scope}\0${form}`
}

/**
 * Visits the items of a text: its lines that are not empty, each with those that continue it.
 *
 * @param visit gets an item, the number of its first line from 0, and of the one behind its last
 */
function eachItem(text: string, visit: (item: string, from: number, to: number) => void): void {
  let item = ''
  let from = 0
  let at = 0
  for (let start = 0; start <= text.length; at++) {
    const found = text.indexOf('\n', start)
    const end = found < 0 ? text.length : found
    const line = text.slice(start, end).trimEnd()
    if (item !== '' && line.startsWith(CONTINUED)) item += `\n${line}`
    else {
      if (item !== '') visit(item, from, at)
      item = line
      from = at
    }
    start = end + 1
  }
  if (item !== '') visit(item, from, at)
}

/** An item of a text that was shown. */
interface KnownItem extends ShownLine {
  /** Its first line in the text, from 0, and the one behind its last. */
  readonly from: number
  readonly to: number
  /** True if the item before it in the text was shown, too. */
  readonly isBehind: boolean
}

/**
 * Chooses the items that are taken out of a text: entries, and lines behind them; headings with the entry behind; words that may be
 * anybody's behind these, or if the text has no other item.
 */
function takenOut(known: readonly KnownItem[], isAlone: boolean): readonly KnownItem[] {
  const taken = known.map(({ kind }) => kind === 'entry' || (kind === 'words' && isAlone))
  for (let at = known.length - 2; at >= 0; at--) {
    const next = known[at + 1]
    if (known[at]?.kind === 'heading' && next?.isBehind)
      taken[at] = next.kind === 'words' || taken[at + 1] === true
  }
  for (const [at, { kind, isBehind }] of known.entries())
    if (kind !== 'heading' && isBehind && taken[at - 1]) taken[at] = true
  return known.filter((_, at) => taken[at])
}

/** An entry of a frame: its block, and the words of it that stand there. */
interface ShownEntry {
  readonly block: Block
  readonly words: string
}

/** The words that an entry may have: all of a block, or one of its passages. */
function wordsOf({ content }: Block): readonly string[] {
  const passages = passagesOf(content)
  const parts = passages.length === 1 ? [] : passages.map((passage) => shownPassage(content, passage))
  return [shownEntry(content), ...parts]
}

/** A date and an id behind the words of an entry. */
const BEHIND = /(?: \([^()]*\)){1,2}$/

/** Finds the blocks that an entry without its mark is of: several if scopes share its words. One that was cut holds a part of them. */
function entriesIn(body: string, known: readonly ShownEntry[]): readonly ShownEntry[] {
  const whole = known.filter(
    ({ words }) =>
      body.startsWith(words) && (body.length === words.length || body.startsWith(' (', words.length)),
  )
  if (whole.length > 0) return whole.filter(({ words }) => words === whole[0]?.words)
  if (!body.includes(CUT_MARK)) return []
  const words = body.replace(BEHIND, '')
  const part = words.replace(CUT_MARK, '')
  const cut = known.find((each) => part !== '' && each.words.startsWith(part))
  return cut === undefined ? [] : [{ block: cut.block, words }]
}

/** The forms of an entry that are known again: with and without its mark, its date and source, and its id. */
function formsOf(line: string, { block, words }: ShownEntry): (readonly [string, ShownLine['kind']])[] {
  const body = withoutMark(line)
  const mark = anyNumber(line.slice(0, line.length - body.length))
  const id = ` (${block.id.slice(0, 8)})`
  const behind = body.slice(words.length)
  const stamp = behind.endsWith(id) ? behind.slice(0, -id.length) : behind
  const dated = stamp === '' ? [] : [`${mark}${words}${stamp}`, `${words}${stamp}`]
  const bare = stamp === '' ? [`${mark}${words}`, words] : [words]
  return [
    ...[...dated, ...bare].map((form) => [`${form}${id}`, 'entry'] as const),
    ...dated.map((form) => [form, 'entry'] as const),
    // The words of a block alone are no form of a frame: they are said again.
    ...bare.filter((form) => form !== block.content.trim()).map((form) => [form, 'words'] as const),
  ]
}
