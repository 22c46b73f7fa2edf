import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { attempt, ElfmemError } from '../../../errors.ts'

/** A link or a named pipe in a folder would lead elsewhere, or keep `open` waiting; Windows has neither flag. */
const OPEN = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
const NO_LINK = constants.O_NOFOLLOW ?? 0
const CHUNK_BYTES = 1 << 18

/** The limits of reading. */
export interface ReaderLimits {
  /** Bytes of all files together. */
  readonly mostBytes: number
  readonly signal?: AbortSignal | undefined
}

/** A file that was read whole. */
export interface WholeText {
  readonly text: string
  /** ISO-8601 UTC; undefined if the file system says none that is one. */
  readonly changedAt: string | undefined
}

/** Reads regular files as text, a piece at a time, and counts what it read of all. */
export class Reader {
  readonly #limits: ReaderLimits
  #read = 0
  #total = 0
  #isBroken = false

  constructor(limits: ReaderLimits) {
    this.#limits = limits
  }

  /** True once a byte of the file that was read last is no part of a character. */
  get isBroken(): boolean {
    return this.#isBroken
  }

  /** Kilobytes read and known of. */
  get progress(): { readonly done: number; readonly total: number } {
    const [done, total] = [Math.ceil(this.#read / 1024), Math.ceil(this.#total / 1024)]
    return { done: Math.min(done, total), total }
  }

  /** Takes a file into account before it is read; throws `LIMIT_EXCEEDED` when all are too many bytes. */
  expect(bytes: number): void {
    this.#total += bytes
    const { mostBytes } = this.#limits
    if (this.#total <= mostBytes) return
    throw new ElfmemError(
      'LIMIT_EXCEEDED',
      `There are ${this.#total} bytes to read; at most ${mostBytes} are.`,
      {
        recovery: 'Import it in parts, or raise limits.import_bytes.',
        details: {
          arguments: ['path'],
          found: this.#total,
          limit: mostBytes,
          unit: 'bytes',
          setting: 'limits.import_bytes',
        },
      },
    )
  }

  /** Takes a file in a folder into account; one that is gone or closed counts nothing, and is named where it is read. */
  expectFile(path: string): void {
    const file = attempt(() => openRegular(path, true))
    if (file === undefined) return
    const { size } = fstatSync(file)
    closeSync(file)
    this.expect(size)
  }

  /** Says that a file was read some other way. */
  count(bytes: number): void {
    this.#read += bytes
  }

  /** Throws `CANCELLED` once the caller does not want it any more. */
  mustGoOn(): void {
    if (this.#limits.signal?.aborted)
      throw new ElfmemError('CANCELLED', 'The import was cancelled.', {
        recovery: 'Call it again with the same: what is there already does not come twice.',
      })
  }

  /**
   * The text of a file in pieces; bytes that are no UTF-8 become U+FFFD, a byte order mark goes.
   *
   * @param isInside true of a file in a folder: no link is followed
   * @throws `NOT_FOUND`, `INVALID_INPUT` for what is no regular file
   */
  *pieces(path: string, isInside: boolean): Generator<string> {
    const file = openRegular(path, isInside)
    this.#isBroken = false
    try {
      const bytes = Buffer.allocUnsafe(CHUNK_BYTES)
      let decoder: Decoder | undefined
      for (let size = readSync(file, bytes); size > 0; size = readSync(file, bytes)) {
        this.mustGoOn()
        this.#read += size
        decoder ??= new Decoder(encodingOf(bytes.subarray(0, size)))
        const text = decoder.decode(bytes.subarray(0, size))
        this.#isBroken = decoder.isBroken
        yield text
      }
      const end = decoder?.decode() ?? ''
      this.#isBroken = decoder?.isBroken ?? false
      yield end
    } catch (error) {
      throw asRefusal(error, path)
    } finally {
      closeSync(file)
    }
  }

  /** The lines of a file; one longer than `most` signs comes as undefined. */
  *lines(path: string, isInside: boolean, most: number): Generator<string | undefined> {
    let rest = ''
    let isTooLong = false
    for (const piece of this.pieces(path, isInside)) {
      const parts = piece.split('\n')
      const last = parts.pop() ?? ''
      for (const part of parts) {
        yield isTooLong || rest.length + part.length > most ? undefined : withoutReturn(rest + part)
        rest = ''
        isTooLong = false
      }
      isTooLong ||= rest.length + last.length > most
      rest = isTooLong ? '' : rest + last
    }
    if (isTooLong) yield undefined
    else if (rest !== '') yield withoutReturn(rest)
  }

  /** The whole text of a file, its lines parted by `\n` alone; undefined of one with more than `most` bytes. */
  text(path: string, isInside: boolean, most: number): WholeText | undefined {
    const { size, changedAt } = factsOf(path, isInside)
    if (size > most) return undefined
    const text = [...this.pieces(path, isInside)].join('')
    return { text: text.replaceAll(/\r\n?/g, '\n'), changedAt }
  }
}

/** Decodes a text in pieces, and knows if some of its bytes were no characters: U+FFFD may stand in a good one, too. */
class Decoder {
  readonly #decoder: InstanceType<typeof TextDecoder>
  readonly #strict: InstanceType<typeof TextDecoder>
  isBroken = false

  constructor(encoding: string) {
    this.#decoder = new TextDecoder(encoding)
    this.#strict = new TextDecoder(encoding, { fatal: true })
  }

  /** @param bytes none at the end */
  decode(bytes?: Uint8Array): string {
    const stream = bytes !== undefined
    this.isBroken ||= attempt(() => this.#strict.decode(bytes, { stream })) === undefined
    return this.#decoder.decode(bytes, { stream })
  }
}

/** The beginning of a file, and its facts. */
export function headOf(path: string, bytes: number): { readonly head: Buffer; readonly size: number } {
  const file = openRegular(path, false)
  try {
    const head = Buffer.alloc(bytes)
    const size = readSync(file, head, 0, bytes, 0)
    return { head: head.subarray(0, size), size: fstatSync(file).size }
  } catch (error) {
    throw asRefusal(error, path)
  } finally {
    closeSync(file)
  }
}

/** The text that bytes begin with, in the encoding that they say. */
export function textOfBytes(bytes: Buffer): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes)
}

/** Size and time of the last change of a regular file. */
function factsOf(path: string, isInside: boolean): Pick<WholeText, 'changedAt'> & { readonly size: number } {
  const file = openRegular(path, isInside)
  try {
    const { size, mtime } = fstatSync(file)
    return { size, changedAt: Number.isNaN(mtime.getTime()) ? undefined : mtime.toISOString() }
  } finally {
    closeSync(file)
  }
}

function openRegular(path: string, isInside: boolean): number {
  let file: number
  try {
    file = openSync(path, isInside ? OPEN | NO_LINK : OPEN)
  } catch (error) {
    throw asRefusal(error, path)
  }
  if (fstatSync(file).isFile()) return file
  closeSync(file)
  throw new ElfmemError('INVALID_INPUT', `${path} is no regular file.`, {
    recovery: 'Name a file or a folder.',
    details: { path },
  })
}

/** The error of this program for one of the file system. */
export function asRefusal(error: unknown, path: string): unknown {
  if (ElfmemError.is(error) || !(error instanceof Error) || !('code' in error)) return error
  const options = {
    recovery: 'Name a file or folder that you may read.',
    details: { path, code: String(error.code) },
  }
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR')
    return new ElfmemError('NOT_FOUND', `There is no ${path}.`, options)
  return new ElfmemError('STORE_FAILED', `${path} cannot be read: ${error.message}.`, {
    ...options,
    cause: error,
  })
}

function encodingOf(bytes: Buffer): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8'
}

function withoutReturn(line: string): string {
  return line.endsWith('\r') ? line.slice(0, -1) : line
}
