/** A place in the one list and in the other. */
type Places = readonly [one: number, other: number]

/** The most pairs that are compared between the first difference and the last; of more, all counts as different. */
const PAIRS_MAX = 4_000_000

/** Returns the places of the longest sequence that two lists have in common, in order. */
export function commonPlaces(one: readonly string[], other: readonly string[]): Places[] {
  const shorter = Math.min(one.length, other.length)
  let from = 0
  while (from < shorter && one[from] === other[from]) from += 1
  let ends = 0
  while (ends < shorter - from && one.at(-1 - ends) === other.at(-1 - ends)) ends += 1
  const [left, right] = [one.slice(from, one.length - ends), other.slice(from, other.length - ends)]
  const middle = left.length * right.length > PAIRS_MAX ? [] : longest(left, right)
  return [
    ...Array.from({ length: from }, (_, at): Places => [at, at]),
    ...middle.map(([x, y]): Places => [from + x, from + y]),
    ...Array.from({ length: ends }, (_, at): Places => [one.length - ends + at, other.length - ends + at]),
  ]
}

/** Returns the places by a table of the lengths that the rests of the lists have in common. */
function longest(one: readonly string[], other: readonly string[]): Places[] {
  const width = other.length + 1
  const lengths = new Uint16Array((one.length + 1) * width)
  const at = (x: number, y: number) => lengths[x * width + y] as number
  for (let x = one.length - 1; x >= 0; x -= 1)
    for (let y = other.length - 1; y >= 0; y -= 1)
      lengths[x * width + y] =
        one[x] === other[y] ? at(x + 1, y + 1) + 1 : Math.max(at(x + 1, y), at(x, y + 1))
  const places: Places[] = []
  for (let x = 0, y = 0; x < one.length && y < other.length; )
    if (one[x] === other[y]) places.push([x++, y++])
    else if (at(x + 1, y) >= at(x, y + 1)) x += 1
    else y += 1
  return places
}
