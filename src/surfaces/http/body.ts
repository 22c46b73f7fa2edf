import type { IncomingMessage, ServerResponse } from 'node:http'

/** Answers with JSON text. */
export function answerJson(
  response: ServerResponse,
  {
    status,
    headers = {},
    body,
  }: { status: number; headers?: Readonly<Record<string, string>>; body: string | Buffer },
): void {
  if (response.destroyed || response.headersSent) return
  const length = String(Buffer.byteLength(body))
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': length, ...headers })
  response.end(body)
}

/**
 * Answers without looking at the body. What still comes of it is read and dropped, or the sender would lose the answer; how long
 * that may take is the server's `requestTimeout`. Who waits to be asked for a body is not, and is disconnected.
 */
export function answerUnread(
  request: IncomingMessage,
  response: ServerResponse,
  { headers = {}, ...answer }: Parameters<typeof answerJson>[1],
): void {
  const waits = request.headers.expect === undefined ? {} : { connection: 'close' }
  answerJson(response, { ...answer, headers: { ...waits, ...headers } })
  request.resume()
}

/**
 * The body of a request, read as it comes; undefined once it has more bytes than it may. Rejects if the client goes away before
 * its end. How long it may take is the server's `requestTimeout`.
 */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let bytes = 0
    const take = (part: Buffer) => {
      bytes += part.length
      if (bytes <= maxBytes) {
        parts.push(part)
        return
      }
      request.off('data', take)
      resolve(undefined)
    }
    request.on('data', take)
    request.once('end', () => resolve(Buffer.concat(parts)))
    request.once('error', reject)
    request.once('close', () => reject(new Error('The client went away.')))
  })
}
