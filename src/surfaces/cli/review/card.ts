import type { DecisionView } from '../../../operations/decide/decision-view.ts'
import { count, harmless, harmlessLine } from '../../../operations/wording.ts'
import { commonPlaces } from '../screen/common-places.ts'
import { type Page, wrapped } from '../screen/style.ts'

type Side = NonNullable<DecisionView['first']>

/** The words of one side, and the lines of facts below them. */
interface Words {
  readonly name: string
  readonly text: string
  readonly facts: readonly string[]
}

/**
 * Returns one decision as lines: what, the whole of both sides with the words that differ in brackets, and the choices. All
 * words are harmless.
 *
 * @param place such as `2 of 5`
 */
export function card(decision: DecisionView, place: string, page: Page): string {
  const sides = sidesOf(decision, page).flatMap((side) => ['', ...wordLines(side, page), ...side.facts])
  return [...headOf(decision, place, page), ...sides, ...footOf(decision, page)].join('\n')
}

function headOf({ kind, at, by, sentence }: DecisionView, place: string, page: Page): readonly string[] {
  const found = [at?.slice(0, 10), by === undefined ? undefined : `by ${harmlessLine(by)}`].filter(Boolean)
  const { style } = page
  const when = found.length > 0 ? style.dim(`, found ${found.join(' ')}`) : ''
  return [
    wrapped(`${style.bold(place)}  ${kind.replace('_', ' ')}${when}`, page, 0),
    wrapped(harmlessLine(sentence), page, 0),
  ]
}

/** The reason, and the choices with what each does. */
function footOf({ reason, choices }: DecisionView, page: Page): readonly string[] {
  const { style } = page
  const because = reason === undefined ? [] : [indented(`because: ${harmlessLine(reason)}`, page)]
  const keys = choices.map(
    ({ key, label, does }) => `  ${style.name(key)}  ${wrapped(`${label}. ${style.dim(does)}`, page, 5)}`,
  )
  return [...because, '', ...keys, `  ${wrapped('j next, k back, u undo, q end', page, 2)}`]
}

/** Returns the two sides of a decision, or the present text and the proposed one. */
function sidesOf({ first, second, change }: DecisionView, page: Page): readonly Words[] {
  const proposed = change?.field === 'content' ? change.after : undefined
  const other = second?.content ?? proposed
  const name = second === undefined ? '→' : '2'
  const below = second === undefined ? [] : [facts(second, true, page)]
  if (first === undefined) return other === undefined ? [] : [{ name, text: harmless(other), facts: below }]
  const own = [facts(first, second !== undefined, page)]
  if (other === undefined) return [{ name: '1', text: harmless(first.content), facts: own }]
  const [left, right] = wordDifference(harmless(first.content), harmless(other))
  return [
    { name: '1', text: bracketed(left), facts: own },
    { name, text: bracketed(right), facts: below },
  ]
}

/** The text with the words in which it differs in brackets: never by colour alone. */
function bracketed(parts: ReturnType<typeof wordDifference>[number]): string {
  return parts
    .map(({ text, isOther }) => (isOther ? text.replace(/^(\s*)([\s\S]*?\S)(\s*)$/, '$1[$2]$3') : text))
    .join('')
}

const INDENT = 3

/** Returns the lines with all words of one side. */
function wordLines({ name, text }: Words, page: Page): readonly string[] {
  const narrow = { ...page, width: page.width - INDENT }
  const lines = text.split('\n').flatMap((each) => wrapped(broken(each, narrow.width), narrow, 0).split('\n'))
  return lines.map((each, at) => `${(at === 0 ? name : '').padEnd(INDENT)}${each}`.trimEnd())
}

/** A text whose words all fit a line. */
function broken(text: string, width: number): string {
  if (!Number.isFinite(width)) return text
  return text.replace(new RegExp(`(\\S{${Math.max(1, width)}})(?=\\S)`, 'gu'), '$1 ')
}

function facts(
  { speaker, saidAt, belief, helped, misled, edges, isShown, isPrinciple }: Side,
  isOfTwo: boolean,
  page: Page,
): string {
  const reports = helped + misled > 0 ? ` (helped ${rounded(helped)}, misled ${rounded(misled)})` : ''
  const told = [
    ...[harmlessLine(speaker), saidAt.slice(0, 10), `belief ${belief.toFixed(2)}${reports}`],
    count(edges, 'edge'),
    ...(isPrinciple ? ['a principle'] : []),
    ...(isOfTwo ? [isShown ? 'recall shows it meanwhile' : 'under the other meanwhile'] : []),
  ]
  return page.style.dim(indented(told.join(' · '), page))
}

function indented(text: string, page: Page): string {
  return `${' '.repeat(INDENT)}${wrapped(text, page, INDENT)}`
}

function rounded(value: number): string {
  return String(Math.round(value * 10) / 10)
}

/** A part of a text: words and the white space around them. */
interface TextPart {
  readonly text: string
  /** True if the other text has something else there. */
  readonly isOther: boolean
}

/** Splits two texts into parts, so that the words are marked in which they differ. */
function wordDifference(one: string, other: string): readonly [readonly TextPart[], readonly TextPart[]] {
  const [a, b] = [partsOf(one), partsOf(other)]
  const keysOf = (words: readonly string[]) => words.map((word) => word.trim())
  const common = commonPlaces(keysOf(a), keysOf(b))
  return [marked(a, new Set(common.map(([at]) => at))), marked(b, new Set(common.map(([, at]) => at)))]
}

/** Returns the words of a text, each with the white space behind it. */
function partsOf(text: string): string[] {
  return text.match(/^\s+|\S+\s*/g) ?? []
}

function marked(words: readonly string[], kept: ReadonlySet<number>): readonly TextPart[] {
  const all: { text: string; isOther: boolean }[] = []
  for (const [at, text] of words.entries()) {
    const [last, isOther] = [all.at(-1), !kept.has(at)]
    if (last?.isOther === isOther) last.text += text
    else all.push({ text, isOther })
  }
  return all
}
