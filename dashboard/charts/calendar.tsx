import { number } from '../format.ts'
import { calendarWeeks } from './calendar-weeks.ts'
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

/** Days as squares, a column each week from Monday on, the newest at the right. */
export function Calendar({ label, days }: CalendarProps) {
  const busy = days.filter(({ value }) => value > 0)
  const most = Math.max(1, ...days.map(({ value }) => value))
  return (
    <div
      class="calendar"
      role="img"
      aria-label={`${label}: ${number(busy.length)} busy days of ${days.length}`}
    >
      {calendarWeeks(days).map((week) => (
        <div class="calendar-week" key={week.find((day) => day !== undefined)?.day}>
          {week.map((day, at) =>
            day === undefined ? (
              <i key={at} class="calendar-none" />
            ) : (
              <i key={day.day} class={`heat-${heatOf(day.value, most)}`} title={`${day.day}: ${day.words}`} />
            ),
          )}
        </div>
      ))}
    </div>
  )
}
