import './memory.css'
import { useRef, useState } from 'preact/hooks'
import type { Query } from '../../address.ts'
import { mayChange, mayErase } from '../../change.ts'
import { EraseDialog } from '../../erase/erase-dialog.tsx'
import { statusWords } from '../../format.ts'
import { Icon } from '../../parts/icon.tsx'
import { isFocusIn, useKeys } from '../../parts/keys.ts'
import { Empty, Failure, Skeleton } from '../../parts/states.tsx'
import { VirtualList } from '../../parts/virtual-list.tsx'
import { Link, place, setQuery } from '../../router.tsx'
import { shown } from '../../shown.ts'
import { filtersOf, setFilters } from './asked.ts'
import { FilterBar } from './filter-bar.tsx'
import { MemoryHead, MemoryRow } from './memory-row.tsx'
import { type Rows, useRows } from './rows.ts'

/** Pixels of a row: two lines of words. */
const ROW = 66

/** All blocks that fit, each a row. J and K walk, Enter opens, E corrects. */
export function Screen({ query }: { readonly query: Query }) {
  const filters = filtersOf(query)
  const rows = useRows(filters)
  const [cursor, setCursor] = useWalk(rows, query)
  const { total, failure } = rows
  return (
    <>
      <h1 class="unseen">Memory</h1>
      <FilterBar query={query} />
      <FilterChips query={query} />
      {mayErase.value && query.act === 'erase' && query.block === undefined && (
        <EraseDialog words={query.words ?? ''} onClose={endErasing} onErased={endErasing} />
      )}
      {failure && (
        <div class="memory-failure">
          <Failure why={failure} again={rows.again} />
        </div>
      )}
      {total === undefined && !failure && (
        <div class="memory-failure">
          <Skeleton lines={9} />
        </div>
      )}
      {total === 0 && <Nothing query={query} />}
      {total !== undefined && total > 0 && (
        <>
          <MemoryHead total={total} status={statusWords(filters.status ?? 'active')} />
          <VirtualList
            of={rows.key}
            label="Blocks"
            total={total}
            row={ROW}
            chosen={cursor}
            onWindow={rows.want}
            onChoose={(index) => {
              setCursor(index)
              const row = rows.at(index)
              if (row) setQuery({ block: row.id }, query.block === undefined ? 'push' : 'replace')
            }}
          >
            {(index) => <MemoryRow row={rows.at(index)} />}
          </VirtualList>
        </>
      )}
    </>
  )
}

const endErasing = () => setQuery({ act: undefined })

/** The row one stands on; an open drawer goes along. */
function useWalk(rows: Rows, query: Query): readonly [number, (index: number) => void] {
  const [walked, setWalked] = useState({ key: rows.key, at: -1 })
  const opened = query.block === undefined ? -1 : rows.indexOf(query.block)
  const cursor = opened >= 0 ? opened : walked.key === rows.key ? walked.at : -1
  // Keys may come quicker than the list is drawn.
  const now = useRef(cursor)
  now.current = cursor
  const set = (at: number) => {
    now.current = at
    setWalked({ key: rows.key, at })
  }
  const isOpen = () => place.value.query.block !== undefined
  const step = (by: number) => {
    document.querySelector<HTMLElement>('[role=listbox]')?.focus({ preventScroll: true })
    const at = Math.max(0, Math.min((rows.total ?? 1) - 1, now.current + by))
    set(at)
    const row = rows.at(at)
    if (row && isOpen()) setQuery({ block: row.id })
  }
  const open = (change: Query) => {
    const row = rows.at(now.current)
    if (row) setQuery({ block: row.id, ...change }, 'push')
  }
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    // An open drawer corrects what it shows.
    e: () => (mayChange.value && !isOpen() ? open({ act: 'correct' }) : false),
    Enter: () => {
      if (isFocusIn('button, a, summary')) return false
      // The drawer takes the focus from whoever does not walk on.
      if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
      return open({})
    },
    ArrowDown: () => (isFocusIn('[role=listbox]') ? step(1) : false),
    ArrowUp: () => (isFocusIn('[role=listbox]') ? step(-1) : false),
  })
  return [cursor, set]
}

/** The filters in force, each of which a click takes away. */
function Chips({ of }: { readonly of: ReturnType<typeof setFilters> }) {
  return of.map(({ key, words }) => (
    <button type="button" class="chip accent" key={key} onClick={() => setQuery({ [key]: undefined })}>
      <span class="clip" dir="auto">
        {shown(words)}
      </span>
      <Icon name="close" size={11} />
      <span class="unseen">take this filter away</span>
    </button>
  ))
}

function FilterChips({ query }: { readonly query: Query }) {
  const set = setFilters(query).filter(({ key }) => key !== 'words' && key !== 'status')
  if (set.length === 0) return null
  return (
    <div class="memory-chips">
      <Chips of={set} />
    </div>
  )
}

function Nothing({ query }: { readonly query: Query }) {
  const set = setFilters(query)
  if (set.length === 0)
    return (
      <Empty icon="list" title="Nothing is remembered yet">
        Blocks are here as soon as an agent or you remember something.{' '}
        <Link class="link" to="overview">
          See how
        </Link>
      </Empty>
    )
  return (
    <Empty icon="search" title="Nothing fits">
      <div class="row wrap memory-nothing">
        <Chips of={set} />
      </div>
      {query.words && (
        <p>
          Recall also finds what is said in other words:{' '}
          <Link class="link" to="recall" query={{ q: query.words }}>
            ask “{shown(query.words)}”
          </Link>
        </p>
      )}
    </Empty>
  )
}
