import { codePointLength, normalised, splitWhitespace, wordSet } from './text.ts'

/** A summary may be this much longer than what it sums up. */
const LENGTH_FACTOR = 1.2
/** And at least so long, in code points. */
const LENGTH_FLOOR = 80

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
  const isName = nameIn(said, meant)
  return [isName, ({ kind }: Mark) => kind === 'number'].every((wanted) => {
    const [one, other] = [said, meant].map((marks) =>
      marks.filter((mark) => mark.kind === 'negation' || wanted(mark)).map(({ key }) => key),
    )
    return one?.join('\n') === other?.join('\n')
  })
}

/** Tells names: a capital at the start of a sentence is one if it is elsewhere, or stands in both texts. */
function nameIn(one: readonly Mark[], other: readonly Mark[]): (mark: Mark) => boolean {
  const keysOf = (marks: readonly Mark[]) => new Set(marks.map(({ key }) => key))
  const [first, second] = [keysOf(one), keysOf(other)]
  const names = keysOf([...one, ...other].filter(({ kind }) => kind === 'name'))
  return ({ key, kind }) =>
    kind === 'name' || (kind === 'capital' && (names.has(key) || (first.has(key) && second.has(key))))
}

/** A word that a statement cannot lose, move or gain and stay the same. */
export interface Mark {
  /** The same with and without `'s`, and with and without commas of thousands. */
  readonly key: string
  /** A capital stands at the start of a sentence and may be a name's. */
  readonly kind: 'number' | 'name' | 'negation' | 'capital'
}

/** English words that carry no meaning at all: of stop words only the articles, since "on", "was" and "may" all change what is said. */
const FILLERS: ReadonlySet<string> = new Set(['a', 'an', 'the'])
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

/** Punctuation that may go from the ends of a word; signs such as -5, $5, C++, >= and 5" stay. */
const OPENING = /^[("'`[{«“‘]+/
const CLOSING = new Set(')`]},;:.!?…')
const CLOSING_QUOTE = new Set('"\'»”')
const CODE = /[_/\\@#$%^&*+=|<>~:.()[\]{}]|\p{Ll}\p{Lu}/u
/** Most words are such, and need no closer look. */
const PLAIN = /^[a-z]+$/
const SENTENCE_END = /[.!?:][)"'`\]}»”’]*$/

/** Returns the numbers, names and negations of a text together, in its order. One pass over the text. */
export function marksOf(text: string): readonly Mark[] {
  const marks: Mark[] = []
  let isInitial = true
  for (const raw of splitWhitespace(plainText(text))) {
    const word = withoutClosing(raw.replace(OPENING, ''))
    if (word !== '' && !FILLERS.has(isInitial ? word.toLowerCase() : word)) {
      // One word of signs and digits can have very many.
      for (const mark of marksIn(word, isInitial)) marks.push(mark)
      isInitial = false
    }
    if (SENTENCE_END.test(raw)) isInitial = true
  }
  return marks
}

/** A quotation mark behind a digit is a unit. */
function withoutClosing(word: string): string {
  let end = word.length
  const isClosing = (sign: string) =>
    CLOSING.has(sign) ||
    (CLOSING_QUOTE.has(sign) && !/\p{N}$/u.test(word.slice(Math.max(0, end - 3), end - 1)))
  while (end > 0 && isClosing(word.charAt(end - 1))) end--
  return word.slice(0, end)
}

function marksIn(word: string, isInitial: boolean): readonly Mark[] {
  if (PLAIN.test(word) && !NEGATIONS.has(word) && !CONTRACTIONS.has(word)) return []
  const negations = spelledOut(word.toLowerCase()).filter((part) => NEGATIONS.has(part))
  if (negations.length > 0) return negations.map((key): Mark => ({ key, kind: 'negation' }))
  return marksOfWord(word, kindOf(word, isInitial))
}

/** Returns the marks of a word, if it is one; of a number each part. */
function marksOfWord(word: string, kind: ReturnType<typeof kindOf>): Mark[] {
  if (kind === 'number') {
    const plain = word.replace(/(?<=\p{N}),(?=\p{N}{3}(?!\p{N}))/gu, '')
    return (plain.match(AMOUNT) ?? []).map((key) => ({ key, kind }))
  }
  const isCapital = /^\p{Lu}/u.test(word) && word !== 'I'
  if (kind === 'word' && !isCapital) return []
  const name = word.toLowerCase()
  return [{ key: name.endsWith("'s") ? name.slice(0, -2) : name, kind: kind === 'name' ? kind : 'capital' }]
}

/** A sign counts at the start of a word, where it is no hyphen. */
const AMOUNT = /(?:^[-+])?\p{N}+(?:[.,:/-]\p{N}+)*/gu

/** A capital at the start of a sentence tells nothing, so such a word is no name, but is not stemmed either. */
function kindOf(word: string, isInitial: boolean): 'number' | 'name' | 'word' {
  if (/\p{N}/u.test(word)) return 'number'
  if (CODE.test(word) || /^\p{Lu}{2,}$/u.test(word)) return 'name'
  return !isInitial && word !== 'I' && /^\p{Lu}/u.test(word) ? 'name' : 'word'
}

/** The words of a contraction; any other word alone. */
export function spelledOut(lower: string): readonly string[] {
  const known = CONTRACTIONS.get(lower)
  if (known !== undefined) return known
  return lower.endsWith("n't") ? [lower.slice(0, -3), 'not'] : [lower]
}

function plainText(text: string): string {
  return normalised(text, 'NFC').replaceAll('’', "'").replaceAll('−', '-')
}
