import type { Camera, Size } from './camera.ts'
import type { Label, Lines, Scene } from './scene.ts'

/** What a scene is drawn through. */
export interface View {
  readonly camera: Camera
  readonly size: Size
  /** Device pixels in a CSS pixel. */
  readonly ratio: number
  /** How much larger points are than in the whole picture. */
  readonly growth: number
  /** The room that something takes at the right, in CSS pixels; no words go there. */
  readonly right: number
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

function disc(context: CanvasRenderingContext2D, { x, y, radius, colour, rim }: Disc): void {
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
  readonly #pictures = new Map<string, HTMLCanvasElement>()
  #ordered: { readonly radius: Float32Array; readonly order: Int32Array } | undefined

  /** Points by radius, the smallest first. */
  orderOf({ radius }: Scene): Int32Array {
    if (this.#ordered?.radius === radius) return this.#ordered.order
    const order = Int32Array.from(radius.keys()).sort((p, q) => (radius[p] ?? 0) - (radius[q] ?? 0))
    this.#ordered = { radius, order }
    return order
  }

  of(colour: string, rim: string, radius: number, ratio: number): HTMLCanvasElement {
    const half = Math.max(2, Math.round(2 * radius * ratio))
    const key = `${colour} ${rim} ${half}`
    const known = this.#pictures.get(key)
    if (known !== undefined) return known
    const picture = document.createElement('canvas')
    const middle = Math.ceil(half / 2 + 2)
    picture.width = picture.height = 2 * middle
    const context = picture.getContext('2d')
    if (context !== null) disc(context, { x: middle, y: middle, radius: half / 2, colour, rim })
    this.#pictures.set(key, picture)
    return picture
  }
}

/** A rectangle that words take. */
interface Taken {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

/** Width of the ground's colour round letters, so that they can be read over lines. */
const HALO = 3.5
/** Room between a point and its words, and between two words, in CSS pixels. */
const GAP = 5
const LINE = 16

/** Places words so that no two of them meet: those that come first stay. */
export class Words {
  readonly #taken: Taken[] = []
  readonly #context: CanvasRenderingContext2D
  readonly #scene: Scene
  readonly #view: View

  constructor(context: CanvasRenderingContext2D, scene: Scene, view: View) {
    this.#context = context
    this.#scene = scene
    this.#view = view
    context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0)
    context.lineJoin = 'round'
    context.textBaseline = 'middle'
  }

  /** Draws words beside a point, cut to the room up to the edge; returns whether there was room. */
  beside({ at, text, side, strong = false }: Label): boolean {
    const { camera, size, growth } = this.#view
    const x = (this.#scene.places[2 * at] ?? 0) * camera.k + camera.x
    const y = (this.#scene.places[2 * at + 1] ?? 0) * camera.k + camera.y
    if (x < 0 || y < 0 || x > size.width || y > size.height) return false
    const gap = radiusOf(this.#scene, at, growth) + GAP
    this.#context.font = strong ? `600 ${this.#scene.font}` : `500 ${this.#scene.font}`
    const room = side === 'left' ? x - gap - GAP : size.width - this.#view.right - x - gap
    const words = side === 'middle' ? text : cut(this.#context, text, room)
    const width = this.#context.measureText(words).width
    if (width < GAP) return false
    const left = side === 'left' ? x - gap - width : side === 'right' ? x + gap : x - width / 2
    return this.#write(words, { x: left, y: side === 'middle' ? y + gap + LINE / 2 : y, width, height: LINE })
  }

  /** Draws a name on a ground of its own at a place of the map. */
  named(x: number, y: number, text: string): boolean {
    const { camera, size } = this.#view
    const [px, py] = [x * camera.k + camera.x, y * camera.k + camera.y]
    if (px < 0 || py < 0 || px > size.width || py > size.height) return false
    this.#context.font = `600 ${this.#scene.font}`
    const width = this.#context.measureText(text).width
    const left = Math.min(Math.max(px - width / 2, GAP), size.width - width - GAP)
    return this.#write(text, { x: left, y: py, width, height: LINE + 4 })
  }

  #write(text: string, { x, y, width, height }: Taken): boolean {
    const box = { x: x - GAP, y: y - height / 2, width: width + 2 * GAP, height }
    if (this.#taken.some((other) => meets(box, other))) return false
    this.#taken.push(box)
    this.#context.lineWidth = HALO
    this.#context.strokeStyle = this.#scene.ground
    this.#context.strokeText(text, x, y)
    this.#context.fillStyle = this.#scene.ink
    this.#context.fillText(text, x, y)
    return true
  }
}

function meets(one: Taken, other: Taken): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  )
}

/** The words, or their beginning with an ellipsis if they are wider than the room. */
function cut(context: CanvasRenderingContext2D, text: string, room: number): string {
  if (context.measureText(text).width <= room) return text
  const letters = [...text]
  let [low, high] = [0, letters.length]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (context.measureText(`${letters.slice(0, middle).join('').trimEnd()}…`).width <= room) low = middle
    else high = middle - 1
  }
  return low < 3 ? '' : `${letters.slice(0, low).join('').trimEnd()}…`
}
