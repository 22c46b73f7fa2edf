import { type ChildProcessByStdio, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { attempt, ElfmemError } from '../../../errors.ts'
import { harmlessLine } from '../../../operations/wording.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK, EXIT_REFUSED } from '../io.ts'
import { jsonText } from '../screen/output.ts'
import { pageFor, type Style, setOnPage } from '../screen/style.ts'
import {
  CLIENTS,
  type Client,
  clientsNamed,
  foundOn,
  type Launch,
  type Place,
  serverEntry,
  serverFile,
} from './clients.ts'
import { EDITORS, readConfig } from './config-file.ts'
import { groundOf, pathOfShell, programNow } from './launch.ts'
import { hooksOf, isThere, rulesOf } from './set-up.ts'

/** An entry of the server in a file of a client. */
interface Configured {
  readonly path: string
  readonly place: Place
  /** `ours` if the entry starts this program with arguments that `init` writes. */
  readonly state: 'ours' | 'yours' | 'unreadable'
  /** The result of starting the server, or the reason why the file cannot be read; absent if it was not started. */
  readonly reachable?: Probed
}

/** The health of a client. */
interface Health {
  readonly client: string
  readonly title: string
  /** The entries in its files; empty if none names the server. */
  readonly configured: readonly Configured[]
  readonly rules: readonly string[]
  readonly hooks: readonly string[]
  /** True if a plugin brings the server and its hooks. */
  readonly plugin: boolean
}

const PLACES: readonly Place[] = ['project', 'user']

/** Says for each client that is here if its files name the server, and starts the server as the client would. */
export async function doctorClients({ global, values }: ParsedFlags, io: CliIo): Promise<number> {
  const looking = { ...groundOf(io), io }
  const named = values.client === undefined ? undefined : clientsNamed(values.client)
  const here = foundOn(looking.ground).map(({ name }) => name)
  const all = await Promise.all((named ?? CLIENTS).map((client) => healthOf(client, looking)))
  const health = all.filter(
    ({ client, configured, rules, hooks }) =>
      named !== undefined || here.includes(client) || configured.length + rules.length + hooks.length > 0,
  )
  io.stdout.write(`${global.json ? jsonText({ clients: health }) : pageText(health, io)}\n`)
  return health.some(isFailing) ? EXIT_REFUSED : EXIT_OK
}

type Looking = ReturnType<typeof groundOf> & { readonly io: CliIo }

async function healthOf(client: Client, looking: Looking): Promise<Health> {
  const { ground } = looking
  const configured = await Promise.all(PLACES.map((place) => serverIn(client, place, looking)))
  const pathsOf = (targets: ReturnType<typeof rulesOf>) => [
    ...new Set(targets.filter(isThere(ground)).map(({ path }) => path)),
  ]
  return {
    client: client.name,
    title: client.title,
    configured: configured.filter((each) => each !== undefined),
    rules: pathsOf(PLACES.flatMap((place) => rulesOf(client, place, ground))),
    hooks: pathsOf(PLACES.flatMap((place) => hooksOf(client, place, ground, ''))),
    plugin: client.hasPlugin?.(ground) === true,
  }
}

/** Returns the entry of the server in a client's file. A server that a project brought is not started. */
async function serverIn(client: Client, place: Place, looking: Looking): Promise<Configured | undefined> {
  const { ground, io } = looking
  const path = serverFile(client, place, ground)
  if (path === undefined) return undefined
  try {
    const { text = '' } = readConfig(path, place === 'project' ? ground.project : undefined)
    const value = EDITORS[client.format].find(text, serverEntry(client, {}))
    if (value === undefined) return undefined
    const launch = launchOf(value)
    const state = launch !== undefined && isWrittenByInit(launch, looking) ? 'ours' : 'yours'
    if (state === 'yours' && place === 'project') return { path, place, state }
    const reachable = await (launch === undefined ? probeService(urlOf(value)) : probe(launch, ground, io))
    return { path, place, state, ...(reachable === undefined ? {} : { reachable }) }
  } catch (cause) {
    if (!ElfmemError.is(cause)) throw cause
    return { path, place, state: 'unreadable', reachable: { failure: cause.message } }
  }
}

/** Returns true if a command starts this program and only serves the project that it stands in. */
function isWrittenByInit({ command, args }: Launch, { io, database }: Looking): boolean {
  const words = [command, ...args]
  const at = words.indexOf('serve')
  const programs = [['elfmem'], programNow(io.program)].map((each) => each.join(' '))
  const flags = ['--hooks', '--no-socket', '--project-scope', '--scope', '--db']
  const isKnown = (word: string, place: number, all: readonly string[]) =>
    flags.includes(word) || all[place - 1] === '--scope' || word === database
  return programs.includes(words.slice(0, at).join(' ')) && words.slice(at + 1).every(isKnown)
}

/** Returns the address in an entry for a remote server, whichever form it has. */
function urlOf(value: unknown): string | undefined {
  const { url, httpUrl, serverUrl } = Object(value) as Readonly<Record<string, unknown>>
  return [url, httpUrl, serverUrl].find((each): each is string => typeof each === 'string')
}

/** Returns the command in an entry, whichever form it has. */
function launchOf(value: unknown): Launch | undefined {
  const { command, args = [] } = Object(value) as { readonly command?: unknown; readonly args?: unknown }
  const [first, ...rest] = [command, args].flat().filter((word) => typeof word === 'string')
  return first === undefined || first === '' ? undefined : { command: first, args: rest }
}

function isFailing({ configured }: Health): boolean {
  return configured.some(({ reachable }) => reachable !== undefined && 'failure' in reachable)
}

function pageText(health: readonly Health[], io: CliIo): string {
  const page = pageFor(io.stdout, io)
  const { style } = page
  if (health.length === 0) return setOnPage('No client was found, and none was told of elfmem.', page)
  const lines = health.flatMap((each) => {
    const { title, client, configured, rules, hooks, plugin } = each
    const isNone = configured.length === 0 && !plugin
    return [
      `${markOf(each, style)} ${style.bold(title)}`,
      ...(isNone ? [`  not configured; \`elfmem init --client ${client}\` does it`] : []),
      ...(plugin ? ['  plugin      is on, with its hooks'] : []),
      ...configured.flatMap(({ path, state, reachable }) => [
        `  configured  ${harmlessLine(path)}${state === 'yours' ? ', with arguments of its own' : ''}`,
        `  reachable   ${reached(reachable)}`,
      ]),
      ...rules.map((path) => `  rules       ${harmlessLine(path)}`),
      ...hooks.map((path) => `  hooks       ${harmlessLine(path)}`),
    ]
  })
  return setOnPage(lines.join('\n'), page)
}

function markOf(health: Health, style: Style): string {
  const { configured, plugin } = health
  if (isFailing(health)) return style.bad('✗')
  if (configured.length === 0 && !plugin) return style.dim('–')
  return configured.some(({ reachable }) => reachable === undefined) ? style.warm('?') : style.good('✓')
}

function reached(reachable: Probed | undefined): string {
  if (reachable === undefined) return 'not tried: elfmem starts nothing of a project that it did not write'
  if ('failure' in reachable) return `no: ${harmlessLine(reachable.failure)}`
  const what = 'tools' in reachable ? `${reachable.tools} tools` : 'the service answers'
  return `${what} in ${(reachable.ms / 1000).toFixed(1)} s`
}

/** Milliseconds that a server has to list its tools; npx may have to fetch it first. */
const ANSWER_MS = 15_000
/** Milliseconds that a server has to end before it is killed. */
const LEAVE_MS = 1_000
/** A version of the protocol that every server speaks. */
const PROTOCOL = '2025-06-18'

/** The result of starting a server as a client would; a failure is a clause without the subject. */
type Probed =
  | { readonly tools: number; readonly ms: number }
  | { readonly service: string; readonly ms: number }
  | { readonly failure: string }

/** Starts a server, asks for its tools, and ends it with all that it started. Takes 15 seconds at most. */
async function probe(
  { command, args }: Launch,
  { project, home }: Looking['ground'],
  { env, signal }: CliIo,
): Promise<Probed> {
  const started = performance.now()
  const isGroup = process.platform !== 'win32'
  const child = spawn(command, [...args], {
    ...{ cwd: project ?? home, env: { ...env, PATH: pathOfShell(env) } },
    ...{ stdio: ['pipe', 'pipe', 'ignore'], detached: isGroup },
  }) as ChildProcessByStdio<Writable, Readable, null>
  const late = AbortSignal.any([AbortSignal.timeout(ANSWER_MS), ...(signal ? [signal] : [])])
  const failed = new Promise<string>((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => resolve(`cannot be started (${error.code})`))
    child.once('exit', (code, by) => resolve(`ended at once (${by ?? `code ${code}`})`))
    late.addEventListener('abort', () => resolve(`did not answer within ${ANSWER_MS / 1000} s`))
  })
  child.stdin.on('error', () => undefined)
  try {
    const came = await Promise.race([toolsOf(child, failed), failed])
    const ms = Math.round(performance.now() - started)
    return typeof came === 'string' ? { failure: came } : { tools: came, ms }
  } finally {
    child.stdin.end()
    await Promise.race([failed, sleep(LEAVE_MS)])
    const { pid } = child
    if (pid !== undefined) attempt(() => process.kill(isGroup ? -pid : pid, 'SIGKILL'))
  }
}

/** Asks for the tools as a client does at its start; returns their number, or what is wrong. */
async function toolsOf(
  { stdin, stdout }: ChildProcessByStdio<Writable, Readable, null>,
  failed: Promise<string>,
): Promise<number | string> {
  const say = (message: object) => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'elfmem doctor', version: '1' }
  say({ id: 1, method: 'initialize', params: { protocolVersion: PROTOCOL, capabilities: {}, clientInfo } })
  for await (const line of createInterface({ input: stdout })) {
    const answer = attempt(() => JSON.parse(line) as unknown)
    if (typeof answer !== 'object' || answer === null) return 'says something else than MCP'
    const { id, result, error } = answer as { id?: unknown; result?: { tools?: unknown }; error?: unknown }
    if (error !== undefined) return 'refuses to list its tools'
    if (id === 2) return Array.isArray(result?.tools) ? result.tools.length : 'lists no tools'
    if (id !== 1) continue
    say({ method: 'notifications/initialized' })
    say({ id: 2, method: 'tools/list', params: {} })
  }
  return failed
}

/** Asks a service without a token if it is there. */
async function probeService(url: string | undefined): Promise<Probed | undefined> {
  if (url === undefined) return undefined
  const started = performance.now()
  const options = { redirect: 'manual', signal: AbortSignal.timeout(ANSWER_MS) } as const
  const answer = await fetch(url.replace(/\/mcp$/, '/health/live'), options).catch(() => undefined)
  await answer?.body?.cancel()
  if (answer?.ok !== true) return { failure: 'cannot be reached, or is no service of elfmem' }
  return { service: url, ms: Math.round(performance.now() - started) }
}
