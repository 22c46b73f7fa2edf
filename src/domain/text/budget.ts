import { estimateTokens } from './text.ts'

/** Ends a text that was cut to fit its budget. */
export const CUT_MARK = ' … [cut]'

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
 * If even the first does not, its text is cut, and ends with `CUT_MARK`. If not a character of it fits, nothing is shown.
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

function cutFirst<T>({ items, render, withText, textOf, budget }: BudgetRequest<T>): Fitted<T> {
  const [first, ...rest] = items
  if (first === undefined) return fitted('', [], [], false)
  const text = textOf(first)
  const cutAt = (to: number): T => {
    const part = text.slice(0, wholeSigns(text, to))
    return withText(first, to < text.length ? part.trimEnd() + CUT_MARK : part)
  }
  let [low, high] = [0, text.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (estimateTokens(render([cutAt(middle)])) <= budget) low = middle
    else high = middle - 1
  }
  if (wholeSigns(text, low) === 0) return fitted('', [], items, false)
  const cut = cutAt(low)
  return fitted(render([cut]), [cut], rest, true)
}

/** The place itself, or the one before it if it is within a code point. */
function wholeSigns(text: string, at: number): number {
  return isLowSurrogate(text, at) ? at - 1 : at
}

function isLowSurrogate(text: string, at: number): boolean {
  const unit = text.charCodeAt(at)
  return unit >= 0xdc00 && unit <= 0xdfff
}

function fitted<T>(text: string, shown: readonly T[], dropped: readonly T[], cut: boolean): Fitted<T> {
  return { text, shown, dropped, cutFirst: cut, used: estimateTokens(text) }
}
