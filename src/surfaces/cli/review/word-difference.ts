/** A part of a text: words and the white space around them. */
export interface TextPart {
  readonly text: string
  /** True if the other text has something else there. */
  readonly isOther: boolean
}

/**
 * The most words that are compared one by one; in longer stretches the words are marked that the other text does not have at all.
 */
const COMPARED_MOST = 600

/**
 * Splits two texts into parts, so that the words are marked in which they differ. Cost: the product of the words between their
 * common ends.
 */
export function wordDifference(
  one: string,
  other: string,
): readonly [readonly TextPart[], readonly TextPart[]] {
  const [a, b] = [partsOf(one), partsOf(other)]
  const start = commonLength(a, b, (words, at) => words[at])
  const end = Math.min(
    commonLength(a, b, (words, at) => words[words.length - 1 - at]),
    Math.min(a.length, b.length) - start,
  )
  const [left, right] = [a, b].map((words) => words.slice(start, words.length - end)) as [string[], string[]]
  const [kept, keptOther] =
    Math.max(left.length, right.length) > COMPARED_MOST ? sharedWords(left, right) : inSequence(left, right)
  const marked = (words: readonly string[], isKept: (at: number) => boolean): TextPart[] =>
    joined(
      words.map((text, at) => ({
        text,
        isOther: isMiddle(at, start, words.length - end) && !isKept(at - start),
      })),
    )
  return [marked(a, (at) => kept.has(at)), marked(b, (at) => keptOther.has(at))]
}

/** Returns the words of a text, each with the white space behind it. */
function partsOf(text: string): string[] {
  return text.match(/^\s+|\S+\s*/g) ?? []
}

function keyOf(word: string | undefined): string | undefined {
  return word?.trim()
}

function commonLength(
  a: readonly string[],
  b: readonly string[],
  wordAt: (words: readonly string[], at: number) => string | undefined,
): number {
  const most = Math.min(a.length, b.length)
  let length = 0
  while (length < most && keyOf(wordAt(a, length)) === keyOf(wordAt(b, length))) length++
  return length
}

function isMiddle(at: number, start: number, end: number): boolean {
  return at >= start && at < end
}

type Places = readonly [Set<number>, Set<number>]

/** Places of words that the other has anywhere. */
function sharedWords(a: readonly string[], b: readonly string[]): Places {
  const placesIn = (words: readonly string[], others: readonly string[]) => {
    const known = new Set(others.map(keyOf))
    return new Set(words.flatMap((word, at) => (known.has(keyOf(word)) ? [at] : [])))
  }
  return [placesIn(a, b), placesIn(b, a)]
}

/** Places of the longest sequence of words that both have. */
function inSequence(a: readonly string[], b: readonly string[]): Places {
  const width = b.length + 1
  const lengths = new Uint16Array((a.length + 1) * width)
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] =
        keyOf(a[i]) === keyOf(b[j])
          ? (lengths[(i + 1) * width + j + 1] as number) + 1
          : Math.max(lengths[(i + 1) * width + j] as number, lengths[i * width + j + 1] as number)
  const places: Places = [new Set(), new Set()]
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (keyOf(a[i]) === keyOf(b[j])) {
      places[0].add(i++)
      places[1].add(j++)
    } else if ((lengths[(i + 1) * width + j] as number) >= (lengths[i * width + j + 1] as number)) i++
    else j++
  }
  return places
}

function joined(parts: readonly TextPart[]): TextPart[] {
  const all: { text: string; isOther: boolean }[] = []
  for (const part of parts) {
    const last = all.at(-1)
    if (last?.isOther === part.isOther) last.text += part.text
    else all.push({ ...part })
  }
  return all
}
