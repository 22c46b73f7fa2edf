import './health.css'
import { useMemo } from 'preact/hooks'
import type { Output } from '../../api.ts'
import { mayChange } from '../../change.ts'
import { number } from '../../format.ts'
import { useOperation } from '../../load.ts'
import { Icon } from '../../parts/icon.tsx'
import { LongCall } from '../../parts/long-call.tsx'
import { Pending } from '../../parts/states.tsx'
import { Link } from '../../router.tsx'
import { Decisions } from './decisions.tsx'
import { Growth } from './growth.tsx'
import { LastDream } from './last-dream.tsx'
import { sentenceOf } from './sentence.ts'
import { Shares, useSpread } from './shares.tsx'
import { FadingNext, Misled, Proved, useStanding } from './standings.tsx'
import { Weeks } from './weeks.tsx'

/** The status of a memory, with a year of days. */
export type Status = Output<'status'>

/** Days that the growth and the calendar cover. */
const DAYS = 366

/** The dialog says this about `curate` before it runs. */
const TIDYING =
  'It archives blocks that faded for want of use, and drops weak edges that nobody used. It decides nothing that waits for you. Restore brings a block back.'

/** How the memory is, in one sentence, five numbers and what lies behind them. */
export function Screen() {
  const loaded = useOperation('status', { days: DAYS })
  // All is asked for at once: one answer after the other would be as many times to wait.
  const lists = {
    ...{ proved: useStanding('proved'), misled: useStanding('doubted'), fading: useStanding('fading') },
    spread: useSpread(),
  }
  return (
    <div class="sheet">
      <Pending loaded={loaded} lines={12}>
        {(status) => <Known status={status} lists={lists} />}
      </Pending>
    </div>
  )
}

interface KnownProps {
  readonly status: Status
  readonly lists: Readonly<Record<'proved' | 'misled' | 'fading', ReturnType<typeof useStanding>>> & {
    readonly spread: ReturnType<typeof useSpread>
  }
}

function Known({ status, lists: { proved, misled, fading, spread } }: KnownProps) {
  // Hundreds of squares, which are the same however often a list comes.
  const growth = useMemo(() => <Growth status={status} />, [status])
  return (
    <>
      <Head status={status} />
      <Numbers status={status} />
      <div class="grid">
        <div class="span-8 column wide-gap">
          {growth}
          <Weeks weeks={status.weeks ?? []} />
          {status.lastDream && <LastDream dream={status.lastDream} />}
          <div class="health-pair">
            <Proved loaded={proved} />
            <Misled loaded={misled} />
          </div>
        </div>
        <div class="span-4 column wide-gap">
          <Decisions status={status} />
          <Shares status={status} loaded={spread} />
          <FadingNext loaded={fading} />
        </div>
      </div>
    </>
  )
}

function Head({ status }: { readonly status: Status }) {
  const { tone, title, text } = sentenceOf(status)
  const waits = status.decisionsWaiting > 0
  return (
    <section class="card health-head">
      <span class={`health-sign badge ${tone}`}>
        <Icon name={tone === 'good' ? 'check' : 'alert'} size={22} />
      </span>
      <div class="grow">
        <h1>{title}</h1>
        <p class="second">{text}</p>
      </div>
      <div class="row wrap">
        {waits && (
          <Link class="button primary" to="review">
            Review
          </Link>
        )}
        {mayChange.value && <Acts status={status} isFirst={!waits} />}
      </div>
    </section>
  )
}

/** Shows the buttons of a dream and a curation; a dream has colour only if nothing else calls for the owner. */
function Acts({ status, isFirst }: { readonly status: Status; readonly isFirst: boolean }) {
  return (
    <>
      {status.inboxCount > 0 && (
        <LongCall
          name="dream"
          input={{}}
          words="Dream now"
          running="Dreaming"
          icon="dream"
          {...(status.shouldDream && isFirst ? { tone: 'primary' as const } : {})}
        />
      )}
      <LongCall name="curate" input={{}} words="Tidy up" running="Tidying up" asks={TIDYING} />
    </>
  )
}

function Numbers({ status }: { readonly status: Status }) {
  const { activeCount, inboxCount, archivedCount, decisionsWaiting, effectiveThreshold, graph } = status
  return (
    <section class="card health-numbers" aria-label="Five numbers">
      <Link class="health-number" to="memory">
        <Figure value={activeCount} />
        <span>active blocks</span>
      </Link>
      <Link class="health-number" to="memory" query={{ status: 'inbox' }}>
        <Figure value={inboxCount} />
        <span>wait for a dream{inboxCount > 0 && `, due at ${number(effectiveThreshold)}`}</span>
      </Link>
      <Link class="health-number" to="graph">
        <Figure value={graph.edges} />
        <span>edges, {number(graph.isolated)} blocks without</span>
      </Link>
      <Link class={decisionsWaiting > 0 ? 'health-number waits' : 'health-number'} to="review">
        <Figure value={decisionsWaiting} />
        <span>decisions for you</span>
      </Link>
      <Link class="health-number" to="memory" query={{ status: 'archived' }}>
        <Figure value={archivedCount} />
        <span>archived</span>
      </Link>
    </section>
  )
}

/** A number that keeps to its tile, whatever its length. */
function Figure({ value }: { readonly value: number }) {
  const text = number(value)
  return <b style={{ '--letters': text.length }}>{text}</b>
}
