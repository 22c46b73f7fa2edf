import { connect } from 'node:net'
import { isAbsolute } from 'node:path'
import { projectIdentity } from '../../adapters/project/identity.ts'
import { hookBudget } from '../../adapters/project/variables.ts'
import { attempt } from '../../errors.ts'
import { foldersUp, socketPath } from './socket-path.ts'

/** The event of a hook for the server of the project it comes from. */
export interface Asked {
  readonly client: string
  /** The folder that the hook works in, unless its payload names one as `cwd`. */
  readonly cwd: string
  readonly home: string
  /** The payload as JSON text. */
  readonly payload: string
  /** Milliseconds until it is given up. */
  readonly within: number
}

/** The answer to a hook when there is nothing to say, or no server. */
export const NOTHING = '{}'
/** The status by which a server says that a hook is of another project. */
export const NOT_OURS = 421
/** Milliseconds for the way to a server and back. */
const WAY_MS = 50
/** Bytes of a payload that a server takes. */
const PAYLOAD_BYTES_MAX = 1_048_576

/** Milliseconds until a hook is given up: what a server takes at most, and the way there and back. */
export function hookWithin(env: Readonly<Record<string, string | undefined>>): number {
  return hookBudget(env) + WAY_MS
}

/**
 * Asks the server of the project around a folder, and returns its answer as JSON text; `{}` for any failure, and where no server
 * of it runs. Starts nothing. Reads the few lines by which git knows a worktree, where no folder above has a server.
 */
export async function askServer({ client, home, payload, within, ...from }: Asked): Promise<string> {
  const body = Buffer.from(payload)
  if (home === '' || body.length === 0 || body.length > PAYLOAD_BYTES_MAX) return NOTHING
  const cwd = folderIn(payload) ?? from.cwd
  const head = `POST /hook/${encodeURIComponent(client)} HTTP/1.0\r\nx-elfmem-cwd: ${encodeURIComponent(cwd)}\r\nContent-Length: ${body.length}\r\n\r\n`
  const request = Buffer.concat([Buffer.from(head), body])
  const asking = new AbortController()
  const ask = async () => {
    for (const folder of placesOf(cwd, home)) {
      const path = socketPath(home, folder)
      const answer = path && (await exchange(path, request, asking.signal))
      if (answer) return answer
    }
    return NOTHING
  }
  // A server that does not answer must not keep the process alive.
  return inTime(ask(), within).finally(() => asking.abort())
}

/** Waits for an answer for a limited time; `{}` if it is late or fails. */
async function inTime(coming: Promise<string>, within: number): Promise<string> {
  // A client may start this with a Node that has no `Promise.withResolvers`.
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(NOTHING), within)
  })
  const answer = Promise.race([coming, over]).catch(() => NOTHING)
  return answer.finally(() => clearTimeout(timer))
}

/** The folder that a client says its session works in; undefined if it says none. */
function folderIn(payload: string): string | undefined {
  const { cwd } = Object(attempt(() => JSON.parse(payload) as unknown)) as { readonly cwd?: unknown }
  return typeof cwd === 'string' && isAbsolute(cwd) && !cwd.includes('\0') ? cwd : undefined
}

/** Yields the places where a server of a folder's project may be: a folder above, which needs no look at a file, or its repository. */
function* placesOf(cwd: string, home: string): Generator<string> {
  yield* foldersUp(cwd)
  const place = attempt(() => projectIdentity({ cwd, home }).home)
  if (place !== undefined) yield place
}

/** Sends a request and returns the body of the answer; undefined if nobody of the project listens there. */
function exchange(path: string, request: Buffer, ended: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    let isConnected = false
    const parts: Buffer[] = []
    ended.addEventListener('abort', () => socket.destroy(), { once: true })
    socket.unref()
    socket.on('connect', () => {
      isConnected = true
      socket.ref()
      socket.write(request)
    })
    socket.on('data', (part) => parts.push(part))
    socket.on('error', () => resolve(isConnected ? NOTHING : undefined))
    socket.on('close', () => resolve(bodyOf(Buffer.concat(parts).toString())))
  })
}

/** The body of an answer that is one; undefined from a server of another project, and `{}` for any other. */
function bodyOf(answer: string): string | undefined {
  if (answer.startsWith(`HTTP/1.1 ${NOT_OURS} `)) return undefined
  const end = answer.indexOf('\r\n\r\n')
  return /^HTTP\/1\.[01] 200 /.test(answer) && end >= 0 ? answer.slice(end + 4) : NOTHING
}

/** Returns the answer to the payload on a stream, in time whatever the stream holds or does: `{}` for one that is too long, or fails. */
export function answerStream(
  stream: AsyncIterable<Uint8Array>,
  asking: Omit<Asked, 'payload'>,
): Promise<string> {
  const answer = async () => askServer({ ...asking, payload: (await payloadOf(stream)) ?? '' })
  return inTime(answer(), asking.within)
}

/** Reads a whole stream as text; undefined if it is too long. */
export async function payloadOf(stream: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of stream) {
    length += part.length
    if (length > PAYLOAD_BYTES_MAX) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}
