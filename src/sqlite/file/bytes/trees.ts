import {
  INTERIOR_INDEX,
  INTERIOR_TABLE,
  LEAF_INDEX,
  LEAF_TABLE,
  localBytes,
  variableInteger,
} from './cells.ts'
import type { Pages } from './pages.ts'
import type { SchemaEntry } from './stored-schema.ts'

/** Rows of these are brought to mind, and one with a longer record is none that elfmem writes. */
const BOUNDED = new Set(['blocks', 'meta'])
const MOST_RECORD_BYTES = 64 << 20

/** SQLite itself goes no deeper. */
const MOST_LEVELS = 20

/** How much of the trees is read. */
interface Thoroughness {
  /**
   * True: every page, and the sizes of its cells. False: interior pages alone, about one in a hundred, which takes the
   * lowest level for leaves; enough for a file that only this user's SQLite has written.
   */
  readonly isWhole: boolean
}

/**
 * Walks the trees of all tables and indexes, and the free list (sqlite.org/fileformat.html §1.5, §1.6). Returns what
 * would make much of little: a page that is reached twice, cells that overlap, records longer than the file. SQLite
 * follows such pages for years. In a file that passes as a whole no statement reads more than the file holds. Pages that
 * SQLite refuses when it comes to them are passed over: a torn page is for doctor to find. A row of a memory that nobody
 * could bear in mind is named as well (`isTooLong`), which is sound for SQLite.
 *
 * @param schema the entries of these pages
 */
export function trapIn(
  pages: Pages,
  schema: readonly SchemaEntry[],
  { isWhole }: Thoroughness,
): { readonly found: string; readonly isTooLong: boolean } | undefined {
  const walk = new Walk(pages, isWhole)
  try {
    walk.tree('the schema', 1)
    for (const { name, root } of schema) if (root !== 0) walk.tree(name.slice(0, 80), root)
    walk.freeList()
    return undefined
  } catch (error) {
    if (error instanceof Trap) return { found: error.message, isTooLong: error instanceof TooLong }
    throw error
  }
}

class Trap extends Error {}

class TooLong extends Trap {}

/** A page of a tree. */
interface TreePage {
  readonly bytes: Buffer
  readonly kind: number
  readonly isInterior: boolean
  readonly count: number
  /** Where the places of its cells begin. */
  readonly first: number
}

class Walk {
  readonly #pages: Pages
  readonly #isWhole: boolean
  readonly #reached: Uint8Array
  /** Each page in turn. */
  readonly #page: Buffer
  #overflowing = 0

  constructor(pages: Pages, isWhole: boolean) {
    this.#page = Buffer.alloc(pages.header.pageSize)
    this.#pages = pages
    this.#isWhole = isWhole
    this.#reached = new Uint8Array(pages.count + 1)
  }

  /** Level by level: all leaves of a tree are equally deep. */
  tree(name: string, root: number): void {
    let level = this.#reach(name, root) ? [root] : []
    for (let depth = 0; depth < MOST_LEVELS && level.length > 0; depth += 1) level = this.#below(name, level)
  }

  /** The children of the pages of a level; none of a level of leaves that are not to be read. */
  #below(name: string, level: readonly number[]): number[] {
    const below: number[] = []
    for (const number of level) {
      const page = treePageIn(this.#pages.read(number, this.#page), number)
      if (page === undefined) continue
      if (this.#isWhole) this.#cells(name, number, page)
      else if (!page.isInterior) return []
      if (page.isInterior) this.#children(name, page, below)
    }
    return below
  }

  /** Nearly all of the time goes here, mostly in code that has not been compiled yet. */
  #children(name: string, { bytes, count, first }: TreePage, into: number[]): void {
    const reached = this.#reached
    for (let i = -1; i < count; i += 1) {
      // The child after all cells stands in the head.
      const at = i < 0 ? first - 4 : placeOf(bytes, first + 2 * i)
      if (at + 4 > bytes.length) continue
      const child = bytes.readUInt32BE(at)
      // A page that is not there, where SQLite goes no further.
      if (child === 0 || child >= reached.length) continue
      if (reached[child] === 1) throw usedTwice(name, child)
      reached[child] = 1
      into.push(child)
    }
  }

  freeList(): void {
    const name = 'the free list'
    let trunk = this.#pages.read(1, this.#page)?.readUInt32BE(32) ?? 0
    while (trunk !== 0 && this.#reach(name, trunk)) {
      const page = this.#pages.read(trunk, this.#page)
      if (page === undefined) return
      const count = Math.min(page.readUInt32BE(4), page.length / 4 - 2)
      for (let i = 0; i < count; i += 1) this.#reach(name, page.readUInt32BE(8 + 4 * i))
      trunk = page.readUInt32BE(0)
    }
  }

  /** False for a page that is not there, where SQLite goes no further. */
  #reach(name: string, number: number): boolean {
    if (!(number >= 1 && number <= this.#pages.count)) return false
    if (this.#reached[number] === 1) throw usedTwice(name, number)
    this.#reached[number] = 1
    return true
  }

  /** Cells that overlap, and ends of records that share pages. */
  #cells(name: string, number: number, { bytes, kind, count, first }: TreePage): void {
    if (kind === INTERIOR_TABLE) return
    const usable = this.#pages.header.usableSize
    let used = first + 2 * count
    for (let i = 0; i < count; i += 1) {
      const size = sizeOf(bytes, { at: placeOf(bytes, first + 2 * i), kind }, usable)
      used += size.here
      this.#overflowing += size.pages
      if (size.pages * usable > MOST_RECORD_BYTES && BOUNDED.has(name))
        throw new TooLong(`a row of ${name} has more than ${MOST_RECORD_BYTES >> 20} MB`)
    }
    if (used > usable) throw new Trap(`cells of page ${number} of ${name} overlap`)
    if (this.#overflowing > this.#pages.count) throw new Trap(`records of ${name} are longer than the file`)
  }
}

function usedTwice(name: string, number: number): Trap {
  return new Trap(`page ${number} of ${name} is used twice`)
}

/** Undefined for what is no page of a tree. */
function treePageIn(bytes: Buffer | undefined, number: number): TreePage | undefined {
  // The first page begins with the header of the file.
  const start = number === 1 ? 100 : 0
  const kind = bytes?.[start]
  if (bytes === undefined || kind === undefined) return undefined
  const isInterior = kind === INTERIOR_INDEX || kind === INTERIOR_TABLE
  if (!isInterior && kind !== LEAF_INDEX && kind !== LEAF_TABLE) return undefined
  const first = start + (isInterior ? 12 : 8)
  const count = Math.min(placeOf(bytes, start + 3), Math.floor((bytes.length - first) / 2))
  return { bytes, kind, isInterior, count, first }
}

/** Two bytes as a number. */
function placeOf(bytes: Buffer, at: number): number {
  return ((bytes[at] as number) << 8) | (bytes[at + 1] as number)
}

/** Bytes of a cell on its page, and pages of the rest of its record; nothing of one that does not fit: SQLite refuses it. */
function sizeOf(
  page: Buffer,
  { at, kind }: { readonly at: number; readonly kind: number },
  usable: number,
): { readonly here: number; readonly pages: number } {
  try {
    const [size, afterSize] = variableInteger(page, kind === INTERIOR_INDEX ? at + 4 : at)
    const from = kind === LEAF_TABLE ? variableInteger(page, afterSize)[1] : afterSize
    const local = localBytes(size, kind, usable)
    const here = from + local + (local < size ? 4 : 0) - at
    if (size >= 0 && at + here <= usable) return { here, pages: Math.ceil((size - local) / (usable - 4)) }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return { here: 0, pages: 0 }
}
