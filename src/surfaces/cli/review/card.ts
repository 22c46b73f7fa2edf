import { type DecisionView, wordDifference } from '../../../operations/decide/decision-view.ts'
import { count, harmless, harmlessLine } from '../../../operations/wording.ts'
import { type Page, wrapped } from '../screen/style.ts'

/** How much of a card a terminal holds. */
interface Room {
  readonly page: Page
  /** Lines of the terminal. */
  readonly lines: number
}

/** The other facts that a card shows. */
interface Shown {
  /** `2 of 5` */
  readonly place: string
  /** All words, however long. */
  readonly isWhole: boolean
}

type Side = NonNullable<DecisionView['first']>

/** Words of one side, and where they begin to differ from the other's. */
interface Words {
  readonly name: string
  readonly text: string
  readonly differsAt: number
  /** Lines below them. */
  readonly facts: readonly string[]
}

/** Fewer lines of words say nothing, however low a terminal is. */
const LEAST_LINES = 2
/** The forms of a card, from the highest on: all, choices by label alone, and those in one line with the facts that decide most. */
const FORMS = ['whole', 'labels', 'line'] as const
type Form = (typeof FORMS)[number]

/** The line on what was done before, the empty line before the card, and the line that is typed into. */
const AROUND_LINES = 3

/** One decision as lines: what, both sides with the words that differ in brackets, and the choices. All words are harmless. */
export function card(decision: DecisionView, { place, isWhole }: Shown, { page, lines }: Room): string {
  const head = headOf(decision, place, page)
  const forms = FORMS.map((form) => {
    const sides = sidesOf(decision, page, form)
    const foot = footOf(decision, page, form)
    // Each side has an empty line above it, and may have one that says what is left out.
    const taken = lineCount([...head, ...sides.flatMap(({ facts }) => facts), ...foot])
    const room = Math.floor((lines - AROUND_LINES - taken) / Math.max(1, sides.length)) - 2
    return { sides, foot, room }
  })
  const fits = forms.findIndex(({ room }) => isWhole || room >= LEAST_LINES)
  const { sides, foot, room } = forms.at(fits) as (typeof forms)[number]
  const most = isWhole ? Number.POSITIVE_INFINITY : Math.max(LEAST_LINES, room)
  const told = sides.flatMap((side) => ['', ...wordLines(side, most, page), ...side.facts])
  return [...head, ...told, ...foot].join('\n')
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

/** A blank at which no line breaks. */
const KEPT = '\u00a0'

/** The reason, and the choices; on a low terminal `w` says what each does. */
function footOf({ reason, choices }: DecisionView, page: Page, form: Form): readonly string[] {
  const { style } = page
  const because = reason === undefined ? [] : [indented(`because: ${harmlessLine(reason)}`, page)]
  const inLine = choices
    .map(({ key, label }) => `${style.name(key)} ${label}`.replaceAll(' ', KEPT))
    .join(' · ')
  const listed = choices.map(({ key, label, does }) => {
    const words = form === 'whole' ? `${label}. ${style.dim(does)}` : label
    return `  ${style.name(key)}  ${wrapped(words, page, 5)}`
  })
  const keys = form === 'line' ? [`  ${wrapped(inLine, page, 2).replaceAll(KEPT, ' ')}`] : listed
  return [...because, '', ...keys, `  ${wrapped('j next, k back, w whole words, u undo, q end', page, 2)}`]
}

/** Both sides, or what is and what is proposed in its place. */
function sidesOf({ first, second, change }: DecisionView, page: Page, form: Form): readonly Words[] {
  const proposed = change?.field === 'content' ? change.after : undefined
  const other = second?.content ?? proposed
  const name = second === undefined ? '→' : '2'
  const below = second === undefined ? [] : [facts(second, { isOfTwo: true, form }, page)]
  if (first === undefined)
    return other === undefined ? [] : [{ name, text: harmless(other), differsAt: 0, facts: below }]
  const own = [facts(first, { isOfTwo: second !== undefined, form }, page)]
  if (other === undefined) return [{ name: '1', text: harmless(first.content), differsAt: 0, facts: own }]
  const [left, right] = wordDifference(harmless(first.content), harmless(other))
  const start = Math.min(
    ...[left, right].map(([part]) => (part === undefined || part.isOther ? 0 : part.text.length)),
  )
  return [
    { name: '1', text: bracketed(left), differsAt: start, facts: own },
    { name, text: bracketed(right), differsAt: start, facts: below },
  ]
}

/** The text with the words in which it differs in brackets: never by colour alone. */
function bracketed(parts: ReturnType<typeof wordDifference>[number]): string {
  return parts
    .map(({ text, isOther }) => (isOther ? text.replace(/^(\s*)([\s\S]*?\S)(\s*)$/, '$1[$2]$3') : text))
    .join('')
}

const INDENT = 3

/** The words of one side, as many lines as there is room for: from the line before the first that differs. */
function wordLines({ name, text, differsAt }: Words, most: number, page: Page): readonly string[] {
  const narrow = { ...page, width: page.width - INDENT }
  const lines = text.split('\n').flatMap((each) => wrapped(broken(each, narrow.width), narrow, 0).split('\n'))
  let length = 0
  const differs = lines.findIndex((each) => {
    length += each.length + 1
    return length > differsAt
  })
  const from = differs === -1 ? lines.length : differs - 1
  const begin = lines.length <= most ? 0 : Math.max(0, Math.min(from, lines.length - most))
  const shown = lines.slice(begin, begin + most)
  const left = lines.length - shown.length
  const more = page.style.dim(`… ${count(left, 'more line')}: w shows all`)
  return [
    ...shown.map((each, at) => `${(at === 0 ? name : '').padEnd(INDENT)}${each}`.trimEnd()),
    ...(left > 0 ? [`${' '.repeat(INDENT)}${more}`] : []),
  ]
}

/** A text whose words all fit a line. */
function broken(text: string, width: number): string {
  if (!Number.isFinite(width)) return text
  return text.replace(new RegExp(`(\\S{${Math.max(1, width)}})(?=\\S)`, 'gu'), '$1 ')
}

function facts(
  { speaker, saidAt, belief, helped, misled, edges, isShown, isPrinciple }: Side,
  { isOfTwo, form }: { readonly isOfTwo: boolean; readonly form: Form },
  page: Page,
): string {
  const reports = helped + misled > 0 ? ` (helped ${rounded(helped)}, misled ${rounded(misled)})` : ''
  const told = [
    harmlessLine(speaker),
    saidAt.slice(0, 10),
    ...(form === 'line' ? [] : [`belief ${belief.toFixed(2)}${reports}`, count(edges, 'edge')]),
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

function lineCount(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.split('\n').length, 0)
}
