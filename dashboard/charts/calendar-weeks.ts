/** Days in weeks from Monday on; undefined before the first and behind the last. */
export function calendarWeeks<D extends { readonly day: string }>(
  days: readonly D[],
): readonly (readonly (D | undefined)[])[] {
  const [first] = days
  if (first === undefined) return []
  const before = (new Date(`${first.day}T00:00:00Z`).getUTCDay() + 6) % 7
  const filled: (D | undefined)[] = [...new Array<undefined>(before).fill(undefined), ...days]
  const weeks = Array.from({ length: Math.ceil(filled.length / 7) }, (_, at) =>
    filled.slice(at * 7, at * 7 + 7),
  )
  return weeks.map((week) => [...week, ...new Array<undefined>(7 - week.length).fill(undefined)])
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The month of which a week has the first day, as `Nov`; undefined of other weeks. */
export function monthBegun(week: readonly ({ readonly day: string } | undefined)[]): string | undefined {
  const first = week.find((each) => each?.day.endsWith('-01'))
  return first && MONTHS[Number(first.day.slice(5, 7)) - 1]
}
