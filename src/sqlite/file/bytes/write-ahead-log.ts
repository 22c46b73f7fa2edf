import { fstatSync, readSync } from 'node:fs'
import { isPageSize } from './header.ts'

/** The parts of a write-ahead log that SQLite would read (sqlite.org/fileformat.html §4). */
export interface WriteAheadLog {
  readonly pageSize: number
  /** Where the newest committed content of a page begins, by the page's number. */
  readonly places: ReadonlyMap<number, number>
  /** The highest number of a page in `places`; 0 if there is none. */
  readonly lastPage: number
  /** Pages of the database after each commit, without repetition. */
  readonly sizes: ReadonlySet<number>
  /** Change counters of the first page, oldest first. */
  readonly changes: readonly number[]
}

const MAGIC = 0x377f0682
const VERSION = 3_007_000
const HEAD_BYTES = 32
const FRAME_HEAD_BYTES = 24
/** Frames are read so many bytes at a time. */
const CHUNK_BYTES = 1 << 20
/** Where the first page keeps its change counter. */
const CHANGES_AT = 24

const IS_LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1

/** Returns what of an open log counts: up to the last commit before the first frame whose checksum is wrong. */
export function readLog(file: number): WriteAheadLog | undefined {
  const head = Buffer.alloc(HEAD_BYTES)
  if (readSync(file, head, 0, HEAD_BYTES, 0) < HEAD_BYTES) return undefined
  const magic = head.readUInt32BE(0)
  const pageSize = head.readUInt32BE(8)
  if ((magic & ~1) !== MAGIC || head.readUInt32BE(4) !== VERSION || !isPageSize(pageSize)) return undefined
  const sum = new Checksum((magic & 1) === 1)
  sum.add(head.subarray(0, 24))
  if (!sum.isAt(head, 24)) return undefined
  const read = new Frames(pageSize, head.subarray(16, 24), sum)
  const frameBytes = FRAME_HEAD_BYTES + pageSize
  const chunk = Buffer.alloc(Math.max(1, Math.floor(CHUNK_BYTES / frameBytes)) * frameBytes)
  const { size } = fstatSync(file)
  for (let at = HEAD_BYTES; at < size; at += chunk.length) {
    const bytes = readSync(file, chunk, 0, chunk.length, at)
    for (let within = 0; within + frameBytes <= bytes; within += frameBytes)
      if (!read.take(chunk.subarray(within, within + frameBytes), at + within)) return read.committed
    if (bytes < chunk.length) break
  }
  return read.committed
}

/** Collects frames; those of a transaction count when its commit came. */
class Frames {
  readonly #pageSize: number
  readonly #salts: Buffer
  readonly #sum: Checksum
  readonly #places = new Map<number, number>()
  readonly #sizes = new Set<number>()
  readonly #changes: number[] = []
  #lastPage = 0
  #open: { readonly page: number; readonly at: number; readonly changes: number }[] = []

  constructor(pageSize: number, salts: Buffer, sum: Checksum) {
    this.#pageSize = pageSize
    this.#salts = salts
    this.#sum = sum
  }

  get committed(): WriteAheadLog {
    return {
      pageSize: this.#pageSize,
      places: this.#places,
      lastPage: this.#lastPage,
      sizes: this.#sizes,
      changes: this.#changes,
    }
  }

  /** False for a frame that does not belong to the log: it ends before. */
  take(frame: Buffer, at: number): boolean {
    const page = frame.readUInt32BE(0)
    if (page === 0 || !frame.subarray(8, 16).equals(this.#salts)) return false
    this.#sum.add(frame.subarray(0, 8))
    this.#sum.add(frame.subarray(FRAME_HEAD_BYTES))
    if (!this.#sum.isAt(frame, 16)) return false
    const changes = page === 1 ? frame.readUInt32BE(FRAME_HEAD_BYTES + CHANGES_AT) : 0
    this.#open.push({ page, at: at + FRAME_HEAD_BYTES, changes })
    const size = frame.readUInt32BE(4)
    if (size > 0) this.#commit(size)
    return true
  }

  #commit(size: number): void {
    this.#sizes.add(size)
    for (const { page, at, changes } of this.#open) {
      this.#places.set(page, at)
      this.#lastPage = Math.max(this.#lastPage, page)
      if (page === 1) this.#changes.push(changes)
    }
    this.#open = []
  }
}

/** SQLite's running checksum over pairs of 32-bit words. */
class Checksum {
  readonly #isBigEndian: boolean
  #first = 0
  #second = 0

  constructor(isBigEndian: boolean) {
    this.#isBigEndian = isBigEndian
  }

  add(bytes: Buffer): void {
    const copy = Buffer.from(bytes)
    if (this.#isBigEndian === IS_LITTLE_ENDIAN) copy.swap32()
    const words = new Uint32Array(copy.buffer, copy.byteOffset, copy.length / 4)
    let [first, second] = [this.#first, this.#second]
    for (let i = 0; i < words.length; i += 2) {
      first = (first + (words[i] as number) + second) >>> 0
      second = (second + (words[i + 1] as number) + first) >>> 0
    }
    this.#first = first
    this.#second = second
  }

  isAt(bytes: Buffer, at: number): boolean {
    return bytes.readUInt32BE(at) === this.#first && bytes.readUInt32BE(at + 4) === this.#second
  }
}
