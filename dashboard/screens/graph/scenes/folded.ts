import { number } from '../../../format.ts'
import type { Group, Lines, Scene } from '../../../graph/scene.ts'
import { shown } from '../../../shown.ts'
import { mixed } from './colours.ts'
import { groupColour } from './look.ts'
import type { Fitting } from './picture.ts'
import type { Setup } from './whole.ts'

/** Groups as discs: more could not be told apart. */
const MOST_GROUPS = 150
/** Room the discs are laid out in; the map fits it into what there is. */
const ROOM = { width: 1_000, height: 640 }
/** Radius of the largest disc and of the smallest. */
const RADIUS = { most: 44, least: 5 }
/** Free room between two discs: for a name below each. */
const APART = 24
/** Turns in which discs that meet push each other apart. */
const TURNS = 120
/** So many joints for each group are drawn, the strongest: with all of them nothing could be told. */
const JOINTS = 3
/** Joints by the share of the strongest: width and strength of their colour. */
const WIDTHS = [
  { from: 0, to: 0.25, width: 1, strength: 0.2 },
  { from: 0.25, to: 0.6, width: 2, strength: 0.28 },
  { from: 0.6, to: Number.POSITIVE_INFINITY, width: 4, strength: 0.36 },
]

/** The groups as discs: the group of each point, and the scene. */
export interface FoldedScene {
  readonly scene: Scene
  readonly groups: readonly number[]
}

/** One named disc for each group, as large as it has blocks, joined by how many edges run between them. */
export function foldedScene(
  { picture, groups, look }: Setup & { readonly groups: Int32Array },
  {
    fitting,
    places,
    names,
  }: { readonly fitting: Fitting; readonly places: Float32Array; readonly names: readonly Group[] },
): FoldedScene {
  const found = membersOf(groups, { fitting, places })
  const list = [...found.entries()].sort((x, y) => y[1].count - x[1].count).slice(0, MOST_GROUPS)
  const nameOf = new Map(names.map(({ group, name }) => [group, name]))
  const largest = list[0]?.[1].count ?? 1
  const radius = Float32Array.from(list, ([, { count }]) =>
    Math.max(RADIUS.least, RADIUS.most * Math.sqrt(count / largest)),
  )
  const points = new Map(list.map(([group], point) => [group, point]))
  return {
    groups: list.map(([group]) => group),
    scene: {
      places: apart(scaled(list.map(([, { x, y }]) => [x, y])), radius),
      radius,
      grows: true,
      shown: new Uint8Array(list.length).fill(1),
      colour: Uint8Array.from(list, ([group]) => groupColour(group)),
      colours: look.colours,
      lines: jointsOf({ picture, groups, look, points }, fitting),
      labels: list.map(([group, { count }], at) => ({
        at,
        text: shown(`${nameOf.get(group) ?? `group ${group + 1}`} · ${number(count)}`),
        side: 'middle',
        strong: at < 7,
      })),
      names: [],
      ...{ ground: look.ground, ink: look.ink, font: look.font },
    },
  }
}

interface Members {
  x: number
  y: number
  count: number
}

/** The mean place and number of each group's blocks that are shown. */
function membersOf(
  groups: Int32Array,
  { fitting, places }: { readonly fitting: Fitting; readonly places: Float32Array },
): Map<number, Members> {
  const found = new Map<number, Members>()
  for (let i = 0; i < groups.length; i++) {
    if (!fitting.blocks[i]) continue
    const group = groups[i] ?? 0
    const own = found.get(group) ?? { x: 0, y: 0, count: 0 }
    own.count++
    own.x += ((places[2 * i] ?? 0) - own.x) / own.count
    own.y += ((places[2 * i + 1] ?? 0) - own.y) / own.count
    found.set(group, own)
  }
  return found
}

/** Scales places to the room. */
function scaled(places: readonly (readonly [number, number])[]): Float32Array {
  const axis = (at: 0 | 1, size: number) => {
    const values = places.map((place) => place[at])
    const low = Math.min(...values)
    const reach = Math.max(...values) - low || 1
    return values.map((value) => ((value - low) / reach) * size)
  }
  const [xs, ys] = [axis(0, ROOM.width), axis(1, ROOM.height)]
  return Float32Array.from(places.flatMap((_, i) => [xs[i] ?? 0, ys[i] ?? 0]))
}

/** Pushes discs that meet apart until none do. */
function apart(places: Float32Array, radius: Float32Array): Float32Array {
  for (let turn = 0; turn < TURNS; turn++) {
    let isMoved = false
    for (let p = 0; p < radius.length; p++)
      for (let q = p + 1; q < radius.length; q++) if (partPair(places, radius, [p, q])) isMoved = true
    if (!isMoved) break
  }
  return places
}

/** Moves each of two discs by half of what is missing between them; returns whether any was. */
function partPair(places: Float32Array, radius: Float32Array, [p, q]: readonly [number, number]): boolean {
  // Discs on one spot are parted along a line of their own.
  const dx = (places[2 * q] ?? 0) - (places[2 * p] ?? 0) || 0.01 * (q - p)
  const dy = (places[2 * q + 1] ?? 0) - (places[2 * p + 1] ?? 0) || 0.01
  const far = Math.hypot(dx, dy)
  const missing = (radius[p] ?? 0) + (radius[q] ?? 0) + APART - far
  if (missing <= 0) return false
  const [x, y] = [(dx / far) * missing * 0.5, (dy / far) * missing * 0.5]
  places[2 * p] = (places[2 * p] ?? 0) - x
  places[2 * p + 1] = (places[2 * p + 1] ?? 0) - y
  places[2 * q] = (places[2 * q] ?? 0) + x
  places[2 * q + 1] = (places[2 * q + 1] ?? 0) + y
  return true
}

/** The strongest joints, the thickest over the others. */
function jointsOf(
  {
    picture,
    groups,
    look,
    points,
  }: Omit<Setup, 'by'> & { readonly groups: Int32Array; readonly points: ReadonlyMap<number, number> },
  fitting: Fitting,
): Lines[] {
  const counts = new Map<number, number>()
  for (const edge of fitting.edges) {
    const p = points.get(groups[picture.edges.a[edge] ?? 0] ?? -1)
    const q = points.get(groups[picture.edges.b[edge] ?? 0] ?? -1)
    if (p === undefined || q === undefined || p === q) continue
    const key = Math.min(p, q) * MOST_GROUPS + Math.max(p, q)
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const strongest = [...counts].sort((x, y) => y[1] - x[1] || x[0] - y[0]).slice(0, JOINTS * points.size)
  const most = strongest[0]?.[1] ?? 1
  return WIDTHS.map(({ from, to, width, strength }) => ({
    width,
    colour: mixed(look.grey, look.ground, strength),
    ends: Int32Array.from(
      strongest
        .filter(([, count]) => count / most > from && count / most <= to)
        .flatMap(([key]) => [Math.floor(key / MOST_GROUPS), key % MOST_GROUPS]),
    ),
  })).filter(({ ends }) => ends.length > 0)
}
