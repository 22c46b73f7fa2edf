import { attempt } from '../../../errors.ts'
import { type TextEncoding, textOf } from './header.ts'
import type { Pages } from './pages.ts'

/** A value of a record. */
type RecordValue = number | bigint | string | Uint8Array | undefined

/** A row of a table, or a key of an index, as the pages have it. */
export interface PageRecord {
  /** The page it begins on. */
  readonly page: number
  /** The number of a row; undefined in a table without them. */
  readonly row: number | undefined
  readonly values: readonly RecordValue[]
}

const INTERIOR_INDEX = 2
const INTERIOR_TABLE = 5
const LEAF_INDEX = 10
const LEAF_TABLE = 13

/** A row longer than this is none of a memory's. */
const MOST_RECORD_BYTES = 64 << 20

interface Cell {
  readonly row: number | undefined
  readonly payload: Buffer
}

/**
 * Reads all records of a table by its first page (sqlite.org/fileformat.html §1.6, §2.1). No page is read twice, so a
 * crafted file cannot lead in circles; `lost` is told of what cannot be read, and the rest follows.
 */
export function* recordsOf(
  pages: Pages,
  root: number,
  lost: () => void = () => undefined,
): Generator<PageRecord> {
  const seen = new Set<number>()
  const waiting = [root]
  for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
    if (seen.has(number)) continue
    seen.add(number)
    const page = attempt(() => partsOf(pages, number as number))
    if (page === undefined) {
      lost()
      continue
    }
    waiting.push(...page.children.reverse())
    for (const cell of page.cells) {
      const record = attempt(() => recordOf(pages, number as number, cell()))
      if (record === undefined) lost()
      else yield record
    }
  }
}

/** The rows that begin on one page; none if it is no page of a table's rows. */
export function rowsOnPage(pages: Pages, number: number): PageRecord[] {
  const cells = attempt(() => partsOf(pages, number).cells) ?? []
  return cells.flatMap((cell) => {
    const record = attempt(() => recordOf(pages, number, cell()))
    return record?.row === undefined ? [] : [record]
  })
}

/** The children of a page, and its records still to be read. */
interface PageParts {
  readonly children: number[]
  readonly cells: readonly (() => Cell)[]
}

function partsOf(pages: Pages, number: number): PageParts {
  const page = mustHave(pages.read(number))
  const start = number === 1 ? 100 : 0
  const kind = page.readUInt8(start)
  const isInterior = kind === INTERIOR_INDEX || kind === INTERIOR_TABLE
  if (!isInterior && kind !== LEAF_INDEX && kind !== LEAF_TABLE) throw new RangeError('no page of a table')
  const count = page.readUInt16BE(start + 3)
  const first = start + (isInterior ? 12 : 8)
  const offsets = Array.from({ length: count }, (_, i) => page.readUInt16BE(first + 2 * i))
  const children = isInterior
    ? [...offsets.map((at) => page.readUInt32BE(at)), page.readUInt32BE(start + 8)]
    : []
  if (kind === INTERIOR_TABLE) return { children, cells: [] }
  return { children, cells: offsets.map((at) => () => cellAt(pages, page, { at, kind })) }
}

function cellAt(pages: Pages, page: Buffer, { at, kind }: { at: number; kind: number }): Cell {
  const [size, afterSize] = variableInteger(page, kind === INTERIOR_INDEX ? at + 4 : at)
  if (size > MOST_RECORD_BYTES) throw new RangeError('too long')
  if (kind !== LEAF_TABLE)
    return { row: undefined, payload: payloadAt(pages, page, { at: afterSize, size, kind }) }
  const [row, afterRow] = variableInteger(page, afterSize)
  return { row, payload: payloadAt(pages, page, { at: afterRow, size, kind }) }
}

/** The bytes of a record, the end of which may lie in a chain of other pages. */
function payloadAt(
  pages: Pages,
  page: Buffer,
  { at, size, kind }: { readonly at: number; readonly size: number; readonly kind: number },
): Buffer {
  const usable = pages.header.usableSize
  const most = kind === LEAF_TABLE ? usable - 35 : Math.floor(((usable - 12) * 64) / 255) - 23
  if (size <= most) return bytesAt(page, at, size)
  const least = Math.floor(((usable - 12) * 32) / 255) - 23
  const wanted = least + ((size - least) % (usable - 4))
  const local = wanted <= most ? wanted : least
  const parts = [bytesAt(page, at, local)]
  let [missing, next] = [size - local, page.readUInt32BE(at + local)]
  while (missing > 0) {
    const overflow = mustHave(next === 0 ? undefined : pages.read(next))
    const part = bytesAt(overflow, 4, Math.min(missing, usable - 4))
    parts.push(part)
    missing -= part.length
    next = overflow.readUInt32BE(0)
  }
  return Buffer.concat(parts)
}

function recordOf({ header }: Pages, page: number, { row, payload }: Cell): PageRecord {
  const [headBytes, first] = variableInteger(payload, 0)
  const values: RecordValue[] = []
  let [at, place] = [first, headBytes]
  while (at < headBytes) {
    const [type, after] = variableInteger(payload, at)
    const bytes = bytesOfType(type)
    values.push(decoded(type, bytesAt(payload, place, bytes), header.encoding))
    at = after
    place += bytes
  }
  return { page, row, values }
}

const FIXED_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]

function bytesOfType(type: number): number {
  return type < 12 ? (FIXED_BYTES[type] ?? 0) : Math.floor((type - 12) / 2)
}

function decoded(type: number, bytes: Buffer, encoding: TextEncoding): RecordValue {
  if (type === 0 || type === 10 || type === 11) return undefined
  if (type === 7) return bytes.readDoubleBE(0)
  if (type === 8 || type === 9) return type - 8
  if (type === 6) {
    const value = bytes.readBigInt64BE(0)
    return BigInt.asIntN(53, value) === value ? Number(value) : value
  }
  if (type < 6) return bytes.readIntBE(0, bytes.length)
  if (type % 2 === 0) return Uint8Array.from(bytes)
  return textOf(bytes, encoding)
}

/** Seven bits a byte, the highest says that more follow; nine bytes at most. */
function variableInteger(bytes: Buffer, at: number): readonly [value: number, after: number] {
  let value = 0n
  for (let i = 0; i < 8; i += 1) {
    const byte = bytes.readUInt8(at + i)
    value = (value << 7n) | BigInt(byte & 0x7f)
    if (byte < 0x80) return [Number(value), at + i + 1]
  }
  value = BigInt.asIntN(64, (value << 8n) | BigInt(bytes.readUInt8(at + 8)))
  return [Number(value), at + 9]
}

function bytesAt(page: Buffer, at: number, size: number): Buffer {
  if (size < 0 || at + size > page.length) throw new RangeError('beyond the page')
  return page.subarray(at, at + size)
}

function mustHave(page: Buffer | undefined): Buffer {
  if (page === undefined) throw new RangeError('no such page')
  return page
}
