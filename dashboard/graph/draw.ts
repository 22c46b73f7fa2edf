import type { Camera, Insets, Rectangle, Size } from './camera.ts'
import type { Lines, Scene } from './scene.ts'

/** What a scene is drawn through. */
export interface View {
  readonly camera: Camera
  readonly size: Size
  /** Device pixels in a CSS pixel. */
  readonly ratio: number
  /** How much larger points are than in the whole picture. */
  readonly growth: number
  /** The room that panels take at the sides, in CSS pixels; words keep out of it. */
  readonly insets: Insets
  /** What lies above the picture, such as buttons; no words go below it. */
  readonly covers: readonly Rectangle[]
}

/** Lines to a path: 42 ms a frame where one each took 59 and all in one took longer still. */
const LINES_A_PATH = 50
/** The least radius that is seen, in CSS pixels. */
const LEAST_RADIUS = 1.1
/** Points this far out of the picture may still reach into it, in CSS pixels. */
const REACH = 24
/** Points above this radius are drawn as arcs; smaller ones are copied from a picture of their size. */
const LARGEST_COPY = 14
/** The rim in the ground's colour that parts a point from what lies under it, as a share of its radius. */
const RIM = 0.17

/** Returns the radius a point is drawn with, in CSS pixels. */
export function radiusOf(scene: Scene, point: number, growth: number): number {
  return Math.max(LEAST_RADIUS, (scene.radius[point] ?? 1) * (scene.grows ? growth : 1))
}

/** Draws ground, lines and points. */
export function paintScene(
  context: CanvasRenderingContext2D,
  scene: Scene,
  view: View,
  copies: Copies,
): void {
  const { size, ratio } = view
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.fillStyle = scene.ground
  context.fillRect(0, 0, size.width, size.height)
  for (const lines of scene.lines) paintLines(context, scene.places, lines, view)
  // The smallest first, so that well joined blocks are never covered by others.
  for (const point of copies.orderOf(scene))
    if (scene.shown[point]) paintPoint(context, point, { scene, view, copies })
}

/** Draws lines between points, without those that lie outside. */
export function paintLines(
  context: CanvasRenderingContext2D,
  places: Float32Array,
  { ends, colour, width }: Lines,
  { camera: { x, y, k }, size }: View,
): void {
  context.strokeStyle = colour
  context.lineWidth = width
  context.beginPath()
  let drawn = 0
  for (let at = 0; at < ends.length; at += 2) {
    const [p, q] = [2 * (ends[at] ?? 0), 2 * (ends[at + 1] ?? 0)]
    const ax = (places[p] ?? 0) * k + x
    const ay = (places[p + 1] ?? 0) * k + y
    const bx = (places[q] ?? 0) * k + x
    const by = (places[q + 1] ?? 0) * k + y
    if (isOutside(ax, bx, size.width) || isOutside(ay, by, size.height)) continue
    context.moveTo(ax, ay)
    context.lineTo(bx, by)
    if (++drawn % LINES_A_PATH !== 0) continue
    context.stroke()
    context.beginPath()
  }
  context.stroke()
}

/** Whether both ends lie beyond the same edge of the picture. */
function isOutside(one: number, other: number, length: number): boolean {
  return (one < 0 && other < 0) || (one > length && other > length)
}

interface Drawing {
  readonly scene: Scene
  readonly view: View
  readonly copies: Copies
}

/** Draws one point, if it is in the picture. */
export function paintPoint(
  context: CanvasRenderingContext2D,
  point: number,
  { scene, view, copies }: Drawing,
): void {
  const { camera, size } = view
  const x = (scene.places[2 * point] ?? 0) * camera.k + camera.x
  const y = (scene.places[2 * point + 1] ?? 0) * camera.k + camera.y
  const radius = radiusOf(scene, point, view.growth)
  const reach = Math.max(REACH, radius)
  if (x < -reach || y < -reach || x > size.width + reach || y > size.height + reach) return
  const colour = scene.colours[scene.colour[point] ?? 0] ?? scene.ink
  if (radius > LARGEST_COPY) {
    disc(context, { x, y, radius, colour, rim: scene.ground })
    return
  }
  const copy = copies.of(colour, scene.ground, radius, view.ratio)
  const half = copy.width / view.ratio / 2
  context.drawImage(copy, x - half, y - half, 2 * half, 2 * half)
}

interface Disc {
  readonly x: number
  readonly y: number
  readonly radius: number
  readonly colour: string
  readonly rim: string
}

function disc(
  context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D,
  { x, y, radius, colour, rim }: Disc,
): void {
  const width = Math.min(2, radius * RIM)
  context.fillStyle = rim
  context.beginPath()
  context.arc(x, y, radius + width, 0, 2 * Math.PI)
  context.fill()
  context.fillStyle = colour
  context.beginPath()
  context.arc(x, y, radius, 0, 2 * Math.PI)
  context.fill()
}

/** Small pictures of points, by colour and size: a copy costs a fifth of an arc. */
export class Copies {
  readonly #pictures = new Map<string, ImageBitmap>()
  #ordered: { readonly radius: Float32Array; readonly order: Int32Array } | undefined

  /** Points by radius, the smallest first. */
  orderOf({ radius }: Scene): Int32Array {
    if (this.#ordered?.radius === radius) return this.#ordered.order
    const order = Int32Array.from(radius.keys()).sort((p, q) => (radius[p] ?? 0) - (radius[q] ?? 0))
    this.#ordered = { radius, order }
    return order
  }

  of(colour: string, rim: string, radius: number, ratio: number): ImageBitmap {
    const half = Math.max(2, Math.round(2 * radius * ratio))
    const key = `${colour} ${rim} ${half}`
    const known = this.#pictures.get(key)
    if (known !== undefined) return known
    const middle = Math.ceil(half / 2 + 2)
    const canvas = new OffscreenCanvas(2 * middle, 2 * middle)
    const context = canvas.getContext('2d')
    if (context !== null) disc(context, { x: middle, y: middle, radius: half / 2, colour, rim })
    // A canvas may change, so that each copy of it would begin with a look at what it holds.
    const picture = canvas.transferToImageBitmap()
    this.#pictures.set(key, picture)
    return picture
  }
}
