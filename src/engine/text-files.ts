/**
 * Text in files of this machine.
 *
 * What must hold: a file is written whole or not at all, never over another, and readable by its owner alone; a folder
 * that is missing is made. Failures are `STORE_FAILED`, `STORE_FULL`, `NOT_FOUND` or, of a name that is taken, `INVALID_INPUT`.
 */
export interface TextFiles {
  /** Writes lines as they come; returns the bytes. */
  write(path: string, lines: AsyncIterable<string>): Promise<number>
  /** The lines without their ends, read as they are asked for; one longer than `maxBytes` is `INVALID_INPUT`. */
  read(path: string, maxBytes: number): AsyncIterable<string>
  /** The files of a folder; none when there is no such folder. */
  list(folder: string): Promise<readonly { readonly name: string; readonly bytes: number }[]>
}
