import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '../../../adapters/project/environment.ts'
import { attempt } from '../../../errors.ts'
import type { Launch } from './client.ts'

/** Milliseconds that a server has to list its tools; npx may have to fetch it first. */
const ANSWER_MS = 15_000
/** Milliseconds that a server has to end before it is killed. */
const LEAVE_MS = 1_000
/** The version of the protocol that every server speaks that speaks to a client from before. */
const PROTOCOL = '2025-06-18'

/** The result of starting a server as a client would. */
export type Probed =
  | { readonly tools: number; readonly ms: number }
  | { readonly service: string; readonly ms: number }
  | { readonly failure: string }

/** Starts a server, asks for its tools, and ends it with all that it started. Takes 15 seconds at most. */
export async function probe(
  { command, args }: Launch,
  {
    cwd,
    env,
    signal,
  }: { readonly cwd: string; readonly env: Environment; readonly signal: AbortSignal | undefined },
): Promise<Probed> {
  const started = performance.now()
  const isGroup = process.platform !== 'win32'
  const child = spawn(command, [...args], { cwd, env, stdio: ['pipe', 'pipe', 'ignore'], detached: isGroup })
  const gone = new Promise<string>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => resolve(`cannot be started (${error.code})`))
    child.once('exit', (code, by) => resolve(`ended at once (${by ?? `code ${code}`})`))
  })
  child.stdin.on('error', () => undefined)
  const late = new AbortController()
  const overdue = sleep(ANSWER_MS, `did not answer within ${ANSWER_MS / 1000} s`, {
    signal: signal ? AbortSignal.any([signal, late.signal]) : late.signal,
  }).catch(() => 'was not waited for')
  try {
    const came = await Promise.race([toolsOf(child), gone, overdue])
    return typeof came === 'string'
      ? { failure: came }
      : { tools: came, ms: Math.round(performance.now() - started) }
  } finally {
    late.abort()
    child.stdin.end()
    await Promise.race([gone, sleep(LEAVE_MS)])
    end(child.pid, isGroup)
  }
}

/** Asks a service whether it is there, without a token. */
export async function probeService(url: string, signal: AbortSignal | undefined): Promise<Probed> {
  const started = performance.now()
  const late = AbortSignal.timeout(ANSWER_MS)
  try {
    const answer = await fetch(url.replace(/\/mcp$/, '/health/live'), {
      redirect: 'manual',
      signal: signal === undefined ? late : AbortSignal.any([signal, late]),
    })
    await answer.body?.cancel()
    if (!answer.ok) return { failure: `answers with the status ${answer.status}` }
    return { service: url, ms: Math.round(performance.now() - started) }
  } catch {
    return { failure: 'cannot be reached' }
  }
}

/** Asks as a client does at its start. */
async function toolsOf({
  stdin,
  stdout,
}: ChildProcessByStdio<Writable, Readable, null>): Promise<number | string> {
  const say = (message: object) => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'elfmem doctor', version: '1' }
  say({ id: 1, method: 'initialize', params: { protocolVersion: PROTOCOL, capabilities: {}, clientInfo } })
  for await (const line of createInterface({ input: stdout })) {
    const answer = answerIn(line)
    if (answer === undefined) return 'says something else than MCP'
    if (answer.error !== undefined) return 'refuses to list its tools'
    if (answer.id === 1) {
      say({ method: 'notifications/initialized' })
      say({ id: 2, method: 'tools/list', params: {} })
    }
    if (answer.id === 2)
      return Array.isArray(answer.result?.tools) ? answer.result.tools.length : 'lists no tools'
  }
  // Of one that ends, too, its end is told.
  await sleep(LEAVE_MS)
  return 'says nothing'
}

interface Answer {
  readonly id?: unknown
  readonly result?: { readonly tools?: unknown }
  readonly error?: unknown
}

function answerIn(line: string): Answer | undefined {
  const answer = attempt(() => JSON.parse(line) as unknown)
  return typeof answer === 'object' && answer !== null ? answer : undefined
}

/** Kills what is left of a server and of what it started. */
function end(pid: number | undefined, isGroup: boolean): void {
  if (pid !== undefined) attempt(() => process.kill(isGroup ? -pid : pid, 'SIGKILL'))
}
