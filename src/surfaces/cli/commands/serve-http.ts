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
import { listenService } from '../../service/app.ts'
import { holdersInFiles } from '../../service/holders.ts'
import { oneMemory } from '../../service/one-memory.ts'
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

async function serve(memory: OpenMemory, { wanted, holders, outputSchemas, io, say }: Serving) {
  const onerror = ({ message }: Error) => say(harmlessLine(message).slice(0, 300))
  const { host, port, socket, isRemote } = wanted
  const place: Place = socket === undefined ? { host, port } : { path: socket }
  const listening = { host, isRemote, machine: hostname() }
  const served = {
    memories: oneMemory(memory),
    holders: holdersInFiles(holders),
    limits: () => memory.limits,
  }
  const isLogged = ['info', 'debug'].includes(memory.project.settings.log.level)
  const log = isLogged ? (line: string) => void io.stderr.write(`${line}\n`) : undefined
  const parts = { ...served, listening, outputSchemas, version: io.version, log, onerror }
  const server = await listenAt(place, () => listenService(place, parts))
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
