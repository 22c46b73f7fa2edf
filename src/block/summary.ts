import { codePointLength, normalised, splitWhitespace, wordSet } from './text.ts'

/** A summary may be this much longer than what it sums up. */
const LENGTH_FACTOR = 1.2
/** And at least so long, in code points. */
const LENGTH_FLOOR = 80

/** A word that a statement cannot lose, move or gain and stay the same; a `capital` at the start of a sentence may be a name. */
interface Mark {
  readonly key: string
  readonly kind: 'number' | 'name' | 'negation' | 'capital'
}

/**
 * True if a summary may be kept: it has every number, name and negation of the content, each as often, none that is not
 * there, and is not longer. Names and numbers each stand in the same order, with the negations among them. A digest that
 * loses, turns round or invents a fact misleads more than none, since the content is found by its own words. What other
 * words say is not compared.
 */
export function isFaithful(summary: string, content: string): boolean {
  const room = Math.max(LENGTH_FLOOR, codePointLength(content) * LENGTH_FACTOR)
  if (summary.trim() === '' || codePointLength(summary) > room) return false
  const [said, meant] = [marksOf(summary), marksOf(content)]
  const keysOf = (marks: readonly Mark[]) => new Set(marks.map(({ key }) => key))
  const [here, there] = [keysOf(said), keysOf(meant)]
  const names = keysOf([...said, ...meant].filter(({ kind }) => kind === 'name'))
  const isName = ({ key, kind }: Mark) =>
    kind === 'name' || (kind === 'capital' && (names.has(key) || (here.has(key) && there.has(key))))
  const orderOf = (marks: readonly Mark[], wanted: (mark: Mark) => boolean) =>
    marks.flatMap((mark) => (mark.kind === 'negation' || wanted(mark) ? mark.key : [])).join('\n')
  return [isName, ({ kind }: Mark) => kind === 'number'].every(
    (wanted) => orderOf(said, wanted) === orderOf(meant, wanted),
  )
}

const NEGATIONS: ReadonlySet<string> = wordSet(
  'not no never none nor neither nobody nothing nowhere without hardly barely rarely seldom except unless',
)
/** Contractions whose parts are irregular, with straight apostrophes. */
const CONTRACTIONS: ReadonlyMap<string, readonly string[]> = new Map([
  ["can't", ['can', 'not']],
  ['cannot', ['can', 'not']],
  ["won't", ['will', 'not']],
  ["shan't", ['shall', 'not']],
])

/** The words of a contraction; any other word alone. */
export function spelledOut(lower: string): readonly string[] {
  const known = CONTRACTIONS.get(lower)
  if (known !== undefined) return known
  return lower.endsWith("n't") ? [lower.slice(0, -3), 'not'] : [lower]
}

const OPENING = /^[("'`[{«“‘]+/
const CLOSING = ')`]},;:.!?…"\'»”’'
const ARTICLE = /^(?:an?|the)$/i
const CODE = /[_/\\@#$%^&*+=|<>~:.()[\]{}]|\p{Ll}\p{Lu}|^\p{Lu}{2,}$/u
const SENTENCE_END = /[.!?:][)"'`\]}»”’]*$/
/** A sign counts at the start of a word, where it is no hyphen. */
const AMOUNT = /(?:^[-+])?\p{N}+(?:[.,:/-]\p{N}+)*/gu
const COMMA_OF_THOUSANDS = /(?<=\p{N}),(?=\p{N}{3}(?!\p{N}))/gu

/** The numbers, names and negations of a text, in its order. One pass over the text. */
function marksOf(text: string): Mark[] {
  let isInitial = true
  const plain = normalised(text, 'NFC').replaceAll('’', "'").replaceAll('−', '-')
  return splitWhitespace(plain).flatMap((raw) => {
    const word = withoutClosing(raw.replace(OPENING, ''))
    const isFiller = word === '' || ARTICLE.test(word)
    const marks = isFiller ? [] : marksIn(word, isInitial)
    isInitial = SENTENCE_END.test(raw) || (isFiller && isInitial)
    return marks
  })
}

function withoutClosing(word: string): string {
  let end = word.length
  while (end > 0 && CLOSING.includes(word.charAt(end - 1))) end--
  return word.slice(0, end)
}

/** A capital at the start of a sentence tells nothing. */
function marksIn(word: string, isInitial: boolean): Mark[] {
  const lower = word.toLowerCase()
  const negation = spelledOut(lower).find((part) => NEGATIONS.has(part))
  if (negation !== undefined) return [{ key: negation, kind: 'negation' }]
  if (/\p{N}/u.test(word))
    return (word.replace(COMMA_OF_THOUSANDS, '').match(AMOUNT) ?? []).map((key) => ({ key, kind: 'number' }))
  const isCode = CODE.test(word)
  if (!isCode && (word === 'I' || !/^\p{Lu}/u.test(word))) return []
  const key = lower.endsWith("'s") ? lower.slice(0, -2) : lower
  return [{ key, kind: isCode || !isInitial ? 'name' : 'capital' }]
}
