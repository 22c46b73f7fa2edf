/**
 * Numbers between brackets, as in [2], [1, 3] or [1-3], where they can be a citation: behind a space or a sign of a sentence, and
 * before no sign that makes them a link or a part of code.
 */
const NUMBERS = /(?<![^\s.,;!?"'”’»(])\[ ?(\d{1,3}(?: ?[,;–-] ?\d{1,3}){0,20}) ?\](?![(:[])/g
/** Text between backquotes: it is code. */
const CODE = /`[^`]*`/g
/** Before it brackets are a value of a program. */
const ASSIGNED = /(?:=|[\p{L}\p{N}_]\()\s*$/u
/** Numbers of one range that are taken. */
const RANGE_MOST = 20
/** A block's id or its first eight characters, standing alone. */
const ID = /(?<![0-9a-z])[0-9a-f]{8}(?:[0-9a-f]{8})?(?![0-9a-z])/g

/**
 * The ids that an answer cites, in the order of `shown`: by their place in what was shown, `[1]` being the first, or by
 * themselves. Nothing in code is a citation. Cost: one pass over the answer.
 */
export function citedIn(answer: string, shown: readonly string[]): string[] {
  const prose = answer.replace(CODE, ' ')
  const places = new Set(
    [...prose.matchAll(NUMBERS)]
      .filter(({ index }) => !ASSIGNED.test(prose.slice(Math.max(0, index - 4), index)))
      .flatMap(([, numbers = '']) => numbers.split(/[,;]/).flatMap(placesOf)),
  )
  const named = new Set(prose.toLowerCase().match(ID))
  return shown.filter((id, i) => places.has(i + 1) || named.has(id) || named.has(id.slice(0, 8)))
}

function placesOf(part: string): number[] {
  const [from = 0, to = from] = part.split(/[–-]/).map(Number)
  return Array.from({ length: Math.min(RANGE_MOST, Math.max(1, to - from + 1)) }, (_, i) => from + i)
}
