import { rmdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { discoverRoot } from '../../../adapters/project/discover.ts'
import { systemFiles } from '../../../adapters/project/files.ts'
import {
  ensureGitignore,
  makeFolder,
  refuseLink,
  writeIfAbsent,
} from '../../../adapters/project/trust/own-folder.ts'
import { configHash, standingOf, trustCommand, unfit } from '../../../adapters/project/trust/standing.ts'
import { openTrustStore } from '../../../adapters/project/trust/trust-store.ts'
import { attempt, ElfmemError } from '../../../errors.ts'
import { harmless, harmlessLine } from '../../../operations/wording.ts'
import { foundOn } from '../clients/clients.ts'
import { groundOf, programNow } from '../clients/launch.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK } from '../io.ts'
import { jsonText } from '../screen/output.ts'
import { pageFor, setOnPage, wrapped } from '../screen/style.ts'

/**
 * Makes `.elfmem` with a config, trusts it if it is new, and prints how to connect an MCP client. With `--client` it changes the
 * files of clients instead.
 */
export async function runInit(flags: ParsedFlags, io: CliIo): Promise<number> {
  const { global, values } = flags
  if (values.client !== undefined) return (await import('../clients/set-up.ts')).initClients(flags, io)
  const found = discoverRoot({ cwd: io.cwd, home: io.home, files: systemFiles, uid: process.getuid?.() })
  const root = (values.here ? undefined : found.root) ?? io.cwd
  const isHome = root === io.home
  const directory = join(root, '.elfmem')
  const database = join(directory, isHome ? 'agent.db' : 'memory.db')
  const { files, notes } = isHome ? HOME_MEMORY : await makeProject(directory, io)
  const [command, ...first] = programNow(io.program)
  const mcp = {
    mcpServers: { elfmem: { command, args: [...first, 'serve', ...(isHome ? [] : ['--db', database])] } },
  }
  const clients = foundOn(groundOf(io).ground).map(({ name }) => name)
  const made = { directory, database, files, notes, mcp, clients }
  if (global.json) io.stdout.write(`${jsonText(made)}\n`)
  else if (!global.quiet) io.stdout.write(`${reportOf(made, io)}\n`)
  return EXIT_OK
}

/** The plan for the home directory, which is no project: nothing is made there. */
const HOME_MEMORY = {
  files: [],
  notes: [
    'The home directory is no project: its memory is used wherever there is none, and begins with what you remember.',
  ],
}

/**
 * Makes the folder of a project's memory with its config, and trusts both. Nothing is written into a folder that was found,
 * unless its owner said that it is trusted.
 *
 * @throws `CONFIG_INVALID` for any other
 */
async function makeProject(
  directory: string,
  { home }: CliIo,
): Promise<Pick<Initialised, 'files' | 'notes'>> {
  const uid = process.getuid?.()
  const world = { files: systemFiles, uid, trustStore: openTrustStore(home, uid) }
  const isNew = makeFolder(directory)
  const standing = standingOf(directory, world)
  if (standing.state !== 'trusted' && !(standing.state === 'untrusted' && isNew)) {
    if (isNew) attempt(() => rmdirSync(directory))
    if (standing.state === 'unfit') throw unfit(directory, standing)
    const message = `${directory} was there before and is not trusted, so nothing is written into it.`
    throw new ElfmemError('CONFIG_INVALID', message, {
      recovery: `If it is yours, run \`${trustCommand(dirname(directory))}\`.`,
      details: { folder: directory, reason: standing.reason },
    })
  }
  const [path, ignore] = [join(directory, 'config.yaml'), join(directory, '.gitignore')]
  for (const each of [path, ignore]) refuseLink(each)
  const { written: isIgnored, note } = ensureGitignore(directory)
  const written = writeIfAbsent(path, await configText(harmlessLine(basename(dirname(directory)))))
  const { path: folder } = standing
  const entry =
    standing.state === 'trusted' ? standing.entry : { path: folder, trustedAt: new Date().toISOString() }
  const config = written || isNew ? configHash(directory, world) : undefined
  if (config !== undefined) world.trustStore.save({ ...entry, config })
  const files = [
    { path, written },
    { path: ignore, written: isIgnored },
  ]
  return { files, notes: note === undefined ? [] : [note] }
}

/** Returns a config that names the project, and says where the other settings are explained. */
async function configText(name: string): Promise<string> {
  const { stringify } = await import('yaml')
  return [
    '# Settings of this memory. `elfmem config --all` shows each setting with its value, and docs/configuration.md says',
    '# which of them a project can set; the others are in your own ~/.elfmem/config.yaml.',
    stringify({ project: { name } }),
  ].join('\n')
}

interface Initialised {
  readonly database: string
  readonly files: readonly { readonly path: string; readonly written: boolean }[]
  readonly notes: readonly string[]
  readonly mcp: object
  /** Names of the clients that were found. */
  readonly clients: readonly string[]
}

function reportOf({ database, files, notes, mcp, clients }: Initialised, io: CliIo): string {
  const page = pageFor(io.stdout, io)
  const { style } = page
  const found = `Found here: ${clients.join(', ')}. This shows what it would write into their files, and asks:`
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
    ...(clients.length === 0
      ? []
      : ['', setOnPage(found, page), `  ${style.name(`elfmem init --client ${clients.join(',')}`)}`]),
    '',
    'Next:',
    `  ${style.name('elfmem setup --seed')}`,
    `  ${style.name("elfmem remember 'something worth keeping'")}`,
  ].join('\n')
}
