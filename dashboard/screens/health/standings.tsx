import type { Output } from '../../api.ts'
import { confidenceBy } from '../../format.ts'
import { type Loaded, useOperation } from '../../load.ts'
import { Meter, Words } from '../../parts/chip.tsx'
import { Pending } from '../../parts/states.tsx'
import { Link, openBlock } from '../../router.tsx'

/** Blocks of each list. */
const FEW = 5

type Row = Output<'ls'>['blocks'][number]

interface ListedProps {
  readonly loaded: Loaded<Output<'ls'>>
}

/** The blocks that are first by an order. */
export function useStanding(sort: StandingProps['sort']): Loaded<Output<'ls'>> {
  return useOperation('ls', { sort, limit: FEW, details: true })
}

/** What proved useful most. */
export function Proved({ loaded }: ListedProps) {
  return (
    <Standing
      loaded={loaded}
      title="Proved useful"
      sort="proved"
      fits={({ details }) => (details?.successes ?? 0) > 0}
      none="Nothing was reported yet. Recall ranks by match alone until an agent says what helped."
    />
  )
}

/** What misled most. */
export function Misled({ loaded }: ListedProps) {
  return (
    <Standing
      loaded={loaded}
      title="Misled"
      sort="doubted"
      fits={({ details }) => (details?.failures ?? 0) > 0}
      none="Nothing was reported to mislead."
    />
  )
}

/** What fades next, unless somebody uses it. */
export function FadingNext({ loaded }: ListedProps) {
  return (
    <Standing
      loaded={loaded}
      title="Fading next"
      sort="fading"
      fits={({ details }) => details?.archivedAfterHours !== undefined}
      none="Nothing fades."
    />
  )
}

interface StandingProps extends ListedProps {
  readonly title: string
  readonly sort: 'proved' | 'doubted' | 'fading'
  readonly fits: (row: Row) => boolean
  readonly none: string
}

function Standing({ title, loaded, sort, fits, none }: StandingProps) {
  return (
    <section class="card">
      <div class="card-head">
        <h2>{title}</h2>
        <Link class="link small end" to="memory" query={{ sort }}>
          All
        </Link>
      </div>
      <div class="card-body">
        <Pending loaded={loaded} lines={4}>
          {({ blocks }) => {
            const rows = blocks.filter(fits)
            if (rows.length === 0) return <p class="quiet-text">{none}</p>
            return (
              <ul class="lines">
                {rows.map((row) => (
                  <li key={row.id}>
                    <button type="button" class="line" onClick={() => openBlock(row.id)}>
                      <Words class="main clip" text={row.content} />
                      {row.details && <Stand sort={sort} details={row.details} />}
                    </button>
                  </li>
                ))}
              </ul>
            )
          }}
        </Pending>
      </div>
    </section>
  )
}

interface StandProps {
  readonly sort: StandingProps['sort']
  readonly details: NonNullable<Row['details']>
}

function Stand({ sort, details }: StandProps) {
  if (sort === 'fading') return <Meter kind="freshness" label="Freshness" value={details.freshness} />
  return <Meter kind="confidence" label="Confidence" value={confidenceBy(details)} />
}
