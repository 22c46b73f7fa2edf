/** A place of a chart. */
export interface Point {
  readonly x: number
  readonly y: number
}

/** Lines of SVG through points. */
export function linePath(points: readonly Point[]): string {
  return points.map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`).join('')
}

/** The ground between points and a height. */
export function areaPath(points: readonly Point[], ground: number): string {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined) return ''
  return `${linePath(points)}L${last.x.toFixed(1)} ${ground}L${first.x.toFixed(1)} ${ground}Z`
}

/** How likely each share of one is, when so much spoke for and against: a Beta density over 0..1 with 1 at its highest. */
export function betaDensity(helped: number, misled: number, steps = 60): readonly Point[] {
  const at = Array.from({ length: steps + 1 }, (_, step) => Math.min(0.995, Math.max(0.005, step / steps)))
  // Logarithms, since the powers of many reports are smaller than any number.
  const logs = at.map((x) => helped * Math.log(x) + misled * Math.log(1 - x))
  const most = Math.max(...logs)
  return logs.map((log, step) => ({ x: step / steps, y: Math.exp(log - most) }))
}

/** How a block fades. */
export interface Fading {
  readonly freshness: number
  /** Per active hour. */
  readonly decayLambda: number
  /** The freshness below which it is archived. */
  readonly archiveFloor: number
  /** Undefined: it never is. */
  readonly archivedAfterHours?: number | undefined
}

/** A curve of freshness over hours of use since the last use, with now and the end on it. */
export interface FadingCurve {
  readonly points: readonly Point[]
  /** Hours since the last use. */
  readonly now: number
  /** Hours that the curve covers. */
  readonly span: number
}

/** Hours that are shown of what hardly fades. */
const LONG = 1_000

/** The curve on which a block fades. */
export function fadingCurve({ freshness, decayLambda, ...end }: Fading, steps = 48): FadingCurve {
  const now = decayLambda > 0 ? Math.max(0, -Math.log(Math.max(freshness, 1e-6)) / decayLambda) : 0
  const left = end.archivedAfterHours ?? (decayLambda > 0 ? Math.min(LONG, 3 / decayLambda) : LONG)
  const span = Math.max(1, (now + left) * 1.1)
  const points = Array.from({ length: steps + 1 }, (_, step) => {
    const x = (step / steps) * span
    return { x, y: Math.exp(-decayLambda * x) }
  })
  return { points, now, span }
}

/** Sums of values, one after the other, so that the last is what is there now. */
export function sumsUpTo(now: number, values: readonly number[]): readonly number[] {
  const sums: number[] = []
  let sum = now - values.reduce((all, value) => all + value, 0)
  for (const value of values) {
    sum += value
    sums.push(Math.max(0, sum))
  }
  return sums
}

/** Round numbers for an axis from 0, the last at or above the most. */
export function axisTicks(most: number): readonly number[] {
  const rough = Math.max(1, most) / 2
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, [1, 2, 2.5, 5, 10].map((by) => by * power).find((size) => size >= rough) ?? rough)
  return [0, step, step * 2]
}

/** How strong a day is in a calendar: 0 for nothing, else 1 to 4 by its share of the busiest. */
export function heatOf(value: number, most: number): 0 | 1 | 2 | 3 | 4 {
  if (value <= 0) return 0
  return Math.min(4, 1 + Math.floor(Math.sqrt(value / Math.max(1, most)) * 3.999)) as 1 | 2 | 3 | 4
}
