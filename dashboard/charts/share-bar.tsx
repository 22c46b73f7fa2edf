import type { Query } from '../address.ts'
import { number } from '../format.ts'
import { Link } from '../router.tsx'
import { shown } from '../shown.ts'

/** A part of a whole. */
export interface Share {
  readonly key: string
  readonly words: string
  readonly value: number
  readonly colour: string
  readonly query: Query
}

interface ShareBarProps {
  readonly label: string
  readonly shares: readonly Share[]
  /** The screen that the legend leads to. */
  readonly to: string
}

/** The least of a bar that can be seen, as a share. */
const LEAST = 0.008

/** Parts of a whole as a bar, with a legend that leads to each. */
export function ShareBar({ label, shares, to }: ShareBarProps) {
  const all = Math.max(
    1,
    shares.reduce((sum, { value }) => sum + value, 0),
  )
  if (shares.length === 0) return <p class="quiet-text small">Nothing is active yet.</p>
  const sentence = shares.map(({ words, value }) => `${words} ${number(value)}`).join(', ')
  return (
    <div class="column">
      <div class="share-bar" role="img" aria-label={`${label}: ${sentence}`}>
        {shares.map(({ key, value, colour }) => (
          <i key={key} style={{ flexGrow: Math.max(value / all, LEAST), background: colour }} />
        ))}
      </div>
      <ul class="legend">
        {shares.map(({ key, words, value, colour, query }) => (
          <li key={key}>
            <Link class="plain-link" to={to} query={query}>
              <i class="swatch" style={{ background: colour }} />
              {shown(words)} <b class="number">{number(value)}</b>
            </Link>
          </li>
        ))}
      </ul>
    </div>
  )
}
