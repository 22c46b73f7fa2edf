import { realpathSync, rmdirSync } from 'node:fs'
import { dirname, relative, resolve } from 'node:path'
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
  type RemoteServer,
  RULES,
  serverEntry,
  serverFile,
} from './clients.ts'
import {
  type ConfigFile,
  EDITORS,
  type Entry,
  isHollow,
  readConfig,
  replaceConfig,
  textBefore,
} from './config-file.ts'
import { groundOf, hookCommand, launchFor, type Served } from './launch.ts'

type Values = ParsedFlags['values']

/** An entry in a file of a client. */
export interface Target {
  readonly path: string
  readonly place: Place
  readonly part: 'server' | 'rules' | 'hooks'
  readonly format: keyof typeof EDITORS
  readonly entry: Entry
}

/** A change of a file, and its entries as they are shown. */
interface Change {
  readonly file: ConfigFile
  /** The new text; undefined if the file goes. */
  readonly text: string | undefined
  readonly entries: readonly string[]
}

/** A plan has the changes, the files that need none, and the files that cannot be edited, with the text to paste. */
interface Plan {
  readonly changes: readonly Change[]
  readonly same: readonly string[]
  readonly refused: readonly {
    readonly path: string
    readonly reason: string
    readonly snippets: readonly string[]
  }[]
}

/** Plans each file by itself: one that cannot be edited is refused, and the others go on. Writes nothing. */
function planned(
  targets: readonly Target[],
  project: string | undefined,
  edit: (file: ConfigFile, targets: readonly Target[]) => Omit<Change, 'file'> | undefined,
): Plan {
  const plan = { changes: [] as Change[], same: [] as string[], refused: [] as Plan['refused'][number][] }
  for (const [path, own] of Map.groupBy(targets, (each) => each.path)) {
    try {
      const file = readConfig(path, own[0]?.place === 'project' ? project : undefined)
      const change = edit(file, own)
      if (change === undefined) plan.same.push(path)
      else plan.changes.push({ file, ...change })
    } catch (cause) {
      if (!ElfmemError.is(cause) || cause.code !== 'CONFIG_INVALID') throw cause
      const snippets = [...new Set(own.map(({ format, entry }) => EDITORS[format].snippet(entry)))]
      plan.refused.push({ path, reason: cause.message, snippets })
    }
  }
  return plan
}

/** Shows a plan, asks, and carries out that plan and nothing else. Returns true if it was carried out. */
async function carryOut(plan: Plan, flags: ParsedFlags, io: CliIo, isLast = false): Promise<boolean> {
  const { global, values } = flags
  if (!global.json) io.stdout.write(changesText(plan, io, isLast) + refusedText(plan, isLast))
  const isDue = plan.changes.length > 0 && values['dry-run'] !== true
  if (!isDue || !(await isAgreed(flags, io))) return false
  for (const { file, text } of plan.changes) {
    replaceConfig(file, text, { isLast })
    const folder = dirname(file.target)
    // A folder of the client goes if it is empty now, but never the project.
    if (text === undefined && relative(folder, attempt(() => realpathSync(io.cwd)) ?? io.cwd) !== '')
      attempt(() => rmdirSync(folder))
  }
  return true
}

/** Returns the entries that go into files or, with `isLast`, out of them. */
function changesText({ changes }: Plan, io: CliIo, isLast: boolean): string {
  const { style } = pageFor(io.stdout, io)
  const [mark, paint] = isLast ? ['-', style.bad] : ['+', style.good]
  const lines = ({ entries }: Change) =>
    entries.flatMap((entry) => entry.split('\n')).map((line) => `  ${paint(`${mark} ${harmless(line)}`)}\n`)
  return changes
    .map((each) => `${style.bold(harmlessLine(each.file.path))}\n${lines(each).join('')}`)
    .join('')
}

function refusedText({ refused }: Plan, isLast: boolean): string {
  const byHand = (snippets: readonly string[]) =>
    isLast ? '' : `  To do it by hand:\n\n${snippets.join('\n')}\n`
  return refused
    .map(({ path, reason, snippets }) => `! ${harmlessLine(`${path} ${reason}.`)}\n${byHand(snippets)}`)
    .join('')
}

async function isAgreed({ global, values }: ParsedFlags, io: CliIo): Promise<boolean> {
  if (values.yes === true) return true
  if (io.ask === undefined || global.json)
    throw new ElfmemError('INVALID_INPUT', 'Nobody can be asked here, so nothing was changed.', {
      recovery: 'Look at the changes with --dry-run, and make them with --yes.',
    })
  return isYes(await io.ask(setOnPage('Make these changes? [y/N]', pageFor(io.stderr, io))))
}

/** A client that is set up, and the command that starts its server. */
interface SetUp {
  readonly client: Client
  readonly place: Place
  readonly launch: Launch
  readonly isHooked: boolean
  readonly targets: readonly Target[]
}

/** Tells clients of the server: shows what it would put into their files, asks, and changes that and nothing else. */
export async function initClients(flags: ParsedFlags, io: CliIo): Promise<number> {
  const { global, values } = flags
  const { ground, projectScope, database } = groundOf(io)
  const clients = clientsNamed(values.client) ?? foundOn(ground)
  if (clients.length === 0)
    throw new ElfmemError('NOT_FOUND', 'No client was found on this machine.', {
      recovery: 'Name the one that you use, as in `elfmem init --client claude-code`.',
    })
  const scope = typeof values.scope === 'string' ? values.scope : undefined
  mustAgree(values, ground)
  const service = serviceGiven(flags, io)
  const memory = { database, projectScope, scope, isWhole: values.whole === true, service }
  const served = { program: io.program, env: io.env, ...memory }
  const setUps = clients.map((client) => setUpOf(client, { ground, served, values }))
  const targets = setUps.flatMap((each) => each.targets)
  const plan = planned(targets, ground.project, withEntries)
  const isDone = await carryOut(plan, flags, io)
  const isRefused = ({ client, place }: SetUp) =>
    plan.refused.some(({ path }) => path === serverFile(client, place, ground))
  const notes = notesOf(
    setUps.filter((each) => !isRefused(each)),
    { served, wantsHooks: values.hooks === true },
  )
  if (global.json) io.stdout.write(`${jsonText({ ...resultOf(plan), done: isDone, notes })}\n`)
  else if (!global.quiet) {
    const page = pageFor(io.stdout, io)
    const last = `\`elfmem doctor --clients\` checks it; \`elfmem uninstall --client ${clients.map(({ name }) => name).join()}\` takes it back.`
    const said = isDone ? [...notes, last] : plan.changes.length > 0 ? ['Nothing was changed.'] : []
    io.stdout.write(
      plan.same.map((path) => `${page.style.dim('as it should be')} ${harmlessLine(path)}\n`).join(''),
    )
    io.stdout.write(said.map((note) => `  ${wrapped(harmlessLine(note), page, 2)}\n`).join(''))
  }
  return plan.refused.length > 0 ? EXIT_REFUSED : EXIT_OK
}

function resultOf({ changes, same, refused }: Plan) {
  return { changes: changes.map(({ file, entries }) => ({ path: file.path, entries })), same, refused }
}

/** Returns a file with entries in it, in the place of entries of the same name; undefined if it has them. */
function withEntries({ text = '' }: ConfigFile, targets: readonly Target[]) {
  let after = text
  const entries: string[] = []
  for (const { format, entry } of targets) {
    if (isDeepStrictEqual(EDITORS[format].find(after, entry), entry.value)) continue
    after = EDITORS[format].put(after, entry)
    entries.push(EDITORS[format].snippet(entry))
  }
  return entries.length === 0 ? undefined : { text: after, entries: [...new Set(entries)] }
}

function mustAgree({ project, user, scope, whole, hooks }: Values, ground: Ground): void {
  if (whole === true && hooks === true) throw contradicting('--whole', '--hooks')
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

/** Returns the refusal of two flags that cannot both be meant. */
function contradicting(one: string, other: string): ElfmemError {
  return new ElfmemError('INVALID_INPUT', `${one} and ${other} contradict each other.`, {
    recovery: 'Leave one of them out.',
  })
}

interface Asked {
  readonly ground: Ground
  readonly served: Served
  readonly values: Values
}

function setUpOf(client: Client, { ground, served, values }: Asked): SetUp {
  const place = placeOf(client, ground, values)
  const path = serverFile(client, place, ground)
  const isWanted = values.hooks === true && client.hasPlugin?.(ground) !== true
  const known = served.service === undefined ? hooksOf(client, place, ground, hookCommand(served)) : []
  const hooks = isWanted ? known : known.filter(isThere(ground))
  const launch = launchFor(client, place, { ...served, isHooked: hooks.length > 0 })
  const entry = serverEntry(client, valueFor(client, place, launch, served.service))
  const server =
    path === undefined ? [] : [{ path, place, part: 'server', format: client.format, entry } as const]
  const ofRules = values.user === true || ground.project === undefined ? 'user' : 'project'
  const rules = values.rules === true ? rulesOf(client, ofRules, ground) : []
  return { client, place, launch, isHooked: hooks.length > 0, targets: [...server, ...rules, ...hooks] }
}

/** Returns the place of a client's server: the project, unless it has no file there or the owner says otherwise. */
function placeOf(client: Client, ground: Ground, values: Values): Place {
  if (values.user === true) return 'user'
  if (serverFile(client, 'project', ground) !== undefined) return 'project'
  if (values.project !== true) return 'user'
  throw new ElfmemError('INVALID_INPUT', `${client.title} has no file for the servers of one project.`, {
    recovery: 'Leave out --project.',
  })
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

/** Returns the hooks of a client in a place, by the command that runs a hook. */
export function hooksOf({ hooks }: Client, place: Place, ground: Ground, command: string): readonly Target[] {
  const path = firstThere(ground, hooks?.files[place])
  if (hooks === undefined || path === undefined) return []
  return hooks.entries(command).map((entry) => ({ path, place, part: 'hooks', format: 'json', entry }))
}

/** Returns the rules of a client in a place. */
export function rulesOf({ rules, preamble = '' }: Client, place: Place, ground: Ground): readonly Target[] {
  const path = firstThere(ground, rules?.[place])
  const entry = { kind: 'block', at: [], value: RULES, preamble } as const
  return path === undefined ? [] : [{ path, place, part: 'rules', format: 'block', entry }]
}

/** Returns a test if an entry, whatever its value, stands in its file. */
export function isThere(ground: Ground): (target: Target) => boolean {
  return ({ path, place, format, entry }) => {
    const file = attempt(() => readConfig(path, place === 'project' ? ground.project : undefined))
    return attempt(() => EDITORS[format].find(file?.text ?? '', entry)) !== undefined
  }
}

/** Returns sentences on whose memories clients see, and on steps that are left; of clients that were set up. */
function notesOf(
  setUps: readonly SetUp[],
  { served, wantsHooks }: { served: Served; wantsHooks: boolean },
): readonly string[] {
  const { service, scope, isWhole } = served
  const steps = setUps.flatMap(({ client, place, isHooked }) => {
    const { title, name, hooks, next } = client
    const isShared = place === 'user' && !client.startsInProject && scope === undefined && !isWhole
    return [
      isShared && service === undefined
        ? `${title} does not say which project it works in: what it remembers has the scope ${name}, and shows in all of its projects.`
        : undefined,
      next?.[place],
      isHooked ? hooks?.next : undefined,
      wantsHooks && !isHooked ? `elfmem writes no hooks for ${title}.` : undefined,
    ].filter((each) => each !== undefined)
  })
  return [whoseMemory(served), ...steps]
}

function whoseMemory({ database, projectScope, scope, isWhole, service }: Served): string {
  if (service?.tokenFile !== undefined)
    return `The client starts elfmem serve --url, which reads ${service.tokenFile} and hands each call on to ${service.url}.`
  if (service !== undefined)
    return `Set ELFMEM_TOKEN where the client starts: it sends that to ${service.url}, and no file holds it.`
  if (isWhole) return 'The whole memory is served: what one project remembers shows in all of them.'
  if (scope !== undefined) return `The scope ${scope} is served, to every client that is told to.`
  if (database !== undefined) return `This project has a memory of its own, ${database}.`
  return `Memories of this project have the scope ${projectScope}. \`elfmem ls --scope ${shellWord(projectScope)}\` lists them.`
}

/** Takes the entries of elfmem out of the files of clients. The memory stays. */
export async function runUninstall(flags: ParsedFlags, io: CliIo): Promise<number> {
  const { global, values } = flags
  const { ground } = groundOf(io)
  if (values.client === undefined)
    throw new ElfmemError('INVALID_INPUT', 'elfmem uninstall needs a client.', {
      recovery: 'Run `elfmem uninstall --client all`, or name one in the place of all.',
    })
  if (values.user === true && values.project === true) throw contradicting('--user', '--project')
  const clients = clientsNamed(values.client) ?? CLIENTS
  const places = (['project', 'user'] as const).filter(
    (place) => values[place === 'user' ? 'project' : 'user'] !== true,
  )
  const targetsOf = (client: Client) => places.flatMap((place) => entriesIn(client, place, ground))
  const isSetUp = (client: Client) =>
    targetsOf(client).some((each) => each.part === 'server' && isThere(ground)(each))
  const staying = CLIENTS.filter((each) => !clients.includes(each) && isSetUp(each)).flatMap(targetsOf)
  // Lines that another client reads stay for that one.
  const isKept = ({ path, part }: Target) => part === 'rules' && staying.some((each) => each.path === path)
  const going = clients.flatMap(targetsOf).filter((each) => !isKept(each))
  const plan = planned(going, ground.project, withoutEntries)
  const isDone = await carryOut(plan, flags, io, true)
  if (global.json) io.stdout.write(`${jsonText({ ...resultOf(plan), done: isDone })}\n`)
  else if (!global.quiet) {
    const nothing = plan.changes.length + plan.refused.length === 0
    const end = nothing
      ? 'No file of a client has an entry of elfmem.'
      : isDone
        ? 'The memory stays where it is.'
        : 'Nothing was changed.'
    io.stdout.write(`${end}\n`)
  }
  return plan.refused.length > 0 ? EXIT_REFUSED : EXIT_OK
}

/** Returns all entries that elfmem may have in the files of a client. */
function entriesIn(client: Client, place: Place, ground: Ground): readonly Target[] {
  const path = serverFile(client, place, ground)
  const entry = serverEntry(client, {})
  const server =
    path === undefined ? [] : [{ path, place, part: 'server', format: client.format, entry } as const]
  return [...server, ...rulesOf(client, place, ground), ...hooksOf(client, place, ground, '')]
}

/** Returns a file without entries; undefined if it has none of them. A file that elfmem made goes. */
function withoutEntries(file: ConfigFile, targets: readonly Target[]): Omit<Change, 'file'> | undefined {
  let text = file.text ?? ''
  const entries: string[] = []
  for (const { format, entry } of targets) {
    if (!text.includes('elfmem') || EDITORS[format].find(text, entry) === undefined) continue
    text = EDITORS[format].takeOut(text, entry)
    entries.push(entry.at.join('.') || 'the lines between the marks of elfmem')
  }
  if (entries.length === 0) return undefined
  const isBlank = isHollow(text) || targets.some(({ entry }) => entry.preamble?.trim() === text.trim())
  const before = textBefore(file)
  // A copy from before that names elfmem is of an earlier set-up.
  const left = before?.includes('elfmem') ? undefined : before
  return { text: isBlank ? left : text, entries: [...new Set(entries)] }
}
