import { percent } from '../format.ts'
import { areaPath, betaDensity, type Fading, fadingCurve, linePath } from './curves.ts'

const SIZE = { width: 200, height: 64, edge: 4 }

const toX = (share: number) => share * SIZE.width
const toY = (share: number) => SIZE.height - SIZE.edge - share * (SIZE.height - 2 * SIZE.edge)

interface ConfidenceCurveProps {
  readonly helped: number
  readonly misled: number
  readonly confidence: number
}

/** How sure the confidence is: a hump, narrow where much is known. */
export function ConfidenceCurve({ helped, misled, confidence }: ConfidenceCurveProps) {
  const points = betaDensity(helped, misled).map(({ x, y }) => ({ x: toX(x), y: toY(y) }))
  return (
    <Curve
      label={`How likely it is right: at ${percent(confidence)} percent, ${helped + misled < 3 ? 'wide, since little is known' : 'narrow'}`}
      colour="var(--data-3)"
      points={points}
      at={toX(confidence)}
    />
  )
}

/** How it fades since its last use, with now and the line below which it is archived. */
export function FadingCurve(fading: Fading) {
  const { points, now, span } = fadingCurve(fading)
  const scaled = points.map(({ x, y }) => ({ x: toX(x / span), y: toY(y) }))
  return (
    <Curve
      label={`Freshness over hours of use, now at ${percent(fading.freshness)} percent`}
      colour="var(--data-2)"
      points={scaled}
      at={toX(now / span)}
      line={fading.archivedAfterHours === undefined ? undefined : toY(fading.archiveFloor)}
    />
  )
}

interface CurveProps {
  readonly label: string
  readonly colour: string
  readonly points: readonly { readonly x: number; readonly y: number }[]
  /** Where we are. */
  readonly at: number
  /** A height that matters. */
  readonly line?: number | undefined
}

function Curve({ label, colour, points, at, line }: CurveProps) {
  const { width, height } = SIZE
  return (
    <svg
      class="curve"
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      <path d={areaPath(points, height)} fill={colour} opacity="0.14" />
      {line !== undefined && (
        <line
          x1="0"
          x2={width}
          y1={line}
          y2={line}
          stroke="var(--data-5)"
          stroke-dasharray="3 3"
          vector-effect="non-scaling-stroke"
        />
      )}
      <path
        d={linePath(points)}
        fill="none"
        stroke={colour}
        stroke-width="2"
        vector-effect="non-scaling-stroke"
      />
      <line x1={at} x2={at} y1="0" y2={height} stroke="var(--ink3)" vector-effect="non-scaling-stroke" />
    </svg>
  )
}
