import { rmdirSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { discoverRoot } from '../../../adapters/project/discover.ts'
import { systemFiles } from '../../../adapters/project/files.ts'
import { type SettingLeaf, settingLeaves } from '../../../adapters/project/settings-schema.ts'
import { snakeCase } from '../../../adapters/project/spelling.ts'
import {
  ensureGitignore,
  makeFolder,
  refuseLink,
  writeIfAbsent,
} from '../../../adapters/project/trust/own-folder.ts'
import { configHash, standingOf, trustCommand, unfit } from '../../../adapters/project/trust/standing.ts'
import { openTrustStore } from '../../../adapters/project/trust/trust-store.ts'
import { settingsSchema } from '../../../engine/settings.ts'
import { attempt, ElfmemError } from '../../../errors.ts'
import { harmless, harmlessLine } from '../../../operations/wording.ts'
import { foundOn } from '../clients/clients.ts'
import { groundOf, programNow } from '../clients/launch.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK, type GlobalOptions, isYes } from '../io.ts'
import { resolveCliProject } from '../project.ts'
import { jsonText } from '../screen/output.ts'
import { type Page, pageFor, setOnPage, wrapped } from '../screen/style.ts'
import { valueAt } from './config.ts'

/**
 * Makes `.elfmem` with a commented config, trusts it if it is new, and prints how to connect an MCP client. With `--client` it
 * changes the files of clients instead.
 */
export async function runInit(flags: ParsedFlags, io: CliIo): Promise<number> {
  const { global, values } = flags
  refuseMixed(values)
  if (values.client !== undefined) return (await import('../clients/set-up.ts')).initClients(flags, io)
  const uid = process.getuid?.()
  const found = discoverRoot({ cwd: io.cwd, home: io.home, files: systemFiles, uid })
  const root = values.global ? io.home : ((values.here ? undefined : found.root) ?? io.cwd)
  // The home directory is never a project: what lies there is the memory of every directory that has none.
  const ofHome = root === io.home
  const agentName = nameGiven(values['agent-name'])
  const directory = join(root, '.elfmem')
  const database = join(directory, ofHome ? 'agent.db' : 'memory.db')
  const own = ownMemory(database, io)
  const takesOver = await wantsTakeOver(own, { global, isGiven: values['take-over'] === true }, io)
  const isNew = makeFolder(directory, { followLinks: ofHome })
  if (!ofHome) mustBeTrusted(directory, isNew, io)
  const text = await configText({ ofProject: !ofHome, name: harmlessLine(basename(root)), agentName })
  const { files, notes: told } = writeFiles(directory, ofHome, text)
  if (!ofHome) trustConfig(directory, io)
  const isCopied = takesOver && (await takeOver(own, database, { global, io }))
  const notes = [...told, ...unusedName(agentName, files), ...noteOnOwn(own, isCopied)]
  const mcp = mcpSnippet(ofHome ? undefined : database, io.program)
  const clients = foundOn(groundOf(io).ground).map(({ name }) => name)
  const made = { directory, database, files, notes, mcp, clients }
  if (global.json) io.stdout.write(`${jsonText(made)}\n`)
  else if (!global.quiet) io.stdout.write(`${reportOf(made, io)}\n`)
  return EXIT_OK
}

/** Flags of the two things that `init` does. */
const OF_MEMORY = ['global', 'here', 'agent-name', 'take-over']
const OF_CLIENTS = ['url', 'project', 'user', 'rules', 'hooks', 'scope', 'whole', 'dry-run', 'yes']

function refuseMixed(values: ParsedFlags['values']): void {
  const isForClients = values.client !== undefined
  const wrong = (isForClients ? OF_MEMORY : OF_CLIENTS).find((flag) => values[flag] !== undefined)
  if (wrong === undefined) return
  throw new ElfmemError(
    'INVALID_INPUT',
    `--${wrong} ${isForClients ? 'means nothing with' : 'needs'} --client.`,
    {
      recovery: isForClients
        ? 'Leave one of them out: `elfmem init` makes a memory, `elfmem init --client` tells clients of it.'
        : 'Name a client, as in `elfmem init --client claude-code`.',
    },
  )
}

/** A name that no config could have is not written into one. */
function nameGiven(given: unknown): string | undefined {
  if (typeof given !== 'string' || given === '') return undefined
  if (settingsSchema.safeParse({ project: { agentName: given } }).success) return given
  throw new ElfmemError('INVALID_INPUT', 'The value of --agent-name cannot be the name of an agent.', {
    recovery: 'Give one line of 1 to 64 characters, without invisible ones.',
  })
}

interface Initialised {
  readonly directory: string
  readonly database: string
  readonly files: readonly { readonly path: string; readonly written: boolean }[]
  readonly notes: readonly string[]
  readonly mcp: object
  /** Names of the clients that were found. */
  readonly clients: readonly string[]
}

function unusedName(agentName: string | undefined, [config]: Initialised['files']): string[] {
  return agentName && !config?.written ? ['The config was there, so --agent-name changed nothing.'] : []
}

function writeFiles(directory: string, ofHome: boolean, text: string): Pick<Initialised, 'files' | 'notes'> {
  const [config, ignore] = [join(directory, 'config.yaml'), join(directory, '.gitignore')]
  if (!ofHome) for (const path of [config, ignore]) refuseLink(path)
  const { written, note } = ensureGitignore(directory, { mayStay: ofHome })
  const files = [
    { path: config, written: writeIfAbsent(config, text) },
    { path: ignore, written },
  ]
  return { files, notes: note === undefined ? [] : [note] }
}

/**
 * Trusts a folder that was just made. Nothing is written into one that was found, unless its owner said that it is trusted.
 *
 * @throws `CONFIG_INVALID` for any other
 */
function mustBeTrusted(directory: string, isNew: boolean, { home }: CliIo): void {
  const uid = process.getuid?.()
  const trustStore = openTrustStore(home, uid)
  const standing = standingOf(directory, { files: systemFiles, uid, trustStore })
  if (standing.state === 'trusted') return
  if (standing.state === 'untrusted' && isNew) {
    trustStore.save({ ...standing.folder, trustedAt: new Date().toISOString() })
    return
  }
  if (isNew) attempt(() => rmdirSync(directory))
  if (standing.state === 'unfit') throw unfit(directory, standing)
  throw new ElfmemError(
    'CONFIG_INVALID',
    `${directory} was there before and is not trusted, so nothing is written into it.`,
    {
      recovery: `If it is yours, run \`${trustCommand(dirname(directory))}\`.`,
      details: { folder: directory, reason: standing.reason },
    },
  )
}

/** Trusts the config of a folder that is trusted: it was written just now, or is the one that was trusted. */
function trustConfig(directory: string, { home }: CliIo): void {
  const world = { files: systemFiles, uid: process.getuid?.() }
  const trustStore = openTrustStore(home, world.uid)
  const standing = standingOf(directory, { ...world, trustStore })
  const entry = standing.state === 'untrusted' ? trustStore.find(standing.folder.path) : undefined
  const config = configHash(directory, world)
  if (entry !== undefined && config !== undefined) trustStore.save({ ...entry, config })
}

function mcpSnippet(database: string | undefined, program: CliIo['program']) {
  const [command, ...first] = programNow(program)
  const args = [...first, 'serve', ...(database === undefined ? [] : ['--db', database])]
  return { mcpServers: { elfmem: { command, args } } }
}

function foundLines(clients: readonly string[], page: Page): string[] {
  const found = `Found here: ${clients.join(', ')}. This shows what it would write into their files, and asks:`
  return [setOnPage(found, page), `  ${page.style.name(`elfmem init --client ${clients.join(',')}`)}`]
}

function reportOf({ database, files, notes, mcp, clients }: Initialised, io: CliIo): string {
  const page = pageFor(io.stdout, io)
  const { style } = page
  return [
    ...files.map(
      ({ path, written }) => `${written ? style.good('wrote') : style.dim('kept ')} ${harmless(path)}`,
    ),
    ...notes.map((note) => `${style.warm('!')} ${wrapped(harmless(note), page, 2)}`),
    `memory ${style.bold(harmless(database))}`,
    '',
    'For an MCP client:',
    jsonText(mcp),
    setOnPage(style.dim('A client that starts its servers in this directory needs no --db.'), page),
    ...(clients.length === 0 ? [] : ['', ...foundLines(clients, page)]),
    '',
    'Next:',
    `  ${style.name('elfmem setup --seed')}`,
    `  ${style.name("elfmem remember 'something worth keeping'")}`,
  ].join('\n')
}

interface GivenNames {
  readonly name: string
  readonly agentName: string | undefined
  /** True: of a project, with the settings that a project may set. */
  readonly ofProject: boolean
}

/** Returns a config file with every setting as a comment with its default; only what was asked for is set. */
async function configText({ name, agentName, ofProject }: GivenNames): Promise<string> {
  const { stringify } = await import('yaml')
  const given: Readonly<Record<string, string | undefined>> = {
    'project.name': ofProject ? name : undefined,
    'project.agentName': agentName || undefined,
  }
  const defaults = settingsSchema.parse({})
  const lines = [
    '# Settings of this memory. Remove a # to change one; elfmem config shows what is in force.',
    ...(ofProject
      ? ['# A project can set these alone; all others are in your own ~/.elfmem/config.yaml.']
      : []),
  ]
  let groups: readonly string[] = []
  for (const leaf of settingLeaves().filter(({ schema }) => !ofProject || schema.project !== undefined)) {
    const path = leaf.path.slice(0, -1)
    lines.push(...headings(groups, path))
    groups = path
    const value = given[leaf.path.join('.')]
    const indent = '  '.repeat(path.length)
    const key = snakeCase(leaf.path.at(-1) ?? '')
    if (value !== undefined)
      lines.push(
        stringify({ [key]: value })
          .trimEnd()
          .replace(/^/gm, indent),
      )
    else lines.push(`${indent}# ${key}: ${fallbackOf(leaf, valueAt(defaults, leaf.path))}`)
  }
  return `${lines.join('\n')}\n`
}

function headings(before: readonly string[], path: readonly string[]): string[] {
  const shared = path.findIndex((key, at) => before[at] !== key)
  if (shared < 0) return []
  return path.slice(shared).map((key, at) => {
    const depth = shared + at
    return `${depth === 0 ? '\n' : ''}${'  '.repeat(depth)}${snakeCase(key)}:`
  })
}

function fallbackOf({ schema }: SettingLeaf, value: string): string {
  const facts = [schema.unit, schema.description].filter(Boolean).join(': ')
  return `${value === 'unset' ? '' : value}  ${facts && `# ${facts}`}`.trimEnd()
}

/** The user's own memory, which every directory without a project uses, if a project could begin with a copy of it. */
function ownMemory(database: string, { home }: CliIo): string | undefined {
  const own = join(home, '.elfmem', 'agent.db')
  const isThere = (path: string) => (attempt(() => statSync(path).size) ?? 0) > 0
  return own !== database && isThere(own) && !isThere(database) ? own : undefined
}

/**
 * True if the project's memory is to begin as a copy of the user's own: by the flag, or by a yes at a terminal.
 *
 * @throws `INVALID_INPUT` for the flag where there is nothing to copy, or nowhere to copy it to
 */
async function wantsTakeOver(
  own: string | undefined,
  { global, isGiven }: { readonly global: GlobalOptions; readonly isGiven: boolean },
  io: CliIo,
): Promise<boolean> {
  if (isGiven && own === undefined)
    throw new ElfmemError(
      'INVALID_INPUT',
      'There is no memory of your own to take over, or one here already.',
      { recovery: 'Leave out --take-over.' },
    )
  if (isGiven || own === undefined || io.ask === undefined || global.json || global.quiet) return isGiven
  const question = `Copy your personal memory (${own}) into this project's new one? [y/N]`
  return isYes(await io.ask(setOnPage(question, pageFor(io.stderr, io))))
}

/** Copies the user's own memory, if there is one, into a trusted project, and trusts the copy. True if it did. */
async function takeOver(
  own: string | undefined,
  database: string,
  { global, io }: { readonly global: GlobalOptions; readonly io: CliIo },
): Promise<boolean> {
  if (own === undefined) return false
  const project = await resolveCliProject({ ...global, db: own, config: undefined }, io)
  const { openLifetime } = await import('../../../engine/open-memory.ts')
  const { backup } = await import('../../../operations/maintenance/backup.ts')
  const memory = await openLifetime({ ...project, surface: 'cli' }, { sessionMode: 'resume', as: 'owner' })
  try {
    await memory.call(backup, { path: database })
  } finally {
    await memory.close()
  }
  const { readMemoryId } = await import('../../../engine/open-engine.ts')
  const uid = process.getuid?.()
  const trustStore = openTrustStore(io.home, uid)
  const standing = standingOf(dirname(database), { files: systemFiles, uid, trustStore })
  const memoryId = await readMemoryId(database)
  if (standing.state === 'trusted' && memoryId !== undefined)
    trustStore.save({ ...standing.entry, memory: memoryId })
  return true
}

/** Returns the sentences about the user's own memory beside a new one. */
function noteOnOwn(own: string | undefined, isCopied: boolean): readonly string[] {
  if (own === undefined) return []
  return isCopied
    ? [`This memory is a copy of your personal one, ${own}, which stays.`]
    : [`You have a personal memory, ${own}. \`elfmem init --take-over\` begins this one as a copy of it.`]
}
