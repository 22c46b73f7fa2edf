import { Area } from '../../charts/area.tsx'
import { Calendar } from '../../charts/calendar.tsx'
import { sumsUpTo } from '../../charts/curves.ts'
import { datesIn, hoursOfUse, number, plural } from '../../format.ts'
import type { Status } from './screen.tsx'

/** Weeks of the calendar: as many as the log's counts have. */
const WEEKS = 52
/** Days that a growth shows at least. */
const LEAST_DAYS = 14

/** Days of the log are those of UTC. */
const utc = datesIn('UTC')

type Activity = NonNullable<Status['activity']>

/** How many blocks there were, and what was done on each day. */
export function Growth({ status }: { readonly status: Status }) {
  const { activity = [], activeCount, inboxCount, archivedCount } = status
  const sums = sumsUpTo(
    activeCount + inboxCount + archivedCount,
    activity.map(({ takenIn }) => takenIn),
  )
  const from = firstShown(activity)
  const shown = activity.slice(from)
  const values = sums.slice(from)
  return (
    <section class="card">
      <div class="card-head">
        <h2>Growth</h2>
        <span class="end small quiet-text">{hoursOfUse(status.totalActiveHours)} of use</span>
      </div>
      <div class="card-body column wide-gap">
        <Area
          label={`Blocks over ${plural(values.length, 'day')}, from ${number(values[0] ?? 0)} to ${number(values.at(-1) ?? 0)}`}
          values={values}
          marks={marksOf(shown)}
        />
        <Calendar
          label="Taken in, recalled or reported each day"
          days={activity.slice(-WEEKS * 7).map((day) => ({
            day: day.day,
            value: day.takenIn + day.recalled + day.reported,
            words: dayWords(day),
          }))}
        />
      </div>
    </section>
  )
}

/** Where the curve begins: shortly before the first day on which anything came. */
function firstShown(activity: Activity): number {
  const first = activity.findIndex(({ takenIn }) => takenIn > 0)
  return Math.max(0, Math.min(first < 0 ? activity.length : first - 1, activity.length - LEAST_DAYS))
}

function marksOf(activity: Activity): readonly string[] {
  const at = [0, 1 / 3, 2 / 3, 1].map((share) => Math.round(share * (activity.length - 1)))
  return [...new Set(at)].flatMap((index) => {
    const day = activity[index]?.day
    return day === undefined ? [] : [utc.date(day).replace(/ \d{4}$/, '')]
  })
}

function dayWords({ takenIn, recalled, reported, archived }: Activity[number]): string {
  if (takenIn + recalled + reported + archived === 0) return 'nothing'
  return `${takenIn} taken in, ${recalled} recalled, ${reported} reported, ${archived} archived`
}
