import { type Area, type Caption, colourClass, element, label, picture, WIDTH } from './svg.ts'

/** A named line; elfmem's is drawn thicker. */
export interface Series {
  readonly name: string
  readonly points: readonly { readonly x: number; readonly y: number }[]
}

/** Lines over logarithmic axes: every value must be above 0. */
export interface LineChart extends Caption {
  readonly xLabel: string
  readonly yLabel: string
  readonly series: readonly Series[]
}

const HEIGHT = 420
const AREA: Area = { left: 70, right: WIDTH - 150, top: 62, bottom: HEIGHT - 52 }
const LABEL_DISTANCE = 17
const MARKS = ['circle', 'square', 'diamond', 'triangle'] as const

/** The chart as an SVG file. Lines are named at their ends, so that nobody needs their colours. */
export function lineChart(chart: LineChart): string {
  const series = chart.series.filter(({ points }) => points.length > 0)
  const points = series.flatMap((each) => each.points)
  if (points.length === 0) throw new Error(`${chart.title}: there is nothing to draw`)
  const x = logScale(
    points.map((point) => point.x),
    [AREA.left, AREA.right],
  )
  const y = logScale(
    points.map((point) => point.y),
    [AREA.bottom, AREA.top],
  )
  const sizes = [...new Set(points.map((point) => point.x))].sort((a, b) => a - b)
  return picture(chart, HEIGHT, [
    label(chart.yLabel, { x: 20, y: 49 }),
    label(chart.xLabel, { x: (AREA.left + AREA.right) / 2, y: HEIGHT - 14, anchor: 'middle' }),
    ...ticksOf(points.map((point) => point.y)).flatMap((value) => [
      element('line', { class: 'grid', x1: AREA.left, x2: AREA.right, y1: y(value), y2: y(value) }),
      label(value.toLocaleString('en'), { x: AREA.left - 10, y: y(value) + 4, anchor: 'end' }),
    ]),
    ...spaced(sizes, x).map((size) =>
      label(size.toLocaleString('en'), { x: x(size), y: AREA.bottom + 22, anchor: 'middle' }),
    ),
    ...series.flatMap((each, i) => lineOf(each, i, { x, y })),
    ...namesOf(series, { x, y }),
  ])
}

type Scale = (value: number) => number

interface Scales {
  readonly x: Scale
  readonly y: Scale
}

function logScale(values: readonly number[], [from, to]: readonly [number, number]): Scale {
  const low = Math.log(Math.min(...values))
  const high = Math.log(Math.max(...values))
  const span = high - low || 1
  return (value) => from + ((Math.log(value) - low) / span) * (to - from)
}

/** Round values within the range: powers of ten, or 1, 2 and 5 of each where there would be less than three. */
export function ticksOf(values: readonly number[]): number[] {
  const [low, high] = [Math.min(...values), Math.max(...values)]
  const within = (steps: readonly number[]): number[] => {
    const found: number[] = []
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
      for (const step of steps) {
        const value = Number((step * 10 ** power).toPrecision(1))
        if (value >= low && value <= high) found.push(value)
      }
    return found
  }
  const decades = within([1])
  return decades.length >= 3 ? decades : within([1, 2, 5])
}

/** Those values whose labels do not touch. */
function spaced(values: readonly number[], x: Scale): number[] {
  const kept: number[] = []
  for (const value of values) {
    const last = kept.at(-1)
    if (last === undefined || x(value) - x(last) >= 52) kept.push(value)
  }
  return kept
}

function lineOf({ points }: Series, i: number, { x, y }: Scales): string[] {
  const colour = colourClass(i)
  const path = points
    .map((point, at) => `${at === 0 ? 'M' : 'L'}${x(point.x).toFixed(1)} ${y(point.y).toFixed(1)}`)
    .join('')
  return [
    element('path', { class: `line ${i === 0 ? 'bold ' : ''}${colour}`, d: path }),
    ...points.map((point) => markOf(i, colour, { x: x(point.x), y: y(point.y) })),
  ]
}

function markOf(i: number, colour: string, { x, y }: { readonly x: number; readonly y: number }): string {
  switch (MARKS[i % MARKS.length]) {
    case 'square':
      return element('rect', { class: colour, x: x - 4, y: y - 4, width: 8, height: 8 })
    case 'diamond':
      return element('path', { class: colour, d: `M${x} ${y - 5.5}l5.5 5.5l-5.5 5.5l-5.5 -5.5z` })
    case 'triangle':
      return element('path', { class: colour, d: `M${x} ${y - 5.5}l5 9h-10z` })
    default:
      return element('circle', { class: colour, cx: x, cy: y, r: 4.5 })
  }
}

/** Names beside the ends of their lines, pushed apart where two end at the same place. */
function namesOf(series: readonly Series[], { x, y }: Scales): string[] {
  const wanted = series
    .map(({ name, points }, i) => {
      const end = points.at(-1) as Series['points'][number]
      return { name, i, x: x(end.x), y: y(end.y) + 4 }
    })
    .sort((a, b) => a.y - b.y)
  const lowest = new Map<number, number>()
  return wanted.map(({ name, i, x: end, y: height }) => {
    const free = Math.max(height, (lowest.get(end) ?? Number.NEGATIVE_INFINITY) + LABEL_DISTANCE)
    lowest.set(end, free)
    const style = i === 0 ? `strong ${colourClass(i)}` : colourClass(i)
    return label(name, { x: end + 14, y: free, style })
  })
}
