/** A part of a bar, with the number of its colour. */
export type BarPart = readonly [value: number, colour: number, words: string]

interface BarsProps {
  /** A sentence that says what is to be seen. */
  readonly label: string
  /** Bars with the parts that lie on each other. */
  readonly bars: readonly { readonly name: string; readonly parts: readonly BarPart[] }[]
}

/** Small bars side by side, the highest as high as there is room; their words show where the pointer rests. */
export function Bars({ label, bars }: BarsProps) {
  const sums = bars.map(({ parts }) => parts.reduce((sum, [value]) => sum + value, 0))
  const most = Math.max(...sums) || 1
  return (
    <div class="bars" role="img" aria-label={label}>
      {bars.map(({ name, parts }) => (
        <span key={name} title={`${name}: ${parts.map(([, , words]) => words).join(', ')}`}>
          {parts.map(([value, colour]) => (
            <i
              key={colour}
              style={{ height: `${(100 * value) / most}%`, background: `var(--data-${colour})` }}
            />
          ))}
        </span>
      ))}
    </div>
  )
}
