import type { ScoreExplanation } from '../../../src/operations/methods.generated.ts'
import { namedPart, namedTerm, signed, summing, termBar } from './rules/terms.ts'

type Terms = ScoreExplanation['terms']

/** The colours of the terms. */
export function Legend({ names }: { readonly names: readonly string[] }) {
  if (names.length === 0) return null
  return (
    <ul class="terms-legend small second">
      {names.map((name) => {
        const { label, colour, told } = namedTerm(name)
        return (
          <li key={name} title={told}>
            <i class="swatch" style={{ background: `var(--data-${colour})` }} />
            {label}
          </li>
        )
      })}
    </ul>
  )
}

/** The terms of a score on the scale of all candidates; what was taken away lies hatched over their end. */
export function Bar({ terms, scale }: { readonly terms: Terms; readonly scale: number }) {
  const { parts, taken } = termBar(terms, scale)
  const share = (of: number) => `${(of * 100).toFixed(2)}%`
  return (
    <span class="term-bar" aria-hidden="true">
      {parts.map(({ name, colour, from, width }) => (
        <i
          key={name}
          style={{ left: share(from), width: share(width), background: `var(--data-${colour})` }}
        />
      ))}
      {taken && <i class="taken" style={{ left: share(taken.from), width: share(taken.width) }} />}
    </span>
  )
}

/** A number with the sign that is as wide as a digit. */
function minus(number: string): string {
  return number.replace('-', '−')
}

interface ExplainedProps {
  readonly explanation: ScoreExplanation
  readonly score: number
}

/** The terms to four digits, which sum to the score, and the parts of the match. */
export function Explained({ explanation: { terms, match }, score }: ExplainedProps) {
  const amounts = summing(terms, score)
  const parts = Object.entries(match ?? {}).filter(([, value]) => value !== 0)
  return (
    <div class="explanation number">
      <table class="terms-table">
        <caption class="unseen">What the score is made of</caption>
        <tbody>
          {terms.map(({ name, value }, at) => {
            const { label, told, colour } = namedTerm(name)
            return (
              <tr key={name}>
                <th scope="row" title={told}>
                  <i class="swatch" style={{ background: `var(--data-${colour})` }} />
                  {label}
                </th>
                <td class="quiet-text">{minus(value.toFixed(3))}</td>
                <td>{signed(amounts[at] ?? 0)}</td>
              </tr>
            )
          })}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">score</th>
            <td />
            <td>{score.toFixed(4)}</td>
          </tr>
        </tfoot>
      </table>
      {parts.length > 0 && (
        <table class="terms-table parts">
          <caption class="unseen">What the match is made of</caption>
          <tbody>
            {parts.map(([name, value]) => (
              <tr key={name}>
                <th scope="row">{namedPart(name)}</th>
                <td>{value.toFixed(4)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  )
}
