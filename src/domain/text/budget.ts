import type { Passage } from './passage.ts'
import { estimateTokens, isWhitespace } from './text.ts'

/** Ends a text that was cut to fit its budget. */
export const CUT_MARK = ' … [cut]'

/** Begins a text whose beginning was cut to fit its budget. */
export const CUT_BEFORE = '… '

/** Arguments of fitting: the items in order of importance, and how they become a text. */
interface BudgetRequest<T> {
  readonly items: readonly T[]
  /** The whole text of some items, headings and all; '' for none. Must not shrink when an item is added or grows. */
  readonly render: (items: readonly T[]) => string
  /** The item with its text replaced by a shorter one. */
  readonly withText: (item: T, text: string) => T
  readonly textOf: (item: T) => string
  /** The same with less beside its text, asked again until one fits; undefined for one that has no less. */
  readonly compact?: (item: T) => T | undefined
  /** The part of the text of an item that is shown if the text has to be cut; its beginning if undefined. */
  readonly passageOf?: (item: T) => Passage | undefined
  /** In tokens as `estimateTokens` counts them. */
  readonly budget: number
}

/** Result of fitting. `shown`, as they fitted, and `dropped` together are the items, in order. */
export interface Fitted<T> {
  readonly text: string
  readonly shown: readonly T[]
  readonly dropped: readonly T[]
  /** True if only a cut version of the first item fitted; `shown` holds that version. */
  readonly cutFirst: boolean
  /** Tokens of `text`, never above the budget. */
  readonly used: number
}

/**
 * As many items, in order, as the whole rendered text can hold; stops at the first that does not fit (Python elfmem).
 * If even the first does not, its text is cut. A cut end is marked with `CUT_MARK`, a cut beginning with `CUT_BEFORE`. If not
 * a character of it fits, nothing is shown.
 */
export function fitBudget<T>(request: BudgetRequest<T>): Fitted<T> {
  const { items, render, budget, compact } = request
  let text = ''
  const kept: T[] = []
  const fits = (item: T): boolean => {
    const longer = render([...kept, item])
    if (estimateTokens(longer) > budget) return false
    text = longer
    return kept.push(item) > 0
  }
  for (const item of items) {
    let form: T | undefined = item
    while (form !== undefined && !fits(form)) form = compact?.(form)
    if (form === undefined) break
  }
  if (kept.length === 0 && items.length > 0) return cutFirst(request)
  return fitted(text, kept, items.slice(kept.length), false)
}

function cutFirst<T>({ items, render, withText, textOf, passageOf, budget }: BudgetRequest<T>): Fitted<T> {
  const [first, ...rest] = items
  if (first === undefined) return fitted('', [], [], false)
  const text = textOf(first)
  const partOf = ({ from, to }: Passage): T => withText(first, marked(text, { from, to }))
  const fits = (part: Passage): boolean => estimateTokens(render([partOf(part)])) <= budget
  const shown = windowOf(text, passageOf?.(first), fits)
  if (shown === undefined) return fitted('', [], items, false)
  const cut = partOf(shown)
  return fitted(render([cut]), [cut], rest, true)
}

/** A part of a text with the marks of what was cut. */
function marked(text: string, { from, to }: Passage): string {
  const part = text.slice(from, to)
  return `${from > 0 ? CUT_BEFORE : ''}${to < text.length ? part.trimEnd() + CUT_MARK : part}`
}

type Fits = (part: Passage) => boolean

/** The longest part of a text that fits and holds a passage: its beginning if that does, else from the passage on. */
function windowOf(text: string, passage: Passage | undefined, fits: Fits): Passage | undefined {
  const beginning = longestFrom(text, 0, fits)
  if (passage === undefined || beginning === undefined || passage.to <= beginning.to) return beginning
  const { from } = passage
  // A tail has no mark behind it, so it may fit where a shorter part does not.
  if (!fits({ from, to: text.length })) return longestFrom(text, from, fits) ?? beginning
  let [low, high] = [0, from]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (fits({ from: middle, to: text.length })) high = middle
    else low = middle + 1
  }
  return { from: wordFrom(text, low, from), to: text.length }
}

function longestFrom(text: string, from: number, fits: Fits): Passage | undefined {
  let [low, high] = [from, text.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (fits({ from, to: wholeSigns(text, middle) })) low = middle
    else high = middle - 1
  }
  const to = wholeSigns(text, low)
  return to > from ? { from, to } : undefined
}

/** The place itself, or the one before it if it is within a code point. */
function wholeSigns(text: string, at: number): number {
  return isLowSurrogate(text, at) ? at - 1 : at
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff
}

/** The beginning of the next word from a place on, at most `most`. */
function wordFrom(text: string, start: number, most: number): number {
  let at = start
  while (at < most && !(isWhitespace(text.charCodeAt(at - 1)) && !isWhitespace(text.charCodeAt(at)))) at++
  return at
}

function fitted<T>(text: string, shown: readonly T[], dropped: readonly T[], cut: boolean): Fitted<T> {
  return { text, shown, dropped, cutFirst: cut, used: estimateTokens(text) }
}
