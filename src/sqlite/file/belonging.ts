import type { Header } from './bytes/header.ts'
import type { Pages } from './bytes/pages.ts'
import { type PageRecord, rowsOnPage } from './bytes/records.ts'
import { memoryIdIn } from './bytes/stored-schema.ts'
import type { WriteAheadLog } from './bytes/write-ahead-log.ts'

/** A log, and the file without it and with it. */
export interface LoggedFile {
  readonly alone: Pages
  readonly together: Pages
  readonly frames: WriteAheadLog
}

/**
 * False for a log that was made beside another database. Nothing in a log names its database, so what both say of the
 * database is compared: the size of pages and of the file, the counter of the first page, the memory's random name and
 * the entries of its log.
 */
export function logBelongs({ alone, together, frames }: LoggedFile): boolean {
  if (frames.pageSize !== alone.header.pageSize || !countsFollow(alone.header, frames)) return false
  const [before, after] = [memoryIdIn(alone), memoryIdIn(together)]
  if (before === undefined) return true
  if (after?.id !== before.id) return false
  // Nobody else can know the name: a log that has it is the memory's, even if a restored backup begins another story.
  return frames.places.has(after.page) || !tellsAnotherStory(alone, together, frames)
}

/**
 * A log begins with what the file was when the log was begun, and the file may since have got any of its states. The
 * first page is written whenever the file grows.
 */
function countsFollow({ changes, pages }: Header, { changes: counts, sizes }: WriteAheadLog): boolean {
  const [first, last] = [counts[0], counts.at(-1)]
  if (first === undefined || last === undefined)
    return pages === undefined || (sizes.size === 1 && sizes.has(pages))
  return first - 1 <= changes && changes <= last
}

/**
 * True if a log tells another story than the file: entries of the memory's own log keep their number, operation and time
 * for good, so one that is on the same page with another operation or time is another memory's.
 */
function tellsAnotherStory(alone: Pages, together: Pages, log: WriteAheadLog): boolean {
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
