import { sep } from 'node:path'
import { ElfmemError } from '../../../errors.ts'
import { harmlessLine, shellWord } from '../../../operations/wording.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK, EXIT_REFUSED } from '../io.ts'
import { jsonText } from '../screen/output.ts'
import { pageFor, wrapped } from '../screen/style.ts'
import { type Client, type Ground, type Place, RULES } from './client.ts'
import { applyAll } from './files/change.ts'
import type { Manifest } from './files/manifest.ts'
import { groundOf } from './ground.ts'
import { hookCommand, launchFor, type Served } from './launch.ts'
import { type Plan, planInit, type Wanted } from './plan-init.ts'
import { diffText, isAgreed, refusalText, type Shown, shownOf } from './preview.ts'
import { ALL, clientsNamed, foundOn } from './records/table.ts'

/** Tells clients of the server: shows what it would change in their files, asks, and changes that and nothing else. */
export async function initClients(flags: ParsedFlags, io: CliIo): Promise<number> {
  const { global, values } = flags
  const { ground, uid, manifest, projectScope, database } = groundOf(io)
  const clients = chosen(values.client, ground)
  const scope = typeof values.scope === 'string' ? values.scope : undefined
  mustAgree(values, ground)
  const served = {
    program: io.program,
    env: io.env,
    database,
    projectScope,
    scope,
    isWhole: values.whole === true,
  }
  const asked = { ground, served, values, manifest }
  const wanted = clients.flatMap((client) => wantedOf(client, asked))
  const planning = { manifest, uid, project: ground.project, force: values.force === true }
  const plan = planInit(wanted, planning)
  const shown = await shownOf(plan.changes)
  const notes = notesOf(clients, asked)
  const isDue = plan.changes.length > 0 && values['dry-run'] !== true
  // Whoever is asked sees what for.
  const isAsked = isDue && values.yes !== true
  if (!global.json && (!global.quiet || isAsked)) io.stdout.write(previewText(plan, shown, io))
  const isDone = isDue && (shown.length === 0 || (await isAgreed(flags, io)))
  // What was shown is what is done; where nobody looked, what the files are by then counts.
  const changes = () => (values.yes === true ? planInit(wanted, planning) : plan).changes
  if (isDone) await applyAll(io.home, changes, { manifest, uid })
  const report = { ...reportOf(plan, shown), done: isDone, notes }
  if (global.json) io.stdout.write(`${jsonText(report)}\n`)
  else if (!global.quiet) io.stdout.write(endText(report, clients, io))
  else if (!isAsked && plan.refusals.length > 0)
    io.stderr.write(`${refusalText(plan.refusals, pageFor(io.stderr, io))}\n`)
  return plan.refusals.length > 0 ? EXIT_REFUSED : EXIT_OK
}

type Values = ParsedFlags['values']

function chosen(given: Values[string], ground: Ground): readonly Client[] {
  const names = (Array.isArray(given) ? given : [given]).map(String)
  if (!names.includes(ALL)) return clientsNamed(names)
  const found = foundOn(ground)
  if (found.length > 0) return found
  throw new ElfmemError('NOT_FOUND', 'No client was found on this machine.', {
    recovery: 'Name the one that you use, as in `elfmem init --client claude-code`.',
  })
}

function mustAgree({ project, user, scope, whole, hooks }: Values, ground: Ground): void {
  if (whole === true && hooks === true)
    throw new ElfmemError(
      'INVALID_INPUT',
      'Hooks keep to one project, so --whole does not go with --hooks.',
      {
        recovery: 'Leave out --whole, and set `hooks.scope: memory` or `hooks.shared` in your own config.',
      },
    )
  if (project === true && user === true) throw contradicting('--project', '--user')
  if (typeof scope === 'string' && whole === true) throw contradicting('--scope', '--whole')
  if (project === true && ground.project === undefined)
    throw new ElfmemError('INVALID_INPUT', 'There is no project here.', {
      recovery: 'Run this in the folder of a project, or with --user.',
    })
}

function contradicting(one: string, other: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', `${one} and ${other} contradict each other.`, {
    recovery: 'Leave one of them out.',
  })
}

interface Asked {
  readonly ground: Ground
  readonly served: Served
  readonly values: Values
  readonly manifest: Manifest
}

/** The place of a client's server: the project, unless it has no file there or the owner says otherwise. */
function placeOf(client: Client, { ground, values }: Asked): Place {
  if (values.user === true) return 'user'
  if (client.serverFile('project', ground) !== undefined) return 'project'
  if (values.project !== true) return 'user'
  throw new ElfmemError('INVALID_INPUT', `${client.title} has no file for the servers of one project.`, {
    recovery: 'Leave out --project.',
  })
}

function wantedOf(client: Client, asked: Asked): readonly Wanted[] {
  const { ground, served, values } = asked
  const place = placeOf(client, asked)
  const path = client.serverFile(place, ground)
  const isHooked = hooksOf(client, asked).length > 0
  const launch = launchFor(client, place, { ...served, isHooked })
  const { name, format } = client
  const server =
    path === undefined
      ? []
      : [
          {
            client: name,
            target: { path, place, part: 'server' as const, format, entry: client.serverEntry(launch) },
          },
        ]
  return [...server, ...(values.rules === true ? rulesOf(client, asked) : []), ...hooksOf(client, asked)]
}

/** Hooks that are asked for, or that were put there before: a server that no longer answers them would leave them idle. */
function hooksOf(client: Client, asked: Asked): readonly Wanted[] {
  const { ground, served, values, manifest } = asked
  const { name } = client
  const place = placeOf(client, asked)
  const file = client.hooksFile?.(place, ground, hookCommand(served))
  if (file === undefined || client.hasPlugin?.(ground) === true) return []
  const { path, entries } = file
  const isThere = manifest
    .find(path)
    ?.entries.some(({ part, clients }) => part === 'hooks' && clients.includes(name))
  if (values.hooks !== true && isThere !== true) return []
  return entries.map((entry) => ({
    client: name,
    target: { path, place, part: 'hooks', format: 'json', entry },
  }))
}

/** Rules lie in the project even if the server does not, because no client takes the user's for less than all projects. */
function rulesOf(client: Client, { ground, values }: Asked): readonly Wanted[] {
  const place = values.user === true || ground.project === undefined ? 'user' : 'project'
  const file = client.rulesFile(place, ground)
  if (file === undefined) return []
  const { path, preamble } = file
  const entry = {
    kind: 'block' as const,
    at: [],
    value: RULES,
    ...(preamble === undefined ? {} : { preamble }),
  }
  // A client without rules of the user has them in the project.
  const isInProject = ground.project !== undefined && path.startsWith(ground.project + sep)
  if (isInProject && values.user === true) return []
  return [
    {
      client: client.name,
      target: { path, place: isInProject ? 'project' : 'user', part: 'rules', format: 'block', entry },
    },
  ]
}

/** Sentences about whose memories a client sees, and what is left to do. */
function notesOf(clients: readonly Client[], asked: Asked): readonly string[] {
  const { served, ground } = asked
  const named = clients.map((client) => {
    const place = placeOf(client, asked)
    const isHooked = hooksOf(client, asked).length > 0
    const { args } = launchFor(client, place, { ...served, isHooked })
    const isShared =
      place === 'user' && !client.startsInProject && served.scope === undefined && !served.isWhole
    const shared = isShared
      ? [
          `${client.title} does not say which project it works in: what it remembers has the scope ${client.name}, and shows in all of its projects.`,
        ]
      : []
    const bound = args.includes('--db')
      ? [`${client.serverFile(place, ground)} names a path of this machine: others cannot use it as it is.`]
      : []
    return [...shared, ...bound, client.next, hooksNote(client, { isHooked, asked })].filter(
      (each) => each !== undefined,
    )
  })
  return [memoryNote(served), ...named.flat()]
}

function hooksNote(
  client: Client,
  { isHooked, asked: { values, ground } }: { readonly isHooked: boolean; readonly asked: Asked },
): string | undefined {
  if (isHooked) return client.nextForHooks
  if (values.hooks !== true) return undefined
  return client.hasPlugin?.(ground) === true
    ? `${client.title} has the plugin of elfmem, which brings its hooks.`
    : `${client.title} has no hooks that elfmem knows of; it recalls when its model decides to.`
}

function memoryNote({ database, projectScope, scope, isWhole }: Served): string {
  if (isWhole) return 'The whole memory is served: what one project remembers shows in all of them.'
  if (scope !== undefined) return `The scope ${scope} is served, to every client that is told to.`
  if (database !== undefined) return `This project has a memory of its own, ${database}.`
  return `Memories of this project have the scope ${projectScope}, and show in no other. \`elfmem ls --scope ${shellWord(projectScope)}\` lists them.`
}

interface Report {
  readonly changes: readonly Shown[]
  readonly same: readonly string[]
  readonly refused: readonly {
    readonly path: string
    readonly reason: string
    readonly snippets: readonly string[]
  }[]
  readonly done: boolean
  readonly notes: readonly string[]
}

function reportOf({ same, refusals }: Plan, changes: readonly Shown[]): Omit<Report, 'done' | 'notes'> {
  return { changes, same, refused: refusals }
}

function previewText({ same, refusals }: Plan, shown: readonly Shown[], io: CliIo): string {
  const page = pageFor(io.stdout, io)
  const parts = [
    diffText(shown, page),
    ...same.map((path) => `${page.style.dim('as it should be')} ${harmlessLine(path)}\n`),
    ...(refusals.length === 0 ? [] : [`${refusalText(refusals, page)}\n`]),
  ]
  return parts.filter((part) => part !== '').join('')
}

function endText({ changes, done, notes }: Report, clients: readonly Client[], io: CliIo): string {
  const page = pageFor(io.stdout, io)
  const names = clients.map(({ name }) => name).join(',')
  const last = `\`elfmem doctor --clients\` checks it; \`elfmem uninstall --client ${names}\` takes it back.`
  if (!done) return changes.length === 0 ? '' : 'Nothing was changed.\n'
  return [
    ...changes.map(({ path }) => `${page.style.good('wrote')} ${harmlessLine(path)}`),
    ...notes.map((note) => `  ${wrapped(harmlessLine(note), page, 2)}`),
    `  ${wrapped(last, page, 2)}`,
    '',
  ].join('\n')
}
