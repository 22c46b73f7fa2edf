import { readSync } from 'node:fs'
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
  const [places, sizes, changes] = [new Map<number, number>(), new Set<number>(), [] as number[]]
  let lastPage = 0
  // Frames of a transaction count when its commit came.
  let open: Frame[] = []
  for (const frame of framesOf(file, pageSize)) {
    if (!belongs(frame, head.subarray(16, 24), sum)) break
    open.push(frame)
    const size = frame.bytes.readUInt32BE(4)
    if (size === 0) continue
    sizes.add(size)
    for (const { page, at, change } of open) {
      places.set(page, at)
      lastPage = Math.max(lastPage, page)
      if (page === 1) changes.push(change)
    }
    open = []
  }
  return { pageSize, places, lastPage, sizes, changes }
}

interface Frame {
  readonly page: number
  /** Where its content begins in the file. */
  readonly at: number
  /** The change counter, if it is the first page. */
  readonly change: number
  /** Valid until the next frame is read. */
  readonly bytes: Buffer
}

function* framesOf(file: number, pageSize: number): Generator<Frame> {
  const frameBytes = FRAME_HEAD_BYTES + pageSize
  const chunk = Buffer.alloc(Math.max(1, Math.floor(CHUNK_BYTES / frameBytes)) * frameBytes)
  for (let start = HEAD_BYTES; ; start += chunk.length) {
    const read = readSync(file, chunk, 0, chunk.length, start)
    for (let within = 0; within + frameBytes <= read; within += frameBytes) {
      const bytes = chunk.subarray(within, within + frameBytes)
      const change = bytes.readUInt32BE(FRAME_HEAD_BYTES + CHANGES_AT)
      yield { page: bytes.readUInt32BE(0), at: start + within + FRAME_HEAD_BYTES, change, bytes }
    }
    if (read < chunk.length) return
  }
}

/** False for a frame that does not belong to the log: it ends before. */
function belongs({ page, bytes }: Frame, salts: Buffer, sum: Checksum): boolean {
  if (page === 0 || !bytes.subarray(8, 16).equals(salts)) return false
  sum.add(bytes.subarray(0, 8))
  sum.add(bytes.subarray(FRAME_HEAD_BYTES))
  return sum.isAt(bytes, 16)
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
