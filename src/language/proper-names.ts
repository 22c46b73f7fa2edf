/**
 * This says how a sentence tells a name from a word with a capital: the name stands inside with a small word beside it, or its two words
 * or more begin the sentence and a plain word is behind them. Words of code and headlines are seldom told.
 */
export type Told = 'inside' | 'beginning'

/** A name as it stands in a text, and its words in order. */
interface ProperName {
  readonly text: string
  readonly words: readonly string[]
  readonly told?: Told
}

/** Naming rules tell the names in texts of a language from other words. */
export interface NamingRules {
  /** Words in lower case that begin no name: they have a capital because a sentence begins. */
  readonly openings: ReadonlySet<string>
  /** Fewest words of a name without a digit: 2 in a language where every noun has a capital. */
  readonly fewestWords: number
}

/** A word of a text, with the one or two letters of a contraction behind it: `don't`, `Anna's`. */
interface Token {
  readonly word: string
  readonly from: number
  readonly to: number
}

const TOKEN = /[\p{L}\p{M}\p{N}]+(?:['’]\p{Ll}{1,2}(?![\p{L}\p{M}\p{N}]))?/gu
/** A word that begins with a capital, or mixes letters and digits. */
const NAME_WORD = /^[\p{Lu}\p{Lt}]|\p{L}.*\p{N}|\p{N}.*\p{L}/u
const NUMBER = /^\p{N}+$/u
const POSSESSIVE = /['’]s$/
const CONTRACTION = /['’]\p{Ll}+$/u
/** Signs that may stand between two words of one name. */
const JOINT = /^(?:[ &'’-]|\.(?! )){1,3}$/
/** Small words, one of which may stand between two words of a name. */
const PARTICLES = new Set('of the de la le van von der den du da del for al el bin'.split(' '))
/** The greatest number of words of a name; a longer run is a headline, or a text in capitals. */
const LONGEST_NAME = 8
/** The greatest number of names of a text: of hundreds no name says what the text is about, and a paragraph has 6 or 7. */
const MOST_NAMES = 64

/**
 * Returns the names in a text, at most 64, in order and with repeats: runs of words that begin with a capital or mix letters and digits
 * (`v12`, `ERR42`), with numbers behind them and one of a few small words between two ("Isle of Man"). A run ends with its sentence.
 * In a script without capitals only words with digits are names. Cost: one pass.
 */
export function properNamesIn(text: string, rules: NamingRules): readonly ProperName[] {
  const names: ProperName[] = []
  // In a language with capitals on nouns, a small word mostly joins words to no name ("Hund von Anna").
  const isParticle = (word: string) => rules.fewestWords === 1 && PARTICLES.has(word)
  for (const chain of chainsIn(text))
    for (let at = 0; at < chain.length; at++) {
      const end = endOfRun(chain, at, isParticle)
      const name = end > at ? nameOf(chain, [at, end], { text, rules }) : undefined
      if (name !== undefined) names.push(name)
      at = Math.max(at, end - 1)
    }
  return names.slice(0, MOST_NAMES)
}

/** Returns runs of words with nothing between them but signs that a name may have. */
function* chainsIn(text: string): Generator<readonly Token[]> {
  let chain: Token[] = []
  for (const { 0: word, index: from } of text.matchAll(TOKEN)) {
    const last = chain.at(-1)
    // A word behind a possessive is a thing of the named one, and no part of the name.
    const isJoined = last && !POSSESSIVE.test(last.word) && JOINT.test(text.slice(last.to, from))
    if (!isJoined && last) yield chain
    if (!isJoined) chain = []
    chain.push({ word, from, to: from + word.length })
  }
  if (chain.length > 0) yield chain
}

/** Returns the place after a run of a name that begins at a place of a chain; the same place if none begins there. */
function endOfRun(chain: readonly Token[], start: number, isParticle: (word: string) => boolean): number {
  const wordAt = (at: number) => chain[at]?.word ?? ''
  const isName = (at: number) => NAME_WORD.test(wordAt(at))
  if (!isName(start)) return start
  for (let end = start + 1; ; ) {
    if (isName(end) || NUMBER.test(wordAt(end))) end += 1
    else if (isParticle(wordAt(end)) && isName(end + 1)) end += 2
    else return end
  }
}

/** Returns the name in the words between two places of a chain; undefined if they are none. */
function nameOf(
  chain: readonly Token[],
  [from, to]: readonly [number, number],
  { text, rules }: { readonly text: string; readonly rules: NamingRules },
): ProperName | undefined {
  const run = chain.slice(from, to)
  const first = run.findIndex((token) => !opens(token, rules))
  if (first < 0 || run.length - first > LONGEST_NAME) return undefined
  const tokens = run.slice(first)
  const words = tokens.map(({ word }) => bare(word))
  // A single word of two letters is no name.
  if (words.length === 1 && [...(words[0] ?? '')].length < 3) return undefined
  if (words.length < rules.fewestWords && !words.some((word) => /\p{N}/u.test(word))) return undefined
  const [begin, last] = [(tokens[0] as Token).from, tokens.at(-1) as Token]
  const told = toldBy(tokens, [chain[from + first - 1], chain[to]], rules)
  return { text: text.slice(begin, last.from + bare(last.word).length), words, ...(told && { told }) }
}

/** Returns true for a word that begins no name. */
function opens({ word }: Token, { openings }: NamingRules): boolean {
  const plain = word.toLowerCase().replace('’', "'")
  return openings.has(plain) || openings.has(bare(plain)) || PARTICLES.has(word) || NUMBER.test(word)
}

/** Returns how a sentence tells words as a name, by the words on both sides of them in it. */
function toldBy(
  tokens: readonly Token[],
  [before, after]: readonly [Token | undefined, Token | undefined],
  rules: NamingRules,
): Told | undefined {
  if (tokens.some(({ word }) => CONTRACTION.test(bare(word))) || /^\p{N}/u.test(tokens[0]?.word ?? ''))
    return undefined
  const isSmall = (token: Token | undefined) => token !== undefined && opens(token, rules)
  const isPlain = after !== undefined && /^\p{Ll}/u.test(after.word)
  if (before !== undefined) return isSmall(before) || (isPlain && isSmall(after)) ? 'inside' : undefined
  return isPlain && tokens.filter((token) => !isSmall(token)).length > 1 ? 'beginning' : undefined
}

const bare = (word: string): string => word.replace(POSSESSIVE, '')
