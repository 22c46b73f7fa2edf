import { resolve } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { addressOf } from '../../../client/address.ts'
import { attempt, ElfmemError } from '../../../errors.ts'
import { harmless, harmlessLine, shellWord } from '../../../operations/wording.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK, EXIT_REFUSED, isYes } from '../io.ts'
import { jsonText } from '../screen/output.ts'
import { pageFor, setOnPage, wrapped } from '../screen/style.ts'
import {
  CLIENTS,
  type Client,
  clientsNamed,
  firstThere,
  foundOn,
  type Ground,
  type Launch,
  type Place,
  serverEntry,
  serverFile,
} from './clients.ts'
import {
  type ConfigFile,
  type Entry,
  entryText,
  findEntry,
  isLeftover,
  putEntry,
  readConfig,
  replaceConfig,
  takeEntry,
} from './config-file.ts'
import { groundOf, hookCommand, launchFor, type Served } from './launch.ts'

type Values = ParsedFlags['values']

/** An entry in a file of a client. */
interface Target {
  readonly path: string
  readonly place: Place
  readonly entry: Entry
}

/** A change of a file, and its entries as they are shown. */
interface Change {
  readonly file: ConfigFile
  /** The new text; undefined if the file goes. */
  readonly text: string | undefined
  readonly entries: readonly string[]
}

/** A plan has the changes, and the reason for each file that cannot be edited. */
interface Plan {
  readonly changes: readonly Change[]
  readonly refused: readonly { readonly path: string; readonly reason: string }[]
}

/** Plans each file by itself: one that cannot be edited is refused, and the others go on. Writes nothing. */
function planned(
  targets: readonly Target[],
  { project }: Ground,
  edit: (file: ConfigFile, entries: readonly Entry[]) => Omit<Change, 'file'> | undefined,
): Plan {
  const plan = { changes: [] as Change[], refused: [] as Plan['refused'][number][] }
  for (const [path, own] of Map.groupBy(targets, (each) => each.path)) {
    try {
      const file = readConfig(path, own[0]?.place === 'project' ? project : undefined)
      const entries = own.map(({ entry }) => entry)
      const change = edit(file, entries)
      if (change !== undefined) plan.changes.push({ file, ...change })
    } catch (cause) {
      if (!ElfmemError.is(cause) || cause.code !== 'CONFIG_INVALID') throw cause
      plan.refused.push({ path, reason: cause.message })
    }
  }
  return plan
}

/** Returns a file with entries in it, in the place of entries of the same name; undefined if it has them. */
function withEntries(file: ConfigFile, wanted: readonly Entry[]): Omit<Change, 'file'> | undefined {
  const { path } = file
  const isNew = (entry: Entry) => !isDeepStrictEqual(findEntry(file, entry), entry.value)
  const added = wanted.filter(isNew)
  const text = added.reduce<string | undefined>(
    (rest, entry) => putEntry({ path, text: rest }, entry),
    file.text,
  )
  return added.length === 0 ? undefined : { text, entries: added.map((entry) => entryText(path, entry)) }
}

/** Returns a file without entries; undefined if it has none of them. A file that elfmem made goes. */
function withoutEntries(file: ConfigFile, unwanted: readonly Entry[]): Omit<Change, 'file'> | undefined {
  const { path } = file
  if (file.text?.includes('elfmem') !== true) return undefined
  const found = unwanted.filter((entry) => findEntry(file, entry) !== undefined)
  const text = found.reduce((rest, entry) => takeEntry({ path, text: rest }, entry), file.text)
  if (found.length === 0) return undefined
  return { text: isLeftover(file, text) ? undefined : text, entries: found.map(({ at }) => at.join('.')) }
}

/** The words around a plan. */
interface Told {
  /** True if entries are removed, and with them the copies from before. */
  readonly isLast: boolean
  /** Lines for a plan that was carried out; `nothing` is the line for a plan without changes. */
  readonly done: readonly string[]
  readonly nothing: string
}

/** Shows a plan, asks, carries out that plan and nothing else, and says how it ended. Returns the exit code. */
async function carryOut(plan: Plan, told: Told, { global, values }: ParsedFlags, io: CliIo): Promise<number> {
  const { changes, refused } = plan
  if (!global.json) io.stdout.write(planText(plan, told, io))
  const isDone = changes.length > 0 && values['dry-run'] !== true && (await isAgreed(values, global.json, io))
  if (isDone) for (const { file, text } of changes) replaceConfig(file, text, told.isLast)
  if (global.json) {
    const shown = changes.map(({ file, entries }) => ({ path: file.path, entries }))
    io.stdout.write(`${jsonText({ changes: shown, refused, done: isDone, notes: told.done })}\n`)
  } else if (!global.quiet) {
    const page = pageFor(io.stdout, io)
    const nothing = refused.length === 0 ? [told.nothing] : []
    const said = changes.length === 0 ? nothing : isDone ? told.done : ['Nothing was changed.']
    io.stdout.write(said.map((note) => `  ${wrapped(harmlessLine(note), page, 2)}\n`).join(''))
  }
  return refused.length > 0 ? EXIT_REFUSED : EXIT_OK
}

/** Returns the entries that go into files or out of them, and the files that are refused. */
function planText({ changes, refused }: Plan, { isLast }: Told, io: CliIo): string {
  const { style } = pageFor(io.stdout, io)
  const [mark, paint] = isLast ? ['-', style.bad] : ['+', style.good]
  const changed = changes.flatMap(({ file, entries }) => [
    style.bold(harmlessLine(file.path)),
    ...entries.flatMap((each) => each.split('\n')).map((line) => `  ${paint(`${mark} ${harmless(line)}`)}`),
  ])
  const left = refused.map(({ path, reason }) => `! ${harmlessLine(`${path} ${reason}. It stays as it is.`)}`)
  return [...changed, ...left].map((line) => `${line}\n`).join('')
}

async function isAgreed(values: Values, json: boolean, io: CliIo): Promise<boolean> {
  if (values.yes === true) return true
  if (io.ask === undefined || json)
    throw new ElfmemError('INVALID_INPUT', 'Nobody can be asked here, so nothing was changed.', {
      recovery: 'Look at the changes with --dry-run, and make them with --yes.',
    })
  return isYes(await io.ask(setOnPage('Make these changes? [y/N]', pageFor(io.stderr, io))))
}

/** Tells clients of the server: shows what it would put into their files, asks, and changes that and nothing else. */
export async function initClients(flags: ParsedFlags, io: CliIo): Promise<number> {
  const { values } = flags
  const { ground, projectScope, database } = groundOf(io)
  const clients = clientsNamed(values.client) ?? foundOn(ground)
  if (clients.length === 0)
    throw new ElfmemError('NOT_FOUND', 'No client was found on this machine.', {
      recovery: 'Name the one that you use, as in `elfmem init --client claude-code`.',
    })
  const served: Served = {
    ...{ program: io.program, env: io.env, database, projectScope, service: serviceGiven(flags, io) },
    scope: typeof values.scope === 'string' ? values.scope : undefined,
    isWhole: values.whole === true,
  }
  const setUps = clients.map((client) => setUpOf(client, ground, served, values))
  const targets = setUps.flatMap((each) => each.targets)
  const plan = planned(targets, ground, withEntries)
  const isRefused = (target: Target) => plan.refused.some(({ path }) => path === target.path)
  const written = setUps.filter((each) => !each.targets.some(isRefused))
  const notes = written.flatMap((each) => notesOf(each, served, values.hooks === true))
  const names = clients.map(({ name }) => name).join()
  const last = `\`elfmem doctor --clients\` checks it; \`elfmem uninstall --client ${names}\` takes it back.`
  const done = [whoseMemory(served), ...notes, last]
  return carryOut(plan, { isLast: false, done, nothing: 'All of it stands there already.' }, flags, io)
}

/** Returns the service that clients are to speak to; its file with the token is named in full, since they start elsewhere. */
function serviceGiven({ global }: ParsedFlags, io: CliIo): Served['service'] {
  const { url, tokenFile } = global
  if (url === undefined) return undefined
  if (tokenFile === undefined)
    throw new ElfmemError('INVALID_INPUT', '--url needs --token-file: no file of a client holds a token.', {
      recovery: 'Name a file that you alone can read, with the token in it.',
    })
  return { url: addressOf(url, { token: 'none-is-sent' }).url, tokenFile: resolve(io.cwd, tokenFile) }
}

/** A client that is set up, and its entries. */
interface SetUp {
  readonly client: Client
  readonly place: Place
  readonly isHooked: boolean
  readonly targets: readonly Target[]
}

function setUpOf(client: Client, ground: Ground, served: Served, values: Values): SetUp {
  const isOfUser = values.user === true || serverFile(client, 'project', ground) === undefined
  const place = isOfUser ? 'user' : 'project'
  const known =
    served.service === undefined ? hooksOf(client, place, ground, hookCommand(served.program)) : []
  const hooks = values.hooks === true ? known : known.filter((each) => isThere(each, ground))
  const isHooked = hooks.length > 0
  const launch = launchFor(client, place, { ...served, isHooked })
  return { client, place, isHooked, targets: [...serverOf(client, place, ground, launch), ...hooks] }
}

/** Returns the entry of the server of a client in a place; none if it has no file there. */
function serverOf(client: Client, place: Place, ground: Ground, launch?: Launch): readonly Target[] {
  const path = serverFile(client, place, ground)
  return path === undefined ? [] : [{ path, place, entry: serverEntry(client, launch) }]
}

/** Returns the hooks of a client in a place, by the command that runs a hook. */
function hooksOf({ hooks }: Client, place: Place, ground: Ground, command = ''): readonly Target[] {
  const path = firstThere(ground, hooks?.files[place])
  if (hooks === undefined || path === undefined) return []
  return hooks.entries(command).map((entry) => ({ path, place, entry }))
}

/** Returns true if an entry, whatever its value, stands in its file. */
function isThere({ path, place, entry }: Target, { project }: Ground): boolean {
  const read = () => findEntry(readConfig(path, place === 'project' ? project : undefined), entry)
  return attempt(read) !== undefined
}

/** Returns sentences on what a client shares, and on steps that are left. */
function notesOf({ client, place, isHooked }: SetUp, served: Served, wantsHooks: boolean): readonly string[] {
  const { title, name, hooks, next, startsInProject } = client
  const isShared =
    place === 'user' && startsInProject !== true && served.scope === undefined && !served.isWhole
  return [
    isShared && served.service === undefined
      ? `${title} does not say which project it works in: what it remembers has the scope ${name}, and shows in all of its projects.`
      : undefined,
    next,
    isHooked ? hooks?.next : undefined,
    wantsHooks && !isHooked ? `elfmem writes no hooks for ${title}.` : undefined,
  ].filter((each) => each !== undefined)
}

function whoseMemory({ database, projectScope, scope, isWhole, service }: Served): string {
  if (service !== undefined)
    return `The client starts elfmem serve --url, which reads ${service.tokenFile} and hands each call on to ${service.url}.`
  if (isWhole) return 'The whole memory is served: what one project remembers shows in all of them.'
  if (scope !== undefined) return `The scope ${scope} is served, to every client that is told to.`
  if (database !== undefined) return `This project has a memory of its own, ${database}.`
  return `Memories of this project have the scope ${projectScope}. \`elfmem ls --scope ${shellWord(projectScope)}\` lists them.`
}

/** Takes the entries of elfmem out of the files of clients. The memory stays. */
export async function runUninstall(flags: ParsedFlags, io: CliIo): Promise<number> {
  const { values } = flags
  const { ground } = groundOf(io)
  if (values.client === undefined)
    throw new ElfmemError('INVALID_INPUT', 'elfmem uninstall needs a client.', {
      recovery: 'Run `elfmem uninstall --client all`, or name one in the place of all.',
    })
  const places = (['project', 'user'] as const).filter(
    (place) => values[place === 'user' ? 'project' : 'user'] !== true,
  )
  const targets = (clientsNamed(values.client) ?? CLIENTS).flatMap((client) =>
    places.flatMap((place) => [...serverOf(client, place, ground), ...hooksOf(client, place, ground)]),
  )
  const [done, nothing] = [['The memory stays where it is.'], 'No file of a client has an entry of elfmem.']
  return carryOut(planned(targets, ground, withoutEntries), { isLast: true, done, nothing }, flags, io)
}
