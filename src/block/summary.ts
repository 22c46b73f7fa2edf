import { codePointLength, normalised, splitWhitespace, wordSet } from './text.ts'

/** A word that a statement cannot lose, move or gain without a change of meaning. */
interface Mark {
  readonly key: string
  /** `initial`: a capital begins a sentence here, so the word is a name only if it is one elsewhere. A negation keeps its place. */
  readonly kind: 'number' | 'name' | 'negation' | 'initial'
}

/**
 * Returns true if a summary may be kept: it has exactly the numbers, names and negations of the content, each as often, and is at most
 * a fifth longer. Names with negations keep their order, and so do numbers with negations. A digest that loses, reverses or invents
 * a fact misleads, while recall finds a content without a digest by its own words.
 */
export function isFaithful(summary: string, content: string): boolean {
  const room = Math.max(80, codePointLength(content) * 1.2)
  if (summary.trim() === '' || codePointLength(summary) > room) return false
  const [said, meant] = [marksOf(summary), marksOf(content)]
  const names = new Set([...said, ...meant].flatMap(({ key, kind }) => (kind === 'name' ? key : [])))
  const isName = ({ key, kind }: Mark) => kind !== 'number' && (kind === 'negation' || names.has(key))
  const isNumber = ({ kind }: Mark) => kind === 'number' || kind === 'negation'
  const keysOf = (marks: readonly Mark[]) => marks.map(({ key }) => key).join('\n')
  return [isName, isNumber].every((wanted) => keysOf(said.filter(wanted)) === keysOf(meant.filter(wanted)))
}

const NEGATIONS: ReadonlySet<string> = wordSet(
  'not no never none nor neither nobody nothing nowhere without hardly barely rarely seldom except unless',
)
/** Contractions whose verb is irregular, with straight apostrophes. */
const VERBS: Readonly<Record<string, string>> = {
  "can't": 'can',
  cannot: 'can',
  "won't": 'will',
  "shan't": 'shall',
}

/** Returns the words of a contraction, or only the word itself if it is none. */
export function spelledOut(lower: string): readonly string[] {
  const verb = Object.hasOwn(VERBS, lower) ? VERBS[lower] : undefined
  if (verb !== undefined) return [verb, 'not']
  return lower.endsWith("n't") ? [lower.slice(0, -3), 'not'] : [lower]
}

const OPENING = '("\'`[{«“‘'
const CLOSING = ')`]},;:.!?…"\'»”’'
const ARTICLE = /^(?:an?|the)$/i
const CODE = /[_/\\@#$%^&*+=|<>~:.()[\]{}]|\p{Ll}\p{Lu}|^\p{Lu}{2,}$/u
const SENTENCE_END = /[.!?:][)"'`\]}»”’]*$/
/** A number; a sign before it counts at the start of a word, where it is no hyphen. */
const AMOUNT = /(?:^[-+])?\p{N}+(?:[.,:/-]\p{N}+)*/gu
const COMMA_OF_THOUSANDS = /(?<=\p{N}),(?=\p{N}{3}(?!\p{N}))/gu

/** Returns the numbers, names and negations of a text in order. Cost: one pass. */
function marksOf(text: string): Mark[] {
  let isInitial = true
  const plain = normalised(text, 'NFC').replaceAll('’', "'").replaceAll('−', '-')
  return splitWhitespace(plain).flatMap((raw) => {
    const word = bareWord(raw)
    const isFiller = word === '' || ARTICLE.test(word)
    const marks = isFiller ? [] : marksIn(word, isInitial)
    isInitial = SENTENCE_END.test(raw) || (isFiller && isInitial)
    return marks
  })
}

/** Returns a word without the punctuation around it. A regular expression would go over a long run of it again and again. */
export function bareWord(raw: string): string {
  let [start, end] = [0, raw.length]
  while (start < end && OPENING.includes(raw.charAt(start))) start++
  while (end > start && CLOSING.includes(raw.charAt(end - 1))) end--
  return raw.slice(start, end)
}

function marksIn(word: string, isInitial: boolean): Mark[] {
  const lower = word.toLowerCase()
  const negation = spelledOut(lower).find((part) => NEGATIONS.has(part))
  if (negation !== undefined) return [{ key: negation, kind: 'negation' }]
  if (/\p{N}/u.test(word))
    return (word.replace(COMMA_OF_THOUSANDS, '').match(AMOUNT) ?? []).map((key) => ({ key, kind: 'number' }))
  const isCode = CODE.test(word)
  if (!isCode && (word === 'I' || !/^\p{Lu}/u.test(word))) return []
  const key = lower.endsWith("'s") ? lower.slice(0, -2) : lower
  return [{ key, kind: isCode || !isInitial ? 'name' : 'initial' }]
}
