import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { HTTP_BOUNDS } from '../../bounds.ts'
import { answerUnread } from '../../http/body.ts'
import type { Refusal } from './front.ts'

/** The error of JSON-RPC for what a server refuses in its own way. */
const SERVER_ERROR = -32_000
/** Headers that are about the connection, or tell who calls; no handler needs them. */
const KEPT_BACK = ['authorization', 'connection', 'content-length', 'expect', 'host', 'transfer-encoding']

/** Answers with a refusal; the body is not looked at. */
export function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, message, headers = {} }: Refusal,
): void {
  answerUnread(request, response, { status, headers, body: errorText(SERVER_ERROR, message) })
}

/** The text of an error of JSON-RPC that answers no request in particular. */
export function errorText(code: number, message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } })
}

/** The request as handlers take it. Its body is passed beside it. */
export function webRequest(
  { method = 'POST', url = '/', headersDistinct }: IncomingMessage,
  signal: AbortSignal,
): Request {
  const headers = new Headers()
  for (const [name, values = []] of Object.entries(headersDistinct))
    if (!KEPT_BACK.includes(name)) for (const value of values) headers.append(name, value)
  return new Request(`http://localhost${url}`, { method, headers, signal })
}

/**
 * Writes an answer as it comes, no faster than the client reads. One that is not read for `HTTP_BOUNDS.unreadMs` is given up,
 * and so is one whose client left.
 */
export async function writeAnswer(answer: Response, output: ServerResponse): Promise<void> {
  // Whether the connection stays is for the client and the server to say.
  const { connection: _, ...headers } = Object.fromEntries(answer.headers)
  output.writeHead(answer.status, { ...headers, 'cache-control': 'no-store' })
  if (answer.body === null) {
    output.end()
    return
  }
  output.flushHeaders()
  const reader = answer.body.getReader()
  const leave = () => void reader.cancel().catch(() => undefined)
  output.once('close', leave)
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read())
      if (!output.write(part.value))
        await once(output, 'drain', { signal: AbortSignal.timeout(HTTP_BOUNDS.unreadMs) })
    output.end()
  } catch {
    leave()
    output.destroy()
  }
}
