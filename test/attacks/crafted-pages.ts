import { readFileSync, writeFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { localBytes } from '../../src/sqlite/file/bytes/cells.ts'

const [INTERIOR_INDEX, INTERIOR_TABLE, LEAF_INDEX, LEAF_TABLE] = [2, 5, 10, 13]
/** Levels of shared pages: each multiplies what SQLite visits by some hundred. */
const LEVELS = 10

/** A file of pages to put others into, which is written back by `save`. */
class PageFile {
  readonly #path: string
  readonly size: number
  #bytes: Buffer

  constructor(path: string) {
    this.#path = path
    this.#bytes = readFileSync(path)
    this.size = this.#bytes.readUInt16BE(16)
  }

  page(number: number): Buffer {
    return this.#bytes.subarray((number - 1) * this.size, number * this.size)
  }

  /** Adds a page at the end; returns its number. */
  add(page: Buffer): number {
    this.#bytes = Buffer.concat([this.#bytes, page])
    return this.#bytes.length / this.size
  }

  put(number: number, page: Buffer): void {
    page.copy(this.page(number))
  }

  save(): void {
    this.#bytes.writeUInt32BE(this.#bytes.length / this.size, 28)
    writeFileSync(this.#path, this.#bytes)
  }
}

function rootOf(path: string, name: string): number {
  const raw = new DatabaseSync(path)
  const row = raw.prepare('SELECT rootpage FROM sqlite_schema WHERE name = ?').get(name)
  raw.close()
  return Number(row?.rootpage)
}

/** An interior page whose children are as told, the last of them on its right. */
function interior(file: PageFile, children: readonly number[], key: Buffer | undefined): Buffer {
  const page = Buffer.alloc(file.size)
  page.writeUInt8(key === undefined ? INTERIOR_TABLE : INTERIOR_INDEX, 0)
  page.writeUInt16BE(children.length - 1, 3)
  page.writeUInt32BE(children.at(-1) ?? 0, 8)
  const cell = key ?? Buffer.of(1)
  let at = file.size
  for (const [i, child] of children.slice(0, -1).entries()) {
    at -= 4 + cell.length
    page.writeUInt32BE(child, at)
    cell.copy(page, at + 4)
    page.writeUInt16BE(at, 12 + 2 * i)
  }
  page.writeUInt16BE(at, 5)
  return page
}

/** What of a leaf of an index can stand as a key above it. */
function keyOn(leaf: Buffer): Buffer {
  const at = leaf.readUInt16BE(8)
  return Buffer.from(leaf.subarray(at, at + 1 + leaf.readUInt8(at)))
}

/**
 * Puts shared pages under the root of a table or index: each page of ten levels has the one below it a hundred times.
 *
 * @param isUneven true: only below a page among real leaves
 */
export function sharePages(path: string, name: string, isUneven = false): void {
  const file = new PageFile(path)
  const root = rootOf(path, name)
  const leaf = Buffer.from(file.page(root))
  if (leaf[0] !== LEAF_INDEX && leaf[0] !== LEAF_TABLE) throw new Error(`${name} is no single leaf`)
  const key = leaf[0] === LEAF_INDEX ? keyOn(leaf) : undefined
  let child = file.add(leaf)
  const width = Math.min(100, Math.floor((file.size - 100) / (6 + (key?.length ?? 1))))
  for (let level = 0; level < LEVELS; level += 1)
    child = file.add(interior(file, Array(width).fill(child), key))
  file.put(root, interior(file, isUneven ? [file.add(leaf), child, file.add(leaf)] : [child, child], key))
  file.save()
}

/**
 * A page of the table whose every cell is the same row, which claims to go on in one other page, again and again.
 *
 * @param length of the row as it stands in the cell
 */
export function endlessRow(path: string, table: string, length: readonly number[]): void {
  const file = new PageFile(path)
  const root = rootOf(path, table)
  const chain = file.add(Buffer.alloc(file.size, 0x41))
  file.page(chain).writeUInt32BE(chain, 0)
  const page = Buffer.alloc(file.size)
  const [count, at] = [900, 2_000]
  page.writeUInt8(LEAF_TABLE, 0)
  page.writeUInt16BE(count, 3)
  page.writeUInt16BE(at, 5)
  for (let i = 0; i < count; i += 1) page.writeUInt16BE(at, 8 + 2 * i)
  // Row 1; what the record begins with, two short texts, fits any table.
  const head = Buffer.of(...length, 1, 3, 0x17, 0x17)
  head.copy(page, at)
  const size = length.reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0)
  page.writeUInt32BE(chain, at + length.length + 1 + localBytes(size, LEAF_TABLE, file.size))
  file.put(root, page)
  file.save()
}

/** 512 MB, and 32 MB, as lengths of rows. */
export const HALF_A_GIGABYTE = [0x82, 0x80, 0x80, 0x80, 0x00]
export const SOME_MEGABYTES = [0x90, 0x80, 0x80, 0x00]

/** A free list that leads back to its first page, or to one that a table has. */
export function endlessFreeList(path: string, table?: string): void {
  const file = new PageFile(path)
  const trunk = Buffer.alloc(file.size)
  const number = file.add(trunk)
  if (table === undefined) file.page(number).writeUInt32BE(number, 0)
  else {
    file.page(number).writeUInt32BE(1, 4)
    file.page(number).writeUInt32BE(rootOf(path, table), 8)
  }
  file.page(1).writeUInt32BE(number, 32)
  file.page(1).writeUInt32BE(table === undefined ? 1_000 : 2, 36)
  file.save()
}
