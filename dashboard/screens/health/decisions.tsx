import { useContext } from 'preact/hooks'
import type { Query } from '../../address.ts'
import { number } from '../../format.ts'
import type { Tone } from '../../parts/chip.tsx'
import { Icon, type IconName } from '../../parts/icon.tsx'
import { Link } from '../../router.tsx'
import { Waiting } from '../../waiting.ts'
import type { Status } from './screen.tsx'

interface Kind {
  readonly key: string
  readonly icon: IconName
  readonly tone?: Tone
  readonly one: string
  readonly many: string
}

const KINDS: readonly Kind[] = [
  { key: 'proposal', icon: 'shield', tone: 'warn', one: 'proposal of an agent', many: 'proposals of agents' },
  { key: 'contradiction', icon: 'alert', tone: 'bad', one: 'contradiction', many: 'contradictions' },
  {
    ...{ key: 'supersession', icon: 'right', tone: 'warn' },
    one: 'newer word that wants an older’s place',
    many: 'newer words that want an older’s place',
  },
  { key: 'near_duplicate', icon: 'document', tone: 'warn', one: 'near duplicate', many: 'near duplicates' },
  {
    ...{ key: 'outdated', icon: 'clock', tone: 'warn' },
    one: 'block that rests on what holds no more',
    many: 'blocks that rest on what holds no more',
  },
  {
    key: 'prediction',
    icon: 'clock',
    tone: 'warn',
    one: 'prediction past its day',
    many: 'predictions past their day',
  },
  {
    key: 'perhaps_newer',
    icon: 'right',
    one: 'note that is perhaps newer',
    many: 'notes that are perhaps newer',
  },
]

/** What waits for a person, kind by kind. */
export function Decisions({ status }: { readonly status: Status }) {
  const { counts } = useContext(Waiting)
  const waiting = KINDS.filter(({ key }) => (counts?.[key] ?? 0) > 0)
  return (
    <section class="card">
      <div class="card-head">
        <h2>Decisions for you</h2>
        {status.decisionsWaiting > 0 && (
          <Link class="link small end" to="review">
            Review
          </Link>
        )}
      </div>
      <div class="card-body">
        {waiting.length + status.inboxCount === 0 && <p class="quiet-text">Nothing waits for you.</p>}
        <ul class="lines">
          {waiting.map(({ key, icon, tone, one, many }) => (
            <Line
              key={key}
              {...{ icon, tone }}
              count={counts?.[key] ?? 0}
              words={counts?.[key] === 1 ? one : many}
              to="review"
              query={{ kind: key }}
            />
          ))}
          {status.inboxCount > 0 && (
            <Line
              icon="inbox"
              tone="info"
              count={status.inboxCount}
              words={status.inboxCount === 1 ? 'waits for a dream' : 'wait for a dream'}
              to="memory"
              query={{ status: 'inbox' }}
            />
          )}
        </ul>
      </div>
    </section>
  )
}

interface LineProps {
  readonly icon: IconName
  readonly tone?: Tone | undefined
  readonly count: number
  readonly words: string
  readonly to: string
  readonly query: Query
}

function Line({ icon, tone, count, words, to, query }: LineProps) {
  return (
    <li>
      <Link class="line" to={to} query={query}>
        <span class={tone === undefined ? 'badge' : `badge ${tone}`}>
          <Icon name={icon} size={14} />
        </span>
        <span class="main">
          <b class="number">{number(count)}</b> {words}
        </span>
        <Icon name="right" />
      </Link>
    </li>
  )
}
