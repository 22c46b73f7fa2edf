import { Transform, type TransformCallback, type Writable } from 'node:stream'
import { attempt } from '../../errors.ts'

const NEWLINE = 0x0a
/** Bytes kept of either end of a line that is too long, enough to find the id of its request. */
const ENDS = 512
/** Lines let through at a time. */
const LINES_A_TURN = 32
/** Code of the refusal (www.jsonrpc.org/specification, "Error object"). */
const INVALID_REQUEST = -32_600

const ID = '("(?:[^"\\\\]|\\\\.){0,200}"|-?\\d{1,16})'
/** Finds the id of an object that names itself first; `ID_LAST` finds it at the very end. */
const ID_FIRST = new RegExp(
  `^\\s*\\{(?:\\s*"(?:jsonrpc|method)"\\s*:\\s*"[^"\\\\]{0,100}"\\s*,){0,2}\\s*"id"\\s*:\\s*${ID}`,
)
const ID_LAST = new RegExp(`"id"\\s*:\\s*${ID}\\s*\\}\\s*$`)

/**
 * Lets lines through whole. A line over the limit is dropped as it comes, so that it needs no memory, and is answered with a
 * JSON-RPC error that names the limit. A last line without an end is dropped.
 */
export class LineLimit extends Transform {
  readonly #maxBytes: () => number
  readonly #answers: Writable
  #parts: Buffer[] = []
  #bytes = 0

  /**
   * @param maxBytes asked for each line
   * @param answers where refusals go, a line each
   */
  constructor(maxBytes: () => number, answers: Writable) {
    super()
    this.#maxBytes = maxBytes
    this.#answers = answers
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#take(chunk, 0, done)
  }

  /** Takes some lines of a chunk; before the next the loop gets its turn, however many come in one write. */
  #take(chunk: Buffer, start: number, done: TransformCallback): void {
    let from = start
    for (let lines = 0; lines < LINES_A_TURN; lines += 1) {
      const end = chunk.indexOf(NEWLINE, from)
      if (end < 0) {
        if (from < chunk.length) this.#add(chunk.subarray(from))
        done()
        return
      }
      this.#add(chunk.subarray(from, end + 1))
      this.#endLine()
      from = end + 1
    }
    setImmediate(() => (this.destroyed ? done() : this.#take(chunk, from, done)))
  }

  #add(part: Buffer): void {
    this.#bytes += part.length
    if (this.#bytes <= this.#maxBytes()) {
      this.#parts.push(part)
      return
    }
    const all = Buffer.concat([...this.#parts, part])
    this.#parts = [
      Buffer.from(all.subarray(0, ENDS)),
      Buffer.from(all.subarray(Math.max(ENDS, all.length - ENDS))),
    ]
  }

  #endLine(): void {
    const line = Buffer.concat(this.#parts)
    const bytes = this.#bytes
    const limit = this.#maxBytes()
    this.#parts = []
    this.#bytes = 0
    if (bytes > limit) this.#answers.write(`${JSON.stringify(tooLong(line, bytes, limit))}\n`)
    else this.push(line)
  }
}

/** Returns the id of a message that is too long, if it stands at either end of what was kept; null if it cannot be read. */
function idOf(ends: string): unknown {
  const [, id = 'null'] = ID_FIRST.exec(ends) ?? ID_LAST.exec(ends) ?? []
  return attempt(() => JSON.parse(id) as unknown) ?? null
}

/** Returns the JSON-RPC error that answers a line over the limit, by its id if that can be found. */
function tooLong(line: Buffer, found: number, limit: number): object {
  const setting = 'limits.request_bytes'
  const said = `The message has ${found} bytes; at most ${limit} are taken (${setting}).`
  const recovery = 'Send less at once: learn a document in parts, remember many things in several calls.'
  const data = { code: 'LIMIT_EXCEEDED', recovery, details: { found, limit, setting } }
  return {
    jsonrpc: '2.0',
    id: idOf(line.toString('utf8')),
    error: { code: INVALID_REQUEST, message: `${said} ${recovery}`, data },
  }
}
