/** Edges as columns: ends, and the place of each edge's relation in the order of relations. */
interface Joined {
  readonly a: ArrayLike<number>
  readonly b: ArrayLike<number>
  readonly relation: ArrayLike<number>
  readonly weight: ArrayLike<number>
}

/** A node of a neighbourhood: how many steps from the middle, and through which node it is reached. */
export interface Neighbour {
  readonly node: number
  readonly step: number
  readonly parent: number | undefined
}

/** A neighbour with its place in CSS pixels round the middle, and the side its words go to. */
export interface PlacedNeighbour extends Neighbour {
  readonly x: number
  readonly y: number
  readonly side: 'left' | 'right' | 'middle'
}

/**
 * Returns the middle, its neighbours and, for two steps, theirs behind each: by relation, then the firmest first. Each
 * node once, where it is nearest.
 */
export function neighbourhood(edges: Joined, middle: number, steps: 1 | 2): Neighbour[] {
  const near = neighboursOf(edges, new Set([middle])).get(middle) ?? []
  const around = steps === 2 ? neighboursOf(edges, new Set(near)) : new Map<number, number[]>()
  const seen = new Set([middle, ...near])
  const found: Neighbour[] = [{ node: middle, step: 0, parent: undefined }]
  for (const node of near) {
    found.push({ node, step: 1, parent: middle })
    for (const other of around.get(node) ?? []) {
      if (seen.has(other)) continue
      seen.add(other)
      found.push({ node: other, step: 2, parent: node })
    }
  }
  return found
}

/** The neighbours of some nodes, each once, in the order of relations and weights. */
function neighboursOf({ a, b, relation, weight }: Joined, nodes: ReadonlySet<number>): Map<number, number[]> {
  const edges = new Map<number, { readonly other: number; readonly edge: number }[]>()
  const add = (node: number, other: number, edge: number) => {
    if (!nodes.has(node) || node === other) return
    const list = edges.get(node)
    if (list === undefined) edges.set(node, [{ other, edge }])
    else list.push({ other, edge })
  }
  for (let edge = 0; edge < a.length; edge++) {
    add(a[edge] ?? 0, b[edge] ?? 0, edge)
    add(b[edge] ?? 0, a[edge] ?? 0, edge)
  }
  const of = (column: ArrayLike<number>, edge: number) => column[edge] ?? 0
  return new Map(
    [...edges].map(([node, list]) => {
      list.sort(
        (p, q) =>
          of(relation, p.edge) - of(relation, q.edge) ||
          of(weight, q.edge) - of(weight, p.edge) ||
          p.edge - q.edge,
      )
      return [node, [...new Set(list.map(({ other }) => other))]]
    }),
  )
}

/** Room for one line of words, and as much as lines are set apart where there is more, in CSS pixels. */
const ROW = { least: 24, most: 52 }
/** How far a half ring reaches to its side, and the second step behind the first. */
const REACH = { most: 170, share: 0.13, second: 44 }

/** Places a neighbourhood on two tall half rings, each node on a line of its own, so that no two lines of words meet. */
export function placeNeighbours(
  neighbours: readonly Neighbour[],
  room: { readonly width: number; readonly height: number },
): PlacedNeighbour[] {
  const [middle, ...others] = neighbours
  if (middle === undefined) return []
  // The first half goes down the right side; the second up the left one, so that it goes round as a clock does.
  const cut = halfOf(others)
  const right = others.slice(0, cut)
  const left = familiesOf(others.slice(cut)).reverse().flat()
  const rows = Math.max(right.length, left.length)
  const row = Math.min(ROW.most, Math.max(ROW.least, room.height / (rows + 1)))
  const reach = Math.min(REACH.most, room.width * REACH.share)
  const side = (list: readonly Neighbour[], direction: 1 | -1): PlacedNeighbour[] =>
    list.map((neighbour, i) => {
      const y = (i - (list.length - 1) / 2) * row
      const bow = Math.sqrt(1 - (y / ((list.length * row) / 2 + row)) ** 2)
      const x =
        direction * (reach * (0.35 + 0.65 * bow) + (neighbour.step - 1) * Math.min(REACH.second, reach * 0.6))
      return { ...neighbour, x, y, side: direction === 1 ? 'right' : 'left' }
    })
  return [{ ...middle, x: 0, y: 0, side: 'middle' }, ...side(right, 1), ...side(left, -1)]
}

/** Where the list is cut in two halves without parting a node from those behind it. */
function halfOf(others: readonly Neighbour[]): number {
  let best = others.length
  for (let at = 0; at <= others.length; at++) {
    const isBetween = at === others.length || others[at]?.step === 1
    if (isBetween && Math.abs(2 * at - others.length) < Math.abs(2 * best - others.length)) best = at
  }
  // One neighbour alone stands to the right, where words are read from.
  return Math.max(best, Math.min(1, others.length))
}

/** Each node of the first step with those behind it. */
function familiesOf(list: readonly Neighbour[]): Neighbour[][] {
  const families: Neighbour[][] = []
  for (const neighbour of list) {
    const last = families.at(-1)
    if (neighbour.step === 1 || last === undefined) families.push([neighbour])
    else last.push(neighbour)
  }
  return families
}
