import { readSync } from 'node:fs'
import type { Header } from './header.ts'
import type { WriteAheadLog } from './write-ahead-log.ts'

/** The pages of a database as bytes, without SQLite. */
export interface Pages {
  readonly header: Header
  /** The bytes of a page, counted from 1; undefined if the file ends before. */
  read(number: number): Buffer | undefined
}

/** Reads the pages of an open file, and those of a log instead where it has them. */
export function pagesOf(
  file: number,
  header: Header,
  log?: { readonly file: number; readonly frames: WriteAheadLog },
): Pages {
  return {
    header,
    read(number) {
      const page = Buffer.alloc(header.pageSize)
      const place = log?.frames.places.get(number)
      const bytes =
        log === undefined || place === undefined
          ? readSync(file, page, 0, page.length, (number - 1) * header.pageSize)
          : readSync(log.file, page, 0, page.length, place)
      return bytes === page.length ? page : undefined
    },
  }
}
