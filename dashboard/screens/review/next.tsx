import type { Decision } from '../../../src/operations/methods.generated.ts'
import { Button } from '../../parts/button.tsx'
import { Chip, Words } from '../../parts/chip.tsx'
import { KINDS } from './kinds.ts'

/** Decisions named below the card. */
const NAMED = 6

interface NextProps {
  readonly list: readonly Decision[]
  readonly place: number
  readonly onShow: (place: number) => void
  readonly more: (() => void) | undefined
}

/** What comes after the card. */
export function Next({ list, place, onShow, more }: NextProps) {
  const next = list.map((decision, at) => ({ decision, at })).slice(place + 1, place + 1 + NAMED)
  if (next.length === 0) return null
  const left = list.length - place - 1 - next.length
  return (
    <section class="card" aria-labelledby="next">
      <div class="card-head">
        <h2 id="next">Next</h2>
      </div>
      <ul class="card-body lines">
        {next.map(({ decision, at }) => (
          <li key={decision.id}>
            <button type="button" class="line" onClick={() => onShow(at)}>
              <KindChip decision={decision} />
              <Words class="main clip" text={wordsOf(decision)} />
            </button>
          </li>
        ))}
      </ul>
      {(left > 0 || more) && (
        <p class="next-left row small quiet-text">
          {left > 0 && `and ${left} more`}
          {more && (
            <Button size="small" onClick={more}>
              Load more
            </Button>
          )}
        </p>
      )}
    </section>
  )
}

function KindChip({ decision: { kind } }: { readonly decision: Decision }) {
  const { one, tone } = KINDS[kind]
  return <Chip tone={tone === 'plain' ? undefined : tone}>{one}</Chip>
}

/** The words that a decision is about, in short. */
export function wordsOf({ change, second, first, sentence }: Decision): string {
  return change?.field === 'content' ? change.after : ((second ?? first)?.content ?? sentence)
}
