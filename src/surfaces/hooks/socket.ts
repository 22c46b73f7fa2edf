import { once } from 'node:events'
import { chmodSync, lstatSync, mkdirSync } from 'node:fs'
import type { IncomingMessage, Server } from 'node:http'
import { projectIdentity } from '../../adapters/project/identity.ts'
import { removeStaleSocket } from '../http/stale-socket.ts'
import { NOT_OURS, NOTHING, payloadOf } from './ask.ts'
import type { HookFront } from './hook-tool.ts'
import { socketFolder, socketPath } from './socket-path.ts'

/** The server of `node:http`, loaded without an import statement as in `http/listen.ts`. */
const { createServer } = process.getBuiltinModule('node:http')

/** Milliseconds after which a server that is not the first of its project looks whether it is now. */
const AGAIN_MS = 5_000
/** Milliseconds in which a request has to be there: they come from this machine. */
const REQUEST_MS = 2_000
/** Requests at once; a client has a few hooks. */
const CONNECTIONS_MAX = 64

/** The place that a socket is for. */
interface Place {
  readonly cwd: string
  readonly home: string
}

/** A server that listens until it is closed. */
export interface Listening {
  /** Resolves once it listens, or knows why not yet. */
  readonly ready: Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Answers hooks that are commands, over a socket that only this user reaches: 0600 in a folder 0700. The first server of a
 * project has it. When it is gone, the next one takes its place; whatever is in the way, the server goes on without.
 */
export function listenForHooks(front: HookFront, place: Place, say: (sentence: string) => void): Listening {
  const { home: folder, scope } = projectIdentity(place)
  const path = socketPath(place.home, folder)
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS },
    async (request, response) => {
      const isOurs = (cwd: string) => projectIdentity({ ...place, cwd }).scope === scope
      const text = await answerTo(front, request, isOurs).catch(() => NOTHING)
      const headers = { 'content-type': 'application/json', connection: 'close' }
      response.writeHead(text === undefined ? NOT_OURS : 200, headers).end(text)
    },
  )
  server.maxConnections = CONNECTIONS_MAX
  // Too many open files, say: without a listener such an error would end the process.
  server.on('error', () => undefined)
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  const attempt = async (): Promise<void> => {
    if (isClosed || path === undefined) return
    try {
      if (await listened(server, path, place.home)) return
      timer = setTimeout(() => {
        trying = attempt()
      }, AGAIN_MS)
      timer.unref()
    } catch (error) {
      say(`hooks that are commands are not answered: ${(error as Error).message}`)
    }
  }
  if (path === undefined)
    say('hooks that are commands are not answered: the home directory has too long a path')
  let trying = attempt()
  return {
    ready: trying,
    close: async () => {
      isClosed = true
      clearTimeout(timer)
      await trying
      // Closing it removes the socket.
      if (server.listening) {
        server.closeAllConnections()
        server.close()
        await once(server, 'close')
      }
    },
  }
}

/** True if the server has the socket now; false if another one answers there. */
async function listened(server: Server, path: string, home: string): Promise<boolean> {
  if (process.platform !== 'win32') makeOwnFolder(socketFolder(home))
  if (!(await isBound(server, path)) && !((await removeStaleSocket(path)) && (await isBound(server, path))))
    return false
  server.unref()
  if (process.platform !== 'win32') chmodSync(path, 0o600)
  return true
}

/** False if something is in the place of the socket. */
async function isBound(server: Server, path: string): Promise<boolean> {
  server.listen(path)
  try {
    await once(server, 'listening')
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
    throw error
  }
}

/** Makes the folder of sockets, or throws if it is not one of this user's alone. */
function makeOwnFolder(folder: string): void {
  mkdirSync(folder, { mode: 0o700, recursive: true })
  const found = lstatSync(folder)
  if (!found.isDirectory()) throw new Error(`${folder} is no folder`)
  if (found.uid !== process.getuid?.()) throw new Error(`${folder} belongs to another user`)
  if ((found.mode & 0o777) !== 0o700) chmodSync(folder, 0o700)
}

/** Answers one request; a wrong one gets an empty answer. Undefined for a request of another project, whose own server answers it. */
async function answerTo(
  front: HookFront,
  request: IncomingMessage,
  isOfProject: (cwd: string) => boolean,
): Promise<string | undefined> {
  const [, client] = /^\/hook\/([\w-]{1,64})$/.exec(request.url ?? '') ?? []
  const payload = await payloadOf(request)
  if (client === undefined || request.method !== 'POST' || payload === undefined) return NOTHING
  const cwd = request.headers['x-elfmem-cwd']
  // A hook of a project inside this one, such as a clone in a folder of it, is none of this project.
  if (typeof cwd === 'string' && !isOfProject(decodeURIComponent(cwd))) return undefined
  return JSON.stringify(await front.handle(client, payload))
}
