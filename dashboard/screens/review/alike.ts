import type { Decision } from '../../../src/operations/methods.generated.ts'

/** Whose words they are, as people read it: `the agent`, or a speaker with a label. */
export function sourceWords(decision: Decision): string {
  const source = sourceOf(decision)
  return source.includes(': ') ? source : `the ${source === 'user' ? 'owner' : source}`
}

/** Whose words a decision is about: of a pair the newer, of a proposal whoever asked. */
function sourceOf({ kind, second, first, by }: Decision): string {
  if (kind === 'proposal') return by ?? ''
  return (second ?? first)?.speaker ?? ''
}

/**
 * Returns the other decisions that the same choice can settle: of one kind and source, with that choice, and none that
 * needs words of its own; proposals are accepted one by one.
 */
export function alikeTo(decision: Decision, choice: string, all: readonly Decision[]): readonly Decision[] {
  if (!isForMany(decision, choice)) return []
  const source = sourceOf(decision)
  return all.filter(
    (each) =>
      each.id !== decision.id &&
      each.kind === decision.kind &&
      sourceOf(each) === source &&
      isForMany(each, choice),
  )
}

/** The decisions of the same kind and source, whatever is chosen. */
export function sameSource(decision: Decision, all: readonly Decision[]): readonly Decision[] {
  const ids = decision.choices.flatMap(({ choice }) => alikeTo(decision, choice, all).map(({ id }) => id))
  const alike = new Set(ids)
  return all.filter(({ id }) => alike.has(id))
}

function isForMany({ kind, choices }: Decision, choice: string): boolean {
  const found = choices.find((each) => each.choice === choice)
  return found !== undefined && found.takes !== 'words' && kind !== 'proposal'
}

const WORD = /[\p{L}\p{M}\p{N}\p{S}%]+/gu

/**
 * True of a pair whose words differ in more than capitals and punctuation. One other word can be a number, a name or a denial, in
 * whatever language, and only a reader tells.
 */
export function hasOtherWords({ first, second }: Decision): boolean {
  const [one, other] = [first, second].map((side) => wordsOf(side?.content ?? ''))
  return one !== other
}

function wordsOf(content: string): string {
  return (content.normalize('NFC').toLowerCase().match(WORD) ?? []).join(' ')
}
