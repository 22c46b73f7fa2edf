import type { Edges } from './start.ts'

/** Nodes from which steps are counted: more place no better at 20,000. */
const PIVOTS = 24
/** Turns until the two main directions of so few columns stand still. */
const TURNS = 40
/** Room for a node in the units of the layout. */
const ROOM = 14
/** The golden angle: points turned by it, one after the other, fill a disc evenly. */
const SUNFLOWER = Math.PI * (3 - Math.sqrt(5))

/**
 * Places for all nodes at once, some tens of milliseconds at 20,000: steps from a few far nodes, seen along their two main
 * directions (PivotMDS, Brandes and Pich 2007). Parts that nothing joins stand round the largest.
 */
export function firstPlaces(edges: Edges): Float32Array {
  const { count } = edges
  const around = neighboursOf(edges)
  const parts = partsOf(count, around)
  const places = new Float32Array(2 * count)
  if (count === 0) return places
  const members = Array.from({ length: count }, (_, i) => i).filter((i) => parts.part[i] === parts.largest)
  placePart(members, around, { places, radius: ROOM * Math.sqrt(members.length) })
  placeRest(parts, places)
  return places
}

/** Nodes by the part of the graph they are in. */
export interface Parts {
  /** The part of each node. */
  readonly part: Int32Array
  readonly sizes: readonly number[]
  readonly largest: number
}

/** Returns the parts of a graph that nothing joins. */
export function partsIn(edges: Edges): Parts {
  return partsOf(edges.count, neighboursOf(edges))
}

/** Neighbours of all nodes in one column: those of i from `start[i]` up to `start[i + 1]`. */
interface Around {
  readonly start: Int32Array
  readonly list: Int32Array
}

function neighboursOf({ count, a, b }: Edges): Around {
  const start = new Int32Array(count + 1)
  for (let k = 0; k < a.length; k++)
    for (const end of [a[k] ?? 0, b[k] ?? 0]) start[end + 1] = (start[end + 1] ?? 0) + 1
  for (let i = 0; i < count; i++) start[i + 1] = (start[i + 1] ?? 0) + (start[i] ?? 0)
  const list = new Int32Array(2 * a.length)
  const next = Int32Array.from(start)
  const put = (at: number, other: number) => {
    list[next[at] ?? 0] = other
    next[at] = (next[at] ?? 0) + 1
  }
  for (let k = 0; k < a.length; k++) {
    put(a[k] ?? 0, b[k] ?? 0)
    put(b[k] ?? 0, a[k] ?? 0)
  }
  return { start, list }
}

/** Writes the steps from a node to all it leads to into `steps`, −1 before, and returns these nodes. */
function walk(from: number, { start, list }: Around, steps: Int32Array): number[] {
  const queue = [from]
  steps[from] = 0
  for (let head = 0; head < queue.length; head++) {
    const at = queue[head] ?? 0
    for (let k = start[at] ?? 0; k < (start[at + 1] ?? 0); k++) {
      const other = list[k] ?? 0
      if (steps[other] !== -1) continue
      steps[other] = (steps[at] ?? 0) + 1
      queue.push(other)
    }
  }
  return queue
}

function partsOf(count: number, around: Around): Parts {
  const part = new Int32Array(count).fill(-1)
  const steps = new Int32Array(count).fill(-1)
  const sizes: number[] = []
  let largest = 0
  for (let i = 0; i < count; i++) {
    if (part[i] !== -1) continue
    const reached = walk(i, around, steps)
    for (const node of reached) part[node] = sizes.length
    if (reached.length > (sizes[largest] ?? 0)) largest = sizes.length
    sizes.push(reached.length)
  }
  return { part, sizes, largest }
}

/** Each next pivot is farthest from all before. */
function columnsOfSteps(members: readonly number[], around: Around): Float64Array[] {
  const columns: Float64Array[] = []
  const nearest = new Float64Array(members.length).fill(Number.POSITIVE_INFINITY)
  let pivot = members[0] ?? 0
  for (let p = 0; p < Math.min(PIVOTS, members.length); p++) {
    const steps = new Int32Array(around.start.length - 1).fill(-1)
    walk(pivot, around, steps)
    const column = Float64Array.from(members, (i) => (steps[i] ?? 0) ** 2)
    columns.push(column)
    let far = 0
    for (let i = 0; i < members.length; i++) {
      nearest[i] = Math.min(nearest[i] ?? 0, column[i] ?? 0)
      if ((nearest[i] ?? 0) > (nearest[far] ?? 0)) far = i
    }
    pivot = members[far] ?? 0
  }
  centre(columns, members.length)
  return columns
}

/** Takes the means of rows and columns away, as classical scaling does. */
function centre(columns: readonly Float64Array[], rows: number): void {
  const meanOf = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, rows)
  const columnMeans = columns.map(meanOf)
  const mean = columnMeans.reduce((sum, value) => sum + value, 0) / Math.max(1, columns.length)
  for (let i = 0; i < rows; i++) {
    const rowMean = columns.reduce((sum, column) => sum + (column[i] ?? 0), 0) / columns.length
    columns.forEach((column, p) => {
      column[i] = -0.5 * ((column[i] ?? 0) - rowMean - (columnMeans[p] ?? 0) + mean)
    })
  }
}

interface Target {
  readonly places: Float32Array
  readonly radius: number
}

function placePart(members: readonly number[], around: Around, { places, radius }: Target): void {
  const columns = columnsOfSteps(members, around)
  const products = productsOf(columns)
  const first = mainDirection(products, [])
  const second = mainDirection(products, [first])
  const along = (direction: readonly number[]) =>
    Float64Array.from(members, (_, i) =>
      columns.reduce((sum, column, p) => sum + (column[i] ?? 0) * (direction[p] ?? 0), 0),
    )
  const ends = [along(first), along(second)].map(ranked)
  members.forEach((node, i) => {
    // Nodes with the same steps would stand on one spot: a sunflower's turn sets them apart.
    const [turn, apart] = [i * SUNFLOWER, ROOM * (0.5 + ((i * 0.618034) % 1))]
    places[2 * node] = (ends[0]?.[i] ?? 0) * radius + apart * Math.cos(turn)
    places[2 * node + 1] = (ends[1]?.[i] ?? 0) * radius + apart * Math.sin(turn)
  })
}

/** The products of all columns with each other. Loops, because it is most of the time until the first picture. */
function productsOf(columns: readonly Float64Array[]): readonly (readonly number[])[] {
  const products = columns.map(() => columns.map(() => 0))
  columns.forEach((one, p) => {
    for (let q = 0; q <= p; q++) {
      const product = productOf(one, columns[q] ?? one)
      for (const [row, at] of [[p, q] as const, [q, p] as const]) (products[row] ?? [])[at] = product
    }
  })
  return products
}

function productOf(one: Float64Array, other: Float64Array): number {
  let sum = 0
  for (let i = 0; i < one.length; i++) sum += (one[i] ?? 0) * (other[i] ?? 0)
  return sum
}

/** Scales values so that nine tenths lie within −1 and 1. */
function ranked(values: Float64Array): Float64Array {
  const sizes = values.map(Math.abs).sort()
  const reach = sizes[Math.floor(sizes.length * 0.9)] || sizes[sizes.length - 1] || 1
  return values.map((value) => value / reach)
}

/** The eigenvector of the largest eigenvalue, by turns, across those given. */
function mainDirection(
  products: readonly (readonly number[])[],
  across: readonly (readonly number[])[],
): number[] {
  let vector = products.map((_, i) => 1 + ((i * 0.618034) % 1))
  for (let turn = 0; turn < TURNS; turn++) {
    const next = products.map((row) => row.reduce((sum, value, i) => sum + value * (vector[i] ?? 0), 0))
    for (const other of across) {
      const share = other.reduce((sum, value, i) => sum + value * (next[i] ?? 0), 0)
      other.forEach((value, i) => {
        next[i] = (next[i] ?? 0) - share * value
      })
    }
    const length = Math.hypot(...next)
    if (length === 0) return vector.map(() => 0)
    vector = next.map((value) => value / length)
  }
  return vector
}

/** Puts all parts but the largest on rings round it, each as a sunflower of its nodes. */
export function placeRest({ part, sizes, largest }: Parts, places: Float32Array): void {
  const middle = middleOf(part, largest, places)
  const ring = { radius: middle.radius * 1.15 + 2 * ROOM, turn: 0 }
  const centres = new Map<number, readonly [number, number]>()
  const others = sizes.map((size, at) => ({ size, at })).filter(({ at }) => at !== largest)
  for (const { size, at } of others.sort((x, y) => y.size - x.size || x.at - y.at)) {
    const own = ROOM * (1 + Math.sqrt(size))
    const share = (2 * own) / ring.radius
    if (ring.turn + share > 2 * Math.PI) Object.assign(ring, { radius: ring.radius + 2 * own, turn: 0 })
    const angle = ring.turn + share / 2
    centres.set(at, [middle.x + ring.radius * Math.cos(angle), middle.y + ring.radius * Math.sin(angle)])
    ring.turn += share
  }
  const placed = new Int32Array(sizes.length)
  for (let i = 0; i < part.length; i++) {
    const at = part[i] ?? 0
    const centre = centres.get(at)
    if (centre === undefined) continue
    const k = placed[at] ?? 0
    placed[at] = k + 1
    const [own, angle] = [ROOM * Math.sqrt(k), k * SUNFLOWER]
    places[2 * i] = centre[0] + own * Math.cos(angle)
    places[2 * i + 1] = centre[1] + own * Math.sin(angle)
  }
}

/** The middle of the largest part, and how far nearly all of it reaches. */
function middleOf(part: Int32Array, largest: number, places: Float32Array) {
  const members = Array.from(part.keys()).filter((i) => part[i] === largest)
  const mean = (axis: 0 | 1) =>
    members.reduce((sum, i) => sum + (places[2 * i + axis] ?? 0), 0) / Math.max(1, members.length)
  const [x, y] = [mean(0), mean(1)]
  const far = members.map((i) => Math.hypot((places[2 * i] ?? 0) - x, (places[2 * i + 1] ?? 0) - y))
  const radius = far.sort((p, q) => p - q)[Math.floor(far.length * 0.98)] ?? 0
  return { x, y, radius }
}
