import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { hookBudget, TOOLS_VARIABLE } from '../../../adapters/project/variables.ts'
import { nextTurn } from '../../../engine/engine.ts'
import type { OpenMemory } from '../../../engine/open-memory.ts'
import { settingsSchema } from '../../../engine/settings.ts'
import { operationNames } from '../../../operations/load.ts'
import { type ToolChoice, toolChoiceFrom } from '../../../operations/tool-choice.ts'
import { harmless } from '../../../operations/wording.ts'
import { boundTo, type Opened, ServedHooks } from '../../hooks/served-hooks.ts'
import { LineLimit } from '../../mcp/line-limit.ts'
import { createMcpServer } from '../../mcp/server.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK, ended, type GlobalOptions } from '../io.ts'
import { resolveCliProject } from '../project.ts'
import { printFailure } from '../screen/output.ts'
import { openService, serviceOf } from '../service.ts'

/** Milliseconds that the opening of the memory waits for a first message, so that its answer need not wait for the opening. */
const FIRST_MESSAGE_MS = 250
const ANSWER_MS = 5

/** The warning of a server that serves the owner. */
const OWNER_SERVED =
  'serves as owner: whoever speaks through this client may restore backups, change principles, vouch for words, name files of this machine and erase. Leave out --as owner to serve an agent.'

/** Serves MCP until the client closes its side or the process is asked to end; over HTTP if that is asked for. */
export async function runServe(flags: ParsedFlags, io: CliIo): Promise<number> {
  const { values } = flags
  const tools = toolsOf(values.tools, io)
  const outputSchemas = values['output-schemas'] === true
  if (values.http !== true) return serveStreams(flags, io, { tools, outputSchemas })
  const { runServeHttp } = await import('./serve-http.ts')
  return runServeHttp(flags, io, { tools, outputSchemas })
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
    () => createMcpServer(served, { version: io.version, as: global.as, tools, outputSchemas, hooks }),
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
      return EXIT_OK
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
  if (as === 'owner') io.stderr.write(`elfmem: ${OWNER_SERVED}\n`)
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
