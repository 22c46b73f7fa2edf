import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import type { Project } from '../../../adapters/project/project.ts'
import { limitSettings } from '../../../config/limit-settings.ts'
import { TOOLS_VARIABLE, type ToolChoice, toolChoiceFrom, USUAL_TOOL_SET } from '../../../config/tool-sets.ts'
import { ElfmemError } from '../../../errors.ts'
import type { Capability } from '../../../flow/guard/accept-caller.ts'
import type { OpenMemory } from '../../../opening/open-memory.ts'
import { operationNames } from '../../../operations/load.ts'
import { harmless } from '../../../operations/wording.ts'
import { LineLimit, mostValues } from '../../mcp/line-limit.ts'
import { createMcpServer } from '../../mcp/server.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK, type GlobalOptions } from '../io.ts'
import { resolveCliProject } from '../project.ts'

/** How long the opening of the memory waits for a first message, so that its answer need not wait for the opening. */
const FIRST_MESSAGE_MS = 250
const ANSWER_MS = 5

/** The meaning of `--as` for whoever starts the server. */
const MEANS: Readonly<Record<Capability, string>> = {
  owner:
    'serves as owner: whoever speaks through this client may restore backups, change principles, vouch for words, name files of this machine and erase. Leave out --as owner to serve an agent.',
  agent: 'serves an agent, as without --as.',
  reader: 'serves a reader: the client can look, and write nothing.',
}

/** Flags that say where to listen, which nobody does over standard input. */
const OF_HTTP = ['port', 'host', 'socket', 'allow-remote']

/** Serves MCP until the client closes its side or the process is asked to end; over HTTP if that is asked for. */
export async function runServe(flags: ParsedFlags, io: CliIo): Promise<number> {
  const { values } = flags
  const tools = toolsOf(values.tools, io)
  const outputSchemas = values['output-schemas'] === true
  if (values.scope !== undefined && values['project-scope'] === true)
    throw new ElfmemError('INVALID_INPUT', '--scope and --project-scope contradict each other.', {
      recovery: 'Leave one of them out.',
    })
  if (values.http === true) {
    const { runServeHttp } = await import('./serve-http.ts')
    return runServeHttp(flags, io, { tools: tools ?? USUAL_TOOL_SET, outputSchemas })
  }
  const unused = OF_HTTP.find((name) => values[name] !== undefined)
  if (unused !== undefined)
    throw new ElfmemError('INVALID_INPUT', `--${unused} says where to listen, and this server does not.`, {
      recovery: 'Say --http besides: elfmem serve --http.',
    })
  return serveStreams(flags, io, { tools, outputSchemas })
}

async function serveStreams(
  { global, values }: ParsedFlags,
  io: CliIo,
  { tools, outputSchemas }: { readonly tools: ToolChoice | undefined; readonly outputSchemas: boolean },
): Promise<number> {
  const { stdin, stdout } = io.streams()
  const ended = Promise.race([
    once(stdin, 'end'),
    once(stdin, 'close'),
    once(stdout, 'close'),
    aborted(io.signal),
  ])
  const say = (error: Error) => void io.stderr.write(`elfmem: ${harmless(error.message)}\n`)
  // Many answers wait together for a client that reads slowly.
  stdout.setMaxListeners(0)
  const opening = Promise.withResolvers<OpenMemory>()
  // The handshake does not wait for the configuration.
  let limits = limitSettings.parse({})
  const lines = stdin.pipe(
    new LineLimit(
      () => limits.requestBytes,
      stdout,
      () => mostValues(limits),
    ),
  )
  const connection = serveStdio(
    () => createMcpServer(opening.promise, { version: io.version, as: global.as, tools, outputSchemas }),
    {
      transport: new StdioServerTransport(lines, stdout, { maxBufferSize: Number.POSITIVE_INFINITY }),
      onerror: (error) => void (global.quiet || say(error)),
    },
  )
  await Promise.race([once(stdin, 'data'), sleep(FIRST_MESSAGE_MS), ended])
  await sleep(ANSWER_MS)
  opening.resolve(openServed(global, values, io))
  void opening.promise.then((memory) => {
    limits = memory.limits
    memory.warm()
  }, say)
  try {
    await ended
  } finally {
    await connection.close()
    // What is read on would keep the process.
    stdin.unpipe(lines).pause()
    await opening.promise.then(
      (memory) => memory.close(),
      () => undefined,
    )
  }
  return EXIT_OK
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

async function openServed(
  global: GlobalOptions,
  values: ParsedFlags['values'],
  io: CliIo,
): Promise<OpenMemory> {
  const { openLifetime } = await import('../../../opening/open-memory.ts')
  const { as, quiet, anew } = global
  if (as === 'owner' || (as !== undefined && !quiet)) io.stderr.write(`elfmem: ${MEANS[as]}\n`)
  const named = await resolveCliProject(global, io)
  const project = values['project-scope'] === true ? await inProjectScope(named, io) : named
  const scope = values.scope as string | undefined
  if (!quiet) {
    const { path, rule } = project.database
    io.stderr.write(harmless(`elfmem ${io.version} serves ${path} (chosen by ${rule})\n`))
  }
  return openLifetime({ ...project, surface: 'mcp' }, { anew, as, scope }, 'wait')
}

/**
 * The project bound to the scope of the folder that the server runs in, unless settings name a scope. A memory that lies in the
 * project is its own already; should another one be opened in its place, that one is bound.
 */
async function inProjectScope(project: Project, { cwd, home }: CliIo): Promise<Project> {
  const { projectIdentity } = await import('../../../adapters/project/identity.ts')
  const { scope } = projectIdentity({ cwd, home })
  const bound = (each: Project): Project => {
    const { settings, database } = each
    if (settings.project.scope !== undefined || database.rule === 'project directory') return each
    return { ...each, settings: { ...settings, project: { ...settings.project, scope } } }
  }
  const { otherwise } = project
  return { ...bound(project), ...(otherwise && { otherwise: async () => bound(await otherwise()) }) }
}

function aborted(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve()
    signal?.addEventListener('abort', () => resolve(), { once: true })
  })
}
