import { Transform, type TransformCallback, type Writable } from 'node:stream'
import { attempt } from '../../errors.ts'

const NEWLINE = 0x0a
/** Bytes kept of either end of a line that is too long, enough to find the id of its request. */
const ENDS = 512
/** Lines let through at a time. */
const LINES_A_TURN = 32
/** A request that cannot be taken (www.jsonrpc.org/specification, "Error object"). */
const INVALID_REQUEST = -32_600

const ID = '("(?:[^"\\\\]|\\\\.){0,200}"|-?\\d{1,16})'
/** Finds the id of an object that names itself first; `ID_LAST` finds it at the very end. */
const ID_FIRST = new RegExp(
  `^\\s*\\{(?:\\s*"(?:jsonrpc|method)"\\s*:\\s*"[^"\\\\]{0,100}"\\s*,){0,2}\\s*"id"\\s*:\\s*${ID}`,
)
const ID_LAST = new RegExp(`"id"\\s*:\\s*${ID}\\s*\\}\\s*$`)

/**
 * Lets lines through whole. A line over the limit is dropped as it comes, so that it needs no memory, and is answered with a
 * JSON-RPC error that names the limit; a line that is no message is answered too. A last line without an end is dropped.
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
    if (bytes > limit) {
      this.#answer(tooLong(line, bytes, limit))
      return
    }
    const { taken, refusals } = messagesOf(line)
    for (const message of taken) this.push(message)
    for (const refusal of refusals) this.#answer(refusal)
  }

  #answer(refusal: object): void {
    this.#answers.write(`${JSON.stringify(refusal)}\n`)
  }
}

function endsOf(line: Buffer): string {
  if (line.length <= 2 * ENDS) return line.toString('utf8')
  return line.toString('utf8', 0, ENDS) + line.toString('utf8', line.length - ENDS)
}

/** The id of a message, if it stands at either end and is one; null as the protocol has it for one that cannot be read. */
function idOf(message: Buffer): unknown {
  const ends = endsOf(message)
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
    id: idOf(line),
    error: { code: INVALID_REQUEST, message: `${said} ${recovery}`, data },
  }
}

/** Codes of refusals (www.jsonrpc.org/specification, "Error object"). */
const PARSE_ERROR = -32_700

/** A line as a reader of single messages may have it, and what is answered in its place. */
interface Messages {
  readonly taken: readonly Buffer[]
  readonly refusals: readonly object[]
}

/**
 * The messages of a line. What a reader would drop without a word is answered here, since whoever sent it waits. A batch, which
 * the protocol of 2025-03-26 has, becomes its messages one by one. Cost: the line is parsed once more.
 */
function messagesOf(line: Buffer): Messages {
  const text = line.toString('utf8').trim()
  if (text === '') return { taken: [], refusals: [] }
  const parsed = attempt(() => ({ value: JSON.parse(text) as unknown }))
  if (parsed === undefined) return refused(PARSE_ERROR, null, 'That is no JSON. Send one message a line.')
  const { value } = parsed
  if (!Array.isArray(value)) {
    const refusal = refusalOf(value)
    return refusal ?? { taken: [line], refusals: [] }
  }
  if (value.length === 0) return refused(INVALID_REQUEST, null, 'The batch is empty.')
  const each = value.map(
    (message) => refusalOf(message) ?? { taken: [Buffer.from(`${JSON.stringify(message)}\n`)], refusals: [] },
  )
  return { taken: each.flatMap(({ taken }) => taken), refusals: each.flatMap(({ refusals }) => refusals) }
}

function refused(code: number, id: string | number | null, message: string): Messages {
  return { taken: [], refusals: [{ jsonrpc: '2.0', id, error: { code, message } }] }
}

/** Returns the refusal of a line that is no message; undefined for one, and for what answers a request of ours. */
function refusalOf(message: unknown): Messages | undefined {
  if (typeof message !== 'object' || message === null || Array.isArray(message))
    return refused(INVALID_REQUEST, null, 'A message is a JSON object.')
  const { jsonrpc, id, method, params } = message as Readonly<Record<string, unknown>>
  const known = typeof id === 'string' || typeof id === 'number' ? id : null
  const wrong = (what: string) => refused(INVALID_REQUEST, known, what)
  if (jsonrpc !== '2.0') return wrong('jsonrpc must be "2.0".')
  if (method === undefined && !('id' in message)) return wrong('method is missing.')
  if (method === undefined) return undefined
  if (typeof method !== 'string') return wrong('method must be a text.')
  if (id !== undefined && typeof id !== 'string' && !Number.isSafeInteger(id))
    return wrong('id must be a text or a whole number.')
  const isObject = typeof params === 'object' && params !== null && !Array.isArray(params)
  return params === undefined || isObject ? undefined : wrong('params must be an object.')
}
