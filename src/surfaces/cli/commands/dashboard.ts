import { existsSync } from 'node:fs'
import { type OpenMemory, openLifetime } from '../../../engine/open-memory.ts'
import { harmless, harmlessLine } from '../../../operations/wording.ts'
import { type Dashboard, HOST, serveDashboard } from '../../dashboard/dashboard.ts'
import { hasBrowser, openBrowser } from '../../dashboard/opener.ts'
import { portFrom } from '../../http/listen.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK, ended } from '../io.ts'
import { resolveCliProject } from '../project.ts'

/** The wishes of a command line. */
interface Wanted {
  readonly port: number | undefined
  readonly readOnly: boolean
  readonly scope: string | undefined
  readonly opens: boolean
}

/** A memory to show, and what is to be done when it was closed. */
interface Shown {
  readonly memory: OpenMemory
  /** The words that tell people which memory it is. */
  readonly said: string
  /** The name that the page shows for a memory whose path changes at each start. */
  readonly name?: string
  readonly remove?: () => void
}

/** Shows a memory in a browser until the process is asked to end. The link goes to standard output, everything else beside it. */
export async function runDashboard(flags: ParsedFlags, io: CliIo): Promise<number> {
  const isDemo = flags.values.demo === true
  const wanted = wantedOf(flags, isDemo)
  const shown = isDemo ? await demoMemory(flags, io) : await ownMemory(flags, wanted, io)
  try {
    await show(shown, { wanted, quiet: flags.global.quiet }, io)
    return EXIT_OK
  } finally {
    await shown.memory.close()
    shown.remove?.()
  }
}

async function ownMemory({ global }: ParsedFlags, { readOnly, scope }: Wanted, io: CliIo): Promise<Shown> {
  const project = await resolveCliProject(global, io)
  // Looking does nothing by itself: it shares the session of commands, and no dream begins because somebody looks.
  const how = { sessionMode: 'resume', anew: global.anew, as: readOnly ? 'reader' : 'owner', scope } as const
  const memory = await openLifetime({ ...project, surface: 'dashboard' }, how, 'wait')
  const { path, rule, server } = project.database
  const absent =
    server || existsSync(path) ? '' : '; there is no memory yet: the first that is remembered makes it'
  return { memory, said: `${memory.location} (chosen by ${rule})${absent}` }
}

async function demoMemory({ global }: ParsedFlags, io: CliIo): Promise<Shown> {
  const { openDemoMemory } = await import('../demo/play.ts')
  if (!global.quiet) io.stderr.write('elfmem: living four weeks for the demo, some seconds\n')
  const { memory, remove } = await openDemoMemory(io)
  return { memory, remove, name: 'demo', said: 'the memory of the demo, which is gone afterwards' }
}

async function show(
  { memory, said, name }: Shown,
  { wanted, quiet }: { readonly wanted: Wanted; readonly quiet: boolean },
  io: CliIo,
): Promise<void> {
  const { port, readOnly } = wanted
  const say = (text: string) => void io.stderr.write(`elfmem: ${harmless(text)}\n`)
  const onerror = (error: Error) => void (quiet || say(error.message))
  const found = await serveDashboard(memory, { version: io.version, readOnly, port, name, onerror })
  const link = `http://${HOST}:${found.port}/#code=${found.code}`
  io.stdout.write(`${link}\n`)
  if (!quiet) for (const line of linesOf(found, wanted, said, io)) say(harmlessLine(line))
  if (wanted.opens && hasBrowser(io.env)) openBrowser(link, io.env)
  found.warm()
  try {
    await ended(io.signal)
  } finally {
    await found.close()
  }
}

function linesOf({ port }: Dashboard, { readOnly }: Wanted, said: string, { env }: CliIo): string[] {
  const tunnel = `ssh -L ${port}:127.0.0.1:${port} <this machine>`
  return [
    `the dashboard of ${said}${readOnly ? ', read only' : ''}`,
    'the link works once, for ten minutes; Ctrl-C ends it',
    ...(hasBrowser(env) ? [] : [`from another machine: ${tunnel}, then open the link there`]),
  ]
}

function wantedOf({ values }: ParsedFlags, isDemo: boolean): Wanted {
  const { port, scope } = values
  return {
    port: port === undefined ? undefined : portFrom(port, 'the first that is free from 4600 on'),
    readOnly: values['read-only'] === true || isDemo,
    scope: typeof scope === 'string' ? scope : undefined,
    opens: values['no-open'] !== true,
  }
}
