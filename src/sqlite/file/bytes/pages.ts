import { fstatSync, readSync } from 'node:fs'
import type { Header } from './header.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** The pages of a database as bytes, without SQLite. */
export interface Pages {
  readonly header: Header
  /** No page has a higher number. */
  readonly count: number
  /**
   * The bytes of a page, counted from 1; undefined if the file ends before.
   *
   * @param into a page that is written over; a new one unless given
   */
  read(number: number, into?: Buffer): Buffer | undefined
}

/** Reads the pages of an open file, and those of a log instead where it has them. */
export function pagesOf(
  file: number,
  header: Header,
  log?: { readonly file: number; readonly frames: WriteAheadLog },
): Pages {
  const inFile = Math.floor(fstatSync(file).size / header.pageSize)
  const newPage = pageMaker(header.pageSize)
  return {
    header,
    count: inFile + pagesBeyond(inFile, log?.frames),
    read(number, into) {
      const page = into ?? newPage()
      const place = log?.frames.places.get(number)
      const bytes =
        log === undefined || place === undefined
          ? readSync(file, page, 0, page.length, (number - 1) * header.pageSize)
          : readSync(log.file, page, 0, page.length, place)
      return bytes === page.length ? page : undefined
    },
  }
}

/** A log makes the file longer by what it holds, at most, whatever numbers stand in it. */
function pagesBeyond(inFile: number, frames: WriteAheadLog | undefined): number {
  if (frames === undefined) return 0
  return Math.max(0, Math.min(frames.lastPage - inFile, frames.places.size))
}

/** A buffer for each page would take longer to make than to fill. */
const PAGES_AT_ONCE = 16

function pageMaker(pageSize: number): () => Buffer {
  let room = Buffer.alloc(0)
  return () => {
    if (room.length === 0) room = Buffer.allocUnsafeSlow(PAGES_AT_ONCE * pageSize)
    const page = room.subarray(0, pageSize)
    room = room.subarray(pageSize)
    return page
  }
}
