import { attempt } from '../../errors.ts'

/** Codes of refusals (www.jsonrpc.org/specification, "Error object"). */
const [PARSE_ERROR, INVALID_REQUEST] = [-32_700, -32_600]

/** A line as a reader of single messages may have it, and what is answered in its place. */
export interface Messages {
  readonly taken: readonly Buffer[]
  readonly refusals: readonly object[]
}

/**
 * The messages of a line. What a reader would drop without a word is answered here, since whoever sent it waits. A batch, which
 * the protocol of 2025-03-26 has, becomes its messages one by one. Cost: the line is parsed once more.
 */
export function messagesOf(line: Buffer): Messages {
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
