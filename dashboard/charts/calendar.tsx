import { number } from '../format.ts'
import { calendarWeeks, monthBegun } from './calendar-weeks.ts'
import { heatOf } from './curves.ts'

/** A day and how much was done on it. */
interface DayValue {
  /** As `2026-11-21`. */
  readonly day: string
  readonly value: number
  readonly words: string
}

interface CalendarProps {
  readonly label: string
  /** Oldest first, none left out. */
  readonly days: readonly DayValue[]
}

/** Steps of the colour, from nothing to the busiest day. */
const HEATS = [0, 1, 2, 3, 4]

/** Rows that have a name: others would touch one another. */
const NAMED_DAYS: Readonly<Record<number, string>> = { 0: 'Mon', 2: 'Wed', 4: 'Fri' }

/**
 * Days as squares, a column each week from Monday on, the newest at the right, with as many weeks as there is room for; then what
 * the colours say.
 */
export function Calendar({ label, days }: CalendarProps) {
  const busy = days.filter(({ value }) => value > 0)
  const most = Math.max(1, ...days.map(({ value }) => value))
  const newestFirst = calendarWeeks(days).toReversed()
  return (
    <figure class="calendar">
      <div
        class="calendar-days"
        role="img"
        aria-label={`${label}: ${number(busy.length)} busy days of ${days.length}`}
      >
        <div class="calendar-names">
          {Array.from({ length: 7 }, (_, day) => (
            <span key={day}>{NAMED_DAYS[day]}</span>
          ))}
        </div>
        <div class="calendar-weeks">
          {newestFirst.map((week, at) => (
            <div class="calendar-week" key={week.find((day) => day !== undefined)?.day}>
              <span class="calendar-month">{at > 0 && monthBegun(week)}</span>
              {week.map((day, place) =>
                day === undefined ? (
                  <i key={place} class="calendar-none" />
                ) : (
                  <i
                    key={day.day}
                    class={`heat-${heatOf(day.value, most)}`}
                    title={`${day.day}: ${day.words}`}
                  />
                ),
              )}
            </div>
          ))}
        </div>
      </div>
      <figcaption class="small quiet-text">
        <span>{label}</span>
        <span class="calendar-scale">
          nothing
          {HEATS.map((heat) => (
            <i key={heat} class={`heat-${heat}`} />
          ))}
          {number(most)}
        </span>
      </figcaption>
    </figure>
  )
}
