/** "elfm": marks a SQLite file as a memory of elfmem. */
export const APPLICATION_ID = 0x656c666d

/** Bytes at the beginning of a SQLite file that say what it is (sqlite.org/fileformat.html §1.3). */
export const HEADER_BYTES = 100

const MAGIC = 'SQLite format 3\0'

/** The encodings of texts by the number in a header; a database without any text has none yet. */
const ENCODINGS = ['utf-8', 'utf-8', 'utf-16le', 'utf-16be'] as const

/** The values in the header of a database. */
export interface Header {
  readonly applicationId: number
  /** The encoding of texts; elfmem writes UTF-8 alone. */
  readonly encoding: (typeof ENCODINGS)[number]
}

/** Reads the header of a database; undefined if the bytes are not one. */
export function headerOf(bytes: Buffer): Header | undefined {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined
  return {
    applicationId: bytes.readInt32BE(68),
    encoding: ENCODINGS[bytes.readUInt32BE(56) & 3] ?? 'utf-8',
  }
}
