/** A name in a text: as it stands there, and its words in order. */
interface ProperName {
  readonly text: string
  readonly words: readonly string[]
}

/** The rules of a language about the names in its texts. */
export interface NamingRules {
  /** Words that a name does not begin with, in lower case: they have a capital because a sentence begins. */
  readonly openings: ReadonlySet<string>
  /** Fewest words of a name without a digit: 2 where every noun has a capital. */
  readonly fewestWords: number
}

/** A word, with the letter or two of a contraction behind it: `don't`, `Anna's`. */
const WORD = /[\p{L}\p{M}\p{N}]+(?:['’]\p{Ll}{1,2}(?![\p{L}\p{M}\p{N}]))?/gu
const CAPITAL = /^[\p{Lu}\p{Lt}]/u
const LETTER = /\p{L}/u
const DIGIT = /\p{N}/u
const NUMBER = /^\p{N}+$/u
const POSSESSIVE = /['’]s$/
/** The signs allowed between two words of one name. */
const JOINT = /^(?:[ &'’-]|\.(?! )){1,3}$/
/** Small words that may stand between two words of a name, one at a time. */
const PARTICLES = new Set('of the de la le van von der den du da del for al el bin'.split(' '))
/** Where nouns have capitals, most of what such a word joins is no name ("Hund von Anna"). */
const NO_PARTICLES: ReadonlySet<string> = new Set()

/** Shorter words are no name by themselves. */
const LEAST_SIGNS = 3
/** A longer run is a headline, or a text in capitals. */
const MOST_WORDS = 8
/** Of a list of hundreds no name says what the text is about; a paragraph has 6 or 7. */
const MOST_NAMES = 64

interface Token {
  readonly word: string
  readonly from: number
  readonly to: number
}

/**
 * The names in a text, at most 64, in order and repeats kept: runs of words that begin with a capital or mix letters and digits
 * (`v12`, `ERR42`), with numbers behind them and one of a few small words between two ("Isle of Man"). A run ends where a
 * sentence does. Where a script has no capitals there are none but words with digits. Cost: one pass.
 */
export function properNamesIn(text: string, rules: NamingRules): readonly ProperName[] {
  const names: ProperName[] = []
  const particles = rules.fewestWords > 1 ? NO_PARTICLES : PARTICLES
  for (const run of runsIn(text, particles)) {
    const name = nameOf(run, text, rules)
    if (name !== undefined) names.push(name)
    if (names.length === MOST_NAMES) break
  }
  return names
}

/** Runs of words that could be one name, from a word that could begin it to one that could end it. */
function* runsIn(text: string, particles: ReadonlySet<string>): Generator<readonly Token[]> {
  for (const chain of chainsIn(text))
    for (let at = 0; at < chain.length; at++) {
      const end = endOfRun(chain, at, particles)
      if (end > at) yield chain.slice(at, end)
      at = Math.max(at, end - 1)
    }
}

/** Words with nothing between them but what may stand in a name. */
function* chainsIn(text: string): Generator<readonly Token[]> {
  let chain: Token[] = []
  for (const { 0: word, index: from } of text.matchAll(WORD)) {
    const last = chain.at(-1)
    // What belongs to somebody is no part of his name.
    const isJoined = last && !POSSESSIVE.test(last.word) && JOINT.test(text.slice(last.to, from))
    if (!isJoined && last) yield chain
    if (!isJoined) chain = []
    chain.push({ word, from, to: from + word.length })
  }
  if (chain.length > 0) yield chain
}

/** The place after a run that begins at a place of a chain; that place where none begins. */
function endOfRun(chain: readonly Token[], start: number, particles: ReadonlySet<string>): number {
  const wordAt = (at: number) => chain[at]?.word ?? ''
  if (!isNameWord(wordAt(start))) return start
  for (let end = start + 1; ; ) {
    if (isNameWord(wordAt(end)) || NUMBER.test(wordAt(end))) end += 1
    else if (particles.has(wordAt(end)) && isNameWord(wordAt(end + 1))) end += 2
    else return end
  }
}

function isNameWord(word: string): boolean {
  return CAPITAL.test(word) || (DIGIT.test(word) && LETTER.test(word))
}

function nameOf(run: readonly Token[], text: string, rules: NamingRules): ProperName | undefined {
  const { openings, fewestWords } = rules
  const opens = ({ word }: Token) =>
    openings.has(plain(word)) || openings.has(bare(plain(word))) || PARTICLES.has(word) || NUMBER.test(word)
  const first = run.findIndex((token) => !opens(token))
  if (first < 0 || run.length - first > MOST_WORDS) return undefined
  const tokens = run.slice(first)
  const words = tokens.map(({ word }) => bare(word))
  const [only = ''] = words
  if (words.length === 1 && [...only].length < LEAST_SIGNS) return undefined
  if (words.length < fewestWords && !words.some((word) => DIGIT.test(word))) return undefined
  const [from, last] = [(tokens[0] as Token).from, tokens.at(-1) as Token]
  return { text: text.slice(from, last.from + bare(last.word).length), words }
}

const plain = (word: string): string => word.toLowerCase().replace('’', "'")
const bare = (word: string): string => word.replace(POSSESSIVE, '')
