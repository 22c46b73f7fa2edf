import { connect } from 'node:net'
import { foldersUp, socketPath } from './socket-path.ts'

/** The event of a hook for the server of the project it comes from. */
export interface Asked {
  readonly client: string
  /** The folder that the hook works in. */
  readonly cwd: string
  readonly home: string
  /** The payload as JSON text. */
  readonly payload: string
  /** Milliseconds until it is given up. */
  readonly within: number
}

/** The answer where there is nothing to say, or nobody who could. */
export const NOTHING = '{}'
/** Bytes of a payload that a server takes. */
export const PAYLOAD_BYTES_MAX = 1_048_576

/**
 * Asks the server of the project around a folder, and returns its answer as JSON text; `{}` for any failure, and undefined where no
 * server runs. Starts nothing and reads no file.
 */
export async function askServer({ client, cwd, home, payload, within }: Asked): Promise<string | undefined> {
  const body = Buffer.from(payload)
  if (home === '' || body.length === 0 || body.length > PAYLOAD_BYTES_MAX) return NOTHING
  const over = Promise.withResolvers<string>()
  const timer = setTimeout(() => over.resolve(NOTHING), within)
  const head = `POST /hook/${encodeURIComponent(client)} HTTP/1.0\r\nx-elfmem-cwd: ${encodeURIComponent(cwd)}\r\nContent-Length: ${body.length}\r\n\r\n`
  const ask = async () => {
    for (const folder of foldersUp(cwd)) {
      const path = socketPath(home, folder)
      const answer = path === undefined ? undefined : await exchange(path, head, body)
      if (answer !== undefined) return answer
    }
    return undefined
  }
  try {
    return await Promise.race([ask(), over.promise])
  } finally {
    clearTimeout(timer)
  }
}

/** Sends a request and returns the body of the answer; undefined if nobody listens there. */
function exchange(path: string, head: string, body: Buffer): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    let isConnected = false
    const parts: Buffer[] = []
    // Waiting for an answer keeps nobody's process.
    socket.unref()
    socket.on('connect', () => {
      isConnected = true
      socket.ref()
      socket.write(head)
      socket.write(body)
    })
    socket.on('data', (part) => parts.push(part))
    socket.on('error', () => resolve(isConnected ? NOTHING : undefined))
    socket.on('close', () => resolve(bodyOf(Buffer.concat(parts).toString())))
  })
}

/** The body of an answer that is one; `{}` for any other. */
function bodyOf(answer: string): string {
  const end = answer.indexOf('\r\n\r\n')
  return /^HTTP\/1\.[01] 200 /.test(answer) && end >= 0 ? answer.slice(end + 4) : NOTHING
}
