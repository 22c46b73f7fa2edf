import { attempt } from '../../../errors.ts'
import {
  INTERIOR_INDEX,
  INTERIOR_TABLE,
  LEAF_INDEX,
  LEAF_TABLE,
  leastLocalBytes,
  localBytes,
  variableInteger,
} from './cells.ts'
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

/** A row longer than this is none of a memory's. */
const MOST_RECORD_BYTES = 64 << 20

interface Cell {
  readonly row: number | undefined
  readonly payload: Buffer
}

/**
 * Reads all records of a table by its first page (sqlite.org/fileformat.html §1.6, §2.1). No page is read twice, and of
 * cells that overlap no more than fit, so a crafted file can neither lead in circles nor make much of little; `lost` is called for what cannot be
 * read, and the rest follows.
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
    const at = number
    const page = attempt(() => partsOf(pages, at))
    if (page === undefined) {
      lost()
      continue
    }
    waiting.push(...page.children.reverse())
    for (const record of recordsOn(pages, { ...page, number, seen })) {
      if (record === undefined) lost()
      else yield record
    }
  }
}

/**
 * The rows that begin on one page; none if it is no page of a table's rows.
 *
 * @param seen pages of long rows that were read; none is read again
 */
export function rowsOnPage(pages: Pages, number: number, seen: Set<number>): PageRecord[] {
  const page = attempt(() => partsOf(pages, number))
  if (page === undefined) return []
  const records = [...recordsOn(pages, { ...page, number, seen })]
  return records.filter((record) => record?.row !== undefined) as PageRecord[]
}

/** The records that begin on a page; undefined in the place of one that cannot be read. */
function* recordsOn(
  pages: Pages,
  { number, cells, seen }: PageParts & { readonly number: number; readonly seen: Set<number> },
): Generator<PageRecord | undefined> {
  const { usableSize } = pages.header
  let used = 0
  for (const cell of cells) {
    const record = attempt(() => {
      const { row, payload } = cell(seen)
      used += Math.min(payload.length, leastLocalBytes(usableSize))
      return recordOf(pages, number, { row, payload })
    })
    // More than a page can hold: the cells overlap.
    if (used > usableSize) return yield undefined
    yield record
  }
}

/** The children of a page, and its records still to be read. */
interface PageParts {
  readonly children: number[]
  readonly cells: readonly ((seen: Set<number>) => Cell)[]
}

/** Where something begins. */
interface Place {
  readonly page: Buffer
  readonly at: number
  /** The kind of the page. */
  readonly kind: number
  /** Pages that were read already. */
  readonly seen: Set<number>
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
  return { children, cells: offsets.map((at) => (seen) => cellAt(pages, { page, at, kind, seen })) }
}

function cellAt(pages: Pages, place: Place): Cell {
  const { page, at, kind } = place
  const [size, afterSize] = variableInteger(page, kind === INTERIOR_INDEX ? at + 4 : at)
  if (size > MOST_RECORD_BYTES) throw new RangeError('too long')
  if (kind !== LEAF_TABLE)
    return { row: undefined, payload: payloadAt(pages, { ...place, at: afterSize, size }) }
  const [row, afterRow] = variableInteger(page, afterSize)
  return { row, payload: payloadAt(pages, { ...place, at: afterRow, size }) }
}

/** The bytes of a record, the end of which may lie in a chain of other pages. */
function payloadAt(pages: Pages, { page, at, size, kind, seen }: Place & { readonly size: number }): Buffer {
  const usable = pages.header.usableSize
  const local = localBytes(size, kind, usable)
  if (local === size) return bytesAt(page, at, size)
  const parts = [bytesAt(page, at, local)]
  let [missing, next] = [size - local, page.readUInt32BE(at + local)]
  while (missing > 0) {
    if (next === 0 || seen.has(next)) throw new RangeError('the chain ends early')
    seen.add(next)
    const overflow = mustHave(pages.read(next))
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
    if (place + bytes > payload.length) throw new RangeError('beyond the record')
    values.push(decoded(type, { payload, place, bytes }, header.encoding))
    at = after
    place += bytes
  }
  return { page, row, values }
}

const FIXED_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]

function bytesOfType(type: number): number {
  return type < 12 ? (FIXED_BYTES[type] ?? 0) : Math.floor((type - 12) / 2)
}

function decoded(
  type: number,
  { payload, place, bytes }: { readonly payload: Buffer; readonly place: number; readonly bytes: number },
  encoding: TextEncoding,
): RecordValue {
  if (type === 0 || type === 10 || type === 11) return undefined
  if (type === 7) return payload.readDoubleBE(place)
  if (type === 8 || type === 9) return type - 8
  if (type === 6) {
    const value = payload.readBigInt64BE(place)
    return BigInt.asIntN(53, value) === value ? Number(value) : value
  }
  if (type < 6) return payload.readIntBE(place, bytes)
  const part = payload.subarray(place, place + bytes)
  return type % 2 === 0 ? Uint8Array.from(part) : textOf(part, encoding)
}

function bytesAt(page: Buffer, at: number, size: number): Buffer {
  if (size < 0 || at + size > page.length) throw new RangeError('beyond the page')
  return page.subarray(at, at + size)
}

function mustHave(page: Buffer | undefined): Buffer {
  if (page === undefined) throw new RangeError('no such page')
  return page
}
