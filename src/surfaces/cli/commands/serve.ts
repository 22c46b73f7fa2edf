import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { hookBudget, TOOLS_VARIABLE } from '../../../adapters/project/variables.ts'
import { type Capability, nextTurn } from '../../../engine/engine.ts'
import type { OpenMemory } from '../../../engine/open-memory.ts'
import { settingsSchema } from '../../../engine/settings.ts'
import { ElfmemError } from '../../../errors.ts'
import { operationNames } from '../../../operations/load.ts'
import { type ToolChoice, toolChoiceFrom } from '../../../operations/tool-choice.ts'
import { count, harmless } from '../../../operations/wording.ts'
import { boundTo, type Opened, ServedHooks } from '../../hooks/served-hooks.ts'
import { LineLimit } from '../../mcp/line-limit.ts'
import { createMcpServer } from '../../mcp/server.ts'
import { toolName } from '../../mcp/tool-names.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK, ended, type GlobalOptions } from '../io.ts'
import { resolveCliProject } from '../project.ts'
import { printFailure } from '../screen/output.ts'
import { openService, serviceOf } from '../service.ts'

/** Milliseconds that the opening of the memory waits for a first message, so that its answer need not wait for the opening. */
const FIRST_MESSAGE_MS = 250
const ANSWER_MS = 5

/** The meaning of `--as` for whoever starts the server. */
const MEANS: Readonly<Record<Capability, string>> = {
  owner:
    'serves as owner: whoever speaks through this client may restore backups, change principles, vouch for words, name files of this machine and erase. Leave out --as owner to serve an agent.',
  agent: 'serves an agent, as without --as.',
  reader: 'serves a reader: the client can look, and write nothing.',
}

/** Flags that say where to listen; a server over standard input takes none of them. */
const OF_HTTP = ['port', 'host', 'socket', 'allow-remote', 'memories', 'store', 'memory-mb']
/** Flags that look at the folder the client started the server in. */
const OF_STREAMS = ['hooks', 'no-socket', 'project-scope']

/** Serves MCP until the client closes its side or the process is asked to end; over HTTP if that is asked for. */
export async function runServe(flags: ParsedFlags, io: CliIo): Promise<number> {
  const { values } = flags
  const tools = toolsOf(values.tools, io)
  const outputSchemas = values['output-schemas'] === true
  if (values.scope !== undefined && values['project-scope'] === true)
    throw new ElfmemError('INVALID_INPUT', '--scope and --project-scope contradict each other.', {
      recovery: 'Leave one of them out.',
    })
  if (flags.global.url !== undefined) mustBridge(values)
  const isHttp = values.http === true
  const other = (isHttp ? OF_STREAMS : OF_HTTP).find((name) => values[name] !== undefined)
  if (other !== undefined) {
    const [what, recovery] = isHttp
      ? [
          'is for a server that a client starts in a project.',
          'Leave --http out, or give each token its scope: elfmem tokens add --scope NAME.',
        ]
      : ['is for a server that listens, and this one does not.', 'Say --http besides: elfmem serve --http.']
    throw new ElfmemError('INVALID_INPUT', `--${other} ${what}`, { recovery })
  }
  if (isHttp) {
    const { runServeHttp } = await import('./serve-http.ts')
    return runServeHttp(flags, io, { tools, outputSchemas })
  }
  return serveStreams(flags, io, { tools, outputSchemas })
}

/** Refuses flags that mean nothing to a server that hands each call on to a service. */
function mustBridge(values: ParsedFlags['values']): void {
  const other = ['http', 'scope', ...OF_STREAMS].find((name) => values[name] !== undefined)
  if (other === undefined) return
  throw new ElfmemError('INVALID_INPUT', `--url and --${other} contradict each other.`, {
    recovery: `Leave out --${other}: the token says what is served, and the service listens by itself.`,
  })
}

async function serveStreams(
  { global, values }: ParsedFlags,
  io: CliIo,
  { tools, outputSchemas }: { readonly tools: ToolChoice | undefined; readonly outputSchemas: boolean },
): Promise<number> {
  const { stdin, stdout } = io.streams()
  const isOver = Promise.race([
    once(stdin, 'end'),
    once(stdin, 'close'),
    once(stdout, 'close'),
    ended(io.signal),
  ])
  const say = sayerOf(global, io)
  // Many answers wait together for a client that reads slowly.
  stdout.setMaxListeners(0)
  const opening = Promise.withResolvers<Opened>()
  const served = opening.promise.then(({ memory, scope }) => boundTo(memory, scope))
  // Whether it opens is said below, and to each call; a client that makes none must not end the process.
  served.catch(() => undefined)
  const settings = Promise.withResolvers<Opened['settings']>()
  const hooks =
    values.hooks === true ? new ServedHooks(opening.promise, settings.promise, hookBudget(io.env)) : undefined
  // The handshake does not wait for the configuration.
  let limits = settingsSchema.parse({}).limits
  const lines = stdin.pipe(new LineLimit(() => limits.requestBytes, stdout))
  const connection = serveStdio(
    ({ era }) =>
      createMcpServer(served, {
        ...{ version: io.version, as: global.as, tools, outputSchemas, hooks },
        // A client of 2026 asks for changes in a way that a server on streams does not see.
        ...(era === 'legacy' ? { changes: 'connection' as const } : {}),
      }),
    {
      transport: new StdioServerTransport(lines, stdout, { maxBufferSize: Number.POSITIVE_INFINITY }),
      onerror: ({ message }) => say(message),
    },
  )
  await Promise.race([once(stdin, 'data'), sleep(FIRST_MESSAGE_MS), isOver])
  await sleep(ANSWER_MS)
  opening.resolve(openServed({ global, values }, io, settings.resolve))
  const code = opening.promise.then(
    ({ memory }) => {
      limits = memory.limits
      memory.warm()
      hooks?.warm()
      return sayUnlisted(tools, global.as, say).then(() => EXIT_OK)
    },
    (cause: unknown) => printFailure(cause, io, { json: false }),
  )
  const socket = hooks && (await socketOf(hooks, { values, global }, io))
  try {
    await isOver
  } finally {
    await socket?.close()
    await connection.close()
    // What is read on would keep the process.
    stdin.unpipe(lines).pause()
    await hooks?.close()
    await opening.promise.then(
      ({ memory }) => memory.close(),
      () => undefined,
    )
  }
  return code
}

/**
 * The tools by the flag, else by the variable; no list waits for the configuration. Bun fills the environment from files
 * that somebody else may have made, so that only the flag counts there.
 */
function toolsOf(flag: unknown, { env }: CliIo): ToolChoice | undefined {
  const variable = 'bun' in process.versions ? undefined : env[TOOLS_VARIABLE]
  const given = typeof flag === 'string' ? flag : variable
  return given ? toolChoiceFrom(given, operationNames) : undefined
}

/** The socket for hooks that are commands, unless nobody wants it. */
async function socketOf(hooks: ServedHooks, { values, global }: Given, io: CliIo) {
  if (values['no-socket'] === true) return undefined
  const { listenForHooks } = await import('../../hooks/socket.ts')
  return listenForHooks(hooks, io, sayerOf(global, io))
}

type Say = (sentence: string) => void

/** Says a sentence where the log of a server is read. */
function sayerOf({ quiet }: GlobalOptions, io: CliIo): Say {
  return (sentence) => void (quiet || io.stderr.write(harmless(`elfmem: ${sentence}\n`)))
}

/** Says which of the tools chosen one by one the client does not see: nothing else tells why they are missing there. */
async function sayUnlisted(tools: ToolChoice = [], as: Capability = 'agent', say: Say): Promise<void> {
  if (typeof tools === 'string' || tools.length === 0) return
  const { listTools } = await import('../../mcp/tool-list.ts')
  const listed = (await listTools({ capability: as, tools })).map(({ name }) => name)
  const missing = tools.map((name) => toolName(name)).filter((name) => !listed.includes(name))
  if (missing.length === 0) return
  const remedy =
    as === 'owner' ? 'The command line has them.' : 'Start it with --as owner to serve the owner.'
  say(
    `a server for the ${as} does not list ${missing.join(', ')}; its list has ${count(listed.length, 'tool')}. ${remedy}`,
  )
}

type Given = Pick<ParsedFlags, 'global' | 'values'>

/** Opens the memory; bound to the project around, it is opened whole, since what is shared may be seen from there. */
async function openServed(
  { global, values }: Given,
  io: CliIo,
  known: (settings: Opened['settings']) => void,
): Promise<Opened> {
  const { openLifetime } = await import('../../../engine/open-memory.ts')
  await nextTurn()
  const { as, quiet, anew } = global
  // The environment names no service here: what a client starts says itself what it serves.
  const service = global.url === undefined ? undefined : serviceOf(global, io)
  if (service !== undefined) {
    // Here --as says which tools are listed.
    const bridged = await openService(service, { ...global, as: undefined }, io)
    const memory = bridged as unknown as OpenMemory
    if (!quiet) io.stderr.write(harmless(`elfmem ${io.version} serves the memory at ${memory.location}\n`))
    // Hooks, which need more of a memory, are refused with --url.
    const { hooks, capture } = settingsSchema.parse({})
    return { memory, scope: undefined, settings: { ...hooks, ...capture } }
  }
  if (as === 'owner' || (as !== undefined && !quiet)) io.stderr.write(`elfmem: ${MEANS[as]}\n`)
  const project = await resolveCliProject(global, io)
  const named = values.scope as string | undefined
  if (!quiet) {
    const { path, rule } = project.database
    io.stderr.write(harmless(`elfmem ${io.version} serves ${path} (chosen by ${rule})\n`))
  }
  const settings = { ...project.settings.hooks, ...project.settings.capture }
  known(settings)
  await nextTurn()
  const isOfProject = values['project-scope'] === true
  if (values.hooks !== true && !isOfProject) {
    const memory = await openLifetime({ ...project, surface: 'mcp' }, { anew, as, scope: named }, 'wait')
    return { memory, scope: undefined, settings }
  }
  const { scopeOfHooks } = await import('../../hooks/hooks-scope.ts')
  const { cwd, home } = io
  const scope = scopeOfHooks(project, { cwd, home, named, isOfProject })
  const { scope: _, ...unbound } = project.settings.project
  const whole = { ...project, settings: { ...project.settings, project: unbound } }
  const memory = await openLifetime({ ...whole, surface: 'mcp' }, { anew, as }, 'wait')
  if (!quiet && scope !== undefined) io.stderr.write(`elfmem: of the scope ${scope}\n`)
  return { memory, scope, settings }
}
