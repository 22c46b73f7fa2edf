import { hostname } from 'node:os'
import { openTokenStore, type TokenFiles } from '../../../adapters/project/tokens/token-store.ts'
import { HTTP_TOKEN_VARIABLE } from '../../../adapters/project/variables.ts'
import { attempt, ElfmemError } from '../../../errors.ts'
import { type ToolChoice, USUAL_TOOL_SET } from '../../../operations/tool-choice.ts'
import { harmlessLine } from '../../../operations/wording.ts'
import { HTTP_PATH, HTTP_PORT } from '../../bounds.ts'
import { isLoopback } from '../../http/gate.ts'
import { type AppServer, type Place, portFrom } from '../../http/listen.ts'
import { removeStaleSocket } from '../../http/stale-socket.ts'
import { listenService } from '../../service/app.ts'
import type { ServiceParts } from '../../service/calls.ts'
import { givenHolder, type HolderBounds, toolsWithin } from '../../service/holders.ts'
import { memoriesOf, type OpenService, oneMemory, openService, type Source } from '../../service/open.ts'
import { placeName, type ServicePlace, servicePlace } from '../../service/place.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK, ended } from '../io.ts'
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

/** Milliseconds that a service has to end, with the closing of its memories. */
const ENDING_MS = 60_000

/** Serves memories over HTTP until the process is asked to end. The address goes to standard output, everything else beside it. */
export async function runServeHttp(
  { global, values }: ParsedFlags,
  io: CliIo,
  { tools, outputSchemas }: { readonly tools: ToolChoice | undefined; readonly outputSchemas: boolean },
): Promise<number> {
  const wanted = wantedOf(values)
  const place = servicePlace({ memories: values.memories, store: values.store, db: global.db }, io)
  const isOne = place === undefined
  if (!isOne && values.scope !== undefined)
    throw new ElfmemError('INVALID_INPUT', '--scope is no flag of a service of many memories.', {
      recovery: 'Give each token its scope: elfmem tokens add --scope NAME.',
    })
  // No project around lends its settings to the memories of others.
  const project = await resolveCliProject(isOne ? global : { ...global, db: ':memory:' }, io)
  const told = tellerOf(io, { isQuiet: global.quiet, isJson: !isOne })
  const onerror = ({ message }: Error) => told('error', message)
  const failed = (error: unknown) => onerror(error as Error)
  const bytes = megabytes(values['memory-mb'])
  const most = { toolsOf: await toolsWithin(tools), most: global.as }
  const served = isOne
    ? oneOf({ global, values }, io, { project, wanted, tools })
    : await manyOf(place, project, io.version)
  const bounds = { ...most, ...served.bounds }
  const service = openService(served.source, { project, bytes, bounds, failed })
  try {
    const { memories, holders, gauges } = service
    const { lines, warm } = await served.begin(service)
    io.endWithin?.(ENDING_MS)
    const isLogged = isOne ? ['info', 'debug'].includes(project.settings.log.level) : !global.quiet
    const server = await listenAs(wanted, {
      ...{ memories, holders, gauges, outputSchemas, version: io.version, onerror },
      limits: () => project.settings.limits,
      takesPlaces: isOne && !wanted.isRemote,
      log: isLogged ? (line) => void io.stderr.write(`${line}\n`) : undefined,
    })
    io.stdout.write(`${urlOf(wanted, server)}\n`)
    for (const line of lines) told('info', line)
    if (wanted.isRemote) told('info', 'others can reach it, and nothing is encrypted: put TLS in front')
    warm()
    void import('../../../operations/table.ts')
    await ended(io.signal)
    await server.close()
  } finally {
    await service.close()
  }
  return EXIT_OK
}

/** The memories that are served, and how their service begins: with what it says first. */
interface ServedMemories {
  readonly source: Source
  readonly bounds?: HolderBounds
  readonly begin: (
    service: OpenService,
  ) => Promise<{ readonly lines: readonly string[]; readonly warm: () => void }>
}

interface OneParts {
  readonly project: Awaited<ReturnType<typeof resolveCliProject>>
  readonly wanted: Wanted
  readonly tools: ToolChoice | undefined
}

/** Returns the one memory of a project, which is open from the beginning of its service to its end. */
function oneOf(
  { global, values }: Pick<ParsedFlags, 'global' | 'values'>,
  io: CliIo,
  { project, wanted: { isRemote }, tools }: OneParts,
): ServedMemories {
  const { anew, as } = global
  const { path } = project.database
  const store = openTokenStore(io.home, path, process.getuid?.())
  const token = project.env[HTTP_TOKEN_VARIABLE]
  const rights = { memory: path, capability: as ?? 'agent', tools: tools ?? USUAL_TOOL_SET } as const
  const given = token ? givenHolder(token, rights) : undefined
  // Each call says as whom it comes; the memory is open for the most that any token may be.
  const own = { anew, as: as ?? 'owner', scope: values.scope as string | undefined } as const
  return {
    source: oneMemory(project, store, own),
    bounds: { given, takesAutomatic: !isRemote },
    begin: async ({ memories, holders }) => {
      const { memory } = await memories.hold(path)
      const made = isRemote || given ? undefined : firstToken(store, path)
      const all = await holders.all()
      if (all.length === 0)
        throw new ElfmemError('INVALID_INPUT', 'There is no token that opens this memory to others.', {
          recovery: `Make one with elfmem tokens add --name NAME, or set ${HTTP_TOKEN_VARIABLE}. One that a server made for itself does not count with --allow-remote.`,
        })
      const owners = all.filter(({ capability }) => capability === 'owner')
      const lines = [
        `elfmem ${io.version} serves ${path}`,
        ...(made === undefined ? [] : [`the token is in ${made}; elfmem tokens add makes more`]),
        ...owners.map(
          ({ name }) => `the token "${name}" is the owner's: its holder may do what is the owner's alone`,
        ),
      ]
      return { lines, warm: () => memory.warm() }
    },
  }
}

async function manyOf(
  place: ServicePlace,
  project: OneParts['project'],
  version: string,
): Promise<ServedMemories> {
  const isUnused = Boolean(project.env[HTTP_TOKEN_VARIABLE])
  const lines = [
    `elfmem ${version} serves the memories in ${placeName(place)}`,
    ...(isUnused ? [`${HTTP_TOKEN_VARIABLE} opens none of many memories`] : []),
  ]
  return { source: await memoriesOf(place, project), begin: async ({ warm }) => ({ lines, warm }) }
}

/** Returns the bytes of a number of megabytes; undefined if none is given. */
function megabytes(given: unknown): number | undefined {
  if (given === undefined) return undefined
  if (/^[1-9]\d{0,6}$/.test(String(given))) return Number(given) * 1_000_000
  throw new ElfmemError('INVALID_INPUT', '--memory-mb is a whole number of megabytes.', {
    recovery: "Leave it out for a quarter of the machine's memory.",
  })
}

/** Returns a function that says a sentence on standard error: to a person, or as a line of JSON to whoever collects them. */
function tellerOf(
  { stderr }: CliIo,
  { isQuiet, isJson }: { readonly isQuiet: boolean; readonly isJson: boolean },
) {
  return (level: 'info' | 'error', sentence: string) => {
    if (isQuiet && level === 'info') return
    const message = harmlessLine(sentence).slice(0, level === 'info' ? 2_000 : 300)
    const line = isJson
      ? JSON.stringify({ time: new Date().toISOString(), level, message })
      : `elfmem: ${message}`
    stderr.write(`${line}\n`)
  }
}

/** Listens at the wanted address; refuses one that turns out to be not of this machine alone. A socket file is the user's alone at once. */
async function listenAs(wanted: Wanted, parts: Omit<ServiceParts, 'listening'>): Promise<AppServer> {
  const { host, port, socket, isRemote } = wanted
  const place: Place = socket === undefined ? { host, port } : { path: socket }
  const listening = { host, isRemote, machine: hostname() }
  const before = socket === undefined ? undefined : process.umask(0o177)
  if (socket !== undefined) await removeStaleSocket(socket)
  const server = await listenService(place, { ...parts, listening }).finally(() => {
    if (before !== undefined) process.umask(before)
  })
  if (isRemote || server.address === undefined || isLoopback(server.address)) return server
  await server.close()
  throw remoteRefused(`${host} is ${server.address} here`)
}

function wantedOf({ host, port, socket, 'allow-remote': allowed }: ParsedFlags['values']): Wanted {
  const isRemote = allowed === true
  const named = typeof host === 'string' ? host : '127.0.0.1'
  if (!isRemote && !isLoopback(named)) throw remoteRefused(`${named} is not this machine alone`)
  const number = port === undefined ? HTTP_PORT : portFrom(port, String(HTTP_PORT))
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

function urlOf({ host, socket }: Wanted, { port }: AppServer): string {
  if (socket !== undefined) return `unix:${socket}:${HTTP_PATH}`
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}${HTTP_PATH}`
}
