import { resolve } from 'node:path'
import { addressOf } from '../../../client/address.ts'
import { ElfmemError } from '../../../errors.ts'
import { harmlessLine, shellWord } from '../../../operations/wording.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK, EXIT_REFUSED } from '../io.ts'
import { jsonText } from '../screen/output.ts'
import { pageFor, wrapped } from '../screen/style.ts'
import {
  type Client,
  EDITORS,
  type Launch,
  type RemoteServer,
  RULES,
  serverEntry,
  serverFile,
  type Target,
} from './client.ts'
import { type FileState, readGuarded } from './files/guarded-file.ts'
import type { KeptEntry, KeptFile, Manifest } from './files/manifest.ts'
import { groundOf } from './ground.ts'
import { hookCommand, launchFor, type Served } from './launch.ts'
import { firstThere, type Ground, type Place } from './paths.ts'
import { carryOut, diffText } from './plans/carry-out.ts'
import { type FilePlan, type Plan, planEach } from './plans/plan.ts'
import { clientsNamed, foundOn } from './records/choose.ts'

/** Tells clients of the server: shows what it would change in their files, asks, and changes that and nothing else. */
export async function initClients(flags: ParsedFlags, io: CliIo): Promise<number> {
  const { global, values } = flags
  const { ground, uid, manifest, projectScope, database } = groundOf(io)
  const clients = chosen(values.client, ground)
  const scope = typeof values.scope === 'string' ? values.scope : undefined
  mustAgree(values, ground)
  const service = serviceGiven(flags, io)
  const isWhole = values.whole === true
  const served = { program: io.program, env: io.env, database, projectScope, scope, isWhole, service }
  const asked = { ground, served, values, manifest }
  const setUps = clients.map((client) => setUpOf(client, asked))
  const wanted = setUps.flatMap(({ wanted: each }) => each)
  const planning = { manifest, uid, project: ground.project, force: values.force === true }
  const page = pageFor(io.stdout, io)
  const sameText = (path: string) => `${page.style.dim('as it should be')} ${harmlessLine(path)}\n`
  const { plan, shown, isDone, tell } = await carryOut(() => planInit(wanted, planning), {
    flags,
    io,
    world: { manifest, uid },
    pageOf: ({ same }, diffs) => [diffText(diffs, page), ...same.map(sameText)].join(''),
  })
  const { same, refusals } = plan
  const isRefused = ({ client, place }: SetUp) =>
    refusals.some(({ path }) => path === serverFile(client, place, ground))
  const isChanged = (name: string) =>
    wanted.some(({ client, target }) => client === name && !refusals.some(({ path }) => path === target.path))
  const done = setUps.filter((each) => !isRefused(each))
  const notes = notesOf(done, { served, ground, wantsHooks: values.hooks === true })
  if (global.json)
    io.stdout.write(`${jsonText({ changes: shown, same, refused: refusals, done: isDone, notes })}\n`)
  if (!isDone) tell(plan.changes.length === 0 ? '' : 'Nothing was changed.\n')
  else if (!global.quiet) {
    const names = clients.map(({ name }) => name).filter((name) => isChanged(name))
    const last = `\`elfmem doctor --clients\` checks it; \`elfmem uninstall --client ${names.join(',')}\` takes it back.`
    tell(shown.map(({ path }) => `${page.style.good('wrote')} ${harmlessLine(path)}\n`).join(''))
    tell([...notes, last].map((note) => `  ${wrapped(harmlessLine(note), page, 2)}\n`).join(''))
  }
  return refusals.length > 0 ? EXIT_REFUSED : EXIT_OK
}

type Values = ParsedFlags['values']

function chosen(given: Values[string], ground: Ground): readonly Client[] {
  const clients = clientsNamed(given) ?? foundOn(ground)
  if (clients.length > 0) return clients
  throw new ElfmemError('NOT_FOUND', 'No client was found on this machine.', {
    recovery: 'Name the one that you use, as in `elfmem init --client claude-code`.',
  })
}

function mustAgree({ project, user, scope, whole, hooks }: Values, ground: Ground): void {
  if (whole === true && hooks === true)
    throw new ElfmemError(
      'INVALID_INPUT',
      'Hooks keep to one project, so --whole does not go with --hooks.',
      { recovery: 'Leave out --whole, and set `hooks.scope: memory` or `hooks.shared` in your own config.' },
    )
  if (project === true && user === true) throw contradicting('--project', '--user')
  if (typeof scope === 'string' && whole === true) throw contradicting('--scope', '--whole')
  if (project === true && ground.project === undefined)
    throw new ElfmemError('INVALID_INPUT', 'There is no project here.', {
      recovery: 'Run this in the folder of a project, or with --user.',
    })
}

/** Returns the service that clients are to speak to; its file with the token is named in full, since they start elsewhere. */
function serviceGiven({ global, values }: ParsedFlags, io: CliIo): RemoteServer | undefined {
  const { url, tokenFile } = global
  if (url === undefined) return undefined
  const other = ['hooks', 'scope', 'whole'].find((flag) => values[flag] !== undefined)
  if (other !== undefined) throw contradicting('--url', `--${other}`)
  const { url: checked } = addressOf(url, { token: 'none-is-sent' })
  return { url: checked, tokenFile: tokenFile === undefined ? undefined : resolve(io.cwd, tokenFile) }
}

/** Returns the value of the entry: the address if the client sends the token of a variable, else a command that serves the memory. */
function valueFor(client: Client, place: Place, launch: Launch, service: RemoteServer | undefined): object {
  if (service === undefined || service.tokenFile !== undefined) return client.value(launch)
  const direct = client.remote?.(`${service.url}/mcp`, place)
  if (direct !== undefined) return direct
  const message = `${client.title} is not known to take the token of a remote server from a variable here.`
  throw new ElfmemError('INVALID_INPUT', message, {
    recovery:
      'Add --token-file: the client then starts elfmem serve --url, which reads the file and hands calls on.',
  })
}

/** The refusal of two flags that cannot both be meant. */
export function contradicting(one: string, other: string): ElfmemError {
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
  if (serverFile(client, 'project', ground) !== undefined) return 'project'
  if (values.project !== true) return 'user'
  throw new ElfmemError('INVALID_INPUT', `${client.title} has no file for the servers of one project.`, {
    recovery: 'Leave out --project.',
  })
}

function setUpOf(client: Client, asked: Asked): SetUp & { readonly wanted: readonly Wanted[] } {
  const { ground, served } = asked
  const place = placeOf(client, asked)
  const hooks = served.service === undefined ? hooksOf(client, place, asked) : []
  const isHooked = hooks.length > 0
  const launch = launchFor(client, place, { ...served, isHooked })
  const path = serverFile(client, place, ground)
  const { name, format } = client
  const entry = serverEntry(client, valueFor(client, place, launch, served.service))
  const server = path === undefined ? [] : [{ path, place, part: 'server', format, entry } as const]
  const targets = [...server, ...rulesOf(client, asked), ...hooks]
  return { client, place, launch, isHooked, wanted: targets.map((target) => ({ client: name, target })) }
}

/** Hooks that are asked for, or that were put there before: a server that no longer answers them would leave them idle. */
function hooksOf(
  { name, hooks, hasPlugin }: Client,
  place: Place,
  { ground, served, values, manifest }: Asked,
): readonly Wanted['target'][] {
  const path = firstThere(ground, hooks?.files[place])
  if (hooks === undefined || path === undefined || hasPlugin?.(ground) === true) return []
  const kept = manifest.find(path)?.entries ?? []
  const isThere = kept.some(({ part, clients }) => part === 'hooks' && clients.includes(name))
  if (values.hooks !== true && !isThere) return []
  const entries = hooks.entries(hookCommand(served))
  return entries.map((entry) => ({ path, place, part: 'hooks', format: 'json', entry }))
}

/** Rules lie in the project even if the server does not, because no client takes the user's for less than all projects. */
function rulesOf({ rules, preamble = '' }: Client, { ground, values }: Asked): readonly Wanted['target'][] {
  const place = values.user === true || ground.project === undefined ? 'user' : 'project'
  const path = firstThere(ground, rules?.[place])
  if (values.rules !== true || path === undefined) return []
  const entry = { kind: 'block', at: [], value: RULES, preamble } as const
  return [{ path, place, part: 'rules', format: 'block', entry }]
}

/** A target and the client it is for. */
interface Wanted {
  readonly client: string
  readonly target: Target
}

/** Options of making a plan. */
interface Planning {
  readonly manifest: Manifest
  readonly uid: number | undefined
  readonly project: string | undefined
  /** True: an entry with other arguments is replaced. */
  readonly force: boolean
}

/** Plans to put entries into files. Reads each file once, and writes nothing. */
function planInit(wanted: readonly Wanted[], planning: Planning): Plan {
  const files = [...Map.groupBy(wanted, ({ target }) => target.path)].map(([path, each]) => ({ path, each }))
  return planEach(
    files,
    ({ path, each }) => planFile(path, each, planning),
    ({ each }) => [...new Set(each.map(({ target: { format, entry } }) => EDITORS[format].snippet(entry)))],
  )
}

function planFile(path: string, wanted: readonly Wanted[], planning: Planning): FilePlan {
  const isOfProject = wanted[0]?.target.place === 'project'
  const place = isOfProject && planning.project !== undefined ? { project: planning.project } : {}
  const state = readGuarded(path, { ...place, uid: planning.uid })
  const kept = planning.manifest.find(path)
  const { text, entries } = wanted.reduce(
    (drafted: Draft, each) => added(drafted, each, { kept, force: planning.force }),
    { text: state.text, entries: stillThere(kept, state) },
  )
  if (text === state.text && JSON.stringify(entries) === JSON.stringify(kept?.entries ?? []))
    return { same: path }
  return { change: { path, ...place, state, after: text, entries } }
}

interface Draft {
  readonly text: string
  readonly entries: readonly KeptEntry[]
}

/** The entries that are in the file as they were written; what somebody changed or took out is no longer ours. */
function stillThere(kept: KeptFile | undefined, { text }: FileState): readonly KeptEntry[] {
  return (kept?.entries ?? []).filter(
    ({ format, trace }) => typeof EDITORS[format].takeOut(text, trace) === 'object',
  )
}

function added(
  { text, entries }: Draft,
  { client, target: { format, part, entry } }: Wanted,
  { kept, force }: { readonly kept: KeptFile | undefined; readonly force: boolean },
): Draft {
  const editor = EDITORS[format]
  const standing = editor.stands(text, entry)
  const own = entries.find(
    ({ trace }) => trace.kind === entry.kind && trace.at.join('\0') === entry.at.join('\0'),
  )
  const others = entries.filter((each) => each !== own)
  const clients = [...new Set([...(own?.clients ?? []), client])]
  // An entry that the owner pasted stays the owner's.
  if (standing === 'same')
    return own === undefined ? { text, entries } : { text, entries: [...others, { ...own, clients }] }
  if (standing === 'other' && own === undefined && !force)
    throw new ElfmemError(
      'CONFIG_INVALID',
      `has another entry elfmem${kept === undefined ? '' : ', changed since'}; --force replaces it`,
      { recovery: 'Add --force.' },
    )
  const put = editor.put(text, entry)
  // Of one that is brought up to date it counts how it came there first.
  const { sha256 } = put.trace
  const trace = standing === 'other' && own !== undefined ? { ...own.trace, sha256 } : put.trace
  return { text: put.text, entries: [...others, { clients, part, format, trace }] }
}

/** The result of setting up a client. */
interface SetUp {
  readonly client: Client
  readonly place: Place
  readonly launch: Launch
  /** True if the client gets hooks, or has them already. */
  readonly isHooked: boolean
}

/** Sentences about whose memories clients see, and what is left to do; of clients that were set up. */
function notesOf(
  setUps: readonly SetUp[],
  { served, ground, wantsHooks }: { served: Served; ground: Ground; wantsHooks: boolean },
): readonly string[] {
  const { database, projectScope, scope, isWhole } = served
  const isOfProject = ({ launch: { args }, isHooked }: SetUp) =>
    isHooked || args.includes('--project-scope') || args.includes(projectScope) || args.includes('--db')
  if (served.service !== undefined) return serviceNotes(setUps, served.service)
  const named = setUps.flatMap(({ client, place, launch, isHooked }) => {
    const { title, name, hooks } = client
    const isShared = place === 'user' && !client.startsInProject && scope === undefined && !isWhole
    return [
      isShared &&
        `${title} does not say which project it works in: what it remembers has the scope ${name}, and shows in all of its projects.`,
      launch.args.includes('--db') &&
        `${serverFile(client, place, ground)} names a path of this machine: others cannot use it as it is.`,
      client.next?.[place],
      isHooked ? hooks?.next : wantsHooks && noHooks(client, ground),
    ].filter((each) => typeof each === 'string')
  })
  if (isWhole)
    return ['The whole memory is served: what one project remembers shows in all of them.', ...named]
  if (scope !== undefined) return [`The scope ${scope} is served, to every client that is told to.`, ...named]
  if (!setUps.some(isOfProject)) return named
  const own =
    database === undefined
      ? `Memories of this project have the scope ${projectScope}, and show in no other. \`elfmem ls --scope ${shellWord(projectScope)}\` lists them.`
      : `This project has a memory of its own, ${database}.`
  return [own, ...named]
}

function serviceNotes(setUps: readonly SetUp[], { url, tokenFile }: RemoteServer): readonly string[] {
  const token =
    tokenFile === undefined
      ? `Set ELFMEM_TOKEN where the client starts: it sends that to ${url}, and no file holds it.`
      : `The client starts elfmem serve --url, which reads ${tokenFile} and hands each call on to ${url}.`
  const next = setUps.flatMap(({ client, place }) => client.next?.[place] ?? [])
  return [token, 'The token says which memory and which scope is served.', ...next]
}

function noHooks({ title, hasPlugin }: Client, ground: Ground): string {
  return hasPlugin?.(ground) === true
    ? `${title} has the plugin of elfmem, which brings its hooks.`
    : `${title} has no hooks that elfmem knows of; it recalls when its model decides to.`
}
