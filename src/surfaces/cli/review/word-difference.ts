import { commonPlaces } from '../screen/common-places.ts'

/** A part of a text: words and the white space around them. */
export interface TextPart {
  readonly text: string
  /** True if the other text has something else there. */
  readonly isOther: boolean
}

/** Splits two texts into parts, so that the words are marked in which they differ. */
export function wordDifference(
  one: string,
  other: string,
): readonly [readonly TextPart[], readonly TextPart[]] {
  const [a, b] = [partsOf(one), partsOf(other)]
  const keysOf = (words: readonly string[]) => words.map((word) => word.trim())
  const common = commonPlaces(keysOf(a), keysOf(b))
  return [marked(a, new Set(common.map(([at]) => at))), marked(b, new Set(common.map(([, at]) => at)))]
}

/** Returns the words of a text, each with the white space behind it. */
function partsOf(text: string): string[] {
  return text.match(/^\s+|\S+\s*/g) ?? []
}

function marked(words: readonly string[], kept: ReadonlySet<number>): readonly TextPart[] {
  const all: { text: string; isOther: boolean }[] = []
  for (const [at, text] of words.entries()) {
    const [last, isOther] = [all.at(-1), !kept.has(at)]
    if (last?.isOther === isOther) last.text += text
    else all.push({ text, isOther })
  }
  return all
}
