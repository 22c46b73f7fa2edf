/** A label beside a point; it goes to the side where `side` says, and gives way to those before it. */
export interface Label {
  readonly at: number
  readonly text: string
  readonly side: 'left' | 'right' | 'middle'
  /** A name of many points, which stands on a ground of its own. */
  readonly strong?: boolean
}

/** Lines of one colour: ends as pairs of points, one after the other. */
export interface Lines {
  readonly ends: Int32Array
  readonly colour: string
  /** CSS pixels. */
  readonly width: number
}

/** A name of many points: it stands above them, else below, else in their middle. */
export interface Name {
  readonly x: number
  readonly y: number
  readonly top: number
  readonly bottom: number
  /** Place of the points' colour in `colours`: a dot before the name, since names may have to stand beside others' points. */
  readonly colour: number
  readonly text: string
}

/** What a map draws: points, lines between them and words. It knows nothing of blocks. */
export interface Scene {
  /** Places of the points, two numbers each. */
  readonly places: Float32Array
  /** Radius of each point when all of the picture is seen, in CSS pixels. */
  readonly radius: Float32Array
  /** Points are drawn larger as one comes nearer. */
  readonly grows: boolean
  /** 0 for points that are not drawn. */
  readonly shown: Uint8Array
  /** Place of each point's colour in `colours`. */
  readonly colour: Uint8Array
  readonly colours: readonly string[]
  readonly lines: readonly Lines[]
  readonly labels: readonly Label[]
  readonly names: readonly Name[]
  /** Words of a point, asked for when it is near enough to be read; none if it is absent. */
  readonly words?: (point: number) => string
  readonly ground: string
  readonly ink: string
  readonly font: string
}

/** What lies over a scene while a point is under the pointer. */
export interface Overlay {
  readonly points: readonly number[]
  readonly lines: readonly Lines[]
  readonly labels: readonly Label[]
}

/** A group with the name that tells it from the others. */
export interface Group {
  /** The number of the group, the largest 0. */
  readonly group: number
  readonly name: string
  readonly size: number
}
