import type { Group, Lines, Name, Overlay, Scene } from '../../../graph/scene.ts'
import { shown } from '../../../shown.ts'
import { mixed } from './colours.ts'
import { type ColourBy, colourOf, groupColour, type Look } from './look.ts'
import type { Fitting, Picture } from './picture.ts'

/** What the scenes of a picture are made of. */
export interface Setup {
  readonly picture: Picture
  readonly groups: Int32Array | undefined
  readonly by: ColourBy
  readonly look: Look
}

/** Strength of an edge's colour: so faint that blocks stand out from thousands of edges. */
const FAINT = 0.26
const WIDTH = { rest: 0.8, meant: 1.6 }
/** Names on the map, and the least blocks of a group that has one. */
const NAMES = { most: 12, least: 8 }
/** Words beside neighbours of the block under the pointer. */
const WORDS_OVER = 10

/** The places of all blocks: the joined ones as laid out, those without edges in a field of their own below. */
export function placesOfAll({ ids, joined }: Picture, laid: Float32Array): Float32Array {
  const places = new Float32Array(2 * ids.length)
  places.set(laid.subarray(0, 2 * joined))
  const box = { left: 0, right: 1, bottom: 1 }
  for (let i = 0; i < joined; i++) {
    box.left = Math.min(box.left, places[2 * i] ?? 0)
    box.right = Math.max(box.right, places[2 * i] ?? 0)
    box.bottom = Math.max(box.bottom, places[2 * i + 1] ?? 0)
  }
  const count = ids.length - joined
  // Rows as wide as the map, about as dense as it is.
  const gap = Math.max((box.right - box.left) / Math.max(20, Math.ceil(Math.sqrt(count * 8))), 1)
  const columns = Math.max(1, Math.floor((box.right - box.left) / gap))
  for (let k = 0; k < count; k++) {
    places[2 * (joined + k)] = box.left + (k % columns) * gap
    places[2 * (joined + k) + 1] = box.bottom + gap * (3 + Math.floor(k / columns))
  }
  return places
}

/** Above so many blocks points are smaller, so that they cover no larger share of the map; but not below half their size. */
const FULL_SIZE = 3_000

/** Radius of each block by how many edges it has, in CSS pixels. */
export function radiusOfAll({ degrees }: Picture): Float32Array {
  const share = Math.min(1, Math.max(0.5, Math.sqrt(FULL_SIZE / Math.max(1, degrees.length))))
  return Float32Array.from(degrees, (degree) => share * (1.5 + 0.8 * Math.sqrt(degree)))
}

/** The whole graph, or one group of it, as it is drawn. */
export function wholeScene(
  { picture, groups, by, look }: Setup,
  {
    fitting,
    places,
    radius,
    names,
  }: {
    readonly fitting: Fitting
    readonly places: Float32Array
    readonly radius: Float32Array
    readonly names: readonly Group[]
  },
): Scene {
  return {
    places,
    radius,
    grows: true,
    shown: fitting.blocks,
    colour: Uint8Array.from(picture.ids, (_, i) => colourAt({ picture, groups, by }, i)),
    colours: look.colours,
    lines: linesOf(picture, fitting.drawn, (relation) => ({
      colour: mixed(look.relation(relation), look.ground, FAINT),
      width: WIDTH.rest,
    })),
    labels: [],
    names: by === 'group' ? placedNames(groups, { places, fitting, names }) : [],
    words: (block) => shown(picture.texts[block] ?? ''),
    ...{ ground: look.ground, ink: look.ink, font: look.font },
  }
}

/** The place of a block's colour. */
export function colourAt({ picture, groups, by }: Omit<Setup, 'look'>, block: number): number {
  return colourOf(by, {
    group: block < picture.joined ? groups?.[block] : undefined,
    speaker: picture.speakers[block] ?? '',
    belief: picture.beliefs[block] ?? 50,
  })
}

/** Edges as lines, those of one relation together. */
function linesOf(
  { edges, relations }: Picture,
  list: readonly number[],
  style: (relation: string) => Omit<Lines, 'ends'>,
): Lines[] {
  const ends = relations.map((): number[] => [])
  for (const edge of list) ends[edges.relation[edge] ?? 0]?.push(edges.a[edge] ?? 0, edges.b[edge] ?? 0)
  return ends.flatMap((own, at) =>
    own.length === 0 ? [] : [{ ends: Int32Array.from(own), ...style(relations[at] ?? '') }],
  )
}

/** Blocks so many standard deviations off the middle of their group are not regarded where its name is placed. */
const STRAYS = 2

/** The names of the largest groups, with the middle of their blocks and how far up and down most of them reach. */
function placedNames(
  groups: Int32Array | undefined,
  {
    places,
    fitting,
    names,
  }: { readonly places: Float32Array; readonly fitting: Fitting; readonly names: readonly Group[] },
): Name[] {
  if (groups === undefined) return []
  const wanted = names.filter(({ size }) => size >= NAMES.least).slice(0, NAMES.most)
  const sums = new Map(wanted.map(({ group }) => [group, { x: 0, y: 0, squares: 0, count: 0 }]))
  for (let i = 0; i < groups.length; i++) {
    const sum = fitting.blocks[i] ? sums.get(groups[i] ?? -1) : undefined
    if (sum === undefined) continue
    sum.x += places[2 * i] ?? 0
    sum.y += places[2 * i + 1] ?? 0
    sum.squares += (places[2 * i + 1] ?? 0) ** 2
    sum.count++
  }
  return wanted.flatMap(({ group, name }) => {
    const { x, y, squares, count } = sums.get(group) ?? { x: 0, y: 0, squares: 0, count: 0 }
    if (count === 0) return []
    const middle = y / count
    const reach = STRAYS * Math.sqrt(Math.max(0, squares / count - middle ** 2))
    return [
      {
        ...{ x: x / count, y: middle, top: middle - reach, bottom: middle + reach },
        ...{ text: shown(name), colour: groupColour(group) },
      },
    ]
  })
}

/** A block under the pointer with its edges, its neighbours and their words. */
export function overlayOf(
  { picture, look }: Pick<Setup, 'picture' | 'look'>,
  fitting: Fitting,
  block: number,
): Overlay {
  const { a, b } = picture.edges
  const own = fitting.edges.filter((edge) => a[edge] === block || b[edge] === block)
  const others = own.map((edge) => (a[edge] === block ? b[edge] : a[edge]) ?? block)
  return {
    points: [...others, block],
    lines: linesOf(picture, own, (relation) => ({ colour: look.relation(relation), width: WIDTH.meant })),
    labels: [block, ...others.slice(0, WORDS_OVER)].map((at, i) => ({
      at,
      text: shown(picture.texts[at] ?? ''),
      side: 'right',
      strong: i === 0,
    })),
  }
}
