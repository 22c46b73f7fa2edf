import { change, mayChange } from '../../change.ts'
import { shortId } from '../../format.ts'
import { Button } from '../../parts/button.tsx'
import { openBlock } from '../../router.tsx'
import type { Asked } from './rules/asked.ts'
import { type Placed, type Room, reasonOf, underWords, type Way, waysTo } from './rules/reasons.ts'

interface WaysProps {
  readonly placed: Placed
  readonly room: Room
  readonly ask: (change: Partial<Asked>) => void
  readonly again: () => void
}

/** Shows why a block is no entry, and what would bring it. */
export function Ways({ placed, room, ask, again }: WaysProps) {
  const reason = reasonOf(placed, room)
  const under = underWords(placed)
  const ways = waysTo(placed).filter((way) => !('run' in way) || mayChange.value)
  return (
    <div class="ways small">
      <p>
        <b>{reason && `${capital(reason.words)}.`}</b>
        {under && placed.under && (
          <>
            {' '}
            {capital(under)}{' '}
            <button type="button" class="link" onClick={() => openBlock(placed.under?.id ?? '')}>
              {shortId(placed.under.id)}
            </button>
            .
          </>
        )}
      </p>
      {placed.filters && <p class="second">It does not meet: {placed.filters.join('; ')}.</p>}
      {ways.length > 0 && (
        <div class="row wrap">
          <span class="quiet-text">To bring it:</span>
          {ways.map((way) => (
            <Button key={way.label} size="small" onClick={() => void take(way, { placed, ask, again })}>
              {way.label}
            </Button>
          ))}
        </div>
      )}
    </div>
  )
}

async function take(way: Way, { placed, ask, again }: Omit<WaysProps, 'room'>): Promise<void> {
  if ('ask' in way) return ask(way.ask)
  if ('open' in way) return openBlock(way.open)
  const done = await run(way, placed.id)
  if (done) again()
}

async function run(
  { run: what, other = '' }: Way & { readonly run: string; readonly other?: string },
  id: string,
) {
  if (what === 'restore') return (await change('restore', { blockId: id })).ok
  if (what === 'dream') return (await change('dream', {})).ok
  return (await change('resolve', { a: id, b: other, keep: 'both' })).ok
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
