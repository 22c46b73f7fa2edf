import { once } from 'node:events'
import { existsSync, lstatSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { hostname } from 'node:os'
import { openTokenStore, type TokenFiles } from '../../../adapters/project/tokens/token-store.ts'
import { HTTP_TOKEN_VARIABLE } from '../../../adapters/project/variables.ts'
import { type OpenMemory, openLifetime } from '../../../engine/open-memory.ts'
import { attempt, ElfmemError } from '../../../errors.ts'
import { loadOperation } from '../../../operations/load.ts'
import { type ToolChoice, USUAL_TOOL_SET } from '../../../operations/tool-choice.ts'
import { isListed } from '../../../operations/tool-sets.ts'
import { harmless, harmlessLine } from '../../../operations/wording.ts'
import { HTTP_PATH, HTTP_PORT } from '../../bounds.ts'
import { isLoopback } from '../../http/gate.ts'
import type { AppServer, Place } from '../../http/listen.ts'
import { givenHolder, type Holder, type Holders, holdersOf } from '../../mcp/http/holders.ts'
import { toolBound } from '../../mcp/http/tool-bound.ts'
import { listenService, type ServiceParts } from '../../service/app.ts'
import { holdersInFiles } from '../../service/holders.ts'
import { oneMemory } from '../../service/one-memory.ts'
import { openService } from '../../service/open.ts'
import { placeName, type ServicePlace, servicePlace } from '../../service/place.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK } from '../io.ts'
import { resolveCliProject } from '../project.ts'

/** The name of the token that a server makes when there is none. */
const FIRST = 'first'

/** The address at which a server is to listen, and its callers. */
interface Wanted {
  readonly host: string
  readonly port: number
  readonly socket: string | undefined
  readonly isRemote: boolean
}

/** Serves MCP over HTTP until the process is asked to end. The address goes to standard output, everything else beside it. */
export async function runServeHttp(
  { global, values }: ParsedFlags,
  io: CliIo,
  how: { readonly tools: ToolChoice | undefined; readonly outputSchemas: boolean },
): Promise<number> {
  const wanted = wantedOf(values)
  const where = servicePlace({ memories: values.memories, store: values.store, db: global.db }, io)
  if (where !== undefined) return serveMany(where, { global, values }, io, { ...how, wanted })
  if (values['memory-mb'] !== undefined)
    throw new ElfmemError('INVALID_INPUT', '--memory-mb is for a service of many memories.', {
      recovery: 'Leave it out, or say --memories DIR.',
    })
  const say = (text: string) => void io.stderr.write(`elfmem: ${harmless(text)}\n`)
  const project = await resolveCliProject(global, io)
  const scope = values.scope as string | undefined
  const { anew, as } = global
  // Each call says as whom it comes; the memory is open for the most that any token may be.
  const opened = { anew, as: as ?? 'owner', scope } as const
  const memory = await openLifetime({ ...project, surface: 'mcp' }, opened, 'wait')
  try {
    const path = memory.location === ':memory:' ? project.database.path : memory.location
    const store = openTokenStore(io.home, path, process.getuid?.())
    const token = project.env[HTTP_TOKEN_VARIABLE]
    const given = token
      ? givenHolder(token, { memory: path, capability: as ?? 'agent', tools: how.tools ?? USUAL_TOOL_SET })
      : undefined
    const made = wanted.isRemote || given ? undefined : firstToken(store, path)
    const takesAutomatic = !wanted.isRemote
    const holders = holdersOf(store, { given, tools: await toolBound(how.tools), most: as, takesAutomatic })
    mustHaveToken(holders)
    const server = await serve(memory, { wanted, holders, outputSchemas: how.outputSchemas, io, say })
    const told = global.quiet ? [] : await linesOf({ path, made, holders, wanted }, io)
    io.stdout.write(`${urlOf(wanted, server)}\n`)
    for (const line of told) say(harmlessLine(line))
    memory.warm()
    void import('../../../operations/table.ts')
    await ended(io.signal)
    await server.close()
  } finally {
    await memory.close()
  }
  return EXIT_OK
}

interface Serving {
  readonly wanted: Wanted
  readonly holders: Holders
  readonly outputSchemas: boolean
  readonly io: CliIo
  readonly say: (text: string) => void
}

function serve(memory: OpenMemory, { wanted, holders, outputSchemas, io, say }: Serving): Promise<AppServer> {
  const onerror = ({ message }: Error) => say(harmlessLine(message).slice(0, 300))
  const isLogged = ['info', 'debug'].includes(memory.project.settings.log.level)
  const log = isLogged ? (line: string) => void io.stderr.write(`${line}\n`) : undefined
  return listenAs(wanted, {
    memories: oneMemory(memory),
    holders: holdersInFiles(holders),
    limits: () => memory.limits,
    ...{ outputSchemas, version: io.version, log, onerror },
  })
}

/** Milliseconds that a service has to end: for its running calls, and with the closing of its memories. */
const ENDING = { callsMs: 5_000, allMs: 60_000 }

/** Serves the memories of a place, each to the holders of its tokens, until the process is asked to end. */
async function serveMany(
  place: ServicePlace,
  { global, values }: Pick<ParsedFlags, 'global' | 'values'>,
  io: CliIo,
  {
    wanted,
    tools,
    outputSchemas,
  }: Pick<Serving, 'wanted' | 'outputSchemas'> & { readonly tools: ToolChoice | undefined },
): Promise<number> {
  if (values.scope !== undefined)
    throw new ElfmemError('INVALID_INPUT', '--scope is no flag of a service of many memories.', {
      recovery: 'Give each token its scope: elfmem tokens add --scope NAME.',
    })
  const { log, told } = loggers(io, global.quiet)
  const onerror = ({ message }: Error) => told('error', message)
  // No project around lends its settings to the memories of others.
  const project = await resolveCliProject({ ...global, db: ':memory:' }, io)
  const bytes = megabytes(values['memory-mb'])
  const bounds = { tools: await toolBound(tools), most: global.as }
  const service = await openService(place, {
    project,
    bytes,
    bounds,
    failed: (error) => onerror(error as Error),
  })
  try {
    const { memories, holders, gauges } = service
    const limits = () => project.settings.limits
    const ending = { closingMs: ENDING.callsMs }
    io.endWithin?.(ENDING.allMs)
    const parts = {
      memories,
      holders,
      gauges,
      limits,
      outputSchemas,
      version: io.version,
      log,
      onerror,
      ...ending,
    }
    const server = await listenAs(wanted, parts)
    io.stdout.write(`${urlOf(wanted, server)}\n`)
    told('info', `elfmem ${io.version} serves the memories in ${placeName(place)}`)
    if (project.env[HTTP_TOKEN_VARIABLE]) told('info', `${HTTP_TOKEN_VARIABLE} opens none of many memories`)
    if (wanted.isRemote) told('info', 'others can reach it, and nothing is encrypted: put TLS in front')
    service.warm()
    void import('../../../operations/table.ts')
    await ended(io.signal)
    told('info', 'ending')
    await server.close()
  } finally {
    await service.close()
  }
  return EXIT_OK
}

/** Returns the bytes of a number of megabytes; undefined if none is given. */
function megabytes(given: unknown): number | undefined {
  if (given === undefined) return undefined
  if (/^[1-9]\d{0,6}$/.test(String(given))) return Number(given) * 1_000_000
  throw new ElfmemError('INVALID_INPUT', '--memory-mb is a whole number of megabytes.', {
    recovery: "Leave it out for a quarter of the machine's memory.",
  })
}

/** Returns functions that write one line of JSON each to standard error: what a request was, and what the service has to say. */
function loggers({ stderr }: CliIo, isQuiet: boolean) {
  const log = isQuiet ? undefined : (line: string) => void stderr.write(`${line}\n`)
  const told = (level: 'info' | 'error', message: string) => {
    if (isQuiet && level === 'info') return
    const line = { time: new Date().toISOString(), level, message: harmlessLine(message).slice(0, 300) }
    stderr.write(`${JSON.stringify(line)}\n`)
  }
  return { log, told }
}

/** Listens at the wanted address; refuses one that turns out to be not of this machine alone. */
async function listenAs(wanted: Wanted, parts: Omit<ServiceParts, 'listening'>): Promise<AppServer> {
  const { host, port, socket, isRemote } = wanted
  const place: Place = socket === undefined ? { host, port } : { path: socket }
  const listening = { host, isRemote, machine: hostname() }
  const server = await listenAt(place, () => listenService(place, { ...parts, listening }))
  if (isRemote || server.address === undefined || isLoopback(server.address)) return server
  await server.close()
  throw remoteRefused(`${host} is ${server.address} here`)
}

/** Listens; what is in the way is said as a refusal. A socket file is the user's alone from its beginning. */
async function listenAt(place: Place, listen: () => Promise<AppServer>): Promise<AppServer> {
  const before = 'path' in place ? process.umask(0o177) : undefined
  try {
    if ('path' in place && (await isStale(place.path))) rmSync(place.path)
    return await listen()
  } catch (cause) {
    if (ElfmemError.is(cause)) throw cause
    const { code, message } = cause as NodeJS.ErrnoException
    const at = 'path' in place ? place.path : `${place.host}:${place.port}`
    const recovery =
      code === 'EADDRINUSE'
        ? 'Stop what listens there, or choose another with --port; --port 0 takes one that is free.'
        : 'Choose another --host, --port or --socket.'
    throw new ElfmemError('INVALID_INPUT', `${at} cannot be listened at: ${message}.`, { recovery, cause })
  } finally {
    if (before !== undefined) process.umask(before)
  }
}

/** True for a socket that a killed server of this user left: nobody answers there. Anything else stays, and is in the way. */
async function isStale(path: string): Promise<boolean> {
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (found?.isSocket() !== true || found.uid !== process.getuid?.()) return false
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return false
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'ECONNREFUSED'
  } finally {
    socket.destroy()
  }
}

function wantedOf({ host, port, socket, 'allow-remote': allowed }: ParsedFlags['values']): Wanted {
  const isRemote = allowed === true
  const named = typeof host === 'string' ? host : '127.0.0.1'
  if (!isRemote && !isLoopback(named)) throw remoteRefused(`${named} is not this machine alone`)
  if (socket !== undefined && (port !== undefined || host !== undefined || isRemote))
    throw new ElfmemError('INVALID_INPUT', '--socket takes the place of --host, --port and --allow-remote.', {
      recovery: 'Leave them out, or leave out --socket.',
    })
  const number = port === undefined ? HTTP_PORT : Number(port)
  if (!/^\d{1,5}$/.test(String(port ?? HTTP_PORT)) || number > 65_535)
    throw new ElfmemError('INVALID_INPUT', '--port is a whole number from 0 to 65535.', {
      recovery: `Leave it out for ${HTTP_PORT}; 0 takes one that is free.`,
    })
  return { host: named, port: number, socket: socket as string | undefined, isRemote }
}

function remoteRefused(what: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', `${what}, and others could reach the memory there.`, {
    recovery: `Leave out --host, or say --allow-remote and put TLS in front: tokens and memories go over the line as they are.`,
  })
}

/** The file of the token that is made where there is none; undefined where there is one. */
function firstToken(store: TokenFiles, path: string): string | undefined {
  if (store.list().length > 0) return undefined
  const facts = { name: FIRST, memory: path, as: 'agent', isAutomatic: true } as const
  const made = attempt(() => store.addInFile(facts))
  // Another server may have made one at the same moment.
  if (made === undefined && store.list().length === 0) store.addInFile(facts)
  return made
}

function mustHaveToken(holders: Holders): void {
  if (holders.all().length > 0) return
  throw new ElfmemError('INVALID_INPUT', 'There is no token that opens this memory to others.', {
    recovery: `Make one with elfmem tokens add --name NAME, or set ${HTTP_TOKEN_VARIABLE}. One that a server made for itself does not count with --allow-remote.`,
  })
}

function urlOf({ host, socket }: Wanted, { port }: AppServer): string {
  if (socket !== undefined) return `unix:${socket}:${HTTP_PATH}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${HTTP_PATH}`
}

interface Told {
  readonly path: string
  readonly made: string | undefined
  readonly holders: Holders
  readonly wanted: Wanted
}

async function linesOf({ path, made, holders, wanted }: Told, io: CliIo): Promise<string[]> {
  const owners = holders.all().filter(({ capability }) => capability === 'owner')
  return [
    `elfmem ${io.version} serves ${path}`,
    ...(made === undefined ? [] : [`the token is in ${made}; elfmem tokens add makes more`]),
    ...(await Promise.all(owners.map(ownersLine))),
    ...(wanted.isRemote ? ['others can reach it, and nothing is encrypted: put TLS in front'] : []),
    ...(existsSync(path) ? [] : ['there is no memory yet; the first that is remembered makes it']),
  ]
}

/** A sentence on the rights of an owner's token: erasing is there only where its tools have it. */
async function ownersLine({ name, tools }: Holder): Promise<string> {
  const erase = await loadOperation('erase')
  const may = erase !== undefined && isListed(erase, tools) ? 'erase among them' : 'without erase'
  return `the token "${name}" is the owner's: whoever has it may do with its tools (${may}) what is the owner's alone`
}

function ended(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve()
    signal?.addEventListener('abort', () => resolve(), { once: true })
  })
}
