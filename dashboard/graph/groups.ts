import type { Edges } from './start.ts'

/** A graph by columns; its nodes may be groups of the nodes of another. */
interface Graph {
  readonly count: number
  /** The edges of node i stand from `start[i]` up to `start[i + 1]`. */
  readonly start: Int32Array
  readonly other: Int32Array
  readonly weight: Float64Array
  /** The weights of the edges of each node, those inside of it twice. */
  readonly strength: Float64Array
}

/** An edge of less weight counts as if it had this: it joins all the same. */
const LEAST_WEIGHT = 0.01
/** A move must gain so large a share of all weight, so that rounding moves nothing to and fro. */
const LEAST_GAIN = 1e-12

/**
 * Returns the group of each node, the largest group 0; nodes without an edge are each a group of their own. Nodes go to the group of
 * neighbours by which modularity gains most, then groups do (Blondel and others 2008). It is the same each time.
 */
export function groupsOf({ count, a, b, weight }: Edges): Int32Array {
  const given = Float64Array.from({ length: a.length }, (_, k) => Math.max(LEAST_WEIGHT, weight[k] ?? 0))
  let graph = graphOf(count, { a, b, weight: given })
  let groups = Int32Array.from({ length: count }, (_, i) => i)
  for (;;) {
    const { found, group } = numbered(movedNodes(graph))
    groups = groups.map((each) => of(group, each))
    if (found === graph.count) return bySize(groups)
    graph = folded(graph, group, found)
  }
}

interface Columns {
  readonly a: ArrayLike<number>
  readonly b: ArrayLike<number>
  readonly weight: Float64Array
}

function graphOf(count: number, { a, b, weight }: Columns): Graph {
  const start = new Int32Array(count + 1)
  const strength = new Float64Array(count)
  const isLoop = (k: number) => a[k] === b[k]
  for (let k = 0; k < weight.length; k++)
    for (const end of [of(a, k), of(b, k)]) {
      add(strength, end, of(weight, k))
      if (!isLoop(k)) add(start, end + 1, 1)
    }
  for (let i = 0; i < count; i++) add(start, i + 1, of(start, i))
  const other = new Int32Array(of(start, count))
  const weights = new Float64Array(other.length)
  const next = Int32Array.from(start)
  const put = (at: number, to: number, each: number) => {
    other[of(next, at)] = to
    weights[of(next, at)] = each
    add(next, at, 1)
  }
  for (let k = 0; k < weight.length; k++) {
    if (isLoop(k)) continue
    put(of(a, k), of(b, k), of(weight, k))
    put(of(b, k), of(a, k), of(weight, k))
  }
  return { count, start, other, weight: weights, strength }
}

/** A value of a column; every place that is asked for is there. */
function of(column: ArrayLike<number>, at: number): number {
  return column[at] ?? 0
}

function add(column: Int32Array | Float64Array, at: number, more: number): void {
  column[at] = of(column, at) + more
}

/** Moves nodes until none gains by it, and returns the group of each. Only those whose neighbours moved are looked at again. */
function movedNodes(graph: Graph): Int32Array {
  const { count, start, other, strength } = graph
  const group = Int32Array.from({ length: count }, (_, i) => i)
  const totals = Float64Array.from(strength)
  const bestOf = chooser(graph, group, totals)
  const waits = new Uint8Array(count).fill(1)
  const queue = Array.from({ length: count }, (_, i) => i)
  const wake = (node: number, moved: number) => {
    if (waits[node] === 1 || group[node] === moved) return
    waits[node] = 1
    queue.push(node)
  }
  for (let head = 0; head < queue.length; head++) {
    const node = of(queue, head)
    waits[node] = 0
    const own = of(group, node)
    const best = bestOf(node)
    if (best === own) continue
    add(totals, own, -of(strength, node))
    add(totals, best, of(strength, node))
    group[node] = best
    for (let k = of(start, node); k < of(start, node + 1); k++) wake(of(other, k), best)
  }
  return group
}

/** Returns a function that says to which group of its neighbours a node belongs most: its own unless another gains. */
function chooser(
  { count, start, other, weight, strength }: Graph,
  group: Int32Array,
  totals: Float64Array,
): (node: number) => number {
  const all = strength.reduce((sum, each) => sum + each, 0)
  /** The weight of the node's edges to each group; 0 between two calls. */
  const towards = new Float64Array(count)
  const groupAt = (edge: number) => of(group, of(other, edge))
  return (node) => {
    const [from, to] = [of(start, node), of(start, node + 1)]
    const [own, mine] = [of(group, node), of(strength, node)]
    for (let k = from; k < to; k++) add(towards, groupAt(k), of(weight, k))
    let best = own
    let most = of(towards, own) - (mine * (of(totals, own) - mine)) / all + LEAST_GAIN * all
    for (let k = from; k < to; k++) {
      const near = groupAt(k)
      const gain = of(towards, near) - (mine * of(totals, near)) / all
      if (near === own || gain <= most) continue
      most = gain
      best = near
    }
    for (let k = from; k < to; k++) towards[groupAt(k)] = 0
    return best
  }
}

/** Groups by numbers without gaps, and how many there are. */
function numbered(groups: Int32Array): { readonly found: number; readonly group: Int32Array } {
  const numbers = new Map<number, number>()
  const group = groups.map((each) => {
    const known = numbers.get(each) ?? numbers.size
    numbers.set(each, known)
    return known
  })
  return { found: numbers.size, group }
}

/** The graph of groups: their edges are those of their nodes, taken together. */
function folded({ count, start, other, weight, strength }: Graph, group: Int32Array, found: number): Graph {
  const sums = new Map<number, number>()
  const whole = new Float64Array(found)
  for (let i = 0; i < count; i++) {
    // What is inside a group counts for its strength, too.
    add(whole, of(group, i), of(strength, i))
    for (let k = of(start, i); k < of(start, i + 1); k++) {
      const [p, q] = [of(group, i), of(group, of(other, k))]
      // Each edge stands at both its ends.
      if (p < q) sums.set(p * found + q, (sums.get(p * found + q) ?? 0) + of(weight, k))
    }
  }
  const pairs = [...sums.keys()]
  const graph = graphOf(found, {
    a: pairs.map((pair) => Math.floor(pair / found)),
    b: pairs.map((pair) => pair % found),
    weight: Float64Array.from(sums.values()),
  })
  return { ...graph, strength: whole }
}

/** Groups by their size, the largest 0; of equal ones that of the first node. */
function bySize(groups: Int32Array): Int32Array {
  const sizes = new Map<number, number>()
  for (const group of groups) sizes.set(group, (sizes.get(group) ?? 0) + 1)
  const ranks = new Map(
    [...sizes].sort((x, y) => y[1] - x[1] || x[0] - y[0]).map(([group], rank) => [group, rank]),
  )
  return groups.map((group) => ranks.get(group) ?? 0)
}
