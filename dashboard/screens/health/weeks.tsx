import { Bars } from '../../charts/bars.tsx'
import { datesIn, number, percent, plural } from '../../format.ts'
import type { Status } from './screen.tsx'

type Week = NonNullable<Status['weeks']>[number]

/** Weeks that are shown at most: half a year. */
const SHOWN = 26

/** Weeks are those of UTC. */
const utc = datesIn('UTC')

interface WeekNumber {
  readonly name: string
  /** The parts of a bar with the colour of each. */
  readonly parts: (week: Week) => readonly (readonly [value: number, colour: number, words: string])[]
  /** What is said of a week, where the parts do not say it. */
  readonly words?: (week: Week) => string
}

const NUMBERS: readonly WeekNumber[] = [
  {
    name: 'Edges made',
    parts: ({ edgesByUse, edgesBySimilarity, edgesOtherwise }) => [
      [edgesByUse, 2, 'by use'],
      [edgesBySimilarity, 6, 'by similarity'],
      [edgesOtherwise, 1, 'stated'],
    ],
  },
  {
    name: 'Helped because of an edge',
    parts: ({ lift = 0 }) => [[lift, 3, '']],
    words: ({ lift, helped, helpedAlongEdges }) =>
      lift === undefined
        ? 'no report'
        : `${percent(lift)} %: ${number(helpedAlongEdges)} of ${number(helped)}`,
  },
  {
    name: 'Pairs that come up together',
    parts: ({ staged = 0, promoted }) => [
      [promoted, 2, 'joined'],
      [staged, 7, 'on their way'],
    ],
  },
  {
    name: 'Share of edges that faded away',
    parts: ({ prunedShare = 0 }) => [[prunedShare, 5, '']],
    words: ({ prunedShare, pruned }) =>
      prunedShare === undefined ? 'no curation' : `${percent(prunedShare)} %: ${plural(pruned, 'edge')}`,
  },
  {
    name: 'Connections a session',
    parts: ({ connectsPerSession = 0 }) => [[connectsPerSession, 1, '']],
    words: ({ connectsPerSession, connects, sessions }) =>
      connectsPerSession === undefined
        ? 'no session'
        : `${connectsPerSession.toFixed(1)}: ${number(connects)} in ${plural(sessions, 'session')}`,
  },
]

function wordsOf({ parts, words }: WeekNumber, week: Week): string {
  return (
    words?.(week) ??
    parts(week)
      .map(([value, , part]) => `${number(value)} ${part}`)
      .join(', ')
  )
}

/** The metrics of the graph, week by week (docs/graph.md). */
export function Weeks({ weeks }: { readonly weeks: readonly Week[] }) {
  const first = weeks.findIndex(({ sessions }) => sessions > 0)
  const shown = first < 0 ? [] : weeks.slice(first).slice(-SHOWN)
  const newest = shown.at(-1)
  if (newest === undefined) return null
  return (
    <section class="card">
      <div class="card-head">
        <h2>The graph, week by week</h2>
        <span class="end small quiet-text">{plural(shown.length, 'week')}</span>
      </div>
      <dl class="card-body week-numbers">
        {NUMBERS.map((each) => (
          <div key={each.name}>
            <dt class="small">{each.name}</dt>
            <dd>
              <Bars
                label={`${each.name} over ${plural(shown.length, 'week')}`}
                bars={shown.map((week) => ({
                  key: week.week,
                  words: `Week of ${utc.date(week.week)}: ${wordsOf(each, week)}`,
                  parts: each.parts(week),
                }))}
              />
              <span class="small second">
                This week{' '}
                {each.words?.(newest) ??
                  each.parts(newest).map(([value, colour, part]) => (
                    <span key={part}>
                      <i class="swatch" style={{ background: `var(--data-${colour})` }} /> {number(value)}{' '}
                      {part}{' '}
                    </span>
                  ))}
              </span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
