import { type Box, between, boxOf, type Camera, fitting, type Insets, zoomed } from './camera.ts'
import { Copies, paintLines, paintPoint, paintScene, radiusOf, type View } from './draw.ts'
import { followPointer } from './pointer.ts'
import type { Overlay, Scene } from './scene.ts'
import { coversOf, paintWords, Words } from './words.ts'

/** A whole picture that takes longer is not drawn while the hand moves, in milliseconds: one frame at 60 a second. */
const SLOW_PICTURE = 16
/**
 * Of so many points and lines a whole picture takes about 8 ms. Of more the last one is moved, however quick they seem: a
 * canvas only takes them down, and the time to draw them is spent in another process, where a page cannot see it.
 */
const FEW = 2_500
/** The whole picture is drawn anew so long after the hand rests, in milliseconds. */
const REST = 110
/** A flight of the camera, in milliseconds. */
const FLIGHT = 260
/** How much larger points become at most. */
const GROWTH = 3
/** How much of what is not meant is seen while something is. */
const VEIL = 0.78

/** Called for what is done on the map: points by their number, undefined for none. */
export interface MapEvents {
  readonly click: (point: number | undefined) => void
  readonly hover: (point: number | undefined) => void
}

/** A map on one 2D canvas: draws all of it at rest, and moves the last picture while it is dragged if a whole one takes too long. */
export class BlockMap {
  readonly #host: HTMLElement
  readonly #canvas = document.createElement('canvas')
  readonly #back = document.createElement('canvas')
  readonly #copies = new Copies()
  readonly #events: MapEvents
  readonly #resizing: ResizeObserver
  readonly #leave: () => void
  #scene: Scene | undefined
  #overlay: Overlay | undefined
  #insets: Insets = { top: 0, right: 0, bottom: 0, left: 0 }
  #size = { width: 0, height: 0 }
  #ratio = 1
  #camera: Camera = { x: 0, y: 0, k: 1 }
  /** Enlargement at which all is seen. */
  #home = 1
  #fitted = false
  /** True once somebody dragged or zoomed: until then all of it is kept in sight while it settles. */
  #isMoved = false
  /** The camera of the picture in the back. */
  #drawn: Camera | undefined
  /** Milliseconds a whole picture takes. */
  #cost = 0
  /** Points and lines of the scene. */
  #count = 0
  #frame = 0
  #timer: ReturnType<typeof setTimeout> | undefined
  #stale = true

  constructor(host: HTMLElement, events: MapEvents) {
    this.#host = host
    this.#events = events
    this.#canvas.className = 'map-canvas'
    host.append(this.#canvas)
    this.#resizing = new ResizeObserver(() => this.#resize())
    this.#resizing.observe(host)
    this.#leave = followPointer(this.#canvas, {
      moved: (dx, dy) => this.#look({ ...this.#camera, x: this.#camera.x + dx, y: this.#camera.y + dy }),
      zoomed: (x, y, by) => this.#look(zoomed(this.#camera, this.#home, { x, y, by })),
      over: (x, y) => this.#hover(x, y),
      clicked: (x, y, slack) => this.#events.click(this.#hit(x, y, slack)),
    })
  }

  /** Ends it and takes its canvas away. */
  destroy(): void {
    this.#resizing.disconnect()
    this.#leave()
    clearTimeout(this.#timer)
    cancelAnimationFrame(this.#frame)
    this.#canvas.remove()
  }

  get camera(): Camera {
    return this.#camera
  }

  /** Shows a scene from a camera; from where all of it is seen if `fit` says so or nothing was shown. */
  show(
    scene: Scene,
    { fit = false, camera, insets }: { fit?: boolean; camera?: Camera; insets?: Insets } = {},
  ): void {
    if (insets !== undefined) this.#insets = insets
    this.#scene = scene
    this.#count = scene.shown.length + scene.lines.reduce((sum, { ends }) => sum + ends.length / 2, 0)
    this.#overlay = undefined
    this.#stale = true
    if (camera !== undefined) {
      this.#setHome()
      this.#camera = camera
      this.#fitted = true
      this.#isMoved = true
    } else if (fit || !this.#isMoved) this.#fitNow()
    this.#request()
  }

  /** Draws anew what has changed in the scene it shows. */
  redraw(): void {
    this.#stale = true
    this.#request()
  }

  /** Lays lines and words over the picture and a veil under them; takes both away without an argument. */
  lay(overlay?: Overlay): void {
    this.#overlay = overlay
    this.#request()
  }

  /** Shows all, or a part of it, in the room the panels leave. */
  fit(box?: Box): void {
    this.#setHome()
    const target = box ?? this.#box()
    if (target !== undefined)
      this.#fly(
        fitting(target, this.#size, this.#insets, box === undefined ? this.#largest() : 40 * this.#home),
      )
  }

  /** Comes nearer by a factor, or goes farther, keeping the middle. */
  zoom(by: number): void {
    const { top, right, bottom, left } = this.#insets
    const x = (left + this.#size.width - right) / 2
    const y = (top + this.#size.height - bottom) / 2
    this.#fly(zoomed(this.#camera, this.#home, { x, y, by }))
  }

  #resize(): void {
    const { width, height } = this.#host.getBoundingClientRect()
    if (width === 0 || height === 0) return
    this.#size = { width, height }
    this.#ratio = Math.min(2, devicePixelRatio)
    for (const canvas of [this.#canvas, this.#back]) {
      canvas.width = Math.round(width * this.#ratio)
      canvas.height = Math.round(height * this.#ratio)
    }
    if (!this.#fitted || !this.#isMoved) this.#fitNow()
    this.#stale = true
    // At once: a canvas is blank after it was resized.
    this.#present()
  }

  #box(): Box | undefined {
    return this.#scene && boxOf(this.#scene.places, this.#scene.shown)
  }

  /** Scenes whose points keep their size are drawn in CSS pixels, and never larger. */
  #largest(): number {
    return this.#scene?.grows === false ? 1 : Number.POSITIVE_INFINITY
  }

  #setHome(): void {
    const box = this.#box()
    if (box !== undefined && this.#size.width > 0)
      this.#home = fitting(box, this.#size, this.#insets, this.#largest()).k
  }

  #fitNow(): void {
    const box = this.#box()
    if (box === undefined || this.#size.width === 0) return
    this.#camera = fitting(box, this.#size, this.#insets, this.#largest())
    this.#home = this.#camera.k
    this.#fitted = true
    this.#isMoved = false
  }

  #fly(to: Camera): void {
    this.#isMoved = true
    if (matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.#look(to)
      return
    }
    const from = this.#camera
    const begun = performance.now()
    const step = () => {
      const share = Math.min(1, (performance.now() - begun) / FLIGHT)
      this.#camera = between(from, to, share)
      this.#present(share < 1)
      this.#frame = share < 1 ? requestAnimationFrame(step) : 0
    }
    cancelAnimationFrame(this.#frame)
    step()
  }

  #look(camera: Camera): void {
    this.#camera = camera
    this.#isMoved = true
    this.#request(true)
  }

  #request(isMoving = false): void {
    if (this.#frame !== 0) return
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0
      this.#present(isMoving)
    })
  }

  /** Draws what is seen; while it moves and a whole picture is slow, the last one moved. */
  #present(isMoving = false): void {
    const scene = this.#scene
    const context = this.#canvas.getContext('2d', { alpha: false })
    if (scene === undefined || context === null || this.#size.width === 0) return
    const isLong = this.#count > FEW || this.#cost > SLOW_PICTURE
    const isSlow = isMoving && !this.#stale && this.#drawn !== undefined && isLong
    const isSame = this.#drawn === this.#camera
    if (this.#stale || (!isSame && !isSlow)) this.#paintBack(scene)
    clearTimeout(this.#timer)
    if (isSlow && !isSame) this.#timer = setTimeout(() => this.#request(), REST)
    this.#copyBack(context, scene)
    const view = this.#view(this.#camera)
    if (this.#overlay !== undefined) this.#paintOverlay(context, scene, view)
    else paintWords(context, scene, { view, nearness: this.#camera.k / this.#home })
    this.#host.dataset.drawn = this.#stale ? '' : 'whole'
  }

  #view(camera: Camera): View {
    const growth =
      Math.min(GROWTH, Math.sqrt(camera.k / this.#home)) * Math.min(1, Math.max(0.6, this.#size.width / 1000))
    const [size, ratio, insets] = [this.#size, this.#ratio, this.#insets]
    return { camera, size, ratio, growth, insets, covers: coversOf(this.#host) }
  }

  #paintBack(scene: Scene): void {
    const context = this.#back.getContext('2d', { alpha: false })
    if (context === null) return
    const begun = performance.now()
    paintScene(context, scene, this.#view(this.#camera), this.#copies)
    const took = performance.now() - begun
    this.#cost = this.#cost === 0 ? took : 0.6 * this.#cost + 0.4 * took
    this.#drawn = this.#camera
    this.#stale = false
  }

  #copyBack(context: CanvasRenderingContext2D, scene: Scene): void {
    const [now, was] = [this.#camera, this.#drawn ?? this.#camera]
    const factor = now.k / was.k
    context.setTransform(1, 0, 0, 1, 0, 0)
    if (now !== was) {
      context.fillStyle = scene.ground
      context.fillRect(0, 0, this.#canvas.width, this.#canvas.height)
    }
    const [x, y] = [(now.x - was.x * factor) * this.#ratio, (now.y - was.y * factor) * this.#ratio]
    context.setTransform(factor, 0, 0, factor, x, y)
    context.drawImage(this.#back, 0, 0)
  }

  #paintOverlay(context: CanvasRenderingContext2D, scene: Scene, view: View): void {
    const overlay = this.#overlay
    if (overlay === undefined) return
    context.setTransform(this.#ratio, 0, 0, this.#ratio, 0, 0)
    context.globalAlpha = VEIL
    context.fillStyle = scene.ground
    context.fillRect(0, 0, this.#size.width, this.#size.height)
    context.globalAlpha = 1
    for (const lines of overlay.lines) paintLines(context, scene.places, lines, view)
    for (const point of overlay.points) paintPoint(context, point, { scene, view, copies: this.#copies })
    const words = new Words(context, scene, view)
    for (const label of overlay.labels) words.beside(label)
  }

  #hover(x: number, y: number): void {
    const point = this.#hit(x, y)
    this.#canvas.style.cursor = point === undefined ? 'grab' : 'pointer'
    this.#events.hover(point)
  }

  /** The point at a place of the screen, or the nearest within some pixels. */
  #hit(x: number, y: number, slack = 4): number | undefined {
    const scene = this.#scene
    if (scene === undefined) return undefined
    const { camera, growth } = this.#view(this.#camera)
    let found: number | undefined
    let least = slack
    for (let point = 0; point < scene.shown.length; point++) {
      if (!scene.shown[point]) continue
      const dx = (scene.places[2 * point] ?? 0) * camera.k + camera.x - x
      const dy = (scene.places[2 * point + 1] ?? 0) * camera.k + camera.y - y
      const far = Math.hypot(dx, dy) - radiusOf(scene, point, growth)
      if (far >= least) continue
      least = far
      found = point
    }
    return found
  }
}
