import { useEffect, useRef, useState } from 'preact/hooks'
import { shortNumber } from '../format.ts'
import { areaPath, axisTicks, linePath } from './curves.ts'

interface AreaProps {
  /** A sentence that says what is to be seen. */
  readonly label: string
  readonly values: readonly number[]
  /** Words below the first, some between, and the last value. */
  readonly marks: readonly string[]
}

const SIZE = { height: 160, left: 44, right: 8, top: 8, bottom: 22 }

/** Pixels that words below the line want; those between the ends give way. */
const MARK = 64

/** Values over time as a line with the ground below it. */
export function Area({ label, values, marks }: AreaProps) {
  const { height, left, right, top, bottom } = SIZE
  const [box, width] = useWidth()
  const ticks = axisTicks(Math.max(1, ...values))
  const most = ticks.at(-1) ?? 1
  const ground = height - bottom
  const toX = (at: number) => left + (at / Math.max(1, values.length - 1)) * (width - left - right)
  const toY = (value: number) => top + (1 - value / most) * (ground - top)
  const points = values.map((value, at) => ({ x: toX(at), y: toY(value) }))
  const hasRoom = (width - left - right) / marks.length >= MARK
  const isBetween = (at: number) => at > 0 && at < marks.length - 1
  const markX = (at: number) => left + (at / Math.max(1, marks.length - 1)) * (width - left - right)
  return (
    <svg ref={box} class="area" height={height} role="img" aria-label={label}>
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={left} x2={width - right} y1={toY(tick)} y2={toY(tick)} stroke="var(--line)" />
          <text x={left - 8} y={toY(tick) + 4} text-anchor="end">
            {shortNumber(tick)}
          </text>
        </g>
      ))}
      {marks.map((mark, at) =>
        isBetween(at) && !hasRoom ? null : (
          <text
            key={mark}
            x={markX(at)}
            y={height - 4}
            text-anchor={at === 0 ? 'start' : at === marks.length - 1 ? 'end' : 'middle'}
          >
            {mark}
          </text>
        ),
      )}
      <path d={areaPath(points, ground)} fill="var(--data-1)" opacity="0.14" />
      <path
        d={linePath(points)}
        fill="none"
        stroke="var(--data-1)"
        stroke-width="2"
        stroke-linejoin="round"
      />
    </svg>
  )
}

/** The pixels that an element is wide, so that what is written in it keeps its size. */
function useWidth() {
  const box = useRef<SVGSVGElement>(null)
  const [width, setWidth] = useState(640)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 640))
    if (box.current) observer.observe(box.current)
    return () => observer.disconnect()
  }, [])
  return [box, width] as const
}
