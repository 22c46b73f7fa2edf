import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ChangedBlock } from '../../../src/operations/methods.generated.ts'
import type { Query } from '../../address.ts'
import type { Output } from '../../api.ts'
import { dates, number, relationWords, shortId } from '../../format.ts'
import { useOperation } from '../../load.ts'
import { withShortIds } from '../../page-words.ts'
import { Button } from '../../parts/button.tsx'
import { When, Words } from '../../parts/chip.tsx'
import { Empty, Pending } from '../../parts/states.tsx'
import { openBlock, setQuery } from '../../router.tsx'
import { shown } from '../../shown.ts'
import { beginning, dayAfter, mondayOf } from './days.ts'

type Difference = Output<'diff'>

/** Blocks of each kind that are asked for. */
const EACH = 100
/** Blocks of each kind that are shown until somebody asks for more. */
const FEW = 10

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
  if (to <= from)
    return (
      <Empty icon="clock" title="The second day is before the first">
        Choose a second day that is not before the first.
      </Empty>
    )
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
  const kinds = [...KINDS, ['connected', 'Joined'], ['others', 'Besides']] as const
  const filled = kinds.filter(([kind]) => found[kind].length > 0)
  if (filled.length === 0)
    return (
      <Empty icon="clock" title="Nothing changed">
        Nothing was learned, corrected, forgotten or joined between these days.
      </Empty>
    )
  const kindOf = (kind: string, title: string) => ({ kind, title, isCut: cut.includes(kind) })
  return (
    <>
      <nav class="second row wrap" aria-label="What changed">
        {filled.map(([kind, title]) => (
          <button key={kind} type="button" class="link" onClick={() => leadTo(kind)}>
            {countWords(found[kind].length, cut.includes(kind))} {title.toLowerCase()}
          </button>
        ))}
      </nav>
      {KINDS.map(([kind, title]) => (
        <Kind
          key={kind}
          {...kindOf(kind, title)}
          all={found[kind]}
          row={(block) => <BlockLine key={block.id} block={block} />}
        />
      ))}
      <Kind {...kindOf('connected', 'Joined')} all={connected} row={joinedLine} />
      <Kind {...kindOf('others', 'Besides')} all={others} row={otherLine} />
      {logSince && (
        <p class="small quiet-text">
          What was corrected, joined, reported and brought back is known from <When at={logSince} /> on.
        </p>
      )}
    </>
  )
}

const idOf = (kind: string) => `between-${kind}`

function leadTo(kind: string): void {
  const heading = document.getElementById(idOf(kind))
  heading?.scrollIntoView({ block: 'start' })
  heading?.focus({ preventScroll: true })
}

const countWords = (count: number, isCut: boolean) => `${number(count)}${isCut ? ' and more' : ''}`

function BlockLine({ block }: { readonly block: ChangedBlock }) {
  return (
    <li>
      <button type="button" class="line" onClick={() => openBlock(block.id)}>
        <Words class="main clip" text={block.preview} />
        {block.by && <span class="small quiet-text">by {shortId(block.by)}</span>}
        {block.reason && <span class="small quiet-text">{block.reason}</span>}
        <span class="small quiet-text">
          <When at={block.at} />
        </span>
      </button>
    </li>
  )
}

function joinedLine(edge: Difference['connected'][number]) {
  return (
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
  )
}

function otherLine(entry: Difference['others'][number]) {
  return (
    <li key={entry.id}>
      <button type="button" class="line" onClick={() => setQuery({ entry: String(entry.id) }, 'push')}>
        <Words class="main clip" text={withShortIds(entry.summary)} />
        <span class="small quiet-text">
          <When at={entry.at} />
        </span>
      </button>
    </li>
  )
}

interface KindProps<T> {
  readonly kind: string
  readonly title: string
  readonly isCut: boolean
  readonly all: readonly T[]
  readonly row: (each: T) => ComponentChildren
}

/** The first of a kind, and all of them when somebody asks: no kind hides those below it. */
function Kind<T>({ kind, title, isCut, all, row }: KindProps<T>) {
  const [isWhole, setWhole] = useState(false)
  if (all.length === 0) return null
  const left = all.length - FEW
  return (
    <section class="card">
      <div class="card-head">
        <h2 id={idOf(kind)} tabIndex={-1}>
          {title}
        </h2>
        <span class="end small quiet-text number">{countWords(all.length, isCut)}</span>
      </div>
      <ul class="lines card-body">{(isWhole ? all : all.slice(0, FEW)).map(row)}</ul>
      {left > 0 && (
        <div class="card-body between-more">
          <Button size="small" onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
            {isWhole ? `Show ${FEW}` : `Show ${number(left)} more`}
          </Button>
          {isWhole && isCut && <span class="small quiet-text"> There are more: choose fewer days.</span>}
        </div>
      )}
    </section>
  )
}
