import '../../styles/said.css'
import './journal.css'
import { useState } from 'preact/hooks'
import type { Query } from '../../address.ts'
import { actWords, dates } from '../../format.ts'
import { useOperation } from '../../load.ts'
import { Button, Segmented, Select } from '../../parts/button.tsx'
import { Empty, Pending } from '../../parts/states.tsx'
import { Link, setQuery } from '../../router.tsx'
import { shown } from '../../shown.ts'
import { Between } from './between.tsx'
import { beginning, byDay, dayAfter } from './days.ts'
import { EntryDialog } from './entry-dialog.tsx'
import { type Entry, EntryRow } from './entry-row.tsx'

/** Entries that come at once, and the most that stand in the page. */
const ENTRIES = { step: 80, most: 960 }

/** Acts that can be chosen. */
const ACTS = [
  ...['remember', 'remember_many', 'dream', 'curate', 'recall', 'outcome', 'connect', 'disconnect', 'edit'],
  ...['forget', 'restore', 'resolve', 'propose', 'decide', 'undo', 'erase', 'setup', 'import'],
]

/** What was done to the memory, day by day, or between two days. */
export function Screen({ query }: { readonly query: Query }) {
  const isBetween = query.view === 'between'
  return (
    <div class="sheet journal">
      <div class="row wrap between">
        <h1>Journal</h1>
        <Segmented
          label="How it is told"
          value={isBetween ? 'between' : 'days'}
          options={[
            ['days', 'Day by day'],
            ['between', 'Between two days'],
          ]}
          onChange={(view) => setQuery({ view: view === 'days' ? undefined : view })}
        />
      </div>
      {isBetween ? <Between query={query} /> : <Days key={filterKey(query)} query={query} />}
      {query.entry && <EntryDialog key={query.entry} id={Number(query.entry)} />}
    </div>
  )
}

function filterKey({ actor, act, until }: Query): string {
  return [actor, act, until].join('\n')
}

function Days({ query }: { readonly query: Query }) {
  const [limit, setLimit] = useState(ENTRIES.step)
  const { actor, act, until } = query
  const loaded = useOperation('history', {
    ...{ runs: true, limit },
    ...(actor ? { actor } : {}),
    ...(act ? { operation: act } : {}),
    ...(until ? { until: beginning(dayAfter(until, 1)) ?? until } : {}),
  })
  const isFiltered = filterKey(query).trim() !== ''
  return (
    <>
      <JournalFilters query={query} entries={loaded.data?.operations ?? []} />
      <Pending loaded={loaded} lines={10}>
        {({ operations, cursor }) => (
          <>
            {operations.length === 0 && <Nothing isFiltered={isFiltered} />}
            {byDay(operations.toReversed(), dates).map(({ key, entries }) => (
              <section key={key}>
                <h2 class="day">{dates.day(entries[0]?.at ?? key)}</h2>
                <div class="card entries">
                  {entries.map((entry) => (
                    <EntryRow key={entry.id} entry={entry} isChosen={query.entry === String(entry.id)} />
                  ))}
                </div>
              </section>
            ))}
            {cursor !== undefined && (
              <div class="older">
                <Button onClick={() => older(operations, limit, setLimit)}>Older</Button>
              </div>
            )}
          </>
        )}
      </Pending>
    </>
  )
}

/** Shows more, or goes on from the oldest where the page would become too long. */
function older(operations: readonly Entry[], limit: number, setLimit: (limit: number) => void): void {
  const [oldest] = operations
  if (limit < ENTRIES.most) setLimit(limit + ENTRIES.step)
  else if (oldest) setQuery({ until: dates.key(oldest.at) }, 'push')
}

interface JournalFiltersProps {
  readonly query: Query
  readonly entries: readonly Entry[]
}

function JournalFilters({ query, entries }: JournalFiltersProps) {
  const actors = [...new Set([...(query.actor ? [query.actor] : []), ...entries.map(({ actor }) => actor)])]
  return (
    <div class="row wrap">
      <Select
        label="Who asked"
        value={query.actor ?? ''}
        options={[['', 'anyone'], ...actors.sort().map((actor) => [actor, shown(actor)] as const)]}
        onChange={(actor) => setQuery({ actor })}
      />
      <Select
        label="What was done"
        value={query.act ?? ''}
        options={[['', 'everything'], ...ACTS.map((act) => [act, actLabel(act)] as const)]}
        onChange={(act) => setQuery({ act })}
      />
      <label class="row small second">
        up to
        <input
          class="field"
          type="date"
          value={query.until ?? ''}
          onChange={(event) => setQuery({ until: event.currentTarget.value })}
        />
      </label>
    </div>
  )
}

function actLabel(act: string): string {
  return act === 'remember_many' ? 'took in many' : actWords(act)
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  if (isFiltered)
    return (
      <Empty icon="clock" title="Nothing fits">
        <Link class="link" to="journal">
          Show everything
        </Link>
      </Empty>
    )
  return (
    <Empty icon="clock" title="Nothing was done yet">
      Every change to the memory is written here, with who asked for it, and most can be taken back.{' '}
      <Link class="link" to="overview">
        See how to begin
      </Link>
    </Empty>
  )
}
