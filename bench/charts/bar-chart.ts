import { type Caption, colourClass, element, label, picture, WIDTH } from './svg.ts'

/** One bar; its value is a share between 0 and 1. */
interface Bar {
  readonly name: string
  readonly value: number
  /** Drawn in elfmem's colour. */
  readonly ours?: boolean
}

/** Horizontal bars of shares, longest first. */
export interface BarChart extends Caption {
  readonly bars: readonly Bar[]
}

const LEFT = 170
const RIGHT = WIDTH - 70
const ROW = 32
const TOP = 52

/** The chart as an SVG file; each bar has its name before it and its percentage behind it. */
export function barChart({ bars, ...caption }: BarChart): string {
  const sorted = [...bars].sort((a, b) => b.value - a.value)
  const marks = sorted.flatMap(({ name, value, ours = false }, i) => {
    const middle = TOP + i * ROW + ROW / 2
    const width = Math.max(1, value * (RIGHT - LEFT))
    const colour = ours ? colourClass(0) : colourClass(6)
    return [
      label(name, { x: LEFT - 12, y: middle + 4, anchor: 'end', style: ours ? 'ink strong' : 'ink' }),
      element('rect', { class: `bar ${colour}`, x: LEFT, y: middle - 10, width, height: 20, rx: 2 }),
      label((100 * value).toFixed(1), {
        x: LEFT + width + 8,
        y: middle + 4,
        style: ours ? 'ink strong' : 'ink',
      }),
    ]
  })
  return picture(caption, TOP + ROW * sorted.length + 18, marks)
}
