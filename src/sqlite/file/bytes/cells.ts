/** First byte of a page of a tree (sqlite.org/fileformat.html §1.6). */
export const INTERIOR_INDEX = 2
/** First byte of a page of a table that leads to other pages. */
export const INTERIOR_TABLE = 5
/** First byte of a leaf page of an index. */
export const LEAF_INDEX = 10
/** First byte of a leaf page of a table; its cells are rows. */
export const LEAF_TABLE = 13

/** The bytes of a record that stand on its page; the rest lies in a chain of other pages. */
export function localBytes(size: number, kind: number, usable: number): number {
  const most = kind === LEAF_TABLE ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  if (size <= most) return size
  const least = leastLocalBytes(usable)
  const wanted = least + ((size - least) % (usable - 4))
  return wanted <= most ? wanted : least
}

/** At least so many bytes of a record that has a chain stand on its page. */
export function leastLocalBytes(usable: number): number {
  return Math.floor(((usable - 12) * 32) / 255) - 23
}

/** Bytes whose bits a number holds exactly. */
const EXACT_BYTES = 7

/** Seven bits a byte, the highest says that more follow; nine bytes at most. */
export function variableInteger(bytes: Buffer, at: number): readonly [value: number, after: number] {
  let value = 0
  for (let i = 0; i < EXACT_BYTES; i += 1) {
    const byte = bytes.readUInt8(at + i)
    value = value * 128 + (byte & 0x7f)
    if (byte < 0x80) return [value, at + i + 1]
  }
  const eighth = bytes.readUInt8(at + EXACT_BYTES)
  const long = (BigInt(value) << 7n) | BigInt(eighth & 0x7f)
  if (eighth < 0x80) return [Number(long), at + EXACT_BYTES + 1]
  const whole = (long << 8n) | BigInt(bytes.readUInt8(at + EXACT_BYTES + 1))
  return [Number(BigInt.asIntN(64, whole)), at + EXACT_BYTES + 2]
}
