import { closeSync, openSync, readSync } from 'node:fs'
import { closeFile, holdFile } from './descriptors.ts'

/** The header of the log's shared index (sqlite.org/walformat.html §2.1), of which two copies lie one after the other. */
const STATE_BYTES = 48
/** Places in it, in numbers of four bytes (in the machine's own order), and in bytes. */
const [FRAMES, FIRST_SUM, SECOND_SUM] = [4, 6, 7]
const [IS_MADE_AT, PAGE_SIZE_AT, SALTS_AT] = [12, 14, 32]

const LOG_HEAD_BYTES = 32
const FRAME_HEAD_BYTES = 24

/** Other processes write meanwhile; so often the index is read again. */
const LOOKS = 10

/**
 * Tells whether the log on the disk is the one that SQLite goes on writing to. SQLite knows the length of the log from the
 * index that all processes share and never looks again: of a log that was cut or written over it appends behind what is
 * gone, and nobody ever reads it. Every process changes the index after the log, and before it begins the log anew. So
 * while the index stays as it is, the log must have the header and the last frame that it names. Costs three reads,
 * some 2 µs.
 */
export class LogWatch {
  readonly #log: number
  readonly #index: number
  readonly #release: () => void
  readonly #state = Buffer.alloc(2 * STATE_BYTES)
  readonly #numbers = new Uint32Array(this.#state.buffer, this.#state.byteOffset, STATE_BYTES / 4)
  /** What the index said when the log did not fit it. */
  readonly #doubted = Buffer.alloc(STATE_BYTES)
  readonly #head = Buffer.alloc(LOG_HEAD_BYTES)
  #frame = Buffer.alloc(0)

  private constructor(log: number, index: number) {
    this.#log = log
    this.#index = index
    this.#release = holdFile(index)
  }

  /** Undefined where it cannot be watched: Windows does not let anybody read what SQLite maps and locks. */
  static of(location: string): LogWatch | undefined {
    if (process.platform === 'win32') return undefined
    const opened: number[] = []
    try {
      for (const ending of ['-wal', '-shm']) opened.push(openSync(`${location}${ending}`, 'r'))
      const [log, index] = opened as [number, number]
      return new LogWatch(log, index)
    } catch {
      for (const file of opened) closeFile(file)
      return undefined
    }
  }

  /** False if the log lost what was committed to it. */
  isWhole(): boolean {
    this.#doubted.fill(0)
    for (let look = 1; look <= LOOKS; look += 1) {
      if (!this.#readState()) continue
      // A log that was emptied, or is begun anew, has nothing to lose.
      if (this.#numbers[FRAMES] === 0 || this.#fits()) return true
      if (this.#doubted.compare(this.#state, 0, STATE_BYTES) === 0) return false
      this.#state.copy(this.#doubted, 0, 0, STATE_BYTES)
    }
    return true
  }

  /** To be called when the connections are closed. */
  close(): void {
    closeSync(this.#log)
    closeFile(this.#index)
    this.#release()
  }

  /** False while somebody is writing the header, or if it was not made. */
  #readState(): boolean {
    const state = this.#state
    readSync(this.#index, state, 0, state.length, 0)
    return state.compare(state, STATE_BYTES, 2 * STATE_BYTES, 0, STATE_BYTES) === 0 && state[IS_MADE_AT] === 1
  }

  #fits(): boolean {
    const { length } = this.#sizedFrame()
    const [head, frame, frames] = [this.#head, this.#frame, this.#numbers[FRAMES] as number]
    const place = LOG_HEAD_BYTES + (frames - 1) * length
    return (
      readSync(this.#log, head, 0, LOG_HEAD_BYTES, 0) === LOG_HEAD_BYTES &&
      head.compare(this.#state, SALTS_AT, SALTS_AT + 8, 16, 24) === 0 &&
      readSync(this.#log, frame, 0, length, place) === length &&
      frame.compare(this.#state, SALTS_AT, SALTS_AT + 8, 8, 16) === 0 &&
      frame.readUInt32BE(16) === this.#numbers[FIRST_SUM] &&
      frame.readUInt32BE(20) === this.#numbers[SECOND_SUM]
    )
  }

  #sizedFrame(): Buffer {
    const size = this.#numbers[PAGE_SIZE_AT >> 2] as number
    // Two bytes, the upper or the lower half as the machine has it; 65,536 is written as 1.
    const written = IS_LITTLE_ENDIAN ? size >>> 16 : size & 0xffff
    const bytes = FRAME_HEAD_BYTES + (written & 0xfe00) + ((written & 1) << 16)
    if (this.#frame.length !== bytes) this.#frame = Buffer.alloc(bytes)
    return this.#frame
  }
}

const IS_LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1
