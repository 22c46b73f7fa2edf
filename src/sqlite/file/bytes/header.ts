/** "elfm": marks a SQLite file as a memory of elfmem. */
export const APPLICATION_ID = 0x656c666d

/** Bytes at the beginning of a SQLite file that say what it is (sqlite.org/fileformat.html §1.3). */
export const HEADER_BYTES = 100

const MAGIC = Buffer.from('SQLite format 3\0', 'latin1')

/** The encodings of texts that SQLite has; elfmem makes only the first. */
export type TextEncoding = (typeof ENCODINGS)[number]

/** By the two bits that SQLite looks at; a database without any text has none yet. */
const ENCODINGS = ['utf-8', 'utf-8', 'utf-16le', 'utf-16be'] as const

/** The values in the first bytes of a database. */
export interface Header {
  /** Bytes of a page: a power of two from 512 to 65,536. */
  readonly pageSize: number
  /** Bytes of a page that hold content. */
  readonly usableSize: number
  /** Pages of the file; undefined if a writer of old did not say. */
  readonly pages: number | undefined
  /** Grows whenever the first page is written. */
  readonly changes: number
  readonly userVersion: number
  readonly applicationId: number
  /** How the texts are written. */
  readonly encoding: TextEncoding
}

/** Reads the header of a database; undefined if it is none, or none that SQLite would open. */
export function headerOf(bytes: Buffer): Header | undefined {
  if (bytes.length < HEADER_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC)) return undefined
  const given = bytes.readUInt16BE(16)
  const pageSize = given === 1 ? 65_536 : given
  const usableSize = pageSize - bytes.readUInt8(20)
  const fractions = [bytes.readUInt8(21), bytes.readUInt8(22), bytes.readUInt8(23)]
  if (!isPageSize(pageSize) || usableSize < 480 || fractions.join() !== '64,32,32') return undefined
  const changes = bytes.readUInt32BE(24)
  return {
    pageSize,
    usableSize,
    changes,
    pages: bytes.readUInt32BE(92) === changes ? bytes.readUInt32BE(28) : undefined,
    userVersion: bytes.readInt32BE(60),
    applicationId: bytes.readInt32BE(68),
    encoding: ENCODINGS[bytes.readUInt32BE(56) & 3] ?? 'utf-8',
  }
}

/** True if SQLite has pages of so many bytes. */
export function isPageSize(bytes: number): boolean {
  return bytes >= 512 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0
}

/** Reads a text as the database writes it. */
export function textOf(bytes: Buffer, encoding: TextEncoding): string {
  if (encoding === 'utf-8') return bytes.toString('utf8')
  if (encoding === 'utf-16le') return bytes.toString('utf16le')
  return Buffer.from(bytes.subarray(0, bytes.length & ~1))
    .swap16()
    .toString('utf16le')
}
