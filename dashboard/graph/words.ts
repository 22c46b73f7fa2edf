import type { Rectangle } from './camera.ts'
import { radiusOf, type View } from './draw.ts'
import type { Label, Name, Scene } from './scene.ts'

/** Words beside points, when few enough are in the picture: more than can be read help nobody. */
const WORDS = { most: 60, points: 80, nearness: 3 }

/** Width of the ground's colour round letters, so that they can be read over lines. */
const HALO = 3.5
/** Room between a point and its words, and between two words, in CSS pixels. */
const GAP = 5
const LINE = 16
/** Room for the dot before a name, in CSS pixels. */
const DOT = 12

/** Places words so that no two of them meet and none lies below a panel: those that come first stay. */
export class Words {
  readonly #taken: Rectangle[]
  readonly #context: CanvasRenderingContext2D
  readonly #scene: Scene
  readonly #view: View

  constructor(context: CanvasRenderingContext2D, scene: Scene, view: View) {
    this.#context = context
    this.#scene = scene
    this.#view = view
    this.#taken = [...view.covers]
    context.setTransform(view.ratio, 0, 0, view.ratio, 0, 0)
    context.lineJoin = 'round'
    context.textBaseline = 'middle'
  }

  /** Draws words beside a point, cut to the room up to the edge; returns whether there was room. */
  beside({ at, text, side, strong = false }: Label): boolean {
    const { camera, size, growth, insets } = this.#view
    const x = (this.#scene.places[2 * at] ?? 0) * camera.k + camera.x
    const y = (this.#scene.places[2 * at + 1] ?? 0) * camera.k + camera.y
    if (x < 0 || y < 0 || x > size.width || y > size.height) return false
    const gap = radiusOf(this.#scene, at, growth) + GAP
    this.#context.font = strong ? `600 ${this.#scene.font}` : `500 ${this.#scene.font}`
    const room = side === 'left' ? x - gap - GAP : size.width - insets.right - x - gap
    const words = side === 'middle' ? text : cut(this.#context, text, room)
    const width = this.#context.measureText(words).width
    if (width < GAP) return false
    const left = side === 'left' ? x - gap - width : side === 'right' ? x + gap : x - width / 2
    return this.#write(words, { x: left, y: side === 'middle' ? y + gap + LINE / 2 : y, width, height: LINE })
  }

  /** Draws a name above the points it is of, else where there is room; returns whether there was any. */
  named({ x, y, top, bottom, text, colour }: Name): boolean {
    const { camera, size, insets } = this.#view
    const px = x * camera.k + camera.x
    if (px < 0 || px > size.width) return false
    this.#context.font = `600 ${this.#scene.font}`
    // One that stands beside the panels goes no further than up to them.
    const isFree = px >= insets.left && px <= size.width - insets.right
    const [from, to] = isFree ? [insets.left, size.width - insets.right] : [GAP, size.width - GAP]
    const words = cut(this.#context, text, to - from - DOT)
    if (words === '') return false
    const width = this.#context.measureText(words).width + DOT
    const left = Math.max(from, Math.min(px - width / 2, to - width))
    const off = LINE / 2 + GAP
    const heights = [
      top * camera.k + camera.y - off,
      bottom * camera.k + camera.y + off,
      y * camera.k + camera.y,
    ]
    return heights.some(
      (py) =>
        py >= LINE / 2 &&
        py <= size.height - LINE / 2 &&
        this.#write(words, { x: left, y: py, width, height: LINE + 4 }, this.#scene.colours[colour]),
    )
  }

  /** Writes words, with a dot before them if they are of points of one colour; false if something is there already. */
  #write(text: string, { x, y, width, height }: Rectangle, dot?: string): boolean {
    const box = { x: x - GAP, y: y - height / 2, width: width + 2 * GAP, height }
    if (this.#taken.some((other) => meets(box, other))) return false
    this.#taken.push(box)
    this.#context.lineWidth = HALO
    this.#context.strokeStyle = this.#scene.ground
    const begin = dot === undefined ? x : x + DOT
    this.#context.strokeText(text, begin, y)
    if (dot !== undefined) {
      this.#context.beginPath()
      this.#context.arc(x + DOT / 3, y, DOT / 3, 0, 2 * Math.PI)
      this.#context.stroke()
      this.#context.fillStyle = dot
      this.#context.fill()
    }
    this.#context.fillStyle = this.#scene.ink
    this.#context.fillText(text, begin, y)
    return true
  }
}

function meets(one: Rectangle, other: Rectangle): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  )
}

/** What stands beside a map in the page, and so above it, as parts of the map. */
export function coversOf(host: HTMLElement): readonly Rectangle[] {
  const own = host.getBoundingClientRect()
  const others = [...(host.parentElement?.children ?? [])].filter((each) => each !== host)
  return others
    .map((each) => each.getBoundingClientRect())
    .filter(({ width, height }) => width > 1 && height > 1)
    .map(({ x, y, width, height }) => ({ x: x - own.x, y: y - own.y, width, height }))
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

/** Labels, names, then words of points that are near; `nearness` is how much larger than the whole it is seen. */
export function paintWords(
  context: CanvasRenderingContext2D,
  scene: Scene,
  { view, nearness }: { readonly view: View; readonly nearness: number },
): void {
  const words = new Words(context, scene, view)
  const isNear = nearness > WORDS.nearness
  for (const label of scene.labels) words.beside(label)
  if (!isNear) for (const name of scene.names) words.named(name)
  if (scene.words === undefined) return
  const seen = pointsIn(scene, view)
  if (!isNear && seen.length > WORDS.points) return
  seen.sort((p, q) => (scene.radius[q] ?? 0) - (scene.radius[p] ?? 0))
  let drawn = 0
  for (const at of seen.slice(0, 10 * WORDS.most)) {
    if (drawn >= WORDS.most) return
    if (words.beside({ at, text: scene.words(at), side: 'right' })) drawn++
  }
}

function pointsIn(scene: Scene, { camera, size }: View): number[] {
  const found: number[] = []
  for (let i = 0; i < scene.shown.length; i++) {
    if (!scene.shown[i]) continue
    const x = (scene.places[2 * i] ?? 0) * camera.k + camera.x
    const y = (scene.places[2 * i + 1] ?? 0) * camera.k + camera.y
    if (x > 0 && y > 0 && x < size.width && y < size.height) found.push(i)
  }
  return found
}
