/** The kinds of boundary after a token; a long text may be cut at word and sentence ends. */
const INSIDE_WORD = 0
const WORD_END = 1
/** The boundary after the last token of a sentence, where a long text is rather cut than between two words. */
const SENTENCE_END = 2
type Boundary = typeof INSIDE_WORD | typeof WORD_END | typeof SENTENCE_END

/** The token ids of a text, without the special first and last, and the boundary after each. */
interface Tokens {
  readonly ids: readonly number[]
  readonly boundaries: readonly Boundary[]
}

/** Cuts a text of any length into BERT tokens; about 2 µs a word. */
export type Tokenizer = (text: string) => Tokens

/** The places of the special first and last token of a window in the vocabulary. */
export const CLASSIFY_ID = 101
/** The vocabulary id of `[SEP]`, the last token of every window. */
export const SEPARATOR_ID = 102
const UNKNOWN_ID = 100

const MAX_WORD_CHARACTERS = 100
const MAX_REMEMBERED_WORDS = 10_000
const CONTINUATION = '##'

/** A character after normalising, and whether it joins a word, stands alone, parts words or vanishes. */
interface Folded {
  readonly role: 'word' | 'alone' | 'space' | 'gone'
  readonly text: string
}

const GONE: Folded = { role: 'gone', text: '' }
const SPACE: Folded = { role: 'space', text: ' ' }

const NOT_TEXT = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u{fffd}]/u
const WHITE_SPACE = /\s/u
const ACCENTS = /\p{Mn}/gu
const PUNCTUATION = /^(?:[!-/:-@[-`{-~]|\p{P})$/u
const IDEOGRAPH =
  /[\u{4e00}-\u{9fff}\u{3400}-\u{4dbf}\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b820}-\u{2ceaf}\u{f900}-\u{faff}\u{2f800}-\u{2fa1f}]/u
const ENDS_SENTENCE = /^[.!?…。！？]$/u
const CLOSES = /^["')\]}»”’」』）]$/u
const FULL_WIDTH_STOP = /^[。！？]$/u

/**
 * The uncased BERT tokenizer (clean, fold, split, greedy longest word piece).
 *
 * `vocabulary` is the text of vocab.txt, one token a line. The names of special tokens are ordinary
 * text here, so that no input can forge one.
 */
export function createTokenizer(vocabulary: string): Tokenizer {
  const pieces = createWordPieces(vocabulary)
  const fold = remember(foldCharacter)
  return (text) => {
    const collector = new Collector(pieces)
    for (const character of text) collector.add(fold(character), character)
    return collector.finish()
  }
}

/** Joins characters into words and notes where words and sentences end. */
class Collector {
  readonly #pieces: (word: string) => readonly number[]
  readonly #ids: number[] = []
  readonly #boundaries: Boundary[] = []
  #word = ''
  #sentenceEnded = false

  constructor(pieces: (word: string) => readonly number[]) {
    this.#pieces = pieces
  }

  add({ role, text }: Folded, character: string): void {
    if (role === 'word') {
      this.#word += text
    } else if (role === 'alone') {
      this.#endWord()
      this.#push(text)
      if (!CLOSES.test(text)) this.#sentenceEnded = ENDS_SENTENCE.test(text)
      if (FULL_WIDTH_STOP.test(text)) this.#mark(SENTENCE_END)
      else if (IDEOGRAPH.test(text)) this.#mark(WORD_END)
    } else if (role === 'space') {
      this.#endWord()
      this.#mark(this.#sentenceEnded || character === '\n' ? SENTENCE_END : WORD_END)
    }
  }

  finish(): Tokens {
    this.#endWord()
    return { ids: this.#ids, boundaries: this.#boundaries }
  }

  #endWord(): void {
    if (this.#word === '') return
    this.#push(this.#word)
    this.#word = ''
    this.#sentenceEnded = false
  }

  #push(word: string): void {
    for (const id of this.#pieces(word)) {
      this.#ids.push(id)
      this.#boundaries.push(INSIDE_WORD)
    }
  }

  #mark(boundary: Boundary): void {
    const last = this.#boundaries.length - 1
    if (last >= 0) this.#boundaries[last] = boundary
  }
}

/** Folds a character in the order of the original: clean, set ideographs apart, strip accents, lower-case, split punctuation. */
function foldCharacter(character: string): Folded {
  if (character === '\n' || character === '\r' || character === '\t') return SPACE
  if (NOT_TEXT.test(character)) return GONE
  if (WHITE_SPACE.test(character)) return SPACE
  const text = character.normalize('NFD').replace(ACCENTS, '').toLowerCase()
  if (text === '') return GONE
  return { role: IDEOGRAPH.test(character) || PUNCTUATION.test(text) ? 'alone' : 'word', text }
}

/** Greedy longest match; a word with a part that matches nothing is one unknown token. */
function createWordPieces(vocabulary: string): (word: string) => readonly number[] {
  const ids = new Map<string, number>()
  let longest = 0
  for (const piece of vocabulary.trimEnd().split('\n')) {
    ids.set(piece, ids.size)
    longest = Math.max(longest, piece.length)
  }

  function longestPiece(word: string, start: number): { id: number; end: number } | undefined {
    const prefix = start === 0 ? '' : CONTINUATION
    for (let end = Math.min(word.length, start + longest); end > start; end--) {
      const id = ids.get(prefix + word.slice(start, end))
      if (id !== undefined) return { id, end }
    }
    return undefined
  }

  return remember((word) => {
    if (word.length > MAX_WORD_CHARACTERS && [...word].length > MAX_WORD_CHARACTERS) return [UNKNOWN_ID]
    const found: number[] = []
    for (let start = 0; start < word.length; ) {
      const piece = longestPiece(word, start)
      if (piece === undefined) return [UNKNOWN_ID]
      found.push(piece.id)
      start = piece.end
    }
    return found
  })
}

function remember<T>(compute: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>()
  return (key) => {
    let value = known.get(key)
    if (value === undefined) {
      value = compute(key)
      if (known.size >= MAX_REMEMBERED_WORDS) known.clear()
      known.set(key, value)
    }
    return value
  }
}

/** Cuts the tokens of a text into windows of at most `limit`; an empty text is one empty window. */
export function cutWindows({ ids, boundaries }: Tokens, limit: number): (readonly number[])[] {
  const windows: (readonly number[])[] = []
  let start = 0
  while (ids.length - start > limit) {
    const end = cutBefore(boundaries, start, start + limit)
    windows.push(ids.slice(start, end))
    start = end
  }
  windows.push(ids.slice(start))
  return windows
}

/** Returns the place to cut a window: after the last sentence of its second half, else after its last word, else at the limit. */
function cutBefore(boundaries: Tokens['boundaries'], start: number, limit: number): number {
  const half = start + Math.ceil((limit - start) / 2)
  let wordEnd: number | undefined
  for (let end = limit; end > start; end--) {
    const boundary = boundaries[end - 1] ?? INSIDE_WORD
    if (boundary === SENTENCE_END && end >= half) return end
    if (boundary === WORD_END || boundary === SENTENCE_END) wordEnd ??= end
    if (end <= half && wordEnd !== undefined) return wordEnd
  }
  return wordEnd ?? limit
}
