/** Where a picture is looked at from: a point's place on the screen is its place times `k`, moved by `x` and `y`. */
export interface Camera {
  readonly x: number
  readonly y: number
  readonly k: number
}

/** A size or the room kept free at the sides, in CSS pixels. */
export interface Size {
  readonly width: number
  readonly height: number
}

/** The room that panels take at each side, in CSS pixels. */
export interface Insets {
  readonly top: number
  readonly right: number
  readonly bottom: number
  readonly left: number
}

/** A part of the screen, in CSS pixels. */
export interface Rectangle extends Size {
  readonly x: number
  readonly y: number
}

/** The least and greatest places of points. */
export interface Box {
  readonly x0: number
  readonly y0: number
  readonly x1: number
  readonly y1: number
}

/** How far one can go from the whole picture: nearer, so that two blocks part; farther, so that it can be found again. */
const NEAREST = 60
const FARTHEST = 0.3
/** Of many points so large a share at each end is left out of what is fitted: a few strays would make the rest small. */
const STRAYS = 0.004
/** From so many points strays are left out. */
const MANY = 200

/** Returns the box around points, without the strays of many; undefined for none. */
export function boxOf(places: Float32Array, shown?: Uint8Array): Box | undefined {
  const xs: number[] = []
  const ys: number[] = []
  for (let i = 0; i < places.length / 2; i++) {
    if (shown !== undefined && !shown[i]) continue
    xs.push(places[2 * i] ?? 0)
    ys.push(places[2 * i + 1] ?? 0)
  }
  if (xs.length === 0) return undefined
  const share = xs.length > MANY ? STRAYS : 0
  const ends = (values: number[]): [number, number] => {
    const sorted = Float64Array.from(values).sort()
    const at = (part: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0
    return [at(share), at(1 - share)]
  }
  const [[x0, x1], [y0, y1]] = [ends(xs), ends(ys)]
  return { x0, y0, x1, y1 }
}

/** Returns the camera that shows a box in the room the panels leave, enlarged at most `largest` times. */
export function fitting(box: Box, size: Size, insets: Insets, largest = Number.POSITIVE_INFINITY): Camera {
  const width = Math.max(40, size.width - insets.left - insets.right)
  const height = Math.max(40, size.height - insets.top - insets.bottom)
  const k = Math.min(width / (box.x1 - box.x0 || 1), height / (box.y1 - box.y0 || 1), largest)
  return {
    k,
    x: insets.left + width / 2 - ((box.x0 + box.x1) / 2) * k,
    y: insets.top + height / 2 - ((box.y0 + box.y1) / 2) * k,
  }
}

/** Returns the camera after zooming by a factor at a point of the screen, which stays where it is. */
export function zoomed(
  camera: Camera,
  home: number,
  at: { readonly x: number; readonly y: number; readonly by: number },
): Camera {
  const k = Math.min(home * NEAREST, Math.max(home * FARTHEST, camera.k * at.by))
  const factor = k / camera.k
  return { k, x: at.x - (at.x - camera.x) * factor, y: at.y - (at.y - camera.y) * factor }
}

/** Returns the camera between two, by a share from 0 to 1 that begins and ends softly. */
export function between(from: Camera, to: Camera, share: number): Camera {
  const soft = share * share * (3 - 2 * share)
  const k = from.k * (to.k / from.k) ** soft
  // The middle of the way goes with the scale, so that what is flown to does not leave the picture meanwhile.
  const way = to.k === from.k ? soft : (k - from.k) / (to.k - from.k)
  return { k, x: from.x + (to.x - from.x) * way, y: from.y + (to.y - from.y) * way }
}
