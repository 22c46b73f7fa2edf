import { type BarPart, Bars } from '../../charts/bars.tsx'
import { datesIn, number, percent, plural } from '../../format.ts'
import type { Status } from './screen.tsx'

type Week = NonNullable<Status['weeks']>[number]

/** Weeks that are shown at most: half a year. */
const SHOWN = 26

/** Weeks are those of UTC. */
const utc = datesIn('UTC')

const share = (value: number | undefined, of: string) =>
  value === undefined ? of : `${percent(value)} % of ${of}`

/** The numbers of a week by their names, each as the parts of a bar. */
const NUMBERS: Readonly<Record<string, (week: Week) => readonly BarPart[]>> = {
  'Edges made': ({ edgesByUse, edgesBySimilarity, edgesOtherwise }) => [
    [edgesByUse, 2, `${number(edgesByUse)} by use`],
    [edgesBySimilarity, 6, `${number(edgesBySimilarity)} by similarity`],
    [edgesOtherwise, 1, `${number(edgesOtherwise)} stated`],
  ],
  'Helped because of an edge': ({ lift, helped }) => [
    [lift ?? 0, 3, share(lift, `${plural(helped, 'block')} that helped`)],
  ],
  'Pairs that come up together': ({ staged, promoted }) => [
    [promoted, 2, `${number(promoted)} joined`],
    [staged ?? 0, 7, `${staged === undefined ? 'not counted' : number(staged)} on their way`],
  ],
  'Edges that faded away': ({ prunedShare, pruned }) => [
    [prunedShare ?? 0, 5, `${number(pruned)}${prunedShare ? `, ${percent(prunedShare)} % of all` : ''}`],
  ],
  'Connections a session': ({ connectsPerSession = 0, connects, sessions }) => [
    [connectsPerSession, 1, `${number(connects)} in ${plural(sessions, 'session')}`],
  ],
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
        <span class="end small quiet-text">numbers of this week</span>
      </div>
      <dl class="card-body week-numbers">
        {Object.entries(NUMBERS).map(([name, partsOf]) => (
          <div key={name}>
            <dt class="small">{name}</dt>
            <dd>
              <Bars
                label={`${name} over ${plural(shown.length, 'week')}`}
                bars={shown.map((week) => ({ name: utc.date(week.week), parts: partsOf(week) }))}
              />
              <ul class="small second">
                {partsOf(newest).map(([, colour, words]) => (
                  <li key={colour}>
                    <i class="swatch" style={{ background: `var(--data-${colour})` }} />
                    {words}
                  </li>
                ))}
              </ul>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
