/** A part of a text: words and the white space around them. */
export interface TextPart {
  readonly text: string
  /** True if the other text has something else there. */
  readonly isOther: boolean
}

/** Words compared one by one; of longer stretches those are marked that the other does not have at all. */
const COMPARED_MOST = 600

/** Two texts in parts, those words marked in which they differ; white space alone never is. */
export function wordDifference(
  one: string,
  other: string,
): readonly [readonly TextPart[], readonly TextPart[]] {
  const [a, b] = [partsOf(one), partsOf(other)]
  const isSame = sameWords(a, b)
  return [joined(a, isSame[0]), joined(b, isSame[1])]
}

/** Words with what is inside them, such as `09:00`, signs, and white space. */
const PART = /\s+|[\p{L}\p{M}\p{N}_]+(?:[.:,'’/-][\p{L}\p{M}\p{N}_]+)*|./gsu

function partsOf(text: string): readonly string[] {
  return text.match(PART) ?? []
}

type Kept = readonly [ReadonlySet<number>, ReadonlySet<number>]

/** The places of words that both texts have in the same order. */
function sameWords(one: readonly string[], other: readonly string[]): Kept {
  const [a, b] = [wordPlaces(one), wordPlaces(other)]
  const wordOf = (at: number) => one[a[at] ?? -1]
  const otherOf = (at: number) => other[b[at] ?? -1]
  const most = Math.min(a.length, b.length)
  let start = 0
  while (start < most && wordOf(start) === otherOf(start)) start++
  let end = 0
  while (end < most - start && wordOf(a.length - 1 - end) === otherOf(b.length - 1 - end)) end++
  const ends = (places: readonly number[]) => [
    ...places.slice(0, start),
    ...places.slice(places.length - end),
  ]
  const middle = [a, b].map((places) => places.slice(start, places.length - end)) as [number[], number[]]
  const isLong = Math.max(middle[0].length, middle[1].length) > COMPARED_MOST
  const [left, right] = (isLong ? shared : inSequence)({ one, other }, middle)
  return [new Set([...ends(a), ...left]), new Set([...ends(b), ...right])]
}

function wordPlaces(parts: readonly string[]): number[] {
  return parts.flatMap((part, at) => (part.trim() === '' ? [] : [at]))
}

interface Texts {
  readonly one: readonly string[]
  readonly other: readonly string[]
}

type Places = readonly [readonly number[], readonly number[]]

/** Places of words that the other has anywhere. */
function shared({ one, other }: Texts, [a, b]: Places): Places {
  const within = (places: readonly number[], parts: readonly string[]) =>
    new Set(places.map((at) => parts[at]))
  const [left, right] = [within(a, one), within(b, other)]
  return [a.filter((at) => right.has(one[at])), b.filter((at) => left.has(other[at]))]
}

/** Places of the longest sequence of words that both have. */
function inSequence({ one, other }: Texts, [a, b]: Places): Places {
  const width = b.length + 1
  const lengths = new Uint16Array((a.length + 1) * width)
  const isSame = (i: number, j: number) => one[a[i] ?? -1] === other[b[j] ?? -1]
  const lengthAt = (i: number, j: number) => lengths[i * width + j] ?? 0
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      lengths[i * width + j] = isSame(i, j)
        ? lengthAt(i + 1, j + 1) + 1
        : Math.max(lengthAt(i + 1, j), lengthAt(i, j + 1))
  const [left, right]: [number[], number[]] = [[], []]
  for (let i = 0, j = 0; i < a.length && j < b.length; ) {
    if (isSame(i, j)) {
      left.push(a[i++] ?? 0)
      right.push(b[j++] ?? 0)
    } else if (lengthAt(i + 1, j) >= lengthAt(i, j + 1)) i++
    else j++
  }
  return [left, right]
}

/** Parts beside one another that are alike become one; white space belongs to what is marked only between two marked words. */
function joined(parts: readonly string[], kept: ReadonlySet<number>): readonly TextPart[] {
  const isWord = (at: number) => (parts[at] ?? '').trim() !== ''
  const isOther = (at: number): boolean =>
    isWord(at) ? !kept.has(at) : at > 0 && at < parts.length - 1 && !kept.has(at - 1) && !kept.has(at + 1)
  const all: { text: string; isOther: boolean }[] = []
  for (const [at, text] of parts.entries()) {
    const last = all.at(-1)
    if (last?.isOther === isOther(at)) last.text += text
    else all.push({ text, isOther: isOther(at) })
  }
  return all
}
