import { constants, openSync, readSync } from 'node:fs'
import { attempt } from '../../errors.ts'
import { closeFile, holdFile } from './descriptors.ts'

/** Numbers in the header of the log's shared index (sqlite.org/walformat.html §2.1), of which two copies lie one after the other. */
const STATE = 12
/** Places in it, in numbers of four bytes, in the machine's own order but for the salts, and in bytes. */
const [FRAMES, FIRST_SUM, SECOND_SUM, FIRST_SALT, SECOND_SALT] = [4, 6, 7, 8, 9]
const [IS_MADE_AT, PAGE_SIZE_AT] = [12, 14]

const LOG_HEAD_BYTES = 32
const FRAME_HEAD_BYTES = 24

/** Other processes write meanwhile; so often the index is read again. */
const LOOKS = 10

/**
 * Tells whether the log on the disk is the one that SQLite goes on writing to. SQLite knows the length of the log from the
 * index that all processes share and never looks again: of a log that was cut or written over it appends behind what is
 * gone, and nobody ever reads it. Every process changes the index after the log, and before it begins the log anew. So
 * while the index stays as it is, the log must have the header and the last frame that it names. Each is a read, which
 * costs some 2 µs beside the index's own: before a write the last frame is looked at, behind which SQLite will write; after
 * it the header, without which nobody reads on.
 */
export class LogWatch {
  readonly #log: number
  readonly #index: number
  readonly #releases: readonly (() => void)[]
  readonly #state = new Uint32Array(2 * STATE)
  /** The values of the index when the log did not fit it. */
  #doubted: readonly number[] = []
  readonly #head = new Uint32Array(LOG_HEAD_BYTES / 4)
  #frame = Buffer.alloc(0)

  private constructor(log: number, index: number) {
    this.#log = log
    this.#index = index
    this.#releases = [log, index].map((file) => holdFile(file))
  }

  /** Undefined where it cannot be watched: Windows does not let anybody read what SQLite maps and locks. */
  static of(location: string): LogWatch | undefined {
    if (process.platform === 'win32') return undefined
    const opened: number[] = []
    try {
      for (const ending of ['-wal', '-shm']) opened.push(openUnnoticed(`${location}${ending}`))
      const [log, index] = opened as [number, number]
      return new LogWatch(log, index)
    } catch {
      for (const file of opened) closeFile(file)
      return undefined
    }
  }

  /** False if the log lost its end, behind which SQLite would write. */
  hasEnd(): boolean {
    return this.#holds(() => this.#hasLastFrame())
  }

  /** False if the log lost its beginning, without which nobody reads what was written. */
  hasBeginning(): boolean {
    return this.#holds(() => this.#hasHeader())
  }

  #holds(fits: () => boolean): boolean {
    this.#doubted = []
    for (let look = 1; look <= LOOKS; look += 1) {
      if (!this.#readState()) continue
      // A log that was emptied, or is begun anew, has nothing to lose.
      if (this.#state[FRAMES] === 0 || fits()) return true
      const state = [...this.#state.subarray(0, STATE)]
      if (state.every((each, i) => each === this.#doubted[i])) return false
      this.#doubted = state
    }
    return true
  }

  /** To be called when the connections are closed. */
  close(): void {
    for (const file of [this.#log, this.#index]) closeFile(file)
    for (const release of this.#releases) release()
  }

  /** False while somebody is writing the header, or if it was not made. */
  #readState(): boolean {
    const state = this.#state
    readSync(this.#index, state, 0, state.byteLength, 0)
    for (let i = 0; i < STATE; i += 1) if (state[i] !== state[i + STATE]) return false
    return byteOf(state, IS_MADE_AT) === 1
  }

  #hasHeader(): boolean {
    const head = this.#head
    return readSync(this.#log, head, 0, LOG_HEAD_BYTES, 0) === LOG_HEAD_BYTES && this.#hasSalts(head, 4)
  }

  #hasLastFrame(): boolean {
    const [frame, state] = [this.#sizedFrame(), this.#state]
    const { length } = frame
    const place = LOG_HEAD_BYTES + ((state[FRAMES] as number) - 1) * length
    return (
      readSync(this.#log, frame, 0, length, place) === length &&
      this.#hasSalts(new Uint32Array(frame.buffer, frame.byteOffset, FRAME_HEAD_BYTES / 4), 2) &&
      frame.readUInt32BE(16) === state[FIRST_SUM] &&
      frame.readUInt32BE(20) === state[SECOND_SUM]
    )
  }

  #hasSalts(numbers: Uint32Array, at: number): boolean {
    return numbers[at] === this.#state[FIRST_SALT] && numbers[at + 1] === this.#state[SECOND_SALT]
  }

  #sizedFrame(): Buffer {
    const size = this.#state[PAGE_SIZE_AT >> 2] as number
    // Two bytes, the upper or the lower half as the machine has it; 65,536 is written as 1.
    const written = IS_LITTLE_ENDIAN ? size >>> 16 : size & 0xffff
    const bytes = FRAME_HEAD_BYTES + (written & 0xfe00) + ((written & 1) << 16)
    if (this.#frame.length !== bytes) this.#frame = Buffer.allocUnsafeSlow(bytes)
    return this.#frame
  }
}

function byteOf(numbers: Uint32Array, at: number): number | undefined {
  return new Uint8Array(numbers.buffer)[at]
}

const IS_LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1

/**
 * Opens a file to be read so that reading it leaves no time of access: after each write the first read would be written
 * down, which makes the next commit a tenth longer. Only Linux has that, for the owner of the file.
 */
function openUnnoticed(path: string): number {
  return attempt(() => openSync(path, constants.O_RDONLY | (constants.O_NOATIME ?? 0))) ?? openSync(path, 'r')
}
