import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { attempt, ElfmemError } from '../../../errors.ts'
import { harmlessLine } from '../../../operations/wording.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK, EXIT_REFUSED } from '../io.ts'
import { jsonText } from '../screen/output.ts'
import { pageFor, setOnPage } from '../screen/style.ts'
import {
  type Client,
  clientsNamed,
  foundOn,
  type Ground,
  type Place,
  serverEntry,
  serverFile,
} from './clients.ts'
import { findEntry, readConfig } from './config-file.ts'
import { groundOf, pathOfShell, programNow } from './launch.ts'

/** An entry of the server in a file of a client. */
interface Configured {
  readonly path: string
  readonly place: Place
  /** The result of starting the server, or the reason why the file cannot be read; absent if it was not started. */
  readonly reachable?: Probed
}

type Looking = ReturnType<typeof groundOf> & { readonly io: CliIo }
type Health = Awaited<ReturnType<typeof healthOf>>

/** Says for each client that is here if its files name the server, and starts the server as the client would. */
export async function doctorClients({ global, values }: ParsedFlags, io: CliIo): Promise<number> {
  const looking = { ...groundOf(io), io }
  const named = values.client === undefined ? undefined : clientsNamed(values.client)
  const clients = named ?? foundOn(looking.ground)
  const health = await Promise.all(clients.map((client) => healthOf(client, looking)))
  io.stdout.write(`${global.json ? jsonText({ clients: health }) : pageText(health, io)}\n`)
  return health.some(isFailing) ? EXIT_REFUSED : EXIT_OK
}

async function healthOf(client: Client, looking: Looking) {
  const places = ['project', 'user'] as const
  const configured = await Promise.all(places.map((place) => serverIn(client, place, looking)))
  const { name, title } = client
  return { client: name, title, configured: configured.filter((each) => each !== undefined) }
}

/** Returns the entry of the server in a client's file. A server that a project brought is not started. */
async function serverIn(client: Client, place: Place, looking: Looking): Promise<Configured | undefined> {
  const { ground, io } = looking
  const path = serverFile(client, place, ground)
  if (path === undefined) return undefined
  try {
    const file = readConfig(path, place === 'project' ? ground.project : undefined)
    const value = findEntry(file, serverEntry(client))
    if (value === undefined) return undefined
    const words = wordsOf(value)
    if (place === 'project' && !isWrittenByInit(words, looking)) return { path, place }
    return { path, place, reachable: await probe(words, ground, io) }
  } catch (cause) {
    if (!ElfmemError.is(cause)) throw cause
    return { path, place, reachable: { failure: cause.message } }
  }
}

/** Returns the command line in an entry, whichever form it has. */
function wordsOf(value: unknown): readonly string[] {
  const { command, args = [] } = Object(value) as { readonly command?: unknown; readonly args?: unknown }
  return [command, args].flat().filter((word) => typeof word === 'string')
}

/** Returns true if a command line starts this program and only serves the project that it stands in. */
function isWrittenByInit(words: readonly string[], { io, database }: Looking): boolean {
  const at = words.indexOf('serve')
  const programs = [['elfmem'], programNow(io.program)].map((each) => each.join(' '))
  const flags = ['--hooks', '--no-socket', '--project-scope', '--scope', '--db']
  const isKnown = (word: string, place: number, all: readonly string[]) =>
    flags.includes(word) || all[place - 1] === '--scope' || word === database
  return programs.includes(words.slice(0, at).join(' ')) && words.slice(at + 1).every(isKnown)
}

function isFailing({ configured }: Health): boolean {
  return configured.some(({ reachable }) => reachable !== undefined && 'failure' in reachable)
}

function pageText(health: readonly Health[], io: CliIo): string {
  const page = pageFor(io.stdout, io)
  const { style } = page
  if (health.length === 0) return setOnPage('No client was found.', page)
  const lines = health.flatMap((each) => {
    const { title, client, configured } = each
    const isOpen = configured.some(({ reachable }) => reachable === undefined)
    const mark = isFailing(each) ? style.bad('✗') : isOpen ? style.warm('?') : style.good('✓')
    if (configured.length === 0)
      return [
        `${style.dim('–')} ${style.bold(title)}`,
        `  not configured; \`elfmem init --client ${client}\` does it`,
      ]
    const entries = configured.flatMap(({ path, reachable }) => [
      `  configured  ${harmlessLine(path)}`,
      `  reachable   ${reached(reachable)}`,
    ])
    return [`${mark} ${style.bold(title)}`, ...entries]
  })
  return setOnPage(lines.join('\n'), page)
}

function reached(reachable: Probed | undefined): string {
  if (reachable === undefined) return 'not tried: elfmem starts nothing of a project that it did not write'
  if ('failure' in reachable) return `no: ${harmlessLine(reachable.failure)}`
  return `${reachable.tools} tools in ${(reachable.ms / 1000).toFixed(1)} s`
}

/** Milliseconds that a server has to list its tools; npx may have to fetch it first. */
const ANSWER_MS = 15_000
/** Milliseconds that a server has to end before it is killed. */
const LEAVE_MS = 1_000
/** The messages of a client at its start, in a version of the protocol that every server speaks. */
const START = { capabilities: {}, clientInfo: { name: 'elfmem doctor', version: '1' } }
const HANDSHAKE = [
  { id: 1, method: 'initialize', params: { protocolVersion: '2025-06-18', ...START } },
  { method: 'notifications/initialized' },
  { id: 2, method: 'tools/list', params: {} },
].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)

/** The result of starting a server as a client would; a failure is a clause without the subject. */
type Probed = { readonly tools: number; readonly ms: number } | { readonly failure: string }

/** Starts a server, asks for its tools, and ends it. Takes 15 seconds at most. */
async function probe(words: readonly string[], { project, home }: Ground, { env }: CliIo): Promise<Probed> {
  const [command = '', ...args] = words
  const started = performance.now()
  const child = spawn(command, args, {
    ...{ cwd: project ?? home, env: { ...env, PATH: pathOfShell(env) } },
    ...{ stdio: ['pipe', 'pipe', 'ignore'] },
  }) as ChildProcessByStdio<Writable, Readable, null>
  const ended = once(child, 'exit').then(
    () => 'ended at once',
    ({ code }: NodeJS.ErrnoException) => `cannot be started (${code})`,
  )
  child.stdin.on('error', () => undefined)
  child.stdin.write(HANDSHAKE.join(''))
  const late = AbortSignal.timeout(ANSWER_MS)
  try {
    for await (const line of createInterface({ input: child.stdout, signal: late })) {
      const { id, result } = Object(attempt(() => JSON.parse(line) as unknown) ?? { id: 2 }) as Answer
      if (id !== 2) continue
      const tools = result?.tools
      if (!Array.isArray(tools)) return { failure: 'does not answer as an MCP server' }
      return { tools: tools.length, ms: Math.round(performance.now() - started) }
    }
    if (late.aborted) return { failure: `did not answer within ${ANSWER_MS / 1000} s` }
    return { failure: await Promise.race([ended, sleep(LEAVE_MS, 'answers nothing')]) }
  } finally {
    // A server ends with its input, also one that npx started.
    child.stdin.end()
    await Promise.race([ended, sleep(LEAVE_MS)])
    child.kill('SIGKILL')
  }
}

/** The fields of a line of a server that are read. */
interface Answer {
  readonly id?: unknown
  readonly result?: { readonly tools?: unknown }
}
