import type { Output } from '../../api.ts'
import { dates, number, plural } from '../../format.ts'
import { type Loaded, useOperation } from '../../load.ts'
import { Pending } from '../../parts/states.tsx'
import { Link } from '../../router.tsx'
import { shown } from '../../shown.ts'

/** Names that are shown, those that most notes have. */
const SHOWN = 24

/** Reads the names that most notes have. */
export function useNames(): Loaded<Output<'facets'>> {
  return useOperation('facets', { of: ['name'], limit: SHOWN })
}

interface NamesProps {
  readonly loaded: Loaded<Output<'facets'>>
  /** The name that the page is about. */
  readonly about: string | undefined
}

/** The names in the notes; each leads to all that is known of it. */
export function Names({ loaded, about }: NamesProps) {
  return (
    <section class="card">
      <div class="card-head">
        <h2>Names</h2>
      </div>
      <div class="card-body">
        <Pending loaded={loaded} lines={4}>
          {({ name: { values, distinct } }) => (
            <>
              {distinct === 0 && <p class="quiet-text">No note holds a name yet.</p>}
              <ul class="known-names">
                {values.map(({ value, blocks, firstAt, lastAt }) => (
                  <li key={value}>
                    <Link
                      class="plain-link"
                      to="overview"
                      query={{ about: value }}
                      aria-current={value === about ? 'page' : undefined}
                    >
                      {shown(value)} <span class="small quiet-text number">{number(blocks)}</span>
                      <span class="unseen">{blocks === 1 ? ' note' : ' notes'}</span>
                    </Link>
                    {value === about && <span class="small quiet-text"> {timesOf(firstAt, lastAt)}</span>}
                  </li>
                ))}
              </ul>
              {distinct > values.length && (
                <p class="small quiet-text">and {plural(distinct - values.length, 'other')}</p>
              )}
            </>
          )}
        </Pending>
      </div>
    </section>
  )
}

function timesOf(first = '', last = ''): string {
  return [...new Set([first, last].filter(Boolean).map((at) => dates.date(at)))].join(' to ')
}
