import type { Pages } from './bytes/pages.ts'
import { type PageRecord, rowsOnPage } from './bytes/records.ts'
import type { WriteAheadLog } from './bytes/write-ahead-log.ts'

/**
 * True if a log tells another story than the file: entries of the memory's own log keep their number, operation and time
 * for good, so one that is on the same page with another operation or time is another memory's.
 */
export function tellsAnotherStory(alone: Pages, together: Pages, log: WriteAheadLog): boolean {
  const [seenAlone, seenTogether] = [new Set<number>(), new Set<number>()]
  for (const page of log.places.keys()) {
    const known = new Map(entriesOn(alone, page, seenAlone).map((entry) => [entry.row, entry]))
    if (known.size === 0) continue
    const differs = ({ row, values }: PageRecord) => {
      const before = known.get(row)
      return before !== undefined && (before.values[1] !== values[1] || before.values[2] !== values[2])
    }
    if (entriesOn(together, page, seenTogether).some(differs)) return true
  }
  return false
}

/** Rows of a page that look like entries of the log: no value for the number, an operation, a time, hours. */
function entriesOn(pages: Pages, page: number, seen: Set<number>): PageRecord[] {
  return rowsOnPage(pages, page, seen).filter(
    ({ values }) =>
      values[0] === undefined &&
      typeof values[1] === 'string' &&
      typeof values[2] === 'string' &&
      /^\d{4}-\d\d-\d\dT/.test(values[2]) &&
      typeof values[3] === 'number',
  )
}
