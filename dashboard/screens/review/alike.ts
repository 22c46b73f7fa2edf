import type { Decision } from '../../../src/operations/methods.generated.ts'
import { type TextPart, wordDifference } from '../../parts/word-difference.ts'

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
 * The other decisions that the same choice can settle: of the same kind and source, with that choice, and none that only
 * the owner's own dialog may settle or that needs words of its own.
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

function isForMany({ choices }: Decision, choice: string): boolean {
  const found = choices.find((each) => each.choice === choice)
  // One dream takes in all that waits.
  const isForAll = choice === 'dream'
  return found !== undefined && !isForAll && found.owner === undefined && found.takes !== 'words'
}

/** Words of numbers, of denials and of bounds, in the languages of most memories: two statements that differ in one say two things. */
const TELLING = new Set(
  [
    'no not never none neither nor without cannot only all both every each some any most few many always sometimes except',
    'zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty hundred thousand',
    'million half twice once first second third fourth fifth last next daily weekly monthly yearly on off yes before after',
    'until from more less than least must may should can will would was',
    'nicht kein keine keinen keiner nie niemals ohne nur alle jeder jede beide immer außer vor nach bis ab',
    'null eins ein eine zwei drei vier fünf sechs sieben acht neun zehn elf zwölf hundert tausend halb erste zweite dritte',
    'ne pas jamais sans aucun seulement tous toujours un une deux trois quatre cinq sept huit neuf dix cent mille avant après',
    'nunca sin solo todos siempre uno dos tres cuatro cinco seis siete ocho nueve diez cien mil antes después',
    'non mai senza tutti sempre due quattro cinque sette otto nove dieci cento mille prima dopo',
  ].flatMap((line) => line.split(' ')),
)

/** Words that stand for others or join them: a pair that differs in these alone says one thing. */
const JOINING = new Set(
  'the a an this that these those our my your their its we i it they he she is are of to in at and now also'.split(
    ' ',
  ),
)

/** Digits, money, shares; scripts without capitals, whose words are not told apart here. */
const TELLING_SIGN = /[\p{N}\p{Sc}%‰°±<>≤≥=+]|\p{Lo}/u

const WORD = /[\p{L}\p{M}\p{N}'’-]+/gu

/**
 * True of a pair that may say two things although its words are nearly the same: a number, an amount and its unit, a denial, a bound
 * or a name differs, or one word stands in the place of another. What is not sure counts as telling.
 */
export function differsTellingly({ first, second }: Decision): boolean {
  if (first === undefined || second === undefined) return false
  const both = wordDifference(first.content.normalize('NFC'), second.content.normalize('NFC'))
  if (
    both.some((parts) => parts.some((part, at) => part.isOther && isTelling(part.text, parts[at - 1]?.text)))
  )
    return true
  const [one = [], other = []] = both.map(contentWords)
  const isIn = (words: readonly string[]) => (word: string) => words.some((each) => isFormOf(word, each))
  return one.length > 0 && other.length > 0 && !(one.every(isIn(other)) && other.every(isIn(one)))
}

function isTelling(text: string, before = ''): boolean {
  if (TELLING_SIGN.test(text)) return true
  // The unit of an amount that both have.
  if (/\p{N}\s*$/u.test(before) && /^\p{L}/u.test(text)) return true
  return (text.match(WORD) ?? []).some((word) => {
    const plain = plainly(word)
    return TELLING.has(plain) || plain.endsWith("n't") || (plain !== word && !JOINING.has(plain))
  })
}

/** The words that the other text has not, without those that join. */
function contentWords(parts: readonly TextPart[]): readonly string[] {
  const others = parts.flatMap(({ text, isOther }) => (isOther ? (text.match(WORD) ?? []) : []))
  return others.map(plainly).filter((word) => !JOINING.has(word))
}

function plainly(word: string): string {
  return word.toLowerCase().replace('’', "'")
}

/** Letters that two forms of one word begin with. */
const STEM = 5

function isFormOf(one: string, other: string): boolean {
  return one === other || (one.length > STEM && one.slice(0, STEM) === other.slice(0, STEM))
}
