import type { Size } from '../../../graph/camera.ts'
import { neighbourhood, placeNeighbours } from '../../../graph/neighbourhood.ts'
import type { Lines, Scene } from '../../../graph/scene.ts'
import { shown } from '../../../shown.ts'
import { mixed } from './colours.ts'
import { colourAt, type Setup } from './whole.ts'

/** Relations in the order in which neighbours stand round a block. */
const ORDER = ['contradicts', 'supports', 'elaborates', 'outcome', 'co_occurs', 'similar']
/** Radius of the block in the middle and of others, in CSS pixels. */
const RADIUS = { middle: 11, least: 4, most: 9 }
const WIDTH = { own: 2, others: 1.2 }
/** Strength of edges among neighbours. */
const FAINT = 0.45

/** A scene whose points are some of the blocks. */
export interface PartScene {
  readonly scene: Scene
  /** The block of each point. */
  readonly blocks: readonly number[]
}

/** The neighbourhood of a block, laid out anew, with the words of each beside it. */
export function nearScene(
  setup: Setup,
  {
    middle,
    steps,
    until,
    room,
  }: { readonly middle: number; readonly steps: 1 | 2; readonly until: number; readonly room: Size },
): PartScene {
  const { picture, look } = setup
  const edges = edgesUntil(setup, until)
  const placed = placeNeighbours(neighbourhood(edges, middle, steps), room)
  const blocks = placed.map(({ node }) => node)
  const points = new Map(blocks.map((block, point) => [block, point]))
  const [, ...others] = placed
  return {
    blocks,
    scene: {
      places: Float32Array.from(placed.flatMap(({ x, y }) => [x, y])),
      radius: Float32Array.from(blocks, (block, point) => {
        const own = RADIUS.least + Math.sqrt(picture.degrees[block] ?? 0)
        return point === 0 ? RADIUS.middle : Math.min(RADIUS.most, own)
      }),
      grows: false,
      shown: new Uint8Array(blocks.length).fill(1),
      colour: Uint8Array.from(blocks, (block) => colourAt(setup, block)),
      colours: look.colours,
      lines: linesAmong(setup, { edges, points, middle }),
      // The words of the block in the middle stand in the drawer, or in the bar above.
      labels: others.map(({ node, side }) => ({
        at: points.get(node) ?? 0,
        text: shown(picture.texts[node] ?? ''),
        side,
      })),
      names: [],
      ...{ ground: look.ground, ink: look.ink, font: look.font },
    },
  }
}

interface PartOfEdges {
  readonly a: readonly number[]
  readonly b: readonly number[]
  readonly relation: readonly number[]
  readonly weight: readonly number[]
  readonly names: readonly string[]
}

/** The edges that had come, with the order of their relations. */
function edgesUntil({ picture }: Setup, until: number): PartOfEdges {
  const { edges, relations } = picture
  const ranks = relations.map((relation) => (ORDER.indexOf(relation) + ORDER.length + 1) % (ORDER.length + 1))
  const at = [...edges.a.keys()].filter((edge) => (edges.createdAt[edge] ?? 0) <= until)
  return {
    a: at.map((edge) => edges.a[edge] ?? 0),
    b: at.map((edge) => edges.b[edge] ?? 0),
    relation: at.map((edge) => ranks[edges.relation[edge] ?? 0] ?? ORDER.length),
    weight: at.map((edge) => edges.weight[edge] ?? 0),
    names: at.map((edge) => relations[edges.relation[edge] ?? 0] ?? ''),
  }
}

/** Edges among the points: those of the block in the middle in full colour, over the others. */
function linesAmong(
  { look }: Setup,
  {
    edges,
    points,
    middle,
  }: { readonly edges: PartOfEdges; readonly points: ReadonlyMap<number, number>; readonly middle: number },
): Lines[] {
  const found = new Map<string, { colour: string; width: number; ends: number[] }>()
  edges.a.forEach((a, edge) => {
    const b = edges.b[edge] ?? 0
    const [from, to] = [points.get(a), points.get(b)]
    if (from === undefined || to === undefined) return
    const relation = edges.names[edge] ?? ''
    const isOwn = a === middle || b === middle
    const key = `${isOwn ? 1 : 0} ${relation}`
    const colour = look.relation(relation)
    const lines = found.get(key) ?? {
      colour: isOwn ? colour : mixed(colour, look.ground, FAINT),
      width: isOwn ? WIDTH.own : WIDTH.others,
      ends: [],
    }
    lines.ends.push(from, to)
    found.set(key, lines)
  })
  return [...found]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([, { ends, ...style }]) => ({ ...style, ends: Int32Array.from(ends) }))
}
