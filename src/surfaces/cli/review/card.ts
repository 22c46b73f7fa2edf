import type { DecisionView } from '../../../operations/decide/decision-view.ts'
import { count, harmless, harmlessLine } from '../../../operations/wording.ts'
import { type Page, setOnPage } from '../screen/style.ts'

type Side = NonNullable<DecisionView['first']>

/**
 * Returns one decision as text: what it is, the whole of both sides with the part that differs in brackets, and the choices. All
 * words are harmless.
 *
 * @param place such as `2 of 5`
 */
export function card(decision: DecisionView, place: string, page: Page): string {
  const { kind, at, by, sentence, first, second, change, reason, choices } = decision
  const { style } = page
  const found = [at?.slice(0, 10), by && `by ${harmlessLine(by)}`].filter(Boolean).join(' ')
  const proposed = change?.field === 'content' ? change.after : undefined
  const [one, other] = bracketed(first?.content, second?.content ?? proposed)
  const lines = [
    `${style.bold(place)}  ${kind.replace('_', ' ')}${found && style.dim(`, found ${found}`)}`,
    harmlessLine(sentence),
    ...sideLines('1', one, first, page),
    ...sideLines(second === undefined ? '→' : '2', other, second, page),
    ...(reason === undefined ? [] : [`   because: ${harmlessLine(reason)}`]),
    '',
    ...choices.map(({ key, label, does }) => `  ${style.name(key)}  ${label}. ${style.dim(does)}`),
    '  j next, k back, u undo, q end',
  ]
  return setOnPage(lines.join('\n'), page)
}

/** Returns the lines of one side: its words, and facts on the block below them. */
function sideLines(
  name: string,
  text: string | undefined,
  side: Side | undefined,
  { style }: Page,
): string[] {
  if (text === undefined) return []
  const words = harmless(text).split('\n')
  const lines = words.map((line, at) => `${(at === 0 ? name : '').padEnd(3)}${line}`)
  return ['', ...lines, ...(side === undefined ? [] : [`   ${style.dim(facts(side))}`])]
}

function facts({ speaker, saidAt, belief, helped, misled, edges, isShown, isPrinciple }: Side): string {
  const rounded = (value: number) => Math.round(value * 10) / 10
  const reports = helped + misled > 0 ? ` (helped ${rounded(helped)}, misled ${rounded(misled)})` : ''
  return [
    ...[harmlessLine(speaker), saidAt.slice(0, 10), `belief ${belief.toFixed(2)}${reports}`],
    ...[count(edges, 'edge'), isPrinciple && 'a principle', !isShown && 'not shown by recall meanwhile'],
  ]
    .filter(Boolean)
    .join(' · ')
}

/** Puts brackets around the words of two texts between the first that differs and the last: never by colour alone. */
function bracketed(one: string | undefined, other: string | undefined) {
  if (one === undefined || other === undefined) return [one, other]
  const [left, right] = [one, other].map((text) => text.split(/(?<=\s)(?=\S)/)) as [string[], string[]]
  const shorter = Math.min(left.length, right.length)
  const isSame = (x: string | undefined, y: string | undefined) => x?.trim() === y?.trim()
  let from = 0
  while (from < shorter && isSame(left[from], right[from])) from += 1
  let ends = 0
  while (ends < shorter - from && isSame(left.at(-1 - ends), right.at(-1 - ends))) ends += 1
  return [left, right].map((words) => {
    const middle = words.slice(from, words.length - ends).join('')
    const marked = middle.trim() === '' ? middle : middle.replace(/^([\s\S]*\S)(\s*)$/, '[$1]$2')
    return [...words.slice(0, from), marked, ...words.slice(words.length - ends)].join('')
  })
}
