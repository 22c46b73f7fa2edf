import '../../styles/said.css'
import './review.css'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Decision } from '../../../src/operations/methods.generated.ts'
import type { Query } from '../../address.ts'
import { mayChange } from '../../change.ts'
import { number } from '../../format.ts'
import { Segmented } from '../../parts/button.tsx'
import { useKeys } from '../../parts/keys.ts'
import { Scrolls } from '../../parts/scrolls.tsx'
import { Empty, Failure, Skeleton } from '../../parts/states.tsx'
import { Link, setQuery } from '../../router.tsx'
import { AlikeDialog } from './alike-dialog.tsx'
import { Card } from './card.tsx'
import { type Chosen, decide } from './decide.ts'
import { ChoiceDialog, needsDialog } from './dialogs.tsx'
import { useHeld } from './held.ts'
import { KIND_NAMES, KINDS, type Kind, kindIn, needsPerson } from './kinds.ts'
import { Next } from './next.tsx'
import { type Pages, usePages } from './pages.ts'

/** Decisions before the end of those loaded at which more are loaded. */
const LOAD_BEFORE = 3

/** What waits for a person, one card at a time. */
export function Screen({ query }: { readonly query: Query }) {
  const kind = kindIn(query.kind)
  const pages = usePages(kind)
  const list = pages.data?.decisions ?? []
  return (
    <div class="sheet">
      <Head counts={pages.counts} kind={kind} />
      {pages.failure && <Failure why={pages.failure} again={pages.again} />}
      {pages.data === undefined && pages.isLoading && (
        <section class="card card-body">
          <Skeleton lines={8} />
        </section>
      )}
      {pages.data && <Queue key={kind ?? 'all'} {...{ query, pages, list }} />}
    </div>
  )
}

interface HeadProps {
  readonly counts: Readonly<Record<string, number>> | undefined
  readonly kind: Kind | undefined
}

function Head({ counts, kind }: HeadProps) {
  const of = (each: Kind) => counts?.[each] ?? 0
  const total = KIND_NAMES.filter(needsPerson).reduce((sum, each) => sum + of(each), 0)
  const kinds = KIND_NAMES.filter((each) => of(each) > 0 || each === kind)
  const named = (each: Kind) => `${of(each) === 1 ? KINDS[each].one : KINDS[each].many} ${number(of(each))}`
  return (
    <>
      <div class="row wrap between">
        <h1>Review</h1>
        {mayChange.value && (
          <span class="row small quiet-text only-wide" aria-hidden="true">
            <kbd class="key">J</kbd> <kbd class="key">K</kbd> later, back
          </span>
        )}
      </div>
      <Scrolls chosen={kind ?? 'all'}>
        <Segmented
          label="What to review"
          value={kind ?? 'all'}
          options={[
            ['all', counts === undefined ? 'Decisions' : `Decisions ${number(total)}`],
            ...kinds.map((each) => [each, named(each)] as const),
          ]}
          onChange={(each) => setQuery({ kind: each === 'all' ? undefined : each, at: undefined }, 'push')}
        />
      </Scrolls>
    </>
  )
}

interface QueueProps {
  readonly query: Query
  readonly pages: Pages
  readonly list: readonly Decision[]
}

/** How a dialog is open: for one choice, or for all that are alike. */
type Open = { readonly choice: string } | 'alike'

function Queue({ query, pages, list }: QueueProps) {
  const held = useHeld(list, query.at)
  const { decision, isGone, hasChanged } = held
  const [open, setOpen] = useState<Open>()
  const [isBusy, setBusy] = useState(false)
  // A key that comes before the next card is drawn is not about that card.
  const decided = useRef<string>(undefined)
  useEffect(() => {
    decided.current = undefined
  }, [decision?.id])
  const step = (by: 1 | -1) => {
    held.step(by)
    if (by === 1 && held.place >= list.length - LOAD_BEFORE) pages.more()
  }
  const settle = async (chosen: Chosen) => {
    if (decision === undefined || decided.current === decision.id) return
    decided.current = decision.id
    setBusy(true)
    const isDone = await decide(decision, chosen)
    setBusy(false)
    if (!isDone) {
      decided.current = undefined
      return pages.again()
    }
    setOpen(undefined)
    held.settled([decision.id])
  }
  const choose = (name: string) => {
    const choice = decision?.choices.find((each) => each.choice === name || each.key === name)
    if (decision === undefined || choice === undefined || !mayChange.value || isGone || hasChanged) return
    if (needsDialog(decision, choice)) setOpen({ choice: choice.choice })
    else void settle({ choice: choice.choice })
  }
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ...Object.fromEntries(
      (decision?.choices ?? []).map(({ key }) => [
        key,
        (event: KeyboardEvent) => !event.repeat && choose(key),
      ]),
    ),
  })
  if (decision === undefined) return <Nothing others={pages.waiting} />
  return (
    <>
      <Card
        {...{ decision, isBusy, isGone, hasChanged, choose, step, list }}
        place={held.place}
        total={pages.totalOf(list.length)}
        onAlike={() => setOpen('alike')}
        onShow={() => held.show(held.place)}
      />
      <Next list={list} place={held.place} onShow={held.show} more={pages.hasMore ? pages.more : undefined} />
      <Dialogs
        {...{ decision, list, open, isBusy }}
        onClose={() => setOpen(undefined)}
        onChosen={(chosen) => void settle(chosen)}
        onAll={(ids) => {
          setOpen(undefined)
          held.settled(ids)
        }}
      />
    </>
  )
}

interface DialogsProps {
  readonly decision: Decision
  readonly list: readonly Decision[]
  readonly open: Open | undefined
  readonly isBusy: boolean
  readonly onClose: () => void
  readonly onChosen: (chosen: Chosen) => void
  readonly onAll: (ids: readonly string[]) => void
}

function Dialogs({ decision, list, open, isBusy, onClose, onChosen, onAll }: DialogsProps) {
  if (open === undefined) return null
  if (open === 'alike') return <AlikeDialog {...{ decision, list, onClose }} onDone={onAll} />
  const choice = decision.choices.find((each) => each.choice === open.choice)
  if (choice === undefined) return null
  return (
    <ChoiceDialog
      {...{ decision, choice, isBusy, onClose }}
      onDone={(words) => onChosen({ choice: choice.choice, ...words })}
    />
  )
}

function Nothing({ others }: { readonly others: number }) {
  return (
    <section class="card">
      <Empty icon="check" title={others > 0 ? 'Nothing of this kind' : 'Nothing to decide'}>
        {others > 0 ? (
          <Link class="link" to="review">
            {others === 1 ? 'One other decision waits' : `${number(others)} other decisions wait`}
          </Link>
        ) : (
          'When words contradict each other, when one wants another’s place, or when an agent asks for a change, you decide here. Until then recall goes on by its rules.'
        )}
      </Empty>
    </section>
  )
}
