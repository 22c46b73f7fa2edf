interface Bar {
  readonly key: string
  /** What is read where the pointer rests. */
  readonly words: string
  /** Parts that lie on each other, each with the number of its colour. */
  readonly parts: readonly (readonly [value: number, colour: number, words: string])[]
}

interface BarsProps {
  /** A sentence that says what is to be seen. */
  readonly label: string
  readonly bars: readonly Bar[]
}

/** Small bars side by side, the highest as high as there is room. */
export function Bars({ label, bars }: BarsProps) {
  const sums = bars.map(({ parts }) => parts.reduce((sum, [value]) => sum + value, 0))
  const most = Math.max(...sums) || 1
  return (
    <div class="bars" role="img" aria-label={label}>
      {bars.map(({ key, words, parts }) => (
        <span key={key} title={words}>
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
