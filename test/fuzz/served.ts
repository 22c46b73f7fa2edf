import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { HASHING } from '../surfaces/helpers/cli.ts'

const BIN = join(import.meta.dirname, '../../src/bin.ts')
/** A busy machine needs a part of this time for an answer. */
const TIMEOUT_MS = 40_000

/** A message as the server wrote it. */
export interface Said {
  readonly jsonrpc?: unknown
  readonly id?: unknown
  readonly method?: unknown
  readonly result?: unknown
  readonly error?: unknown
}

export type Served = Awaited<ReturnType<typeof serve>>

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 'first',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'fuzz', version: '0' } },
} as const

/** Starts a server over the memory at `path` in a process of its own, and shakes its hand. */
export async function serve(home: string, path: string) {
  const child = spawn(process.execPath, [BIN, 'serve', '--quiet', '--tools', 'all', '--db', path], {
    cwd: home,
    env: { PATH: process.env.PATH ?? '', HOME: home, ...HASHING, ELFMEM_LIMITS_BURST_CALLS: '1000000' },
  })
  const lines: string[] = []
  let errors = ''
  const reader = createInterface(child.stdout)
  reader.on('line', (line) => lines.push(line))
  child.stderr.on('data', (chunk) => {
    errors += String(chunk)
  })
  // That the server is gone is told by its end.
  child.stdin.on('error', () => undefined)
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  const send = (bytes: string | Buffer) => void child.stdin.write(bytes)
  /** Resolves to the answers of these ids; rejects when the server ends before, or says nothing for too long. */
  const answers = async (ids: readonly unknown[]): Promise<Said[]> => {
    for (;;) {
      const said = lines.map((line) => JSON.parse(line) as Said)
      const found = said.filter(({ id, method }) => method === undefined && ids.includes(id))
      if (new Set(found.map(({ id }) => id)).size === ids.length) return found
      if (child.exitCode !== null) throw new Error(`the server ended before it answered: ${errors}`)
      await once(reader, 'line', { signal: AbortSignal.timeout(TIMEOUT_MS) })
    }
  }
  send(frame(INITIALIZE))
  await answers([INITIALIZE.id])
  send(frame({ jsonrpc: '2.0', method: 'notifications/initialized' }))
  return { child, lines, errors: () => errors, send, answers, ended }
}

/** Writes one message as a line. */
export function frame(message: unknown): string {
  return `${JSON.stringify(message)}\n`
}
