import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { HASHING } from '../surfaces/helpers/cli.ts'

const BIN = join(import.meta.dirname, '../../src/bin.ts')
/** A server that says nothing for so long will not; a busy machine needs a part of it. */
const TIMEOUT_MS = 40_000

/** A message as the server wrote it. */
export interface Said {
  readonly jsonrpc?: unknown
  readonly id?: unknown
  readonly method?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

/** A server in a process of its own and what it has said so far. */
export interface Served {
  readonly child: ChildProcess
  readonly lines: readonly string[]
  /** Everything it wrote beside the protocol. */
  readonly errors: () => string
  readonly send: (bytes: string | Buffer) => void
  /** Resolves to the answers of these ids, in whichever order they came; rejects when the server ends before. */
  readonly answers: (ids: readonly unknown[]) => Promise<readonly Said[]>
  /** Resolves to the exit code, or the signal. */
  readonly ended: Promise<number | string>
}

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'first',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'fuzz', version: '0' } },
} as const

/** Starts a server over the memory at `path`. */
function serve(home: string, path: string): Served {
  const child = spawn(process.execPath, [BIN, 'serve', '--quiet', '--tools', 'all', '--db', path], {
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, ...HASHING, ELFMEM_LIMITS_BURST_CALLS: '1000000' },
  })
  const lines: string[] = []
  const errors: string[] = []
  const heard = new EventTarget()
  const ended = new Promise<number | string>((resolve) => {
    child.once('exit', (code, signal) => {
      resolve(code ?? signal ?? 'unknown')
      heard.dispatchEvent(new Event('end'))
    })
  })
  let rest = ''
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (rest + chunk).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts)
    heard.dispatchEvent(new Event('line'))
  })
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => errors.push(chunk))
  // Whoever writes to a server that is gone finds out by its end.
  child.stdin?.on('error', () => undefined)
  const answersNow = (ids: readonly unknown[]) => {
    const said = lines.map((line) => JSON.parse(line) as Said)
    return said.filter(({ id, method }) => method === undefined && ids.includes(id))
  }
  const answers = (ids: readonly unknown[]): Promise<readonly Said[]> => {
    const { promise, resolve, reject } = Promise.withResolvers<readonly Said[]>()
    const look = () => {
      try {
        const found = answersNow(ids)
        if (new Set(found.map(({ id }) => id)).size === new Set(ids).size) resolve(found)
      } catch (error) {
        reject(error)
      }
    }
    const missing = () => ids.filter((id) => answersNow([id]).length === 0).map((id) => JSON.stringify(id))
    const giveUp = (why: string) => () =>
      reject(new Error(`${why} before answering ${missing().join(', ')}; it said: ${errors.join('')}`))
    const timer = setTimeout(giveUp('the server waited'), TIMEOUT_MS)
    const [onLine, onEnd] = [look, giveUp('the server ended')]
    heard.addEventListener('line', onLine)
    heard.addEventListener('end', onEnd)
    look()
    return promise.finally(() => {
      clearTimeout(timer)
      heard.removeEventListener('line', onLine)
      heard.removeEventListener('end', onEnd)
    })
  }
  const send = (bytes: string | Buffer) => void child.stdin?.write(bytes)
  return { child, lines, errors: () => errors.join(''), send, answers, ended }
}

/** Starts a server and shakes its hand. */
export async function serveInitialised(home: string, path: string): Promise<Served> {
  const server = serve(home, path)
  server.send(frame(INITIALIZE))
  await server.answers([INITIALIZE.id])
  server.send(frame({ jsonrpc: '2.0', method: 'notifications/initialized' }))
  return server
}

/** One message on its line. */
export function frame(message: unknown): string {
  return `${JSON.stringify(message)}\n`
}
