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
/** Frames are read so many bytes at a time: what the processor's own cache holds while they are summed. */
const CHUNK_BYTES = 1 << 17
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
  sum.add(wordsOf(head), 0, 24)
  if (!sum.isAt(head, 24)) return undefined
  const [places, sizes, changes] = [new Map<number, number>(), new Set<number>(), [] as number[]]
  let lastPage = 0
  // Frames of a transaction count when its commit came.
  let open: Frame[] = []
  for (const frame of framesOf(file, pageSize, { salts: head.subarray(16, 24), sum })) {
    open.push(frame)
    if (frame.size === 0) continue
    sizes.add(frame.size)
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
  /** Pages of the database after it, if it ends a transaction; 0 if it does not. */
  readonly size: number
}

/** The frames up to the first that does not belong to the log. */
function* framesOf(
  file: number,
  pageSize: number,
  { salts, sum }: { readonly salts: Buffer; readonly sum: Checksum },
): Generator<Frame> {
  const frameBytes = FRAME_HEAD_BYTES + pageSize
  const chunk = Buffer.alloc(Math.max(1, Math.floor(CHUNK_BYTES / frameBytes)) * frameBytes)
  const words = wordsOf(chunk)
  for (let start = HEAD_BYTES; ; start += chunk.length) {
    const read = readSync(file, chunk, 0, chunk.length, start)
    for (let within = 0; within + frameBytes <= read; within += frameBytes) {
      const [page, content] = [chunk.readUInt32BE(within), within + FRAME_HEAD_BYTES]
      if (page === 0 || salts.compare(chunk, within + 8, within + 16) !== 0) return
      sum.add(words, within, within + 8)
      sum.add(words, content, content + pageSize)
      if (!sum.isAt(chunk, within + 16)) return
      const change = chunk.readUInt32BE(content + CHANGES_AT)
      yield { page, at: start + content, change, size: chunk.readUInt32BE(within + 4) }
    }
    if (read < chunk.length) return
  }
}

/** The same bytes as numbers of 32 bits with a sign, in the machine's order: sums of those need no detour. */
function wordsOf({ buffer, byteOffset, length }: Buffer): Int32Array {
  return new Int32Array(buffer, byteOffset, length / 4)
}

/** SQLite's running checksum over pairs of 32-bit words. A log has up to some million words, of which each costs 0.3 ns. */
class Checksum {
  readonly #isSwapped: boolean
  /** In plain fields they would be fractions to the machine, which take four times as long to add. */
  readonly #sums = new Int32Array(2)

  constructor(isBigEndian: boolean) {
    this.#isSwapped = isBigEndian === IS_LITTLE_ENDIAN
  }

  /** Adds the words of these bytes. */
  add(words: Int32Array, from: number, to: number): void {
    if (this.#isSwapped) {
      const own = Buffer.from(words.slice(from / 4, to / 4).buffer).swap32()
      this.#addAll(wordsOf(own), 0, own.length / 4)
    } else this.#addAll(words, from / 4, to / 4)
  }

  #addAll(words: Int32Array, from: number, to: number): void {
    let first = this.#sums[0] as number
    let second = this.#sums[1] as number
    for (let i = from; i < to; i += 2) {
      first = (first + (words[i] as number) + second) | 0
      second = (second + (words[i + 1] as number) + first) | 0
    }
    this.#sums[0] = first
    this.#sums[1] = second
  }

  isAt(bytes: Buffer, at: number): boolean {
    return bytes.readInt32BE(at) === this.#sums[0] && bytes.readInt32BE(at + 4) === this.#sums[1]
  }
}
