import { type ChildProcessByStdio, spawn } from 'node:child_process'
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
  CLIENTS,
  type Client,
  clientsNamed,
  foundOn,
  type Ground,
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
  /** The reason why the file cannot be read; a clause without the path. */
  readonly reason?: string
  /** True if the user let the client use it; absent if the client does not ask. */
  readonly allowed?: boolean
  readonly reachable?: Probed
}

/** The health of a client. */
interface Health {
  readonly client: string
  readonly title: string
  /** The entries in its files; empty if none names the server. */
  readonly configured: readonly Configured[]
  readonly rules: readonly string[]
  readonly hooks: readonly { readonly path: string; readonly trusted?: boolean }[]
  /** True if a plugin brings the server and its hooks. */
  readonly plugin: boolean
}

const PLACES: readonly Place[] = ['project', 'user']

/** Says for each client that is here if its files name the server, and starts the server as the client would. */
export async function doctorClients(flags: ParsedFlags, io: CliIo): Promise<number> {
  const { global, values } = flags
  const looking = { ...groundOf(io), io, probed: probing(groundOf(io).ground, io) }
  const named = values.client === undefined ? undefined : clientsNamed(values.client)
  const found = foundOn(looking.ground)
  const all = await Promise.all((named ?? CLIENTS).map((client) => healthOf(client, looking)))
  const isHere = ({ client, configured, rules, hooks }: Health) =>
    configured.length + rules.length + hooks.length > 0 || found.some(({ name }) => name === client)
  const health = named === undefined ? all.filter(isHere) : all
  if (global.json) io.stdout.write(`${jsonText({ clients: health })}\n`)
  else io.stdout.write(`${pageText(health, io)}\n`)
  return health.some((each) => standingOf(each) === 'failing') ? EXIT_REFUSED : EXIT_OK
}

type Looking = ReturnType<typeof groundOf> & { readonly io: CliIo; readonly probed: Probing }
type Probing = (launch: Launch) => Promise<Probed>

/** Starts servers as clients do, one that several name once. */
function probing(ground: Ground, { env, signal }: CliIo): Probing {
  const started = new Map<string, Promise<Probed>>()
  const options = { cwd: ground.project ?? ground.home, env: { ...env, PATH: pathOfShell(env) }, signal }
  return (launch) => {
    const key = JSON.stringify(launch)
    const result = started.get(key) ?? probe(launch, options)
    started.set(key, result)
    return result
  }
}

async function healthOf(client: Client, looking: Looking): Promise<Health> {
  const { ground } = looking
  const configured = await Promise.all(PLACES.map((place) => serverIn(client, place, looking)))
  const pathsOf = (targets: ReturnType<typeof rulesOf>) => [
    ...new Set(targets.filter(isThere(ground)).map(({ path }) => path)),
  ]
  const rules = pathsOf(PLACES.flatMap((place) => rulesOf(client, place, ground)))
  const hooks = pathsOf(PLACES.flatMap((place) => hooksOf(client, place, ground, ''))).map((path) => {
    const trusted = client.hooks?.areTrusted?.(ground, path)
    return trusted === undefined ? { path } : { path, trusted }
  })
  const { name, title } = client
  return {
    client: name,
    title,
    configured: configured.flat(),
    rules,
    hooks,
    plugin: client.hasPlugin?.(ground) === true,
  }
}

/** Returns the entry of the server that a client's file has in a place, if any, and if that server answers. */
async function serverIn(client: Client, place: Place, looking: Looking): Promise<readonly Configured[]> {
  const { ground, io, probed } = looking
  const path = serverFile(client, place, ground)
  const found = path === undefined ? undefined : valueIn(path, place, client, ground)
  if (path === undefined || found === undefined) return []
  if ('reason' in found) return [{ path, place, state: 'unreadable', reason: found.reason }]
  const launch = launchOf(found.value)
  const isOurs = launch !== undefined && isWrittenByInit(launch, looking)
  const asked = launch ? probed : () => probeService(urlOf(found.value), io.signal)
  const reachable = isOurs || place === 'user' ? await asked(launch as Launch) : undefined
  const allowed = place === 'project' ? client.isAllowed?.(ground) : undefined
  return [
    {
      ...{ path, place, state: isOurs ? 'ours' : 'yours' },
      ...(allowed === undefined ? {} : { allowed }),
      ...(reachable === undefined ? {} : { reachable }),
    },
  ]
}

/** Returns the value of the entry, or the reason why a file that may hold it cannot be read. */
function valueIn(path: string, place: Place, client: Client, { project }: Ground) {
  let text = ''
  try {
    text = readConfig(path, place === 'project' ? project : undefined).text ?? ''
    const value = EDITORS[client.format].find(text, serverEntry(client, {}))
    return value === undefined ? undefined : { value }
  } catch (cause) {
    if (!ElfmemError.is(cause)) throw cause
    return text === '' || text.includes('elfmem') ? { reason: cause.message } : undefined
  }
}

/** Returns true if a command starts this program and only serves the project that it stands in; an address is never followed. */
function isWrittenByInit({ command, args }: Launch, { io, database, projectScope }: Looking): boolean {
  const words = [command, ...args]
  const at = words.indexOf('serve')
  const program = words.slice(0, at).join(' ')
  const programs = [['elfmem'], programNow(io.program)].map((each) => each.join(' '))
  const alone = ['--hooks', '--no-socket', '--project-scope']
  const isKnown = (word: string, place: number, all: readonly string[]) =>
    alone.includes(word) ||
    word === '--scope' ||
    word === '--db' ||
    all[place - 1] === '--scope' ||
    word === database
  return programs.includes(program) && projectScope !== '' && words.slice(at + 1).every(isKnown)
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

/** `failing` if a server does not answer or a file cannot be read, `unknown` if one was not started. */
function standingOf({ configured, plugin }: Health): 'well' | 'none' | 'unknown' | 'failing' {
  if (configured.length === 0) return plugin ? 'well' : 'none'
  const isFailing = ({ state, reachable }: Health['configured'][number]) =>
    state === 'unreadable' || (reachable !== undefined && 'failure' in reachable)
  if (configured.some(isFailing)) return 'failing'
  return configured.some(({ reachable }) => reachable === undefined) ? 'unknown' : 'well'
}

function pageText(health: readonly Health[], io: CliIo): string {
  const page = pageFor(io.stdout, io)
  const { style } = page
  if (health.length === 0) return setOnPage('No client was found, and none was told of elfmem.', page)
  const marks = {
    well: style.good('✓'),
    none: style.dim('–'),
    unknown: style.warm('?'),
    failing: style.bad('✗'),
  }
  const blocks = health.map((each) => {
    const { title, client, rules } = each
    const standing = standingOf(each)
    const body =
      standing === 'none'
        ? [`  not configured; \`elfmem init --client ${client}\` does it`]
        : serverLines(each)
    return [
      `${marks[standing]} ${style.bold(title)}`,
      ...body,
      ...rules.map((path) => `  rules       ${harmlessLine(path)}`),
      ...hookLines(each),
    ]
  })
  return setOnPage(blocks.flat().join('\n'), page)
}

function serverLines({ title, configured, plugin }: Health): readonly string[] {
  const lines = configured.flatMap(({ path, place, state, reason, allowed, reachable }) => [
    reason === undefined
      ? `  configured  ${harmlessLine(path)}, ${STATES[state]}`
      : `  not known   ${harmlessLine(`${path}, which ${reason}`)}`,
    ...(allowed === undefined ? [] : [`  allowed     ${allowed ? 'yes' : `not yet, by ${title}`}`]),
    `  reachable   ${reached(reachable) ?? untried(state, place)}`,
  ])
  return plugin ? ['  plugin      is on', ...lines] : lines
}

function hookLines({ title, configured, hooks, plugin }: Health): readonly string[] {
  if (plugin)
    return [
      `  hooks       of the plugin${hooks.length === 0 ? '' : ', and again in a file: each prompt gets both'}`,
    ]
  if (hooks.length === 0) return configured.length === 0 ? [] : ['  hooks       none']
  return hooks.map(({ path, trusted }) => {
    const said =
      trusted === undefined ? '' : trusted ? ', trusted' : `, not trusted yet: open /hooks in ${title}`
    return `  hooks       ${harmlessLine(path)}${said}`
  })
}

const STATES: Readonly<Record<Configured['state'], string>> = {
  ours: 'as init writes it for this project',
  yours: 'with arguments of its own',
  unreadable: 'which cannot be read',
}

function untried(state: Configured['state'], place: Configured['place']): string {
  if (state === 'unreadable') return 'not tried: the file cannot be read'
  if (place === 'user' || state === 'ours') return 'not tried: the entry names no command'
  return 'not tried: elfmem starts nothing of a project that it did not write'
}

function reached(reachable: Probed | undefined): string | undefined {
  if (reachable === undefined) return undefined
  if ('failure' in reachable) return `no: ${reachable.failure}`
  const seconds = (reachable.ms / 1000).toFixed(1)
  return 'service' in reachable
    ? `the service answers in ${seconds} s`
    : `${reachable.tools} tools in ${seconds} s`
}

/** Milliseconds that a server has to list its tools; npx may have to fetch it first. */
const ANSWER_MS = 15_000
/** Milliseconds that a server has to end before it is killed. */
const LEAVE_MS = 1_000
/** The version of the protocol that every server speaks that speaks to a client from before. */
const PROTOCOL = '2025-06-18'

/** The result of starting a server as a client would. */
type Probed =
  | { readonly tools: number; readonly ms: number }
  | { readonly service: string; readonly ms: number }
  | { readonly failure: string }

/** Starts a server, asks for its tools, and ends it with all that it started. Takes 15 seconds at most. */
async function probe(
  { command, args }: Launch,
  { cwd, env, signal }: Pick<CliIo, 'cwd' | 'env'> & { readonly signal: AbortSignal | undefined },
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
async function probeService(
  url: string | undefined,
  signal: AbortSignal | undefined,
): Promise<Probed | undefined> {
  if (url === undefined) return undefined
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
  // The end of a server is told before its silence.
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
