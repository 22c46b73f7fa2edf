import type { ComponentChildren } from 'preact'
import type { Query } from '../../address.ts'
import type { Output } from '../../api.ts'
import { dates, number, relationWords, shortId, withShortIds } from '../../format.ts'
import { useOperation } from '../../load.ts'
import { Button } from '../../parts/button.tsx'
import { When, Words } from '../../parts/chip.tsx'
import { Empty, Pending } from '../../parts/states.tsx'
import { openBlock, setQuery } from '../../router.tsx'
import { shown } from '../../shown.ts'
import { beginning, dayAfter, mondayOf } from './days.ts'

type Difference = Output<'diff'>

/** Blocks of each kind that are named. */
const EACH = 100

const KINDS = [
  ['learned', 'Learned'],
  ['superseded', 'Replaced'],
  ['ended', 'Ended'],
  ['edited', 'Corrected'],
  ['forgotten', 'Forgotten or faded'],
  ['reported', 'Reported on'],
  ['restored', 'Brought back'],
] as const

/** What changed between two days, both of them counted. */
export function Between({ query }: { readonly query: Query }) {
  const today = dates.key(Date.now())
  const from = query.from ?? dayAfter(today, -6)
  const to = query.to ?? today
  const choose = (first: string) => setQuery({ from: first, to: undefined })
  return (
    <>
      <div class="row wrap">
        <label class="row small second">
          From
          <input
            class="field"
            type="date"
            value={from}
            onChange={(event) => setQuery({ from: event.currentTarget.value })}
          />
        </label>
        <label class="row small second">
          to
          <input
            class="field"
            type="date"
            value={to}
            onChange={(event) => setQuery({ to: event.currentTarget.value })}
          />
        </label>
        <Button size="small" onClick={() => choose(mondayOf(today))}>
          Since Monday
        </Button>
        <Button size="small" onClick={() => choose(dayAfter(today, -6))}>
          7 days
        </Button>
        <Button size="small" onClick={() => choose(dayAfter(today, -29))}>
          30 days
        </Button>
      </div>
      <Differences from={beginning(from)} to={beginning(dayAfter(to, 1))} />
    </>
  )
}

function Differences({ from, to }: { readonly from: string | undefined; readonly to: string | undefined }) {
  if (from === undefined || to === undefined) return <Empty icon="clock" title="Choose two days" />
  return <Found from={from} to={to} />
}

function Found({ from, to }: { readonly from: string; readonly to: string }) {
  const loaded = useOperation('diff', { from, to, limit: EACH })
  return (
    <Pending loaded={loaded} lines={8}>
      {(found) => <Lists found={found} />}
    </Pending>
  )
}

function Lists({ found }: { readonly found: Difference }) {
  const { connected, others, cut = [], logSince } = found
  const filled = KINDS.filter(([kind]) => found[kind].length > 0)
  if (filled.length + connected.length + others.length === 0)
    return (
      <Empty icon="clock" title="Nothing changed">
        Nothing was learned, corrected, forgotten or joined between these days.
      </Empty>
    )
  const counts = filled.map(([kind, title]) => `${number(found[kind].length)} ${title.toLowerCase()}`)
  return (
    <>
      <p class="second">
        {[...counts, ...(connected.length > 0 ? [`${number(connected.length)} joined`] : [])].join(' · ')}
      </p>
      {filled.map(([kind, title]) => (
        <Kind key={kind} title={title} count={found[kind].length} isCut={cut.includes(kind)}>
          {found[kind].map((block) => (
            <li key={block.id}>
              <button type="button" class="line" onClick={() => openBlock(block.id)}>
                <Words class="main clip" text={block.preview} />
                {block.by && <span class="small quiet-text">by {shortId(block.by)}</span>}
                {block.reason && <span class="small quiet-text">{block.reason}</span>}
                <span class="small quiet-text">
                  <When at={block.at} />
                </span>
              </button>
            </li>
          ))}
        </Kind>
      ))}
      {connected.length > 0 && (
        <Kind title="Joined" count={connected.length} isCut={cut.includes('connected')}>
          {connected.map((edge) => (
            <li key={`${edge.from}${edge.to}`}>
              <button type="button" class="line" onClick={() => openBlock(edge.from)}>
                <span class="main">
                  <span class="mono">{shortId(edge.from)}</span> {shown(relationWords(edge.relation))}{' '}
                  <span class="mono">{shortId(edge.to)}</span>
                </span>
                <span class="small quiet-text">
                  <When at={edge.at} />
                </span>
              </button>
            </li>
          ))}
        </Kind>
      )}
      {others.length > 0 && (
        <Kind title="Besides" count={others.length} isCut={cut.includes('others')}>
          {others.map((entry) => (
            <li key={entry.id}>
              <button
                type="button"
                class="line"
                onClick={() => setQuery({ entry: String(entry.id) }, 'push')}
              >
                <Words class="main clip" text={withShortIds(entry.summary)} />
                <span class="small quiet-text">
                  <When at={entry.at} />
                </span>
              </button>
            </li>
          ))}
        </Kind>
      )}
      {logSince && (
        <p class="small quiet-text">
          What was corrected, joined, reported and brought back is known from <When at={logSince} /> on.
        </p>
      )}
    </>
  )
}

interface KindProps {
  readonly title: string
  readonly count: number
  readonly isCut: boolean
  readonly children: ComponentChildren
}

function Kind({ title, count, isCut, children }: KindProps) {
  return (
    <section class="card">
      <div class="card-head">
        <h2>{title}</h2>
        <span class="end small quiet-text number">
          {number(count)}
          {isCut && ' and more'}
        </span>
      </div>
      <ul class="lines card-body">{children}</ul>
    </section>
  )
}
